"""What a run of create_pretraining_data made, counted."""

import dataclasses

from tfrecord_tools.counts import Counts


@dataclasses.dataclass(frozen=True)
class Summary:
    """Counts and shares; shares lie between 0 and 1."""

    num_documents: int
    num_sentences: int
    num_tokens: int  # of the corpus, each sentence once
    num_over_long_sentences: int  # of more tokens than a record holds
    unknown_share: float  # of the tokens that are [UNK]
    num_records: int
    random_next_share: float  # of label 1; with sentence_order the share that is swapped
    num_masked_tokens: int
    mask_share: float  # of the masked tokens: shown as [MASK] (expected 0.8)
    kept_share: float  # shown as they are (expected 0.1)
    random_share: float  # shown as another token (expected 0.1)
    num_dropped_tokens: int  # cut off by truncation, over all rounds
    dropped_share: float  # of the tokens that were put into records
    num_left_out_tokens: int  # of sentences that could not be paired, over all rounds
    padding_share: float  # of all positions of all records
    output_files: list[str]

    @classmethod
    def of(cls, counts: Counts, max_seq_length: int, output_files: list[str]) -> "Summary":
        """The shares that counts make; needs at least one record."""
        num_masked = max(1, counts.num_masked_tokens)
        num_changed = counts.num_masked_tokens - counts.num_mask - counts.num_kept
        num_put_in = counts.num_text_positions + counts.num_dropped_tokens
        num_positions = counts.num_records * max_seq_length
        return cls(
            num_documents=counts.num_documents,
            num_sentences=counts.num_sentences,
            num_tokens=counts.num_tokens,
            num_over_long_sentences=counts.num_over_long_sentences,
            unknown_share=counts.num_unknown_tokens / max(1, counts.num_tokens),
            num_records=counts.num_records,
            random_next_share=counts.num_label_1 / counts.num_records,
            num_masked_tokens=counts.num_masked_tokens,
            mask_share=counts.num_mask / num_masked,
            kept_share=counts.num_kept / num_masked,
            random_share=num_changed / num_masked,
            num_dropped_tokens=counts.num_dropped_tokens,
            dropped_share=counts.num_dropped_tokens / num_put_in,
            num_left_out_tokens=counts.num_left_out_tokens,
            padding_share=1 - counts.num_positions_used / num_positions,
            output_files=output_files,
        )

    def __str__(self) -> str:
        masks = (
            f"{self.num_masked_tokens:,}: {self.mask_share:.1%} [MASK], "
            f"{self.kept_share:.1%} kept, {self.random_share:.1%} random"
        )
        first, *others = self.output_files
        last = f" … {others[-1]}, {len(self.output_files)} files" if others else ""
        return "\n".join(
            [
                f"documents        {self.num_documents:,}",
                f"sentences        {self.num_sentences:,}, of which longer than a record: "
                f"{self.num_over_long_sentences:,}",
                f"tokens           {self.num_tokens:,}, {self.unknown_share:.1%} of them [UNK]",
                f"records          {self.num_records:,}",
                f"label 1          {self.random_next_share:.1%} of the records",
                f"masked tokens    {masks if self.num_masked_tokens else 'none'}",
                f"dropped tokens   {self.num_dropped_tokens:,} cut off to fit "
                f"({self.dropped_share:.1%} of the tokens put into records)",
                f"left out         {self.num_left_out_tokens:,} tokens that could not be paired",
                f"padding          {self.padding_share:.1%} of all positions",
                f"wrote            {first}{last}",
            ]
        )
