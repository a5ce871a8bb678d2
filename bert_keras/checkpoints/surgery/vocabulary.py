"""Another vocabulary for a pretrained model: the rows of its tables follow their tokens."""

import dataclasses
import functools
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from bert_keras.checkpoints.names import OUTPUT_BIAS, WORDS
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.checkpoints.surgery.tables import num_rows, with_rows, without_state
from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.notices import notify
from bert_keras.tokenizers.vocabulary import CONTINUATION, UNKNOWN
from bert_keras.tokenizers.wordpiece import LongestMatch, WordPieceTokenizer

_MARK = re.compile(r"\[.+\]")  # [MASK], [unused7]: no word, and so of no pieces
_NO_TOKEN = "\n"  # begins the names of ids that have none; a line of a vocabulary cannot hold it


@dataclasses.dataclass(frozen=True)
class _Sources:
    """What each id of a new vocabulary is made of: every id is a key of one of the three."""

    kept: Mapping[int, int]  # -> the id that its token had
    pieces: Mapping[int, list[int]]  # -> the old ids of its pieces
    unknown: Mapping[int, str]  # -> its token

    def rows(self, old: np.ndarray, fresh: Callable[[str], np.ndarray | float]) -> np.ndarray:
        """Old rows [V, ...] -> the rows of the new ids; `fresh` makes those of unknown tokens."""
        size = len(self.kept) + len(self.pieces) + len(self.unknown)
        new = np.empty((size, *old.shape[1:]), old.dtype)
        new[list(self.kept)] = old[list(self.kept.values())]
        for index, ids in self.pieces.items():
            new[index] = old[ids].mean(axis=0)
        for index, token in self.unknown.items():
            new[index] = fresh(token)
        return new


def change_vocabulary(
    stored: StoredModel, tokenizer: WordPieceTokenizer, new_rows: str = "mean", seed: int = 0
) -> StoredModel:
    """The model with another vocabulary: longer, shorter, in another order.

    A token of both vocabularies keeps its row of the word table and its entry of the output bias,
    bit for bit, whatever its ids are; so does an id that has a token in neither (a blank or
    repeated line, a row that pads the table). `vocab_size` becomes that of the tokenizer: rows
    that pad the old table beyond it are left out. The matrix of the masked-LM head is the word
    table itself, as before.

    Args:
        tokenizer: of the new vocabulary; it becomes the model's.
        new_rows: how a token begins that the model does not know. "mean": as the mean of its
            pieces, rows and entries, which the model's tokenizer finds by its own case setting; a
            continuation (##…) is made of continuations. "random": as in a new model, a truncated
            normal row and a bias of 0. Tokens without old pieces and marks in brackets, such as
            [MASK], are random either way.
        seed: of the random rows. Each depends on seed, token and width alone.

    Raises:
        InputError: no such way, no tokenizer or word table in the model, tables that contradict
            config or vocabulary, or vocabularies that have nothing in common.
    """
    if new_rows not in NEW_ROWS:
        raise InputError(f"new_rows must be one of {', '.join(NEW_ROWS)}. Received: {new_rows!r}")
    old_names = _old_names(stored)
    _check_common(stored.tokenizer, tokenizer)
    new_names = _names(tokenizer.vocab, tokenizer.vocab_size)
    sources = _sources(old_names, new_names, NEW_ROWS[new_rows](stored.tokenizer))
    tables = _tables(stored, sources, seed)
    _notify(stored.tokenizer, tokenizer, sources, len(set(old_names) - set(new_names)))
    return dataclasses.replace(
        stored,
        config=_config(stored.config, tokenizer.vocab_size, sources.kept),
        tokenizer=tokenizer,
        weights=with_rows(without_state(stored.weights), tokenizer.vocab_size, tables),
    )


def truncated_normal(token: str, seed: int, width: int, scale: float) -> np.ndarray:
    """A row [H] as `layers.initializers.truncated_normal` makes them, for this token and seed."""
    digest = hashlib.sha256(f"{seed} {token}".encode()).digest()
    generator = np.random.default_rng(int.from_bytes(digest))
    values = generator.standard_normal(width)
    while (outside := np.abs(values) > 2).any():
        values[outside] = generator.standard_normal(np.count_nonzero(outside))
    return scale * values


