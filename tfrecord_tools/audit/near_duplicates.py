"""Texts that are nearly the same as another of the set (Broder 1997, MinHash)."""

import numpy as np

from tfrecord_tools.audit.hashing import FACTOR, mixed, run_keys, text_keys
from tfrecord_tools.audit.parsing import Batch
from tfrecord_tools.audit.restoration import Text
from tfrecord_tools.audit.sampling import KeySample

RUN_LENGTH = 5
SIMILARITY = 0.8
NUM_BANDS, NUM_ROWS = 16, 4  # finds 99.98 % of the pairs of similarity 0.8
NUM_HASHES = NUM_BANDS * NUM_ROWS  # a similarity is estimated with a standard error of 0.05
MAX_TEXTS = 1 << 16  # 280 bytes each


class NearDuplicates:
    """Near: of the runs of 5 tokens in either text, 80 % are in both (Jaccard similarity).

    Equal texts count once. In a large set a sample is compared, chosen by the smallest hash of a
    text's runs, which two texts share with the probability of their similarity: so four of five
    near pairs or more stay together however small the sample is, and the share is a lower bound.
    """

    def __init__(self):
        self._sample = KeySample(MAX_TEXTS)
        factors = mixed(np.arange(1, 2 * NUM_HASHES + 1, dtype=np.uint64) * FACTOR)
        self._factors = factors[:NUM_HASHES] | np.uint64(1)
        self._offsets = factors[NUM_HASHES:]

    def add(self, batch: Batch, text: Text) -> None:
        runs = run_keys(text.tokens, RUN_LENGTH)
        num_runs = np.maximum(1, text.num_tokens - RUN_LENGTH + 1)
        is_run = np.arange(runs.shape[1]) < num_runs[:, None]
        runs = np.where(is_run, runs, runs[:, :1])  # one run more than once changes no minimum
        keys = mixed(runs.min(axis=1))
        is_kept = self._sample.admits(keys)
        texts = text_keys(text.tokens[is_kept])
        self._sample.add(keys[is_kept], texts, self._signatures(runs[is_kept]))

    def lines(self, values: dict) -> list[tuple[str, str]]:
        sampled = "" if self._sample.share == 1 else "at least "
        return [
            (
                "near repeats",
                f"{sampled}{values['near_duplicate_share']:.2%} of "
                f"{values['num_texts_compared']:,} different texts share {SIMILARITY:.0%} of their "
                f"runs of {RUN_LENGTH} tokens with another",
            )
        ]

    def findings(self, values: dict) -> list[str]:
        return []

    def values(self) -> dict:
        _, texts, signatures = self._sample.columns()
        _, first = np.unique(texts, return_index=True)
        has_near = near(signatures[first])
        return {
            "num_texts_compared": len(first),
            "near_duplicate_share": np.count_nonzero(has_near) / max(1, len(first)),
        }

    def _signatures(self, runs: np.ndarray) -> np.ndarray:
        """uint64 [B, runs] -> uint32 [B, NUM_HASHES], the least of each hash over a text's runs."""
        signatures = np.empty((len(runs), NUM_HASHES), np.uint32)
        for index, (factor, offset) in enumerate(zip(self._factors, self._offsets, strict=True)):
            signatures[:, index] = (runs * factor + offset).min(axis=1) >> np.uint64(32)
        return signatures


def near(signatures: np.ndarray) -> np.ndarray:
    """Which texts have a near one: uint32 [texts, NUM_HASHES] -> bool [texts].

    Texts that agree in all rows of a band are compared: each with the first of its group and with
    the one before it, so that a group costs its size and not the square of it.
    """
    has_near = np.zeros(len(signatures), bool)
    for band in range(NUM_BANDS):
        rows = signatures[:, band * NUM_ROWS : (band + 1) * NUM_ROWS]
        keys = run_keys(rows, NUM_ROWS)[:, 0]
        order = np.argsort(keys, kind="stable")
        is_first = np.append(True, np.diff(keys[order]) != 0)[: len(order)]
        place = np.arange(len(order))
        first = np.maximum.accumulate(np.where(is_first, place, 0))
        for partner in (first, place - 1):
            left, right = order[~is_first], order[partner[~is_first]]
            agreement = np.mean(signatures[left] == signatures[right], axis=1)
            is_near = agreement >= SIMILARITY
            has_near[left[is_near]] = has_near[right[is_near]] = True
    return has_near
