r"""Makes pre-training records (masked LM and next sentence) from text files.

Same records in the same order as create_pretraining_data.py of google-research/bert, from the same
flags. Input: one sentence a line, an empty line between documents. The corpus and its records are
held in memory.

    python -m tfrecord_tools.create_pretraining_data --input_file='texts/*.txt' \
        --output_file=train.tfrecord --vocab_file=vocab.txt --max_seq_length=128

Beside the first output file a summary is written, NAME.summary.json.
"""

import dataclasses
import json
import os
import random
import sys

import tensorflow as tf

from bert_keras import flags
from bert_keras.errors import InputError
from bert_keras.files import expand_input_files
from bert_keras.tokenizers.vocabulary import (
    CLASSIFICATION,
    CONTINUATION,
    MASK,
    SEPARATOR,
    check_case,
    require_tokens,
)
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tfrecord_tools.corpus import cached_token_ids, read_corpus_lines, read_documents
from tfrecord_tools.instances import (
    MIN_SEQ_LENGTH,
    Document,
    Pairing,
    create_instances,
)
from tfrecord_tools.outputs import (
    RecordWriter,
    check_output_files,
    split_output_files,
    write_text,
)
from tfrecord_tools.progress import Progress
from tfrecord_tools.records import serialize
from tfrecord_tools.shuffling import shuffle
from tfrecord_tools.static_masking import StaticMasking
from tfrecord_tools.summary import Summary, Tally

FEW_DOCUMENTS = 4  # from here on, ten draws miss all other documents once in a million times


@dataclasses.dataclass(frozen=True)
class Settings:
    input_file: list[str] = flags.required("Text files: paths or globs, separated by commas.")
    output_file: list[str] = flags.required(
        "TFRecord files, separated by commas; records are dealt out to them in turn."
    )
    vocab_file: str = flags.required("WordPiece vocabulary, one token a line.")
    do_lower_case: bool = flags.setting(
        True, "Lower the case and strip accents; must suit the vocabulary."
    )
    do_whole_word_mask: bool = flags.setting(
        False,
        "Predict all pieces of a word together. Each piece still becomes [MASK], random or itself "
        "by its own dice.",
    )
    max_seq_length: int = flags.setting(
        128,
        "Length of a record in tokens. Shorter pairs are padded, longer ones lose tokens of the "
        "longer text, each at its front or back by chance.",
    )
    max_predictions_per_seq: int = flags.setting(20, "Most masked tokens of a record.")
    random_seed: int = flags.setting(12345, "Seed of everything that is drawn.")
    dupe_factor: int = flags.setting(
        10, "How many times the corpus is gone through, with other masks and pairs."
    )
    masked_lm_prob: float = flags.setting(0.15, "Share of the tokens to mask.")
    short_seq_prob: float = flags.setting(
        0.1, "Share of the documents that are cut into shorter pairs."
    )
    drop_invalid_bytes: bool = flags.setting(
        False, "Leave bytes out that are not UTF-8, as the original does, instead of stopping."
    )


def create_pretraining_data(settings: Settings) -> Summary:
    """Reads the corpus, writes the records and the summary.

    Raises:
      InputError: settings, files or corpus cannot work. No output file is left behind then.
    """
    check_settings(settings)
    input_files = expand_input_files(settings.input_file)
    output_files = split_output_files(settings.output_file)
    summary_file = os.path.splitext(output_files[0])[0] + ".summary.json"
    check_output_files([*output_files, summary_file], [*input_files, settings.vocab_file])
    tokenizer = WordPieceTokenizer(settings.vocab_file, do_lower_case=settings.do_lower_case)
    check_case(settings.do_lower_case, tokenizer.vocab)
    pairing, masking = pairing_and_masking(tokenizer.vocab, settings)
    with RecordWriter(output_files) as writer:
        documents = _read_corpus(input_files, tokenizer, settings.drop_invalid_bytes)
        _warn_of_few_documents(len(documents))
        tally = Tally(masking.mask_id)
        rng = random.Random(settings.random_seed)
        records = _make_records(documents, pairing, masking, settings, rng, tally)
        shuffle(records, rng)
        for record in records:
            writer.write(record)
    summary = tally.summary(documents, settings.max_seq_length, output_files)
    written = {**dataclasses.asdict(summary), "settings": dataclasses.asdict(settings)}
    write_text(summary_file, json.dumps(written, indent=2) + "\n")
    return summary