def _ids_of_pieces(old: WordPieceTokenizer) -> Callable[[str], list[int]]:
    """Returns the function token -> old ids of its pieces, none where it cannot be made of any."""
    suffixes = {
        token.removeprefix(CONTINUATION) for token in old.vocab if token.startswith(CONTINUATION)
    }
    matchers = {
        "": LongestMatch(old.vocab),
        # Behind the start of a word every piece is a continuation, the first one too. [UNK] is
        # none, but a set of no words has no longest one.
        CONTINUATION: LongestMatch({UNKNOWN, *suffixes, *(CONTINUATION + s for s in suffixes)}),
    }

    def ids(token: str) -> list[int]:
        if _MARK.fullmatch(token) or token.startswith(_NO_TOKEN):
            return []
        first = CONTINUATION if token.startswith(CONTINUATION) else ""
        characters = "".join(old.basic.split_chunk(token.removeprefix(CONTINUATION)))
        spans = matchers[first].pieces(characters)
        pieces = [
            (CONTINUATION if start else first) + characters[start:end] for _, start, end in spans
        ]
        is_known = all(piece in old.vocab for piece in pieces)  # [UNK] spans the whole
        return [old.vocab[piece] for piece in pieces] if is_known else []

    return ids


def _no_ids(old: WordPieceTokenizer) -> Callable[[str], list[int]]:
    return lambda token: []


NEW_ROWS = {"mean": _ids_of_pieces, "random": _no_ids}


def _old_names(stored: StoredModel) -> list[str]:
    """The names of the rows that there are."""
    if stored.tokenizer is None:
        raise InputError(
            "Rows follow their tokens, so a model needs its own vocabulary to take another. "
            f"Received: {stored.weights.path} without one. Put its vocab.txt beside it."
        )
    rows = num_rows(stored, WORDS, "vocab_size")
    if stored.tokenizer.vocab_size > rows:
        raise InputError(
            f"A vocabulary must not be larger than vocab_size={rows} of the config. Received: "
            f"{stored.tokenizer.vocab_size} entries beside {stored.weights.path}. Take the "
            "vocabulary that belongs to the model."
        )
    return _names(stored.tokenizer.vocab, rows)


def _names(vocab: Mapping[str, int], rows: int) -> list[str]:
    """What each row is matched by: its token, or its id where it has none."""
    names = [f"{_NO_TOKEN}{index}" for index in range(rows)]
    for token, index in vocab.items():
        names[index] = token or names[index]
    return names


def _check_common(old: WordPieceTokenizer, new: WordPieceTokenizer) -> None:
    common = old.vocab.keys() & new.vocab.keys()
    if all(not token or _MARK.fullmatch(token) for token in common):
        raise InputError(
            "The new vocabulary must share tokens with the old one besides marks such as [UNK]. "
            f"Received: {len(new.vocab)} tokens, among them {list(new.vocab)[-3:]}; the model has "
            f"{list(old.vocab)[-3:]}. Take one made from the model's, or train a new model."
        )


def _sources(
    old_names: Sequence[str], new_names: Sequence[str], old_pieces: Callable[[str], list[int]]
) -> _Sources:
    old_ids = {name: index for index, name in enumerate(old_names)}
    kept, pieces, unknown = {}, {}, {}
    for index, name in enumerate(new_names):
        if name in old_ids:
            kept[index] = old_ids[name]
        elif ids := old_pieces(name):
            pieces[index] = ids
        else:
            unknown[index] = name
    return _Sources(kept, pieces, unknown)


def _tables(
    stored: StoredModel, sources: _Sources, seed: int
) -> dict[str, Callable[[np.ndarray], np.ndarray]]:
    """Name -> how its new values are made of the old."""
    config = stored.config
    random_row = functools.partial(
        truncated_normal, seed=seed, width=config.hidden_size, scale=config.initializer_range
    )
    tables = {WORDS: functools.partial(sources.rows, fresh=random_row)}
    if OUTPUT_BIAS in stored.weights.shapes:
        num_rows(stored, OUTPUT_BIAS, "vocab_size")
        tables[OUTPUT_BIAS] = functools.partial(sources.rows, fresh=lambda token: 0.0)
    return tables


def _config(config: BertConfig, vocab_size: int, kept: Mapping[int, int]) -> BertConfig:
    """The ids in a Hugging Face config, such as `pad_token_id`, follow too; None: left out."""
    new_ids = {old: new for new, old in kept.items()}
    other_keys = {
        key: new_ids.get(value) if key.endswith("_token_id") and isinstance(value, int) else value
        for key, value in config.other_keys.items()
    }
    return dataclasses.replace(config, vocab_size=vocab_size, other_keys=other_keys)


def _notify(
    old: WordPieceTokenizer, new: WordPieceTokenizer, sources: _Sources, num_left_out: int
) -> None:
    notify(
        f"new vocabulary: {len(sources.kept)} rows are kept, {len(sources.pieces)} begin with the "
        f"mean of their old pieces, {len(sources.unknown)} at random; {num_left_out} old ones are "
        "left out."
    )
    cases = [(tokenizer.do_lower_case, tokenizer.strip_accents) for tokenizer in (old, new)]
    if cases[0] != cases[1]:
        notify(
            "new vocabulary: do_lower_case and strip_accents were {} and {}, and are {} and {}: "
            "tokens keep their rows, but may stand for other words now.".format(*sum(cases, ()))
        )
