"""Texts that occur more than once in a set."""

import numpy as np

from tfrecord_tools.audit.hashing import text_keys
from tfrecord_tools.audit.parsing import Batch, Layout
from tfrecord_tools.audit.restoration import Text
from tfrecord_tools.audit.sampling import KeySample

MAX_RECORDS = 1 << 21  # 28 bytes each
MAX_IDENTICAL_SHARE = 0.001  # short records may fall together by chance
UNMASKED_WAY_OUT = "If --dupe_factor made them, 1 is enough: masks are drawn anew in every epoch"


class Duplicates:
    """Exact repetitions.

    Repeated text: the tokens before masking equal those of an earlier record. If the masks differ,
    that is what --dupe_factor makes on purpose; records of equal bytes teach nothing new.
    Looked for in all records, or in a share of the texts that fits into memory.
    """

    def __init__(self, layout: Layout):
        self._is_masked = layout.is_masked
        self._sample = KeySample(MAX_RECORDS)
        self._files: dict[str, int] = {}

    def add(self, batch: Batch, text: Text) -> None:
        keys = text_keys(text.tokens)
        is_kept = self._sample.admits(keys)
        file = self._files.setdefault(batch.file, len(self._files))
        files = np.full(np.count_nonzero(is_kept), file, np.int32)
        self._sample.add(keys[is_kept], batch.keys[is_kept], files, batch.numbers[is_kept])

    def lines(self, values: dict) -> list[tuple[str, str]]:
        sampled = "" if self._sample.share == 1 else f" (of a {self._sample.share:.2%} sample)"
        return [
            (
                "repeated text",
                f"{values['repeated_text_share']:.2%} of the records repeat an earlier one with "
                f"other masks, {values['identical_share']:.2%} to the byte{sampled}",
            )
        ]

    def findings(self, values: dict) -> list[str]:
        share = values["identical_share"]
        if share <= MAX_IDENTICAL_SHARE:
            return []
        times, where = self._most_frequent()
        finding = (
            f"{share:.2%} of the records equal an earlier one to the byte; the most frequent "
            f"occurs {times:,} times: {where}"
        )
        return [finding if self._is_masked else f"{finding}. {UNMASKED_WAY_OUT}"]

    def values(self) -> dict:
        text, record, *_ = self._sample.columns()
        num_records, num_different = len(record), len(np.unique(record))
        return {
            "repeated_text_share": (num_different - len(np.unique(text))) / max(1, num_records),
            "identical_share": (num_records - num_different) / max(1, num_records),
        }

    def _most_frequent(self) -> tuple[int, str]:
        """How often the most frequent record occurs, and where two of them stand."""
        _, record, files, numbers = self._sample.columns()
        unique, counts = np.unique(record, return_counts=True)
        rows = np.flatnonzero(record == unique[counts.argmax()])[:2]
        names = list(self._files)
        where = [f"{names[files[row]]}, record {numbers[row]}" for row in rows]
        return int(counts.max()), " and ".join(where)