def check_settings(settings: Settings) -> None:
    """Raises InputError for numbers that cannot work."""
    lowest = {
        "max_seq_length": MIN_SEQ_LENGTH,
        "max_predictions_per_seq": 1,
        "dupe_factor": 1,
    }
    for name, minimum in lowest.items():
        value = getattr(settings, name)
        if value < minimum:
            raise InputError(f"--{name} must be {minimum} or more; received {value}.")
    for name in ("masked_lm_prob", "short_seq_prob"):
        value = getattr(settings, name)
        if not 0 <= value <= 1:
            raise InputError(f"--{name} is a share, from 0 to 1; received {value}.")


def pairing_and_masking(
    vocabulary: dict[str, int], settings: Settings
) -> tuple[Pairing, StaticMasking]:
    """The values that the pure functions take; raises InputError for a missing special token."""
    require_tokens(vocabulary, (CLASSIFICATION, SEPARATOR, MASK), settings.vocab_file)
    pairing = Pairing(
        settings.max_seq_length,
        settings.short_seq_prob,
        cls_id=vocabulary[CLASSIFICATION],
        sep_id=vocabulary[SEPARATOR],
    )
    continuation_ids = [id_ for token, id_ in vocabulary.items() if token.startswith(CONTINUATION)]
    masking = StaticMasking(
        mask_id=vocabulary[MASK],
        vocabulary_ids=list(vocabulary.values()),
        masked_lm_prob=settings.masked_lm_prob,
        max_predictions_per_seq=settings.max_predictions_per_seq,
        continuation_ids=frozenset(continuation_ids if settings.do_whole_word_mask else ()),
    )
    return pairing, masking


def _read_corpus(
    input_files: list[str], tokenizer: WordPieceTokenizer, drop_invalid_bytes: bool
) -> list[Document]:
    num_bytes = sum(tf.io.gfile.stat(path).length for path in input_files)
    with Progress("reading", num_bytes, "B") as progress:
        lines = read_corpus_lines(input_files, drop_invalid_bytes, progress.advance)
        documents = read_documents(lines, cached_token_ids(tokenizer))
    if not documents:
        raise InputError(
            f"The corpus must hold text; {', '.join(input_files)} hold no word. Expected is one "
            "sentence a line, an empty line between documents."
        )
    return documents


def _make_records(documents, pairing, masking, settings, rng, tally) -> list[bytes]:
    length, num_predictions = settings.max_seq_length, settings.max_predictions_per_seq
    dupe_factor = settings.dupe_factor
    records = []
    with Progress("masking", dupe_factor * len(documents), " documents") as progress:
        for instances in create_instances(documents, dupe_factor, pairing, masking, rng):
            for instance in instances:
                tally.add(instance)
                records.append(serialize(instance, length, num_predictions))
            progress.advance()
    return records


def _warn_of_few_documents(num_documents: int) -> None:
    if num_documents < FEW_DOCUMENTS:
        print(
            f"warning: {num_documents} document(s) in the corpus. The text of a pair labeled "
            "random then may come from the same document, may even be the true continuation, as "
            f"in the original program. Put an empty line between documents, or give {FEW_DOCUMENTS}"
            " documents or more.",
            file=sys.stderr,
        )


def main(settings: Settings) -> None:
    print(create_pretraining_data(settings))


if __name__ == "__main__":
    flags.run(main, Settings)
