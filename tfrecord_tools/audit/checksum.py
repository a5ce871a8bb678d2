"""Two numbers by which sets of records are compared without the sets."""

import hashlib

import numpy as np

from tfrecord_tools.audit.reading import SerializedBatch

BITS = 128


class Checksum:
    """Over the bytes of all records that can be read.

    `checksum_of_records` is the sum of the records' BLAKE2b digests modulo 2^128: the same for the
    same records in any order and any number of files, and another one if a record occurs once more
    (two equal records would cancel in an exclusive or; Bellare and Micciancio 1997, AdHash).
    `checksum_of_files` is the digest of the digests in their order, with a mark where a file
    begins.
    """

    def __init__(self):
        self._sum = 0
        self._ordered = hashlib.blake2b(digest_size=BITS // 8)

    def add(self, batch: SerializedBatch) -> None:
        words = batch.digests.view("<u4").sum(axis=0, dtype=np.uint64)  # 2^32 records would fit
        self._sum += sum(int(word) << 32 * index for index, word in enumerate(words))
        if batch.numbers[0] == 1:
            self._ordered.update(b"file")
        self._ordered.update(batch.digests.tobytes())

    def values(self) -> dict:
        return {
            "checksum_of_records": f"{self._sum % 2**BITS:032x}",
            "checksum_of_files": self._ordered.hexdigest(),
        }

    def lines(self, values: dict) -> list[tuple[str, str]]:
        return [
            ("checksum", f"{values['checksum_of_records']} of the records in any order"),
            ("", f"{values['checksum_of_files']} of the files in this order"),
        ]

    def findings(self, values: dict) -> list[str]:
        return []
