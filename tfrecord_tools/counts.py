"""What a part of a build counted; the parts add up to the whole."""

import dataclasses

from bert_keras.errors import InputError


@dataclasses.dataclass(frozen=True)
class Counts:
    """Of the corpus, and of the records made from it."""

    num_documents: int = 0
    num_sentences: int = 0
    num_tokens: int = 0  # of the corpus, each sentence once
    num_over_long_sentences: int = 0  # of more tokens than a record holds
    num_invalid_lines: int = 0  # not UTF-8
    num_records: int = 0
    num_label_1: int = 0  # of the records
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


def check_num_records(num_records: int, num_shards: int) -> None:
    """Raises InputError if a shard would get no record."""
    if num_records < num_shards:
        raise InputError(
            f"Every shard must get a record; the corpus makes only {num_records}. Received: "
            f"{num_shards} shards. Ask for fewer, or give more text."
        )
