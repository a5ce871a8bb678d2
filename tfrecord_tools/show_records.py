r"""Shows pre-training records as a person reads them, counts them, or audits a whole set.

    python -m tfrecord_tools.show_records train.tfrecord --vocab_file=vocab.txt
    python -m tfrecord_tools.show_records 'shards/*.tfrecord' --count
    python -m tfrecord_tools.show_records 'train.tfrecord-*' --audit --vocab_file=vocab.txt \
        --held_out_file='test.tfrecord-*' --picture=audit.html

Without a vocabulary the ids are shown. A masked position is written as what the model sees, an
arrow, and what it has to predict: [MASK]→ship. Files may be plain or GZIP.

An audit reads every record once and prints what is in the set. It ends with status 1 if a rule is
broken that holds for all records, and names the record; what is merely unusual is a finding, such
as masks in other shares than --mask_share, --keep_share and --random_share, and the status is 0.
"""

import dataclasses
from collections.abc import Mapping

from bert_keras import flags
from bert_keras.backend import import_tensorflow_quietly
from bert_keras.data.features import is_masked
from bert_keras.data.masking_settings import MaskShares, check_shares
from bert_keras.errors import InputError
from bert_keras.file_patterns import expand_input_files
from bert_keras.files import write_text
from bert_keras.progress import Progress
from bert_keras.tokenizers.vocabulary import load_vocabulary

AUDIT_FLAGS = ("held_out_file", "picture", "output_file")  # they need --audit


@dataclasses.dataclass(frozen=True)
class Settings(MaskShares):
    files: list[str] = flags.arguments("FILE", "TFRecord files: paths or globs.")
    vocab_file: str = flags.setting("", "Vocabulary that the records were made with.")
    count: bool = flags.setting(False, "Only count the records of each file.")
    max_records: int = flags.setting(5, "How many records of each file to show.", minimum=1)
    audit: bool = flags.setting(
        False,
        "Check all records of all files, and print statistics, duplicates and checksums. With "
        "--vocab_file the ids, special tokens, masks and words too.",
    )
    held_out_file: list[str] = flags.setting(
        (), "With --audit: records to evaluate on; says how much of them stands in the set."
    )
    picture: str = flags.setting("", "With --audit: histograms, a file that ends in .png or .html.")
    output_file: str = flags.setting("", "With --audit: the report as JSON.")


def main(settings: Settings) -> int:
    if not settings.files:
        raise InputError(
            "Expected the name of a TFRecord file; received none. "
            "python -m tfrecord_tools.show_records FILE..."
        )
    given = [name for name in AUDIT_FLAGS if getattr(settings, name)]
    if given and not settings.audit:
        raise InputError(f"--{given[0]} belongs to an audit. Add --audit, or leave it out.")
    import_tensorflow_quietly()
    files = expand_input_files(settings.files)
    if settings.audit:
        return audit(files, settings)
    if settings.count:
        count(files)
    else:
        show(files, settings.vocab_file, settings.max_records)
    return 0


def audit(files: list[str], settings: Settings) -> int:
    """Prints the report on a set of files and writes what else was asked for.

    Returns:
      1 if a rule is broken, else 0.

    Raises:
      InputError: flags that cannot work. What is wrong with records stands in the report.
    """
    from tfrecord_tools.audit import auditing, picture  # loads TensorFlow
    from tfrecord_tools.audit.token_ids import load_token_ids

    check_shares(settings)
    shares = (settings.mask_share, settings.keep_share, settings.random_share)
    if settings.picture:
        picture.check_picture(settings.picture)
    held_out_files = expand_input_files(settings.held_out_file) if settings.held_out_file else []
    ids = load_token_ids(settings.vocab_file) if settings.vocab_file else None
    report = auditing.audit(files, held_out_files, ids, shares)
    print(report)
    if settings.output_file:
        write_text(settings.output_file, report.to_json())
    if settings.picture:
        with Progress("drawing", 1, " picture") as progress:
            picture.write_picture(report, settings.picture)
            progress.advance()
    return report.status


def count(files: list[str]) -> None:
    """Prints the number of records of each file and of all."""
    from tfrecord_tools.records import read_records  # loads TensorFlow, which --help does not need

    total = 0
    for path in files:
        num_records = sum(1 for _ in read_records(path))
        total += num_records
        print(f"{num_records:>12,}  {path}")
    if len(files) > 1:
        print(f"{total:>12,}  in {len(files)} files")


def show(files: list[str], vocab_file: str, max_records: int) -> None:
    """Prints the first records of each file."""
    from tfrecord_tools.records import deserialize, read_records

    vocabulary = load_vocabulary(vocab_file) if vocab_file else {}
    tokens = {index: token for token, index in vocabulary.items()}
    for path in files:
        number = 0
        for number, record in enumerate(read_records(path), start=1):
            if number > max_records:
                print(f"{path} holds more: --max_records=NUMBER shows them, --count counts them")
                break
            try:
                print(f"{path}, record {number}: {describe(deserialize(record), tokens)}\n")
            except InputError as error:
                raise InputError(f"{path}, record {number}: {error}") from error
        if number == 0:
            print(f"{path} holds no records")


def describe(features: Mapping[str, list], tokens: Mapping[int, str]) -> str:
    """One record as text.

    Args:
      features: of one pre-training record, masked or not.
      tokens: id -> token; empty to show ids.

    Raises:
      InputError: an id that is not in the vocabulary, or a position outside the record.
    """
    num_tokens = sum(features["input_mask"])
    words = [_word(id_, tokens) for id_ in features["input_ids"][:num_tokens]]
    predictions = _predictions(features)
    for position, label in predictions:
        if position >= num_tokens:
            raise InputError(
                f"A masked position must lie within the {num_tokens} tokens; received {position}. "
                "Make the records again."
            )
        words[position] += f"→{_word(label, tokens)}"
    segments = features["segment_ids"][:num_tokens]
    masks = "unmasked"
    if is_masked(features):
        masks = f"{len(predictions)} to predict of {len(features['masked_lm_weights'])}"
    lines = [f"{_label(features)}; {num_tokens} tokens of {len(features['input_ids'])}, {masks}"]
    for segment, name in enumerate("AB"):
        text = " ".join(word for word, of in zip(words, segments, strict=True) if of == segment)
        lines += [f"  {name}  {text}"] if text else []
    return "\n".join(lines)


def _label(features: Mapping[str, list]) -> str:
    """The next-sentence label, and what it says of the record."""
    label = features["next_sentence_labels"][0]
    of_pair = "B is random or swapped" if label else "B follows A"
    return f"label {label}, {of_pair if 1 in features['segment_ids'] else 'one text'}"


def _predictions(features: Mapping[str, list]) -> list[tuple[int, int]]:
    """Position and token of each prediction; none for an unmasked record."""
    if not is_masked(features):
        return []
    num_predictions = sum(weight > 0 for weight in features["masked_lm_weights"])
    pairs = zip(features["masked_lm_positions"], features["masked_lm_ids"], strict=True)
    return list(pairs)[:num_predictions]


def _word(id_: int, tokens: Mapping[int, str]) -> str:
    if not tokens:
        return str(id_)
    if id_ not in tokens:
        raise InputError(
            f"Every id must be in the vocabulary; received {id_}, the highest is {max(tokens)}. "
            "Give the --vocab_file that the records were made with."
        )
    return tokens[id_]


if __name__ == "__main__":
    flags.run(main, Settings)
