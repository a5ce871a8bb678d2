"""Vocabularies, token -> id. In a file: one token a line, its id is the line number from 0."""

import os
import re
import string
from collections.abc import Iterable, Mapping

from bert_keras.errors import InputError
from bert_keras.files import read_bytes, write_text
from bert_keras.notices import notify

PADDING = "[PAD]"
UNKNOWN = "[UNK]"
CLASSIFICATION = "[CLS]"
SEPARATOR = "[SEP]"
MASK = "[MASK]"
SPECIAL_TOKENS = (PADDING, UNKNOWN, CLASSIFICATION, SEPARATOR, MASK)

CONTINUATION = "##"  # starts a piece that does not start a word
# Ids may have gaps, but files and tables have a line or row for each: so many at most.
IDS_PER_TOKEN, MORE_IDS = 10, 1000

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")  # JSON can write it, UTF-8 cannot

# The checkpoints that validate_case_matches_checkpoint of the original names.
_LOWER_CASED_CHECKPOINTS = (
    "uncased_L-24_H-1024_A-16",
    "uncased_L-12_H-768_A-12",
    "multilingual_L-12_H-768_A-12",
    "chinese_L-12_H-768_A-12",
)
_CASED_CHECKPOINTS = (
    "cased_L-12_H-768_A-12",
    "cased_L-24_H-1024_A-16",
    "multi_cased_L-12_H-768_A-12",
)


def load_vocabulary(path: str | os.PathLike) -> dict[str, int]:
    """Reads a vocabulary file: token -> id, in file order (`load_vocab` of the original).

    A blank line uses up an id, and of a repeated token the last line counts, both as in the
    original; a notice names the lines. Windows line ends, a missing final line end and a byte
    order mark do no harm.

    Raises:
        InputError: no such file, a directory, not UTF-8, or no [UNK] in it.
    """
    vocabulary: dict[str, int] = {}
    blank, repeated = [], []
    for index, line in enumerate(_read_lines(path)):
        token = _strip(line)
        if not token:
            blank.append(index + 1)
        elif token in vocabulary:
            repeated.append(index + 1)
        vocabulary[token] = index
    if blank:
        _notify(path, blank, "a blank line uses up an id")
    if repeated:
        _notify(path, repeated, "a token that stands on an earlier line too gets the later id")
    require_tokens(vocabulary, [UNKNOWN], path)
    return vocabulary


def read_vocabulary(source: str | os.PathLike | Mapping[str, int]) -> dict[str, int]:
    """The vocabulary of a file, or the mapping that stands for one: either is checked.

    Raises:
        InputError: as `load_vocabulary` and `check_vocabulary`.
    """
    if isinstance(source, Mapping):
        return check_vocabulary(source, source_name(source))
    return load_vocabulary(source)


def source_name(source: str | os.PathLike | Mapping[str, int]) -> str:
    """What messages call the source of a vocabulary: a file by its path."""
    return "a mapping" if isinstance(source, Mapping) else os.fspath(source)


def check_vocabulary(vocabulary: Mapping[str, int], source: str) -> dict[str, int]:
    """The same tokens in the order of their ids.

    Raises:
        InputError, which names `source`: a token is no Unicode text; an id is no integer, comes
            twice, or is negative or far larger than the number of tokens; there is no [UNK].
    """
    largest = IDS_PER_TOKEN * len(vocabulary) + MORE_IDS
    token_of_id: dict[int, str] = {}
    for token, index in vocabulary.items():
        if not isinstance(token, str) or _LONE_SURROGATE.search(token):
            raise InputError(f"{source}: a token must be Unicode text. Received: {token!r}.")
        if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index <= largest:
            raise InputError(
                f"{source}: the id of a token must be an integer from 0 to {largest}, as there are "
                f"{len(vocabulary)} tokens. Received: {index!r} for {token!r}."
            )
        if index in token_of_id:
            raise InputError(
                f"{source}: each token must have an id of its own. "
                f"Received: {index} for {token_of_id[index]!r} and {token!r}."
            )
        token_of_id[index] = token
    require_tokens(vocabulary, [UNKNOWN], source)
    return {token_of_id[index]: index for index in sorted(token_of_id)}


