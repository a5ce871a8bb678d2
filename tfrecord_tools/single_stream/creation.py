"""The steps of create_pretraining_data: corpus -> instances -> records -> files."""

import random

from bert_keras.progress import Progress
from bert_keras.tokenizers.vocabulary import (
    CLASSIFICATION,
    CONTINUATION,
    MASK,
    SEPARATOR,
    UNKNOWN,
    check_case,
    require_tokens,
)
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tfrecord_tools.corpus.settings import corpus_name, input_files, num_input_bytes
from tfrecord_tools.counts import check_corpus
from tfrecord_tools.outputs import (
    check_output_files,
    split_output_files,
    summary_name,
    write_summary,
)
from tfrecord_tools.record_settings import RecordSettings
from tfrecord_tools.single_stream.instances import Document, Pairing, create_instances
from tfrecord_tools.single_stream.reading import read_documents, read_lines
from tfrecord_tools.single_stream.record_writer import RecordWriter
from tfrecord_tools.single_stream.serialization import serialize
from tfrecord_tools.single_stream.shuffling import shuffle
from tfrecord_tools.single_stream.static_masking import StaticMasking
from tfrecord_tools.single_stream.tally import Tally, count_corpus
from tfrecord_tools.summary import Summary


def create(settings: RecordSettings) -> Summary:
    """Reads the corpus, writes the records and the summary.

    Raises:
      InputError: settings, files or corpus cannot work. No output file is left behind then.
    """
    inputs = [*input_files(settings), settings.vocab_file]
    output_files = split_output_files(settings.output_file)
    summary_file = summary_name(settings.output_file)
    check_output_files([*output_files, summary_file], inputs)
    tokenizer = WordPieceTokenizer(settings.vocab_file, do_lower_case=settings.do_lower_case)
    check_case(settings.do_lower_case, tokenizer.vocab)
    pairing, masking = pairing_and_masking(tokenizer.vocab, settings)
    with RecordWriter(output_files) as writer:
        documents = _read_corpus(settings, tokenizer)
        corpus = count_corpus(documents, settings.max_seq_length, tokenizer.vocab[UNKNOWN])
        check_corpus(corpus, settings.pairs, corpus_name(settings))
        tally = Tally(masking.mask_id)
        rng = random.Random(settings.random_seed)
        records = _make_records(documents, pairing, masking, settings, rng, tally)
        shuffle(records, rng)
        for record in records:
            writer.write(record)
    summary = Summary.of(corpus + tally.counts(), settings.max_seq_length, output_files)
    write_summary(summary, settings, summary_file)
    return summary


def pairing_and_masking(vocabulary: dict[str, int], settings) -> tuple[Pairing, StaticMasking]:
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
        continuation_ids=frozenset(continuation_ids if settings.masking == "whole_word" else ()),
    )
    return pairing, masking


def _read_corpus(settings, tokenizer: WordPieceTokenizer) -> list[Document]:
    with Progress("reading", num_input_bytes(settings), "B") as progress:
        return read_documents(read_lines(settings, progress.advance), tokenizer)


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
