"""What a part of a build counted; the parts add up to the whole."""

import dataclasses

from bert_keras.errors import InputError
from bert_keras.notices import notify

MOST_UNKNOWN = 0.1  # share of a corpus; one in a hundred is ordinary


@dataclasses.dataclass(frozen=True)
class Counts:
    """Of the corpus, and of the records made from it."""

    num_documents: int = 0
    num_sentences: int = 0
    num_tokens: int = 0  # of the corpus, each sentence once
    num_over_long_sentences: int = 0  # of more tokens than a record holds
    num_unknown_tokens: int = 0  # [UNK]
    num_invalid_lines: int = 0  # not UTF-8
    num_records: int = 0
    num_label_1: int = 0  # of the records
    num_without_other: int = 0  # texts that were to be random, but there is no other document
    num_positions_used: int = 0  # special tokens included
    num_text_positions: int = 0  # special tokens not included
    num_dropped_tokens: int = 0  # cut off by truncation, over all rounds
    num_left_out_tokens: int = 0  # of sentences that could not be paired, over all rounds
    num_masked_tokens: int = 0
    num_mask: int = 0  # of the masked tokens: shown as [MASK]
    num_kept: int = 0  # shown as they are

    def __add__(self, other: "Counts") -> "Counts":
        ours, theirs = dataclasses.astuple(self), dataclasses.astuple(other)
        return Counts(*(a + b for a, b in zip(ours, theirs, strict=True)))


def check_corpus(counts: Counts, pairs: str, name: str) -> None:
    """Checks that records can be made of a corpus.

    Args:
      counts: of its documents.
      pairs: the setting of this name.
      name: of the corpus, for the message.

    Raises:
      InputError: it holds no token, or one document where pairs need two.
    """
    if not counts.num_tokens:
        raise InputError(f"The corpus must hold text; {name} holds no word.")
    if pairs == "next_sentence" and counts.num_documents == 1:
        raise InputError(
            "Next-sentence prediction needs two documents or more, to take random texts from; "
            f"{name} holds one. Say with --input_format where a document ends, or make records "
            "without pairs: --pairs=none."
        )
    notify_of_unknown_tokens(counts)


def notify_of_unknown_tokens(counts: Counts) -> None:
    """Asks whether the vocabulary is that of the texts, if it does not seem so."""
    share = counts.num_unknown_tokens / counts.num_tokens
    if share > MOST_UNKNOWN:
        notify(f"{share:.0%} of the tokens are [UNK]; is it the vocabulary of these texts?")


def check_records(counts: Counts, num_shards: int) -> None:
    """Checks that what was made can be learned from; a notice if some random texts are missing.

    Raises:
      InputError: a shard would get no record, or there was no other document for any random text.
    """
    why = (
        "the documents are copies or parts of one, or a bucket holds but one. Give more documents, "
        "a larger --tokens_per_bucket, or make records without pairs: --pairs=none."
    )
    if counts.num_without_other and not counts.num_label_1:
        raise InputError(
            "Next-sentence prediction needs random texts, of other documents in the same bucket. "
            f"Received: {counts.num_without_other} texts that should be random, and no other "
            f"document for any: {why}"
        )
    if counts.num_without_other:
        notify(
            f"{counts.num_without_other:,} texts that should be random found no other document: "
            f"{why}"
        )
    if counts.num_records < num_shards:
        raise InputError(
            f"Every shard must get a record; the corpus makes only {counts.num_records}. Received: "
            f"{num_shards} shards. Ask for fewer, or give more text."
        )
