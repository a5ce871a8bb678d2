"""Adds up instances as they are made."""

from tfrecord_tools.counts import Counts
from tfrecord_tools.single_stream.instances import NUM_SPECIAL_TOKENS, Document, Instance


def count_corpus(documents: list[Document], max_seq_length: int, unknown_id: int) -> Counts:
    """What the corpus holds."""
    lengths = [len(sentence) for document in documents for sentence in document]
    longest = max_seq_length - NUM_SPECIAL_TOKENS
    return Counts(
        num_documents=len(documents),
        num_sentences=len(lengths),
        num_tokens=sum(lengths),
        num_over_long_sentences=sum(length > longest for length in lengths),
        num_unknown_tokens=sum(
            sentence.count(unknown_id) for document in documents for sentence in document
        ),
    )


class Tally:
    """Adds up the instances of a run."""

    def __init__(self, mask_id: int):
        self._mask_id = mask_id
        self._num_instances = 0
        self._num_random_next = 0
        self._num_positions_used = 0
        self._num_dropped = 0
        self._num_predictions = 0
        self._num_mask = 0
        self._num_kept = 0

    def add(self, instance: Instance) -> None:
        tokens = instance.tokens
        self._num_instances += 1
        self._num_random_next += instance.is_random_next
        self._num_positions_used += len(tokens)
        self._num_dropped += instance.num_dropped_tokens
        self._num_predictions += len(instance.masked_lm_ids)
        for position, label in zip(
            instance.masked_lm_positions, instance.masked_lm_ids, strict=True
        ):
            self._num_mask += tokens[position] == self._mask_id
            self._num_kept += tokens[position] == label

    def counts(self) -> Counts:
        num_special_tokens = NUM_SPECIAL_TOKENS * self._num_instances
        return Counts(
            num_records=self._num_instances,
            num_label_1=self._num_random_next,
            num_positions_used=self._num_positions_used,
            num_text_positions=self._num_positions_used - num_special_tokens,
            num_dropped_tokens=self._num_dropped,
            num_masked_tokens=self._num_predictions,
            num_mask=self._num_mask,
            num_kept=self._num_kept,
        )