def save_vocabulary(vocabulary: Mapping[str, int], path: str | os.PathLike) -> None:
    """Writes one token a line in id order; an id without a token gets a blank line.

    Raises:
        InputError: a token holds a line end, or begins or ends with white space, so that it could
            not be read back; or the file cannot be written.
    """
    lines = [""] * vocabulary_size(vocabulary)
    for token, index in vocabulary.items():
        if "\n" in token or "\r" in token or _strip(token) != token:
            raise InputError(
                "A token of a vocabulary file cannot hold a line end, nor begin or end with white "
                f"space. Received: {token!r} (id {index})."
            )
        lines[index] = token
    write_text(path, "".join(f"{line}\n" for line in lines))


def vocabulary_size(vocabulary: Mapping[str, int]) -> int:
    """The number of ids, those of blank and repeated lines included; a model must cover them."""
    return max(vocabulary.values(), default=-1) + 1


def require_tokens(
    vocabulary: Mapping[str, int], tokens: Iterable[str], path: str | os.PathLike
) -> None:
    """Raises InputError, which names `path`, if one of the tokens is not in the vocabulary."""
    missing = [token for token in tokens if token not in vocabulary]
    if missing:
        raise InputError(
            f"{path}: the vocabulary lacks {', '.join(missing)}; each needs a line of its own. "
            f"Received: {len(vocabulary)} tokens, beginning with {list(vocabulary)[:3]}."
        )


def check_case(
    do_lower_case: bool, vocabulary: Mapping[str, int], init_checkpoint: str | None = None
) -> None:
    """Finds a case setting that contradicts the checkpoint's name or the vocabulary's letters.

    The names are those of the original's `validate_case_matches_checkpoint`. A vocabulary with all
    of A-Z as tokens is cased for certain, one with all of a-z and none of A-Z lower-cased; of
    others (small ones, other scripts) nothing is said.

    Raises:
        InputError: the setting contradicts; the message says which value fits.
    """
    for fits, reason in _case_facts(vocabulary, init_checkpoint):
        if fits != do_lower_case:
            raise InputError(
                "--do_lower_case must be as when the vocabulary was made. Received: "
                f"{do_lower_case}, but {reason}. Pass --do_lower_case={fits}, or files that fit."
            )


def known_case(vocabulary: Mapping[str, int], init_checkpoint: str | None = None) -> bool | None:
    """The `do_lower_case` that `check_case` holds for certain; None if nothing can be said."""
    facts = _case_facts(vocabulary, init_checkpoint)
    return facts[0][0] if facts else None


def _case_facts(
    vocabulary: Mapping[str, int], init_checkpoint: str | None
) -> list[tuple[bool, str]]:
    """Which `do_lower_case` fits, and why: by the checkpoint's name, then by the letters."""
    facts = []
    match = re.match(r"^.*?([A-Za-z0-9_-]+)/bert_model.ckpt", init_checkpoint or "")
    model_name = match.group(1) if match else None
    if model_name in _CASED_CHECKPOINTS:
        facts.append((False, f"the checkpoint {init_checkpoint} is cased"))
    if model_name in _LOWER_CASED_CHECKPOINTS:
        facts.append((True, f"the checkpoint {init_checkpoint} is lower-cased"))
    upper = sum(letter in vocabulary for letter in string.ascii_uppercase)
    lower = sum(letter in vocabulary for letter in string.ascii_lowercase)
    if upper == len(string.ascii_uppercase):
        facts.append((False, "the vocabulary holds the letters A-Z, which would never be used"))
    if upper == 0 and lower == len(string.ascii_lowercase):
        facts.append((True, "the vocabulary holds a-z and none of A-Z: capitals would be [UNK]"))
    return facts


def _read_lines(path: str | os.PathLike) -> list[str]:
    """Cuts at "\\n" alone: `splitlines` would cut at U+2028, which is content in some of BERT's."""
    lines = read_bytes(path).removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if not lines[-1]:
        del lines[-1]  # what stands after the final line end is no line
    try:
        return [line.decode("utf-8") for line in lines]
    except UnicodeDecodeError as error:
        number = lines.index(error.object) + 1
        raise InputError(f"{path}: line {number} is not UTF-8: {error.object[:40]!r}.") from error


def _strip(line: str) -> str:
    """Without the white space around it, but for a token that is itself a space (U+2028, ##U+2028).

    The original empties such tokens; text is split at spaces, so none can reach them either way.
    """
    token = line.strip()
    return line.strip(string.whitespace) if token in ("", CONTINUATION) else token


def _notify(path: str | os.PathLike, line_numbers: list[int], fact: str) -> None:
    shown = ", ".join(map(str, line_numbers[:10]))
    more = f" and {len(line_numbers) - 10} more" if len(line_numbers) > 10 else ""
    notify(f"{path}: {fact}: line {shown}{more}.")
