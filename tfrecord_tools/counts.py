"""What a part of a build counted; the parts add up to the whole."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Counts:
    """Of the corpus, and of the records made from it."""

    num_documents: int = 0
    num_sentences: int = 0
    num_tokens: int = 0  # of the corpus, each sentence once
    num_over_long_sentences: int = 0  # of more tokens than a record holds
    num_invalid_lines: int = 0  # not UTF-8
    num_records: int = 0
    num_labels: int = 0  # records of label 1
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
