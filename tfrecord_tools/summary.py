"""What a run of create_pretraining_data made, counted."""

import dataclasses

from tfrecord_tools.single_stream.instances import NUM_SPECIAL_TOKENS, Document, Instance


@dataclasses.dataclass(frozen=True)
class Summary:
    """Counts and shares; shares lie between 0 and 1."""

    num_documents: int
    num_sentences: int
    num_tokens: int  # of the corpus, each sentence once
    num_over_long_sentences: int  # of more tokens than a record holds
    num_records: int
    random_next_share: float  # of label 1
    num_random_next_from_same_document: int
    num_masked_tokens: int
    mask_share: float  # of the masked tokens: shown as [MASK] (expected 0.8)
    kept_share: float  # shown as they are (expected 0.1)
    random_share: float  # shown as another token (expected 0.1)
    num_dropped_tokens: int  # cut off by truncation, over all rounds
    dropped_share: float  # of the tokens that were put into pairs
    padding_share: float  # of all positions of all records
    output_files: list[str]

    def __str__(self) -> str:
        return "\n".join(
            [
                f"documents        {self.num_documents:,}",
                f"sentences        {self.num_sentences:,}, of which longer than a record: "
                f"{self.num_over_long_sentences:,}",
                f"tokens           {self.num_tokens:,}",
                f"records          {self.num_records:,}",
                f"next is random   {self.random_next_share:.1%} of the records, "
                f"{self.num_random_next_from_same_document:,} of them from the same document",
                f"masked tokens    {self.num_masked_tokens:,}: {self.mask_share:.1%} [MASK], "
                f"{self.kept_share:.1%} kept, {self.random_share:.1%} random",
                f"dropped tokens   {self.num_dropped_tokens:,} cut off to fit "
                f"({self.dropped_share:.1%} of the tokens put into pairs)",
                f"padding          {self.padding_share:.1%} of all positions",
                *(f"wrote            {path}" for path in self.output_files),
            ]
        )


class Tally:
    """Adds up instances as they are made."""

    def __init__(self, mask_id: int):
        self._mask_id = mask_id
        self._num_instances = 0
        self._num_random_next = 0
        self._num_from_same_document = 0
        self._num_positions_used = 0
        self._num_dropped = 0
        self._num_predictions = 0
        self._num_mask = 0
        self._num_kept = 0

    def add(self, instance: Instance) -> None:
        tokens = instance.tokens
        self._num_instances += 1
        self._num_random_next += instance.is_random_next
        self._num_from_same_document += instance.is_from_same_document
        self._num_positions_used += len(tokens)
        self._num_dropped += instance.num_dropped_tokens
        self._num_predictions += len(instance.masked_lm_ids)
        for position, label in zip(
            instance.masked_lm_positions, instance.masked_lm_ids, strict=True
        ):
            self._num_mask += tokens[position] == self._mask_id
            self._num_kept += tokens[position] == label

    def summary(
        self, documents: list[Document], max_seq_length: int, output_files: list[str]
    ) -> Summary:
        """Closes the account; needs at least one instance."""
        lengths = [len(sentence) for document in documents for sentence in document]
        longest = max_seq_length - NUM_SPECIAL_TOKENS
        num_predictions = max(1, self._num_predictions)
        num_changed = self._num_predictions - self._num_mask - self._num_kept
        num_text_tokens = self._num_positions_used - NUM_SPECIAL_TOKENS * self._num_instances
        return Summary(
            num_documents=len(documents),
            num_sentences=len(lengths),
            num_tokens=sum(lengths),
            num_over_long_sentences=sum(length > longest for length in lengths),
            num_records=self._num_instances,
            random_next_share=self._num_random_next / self._num_instances,
            num_random_next_from_same_document=self._num_from_same_document,
            num_masked_tokens=self._num_predictions,
            mask_share=self._num_mask / num_predictions,
            kept_share=self._num_kept / num_predictions,
            random_share=num_changed / num_predictions,
            num_dropped_tokens=self._num_dropped,
            dropped_share=self._num_dropped / (self._num_dropped + num_text_tokens),
            padding_share=1 - self._num_positions_used / (self._num_instances * max_seq_length),
            output_files=output_files,
        )
