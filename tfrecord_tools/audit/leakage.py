"""Held-out text that also stands in the training set, so that an evaluation measures memory."""

import numpy as np

from tfrecord_tools.audit.hashing import run_keys, text_keys
from tfrecord_tools.audit.parsing import Batch
from tfrecord_tools.audit.restoration import Text
from tfrecord_tools.audit.sampling import KeySample

RUN_LENGTH = 16  # tokens, about twelve words: hardly said twice by chance
NEAR_SHARE = 0.5
MAX_HELD_OUT_RECORDS = 1 << 14
TABLE_BITS = 24  # 16 MB; tells most runs that are not held out at one glance
MAX_RUN_SHARE = 0.01


class HeldOut:
    """Gathers the held-out records, up to a number that fits into memory, chosen by their text."""

    def __init__(self):
        self.sample = KeySample(MAX_HELD_OUT_RECORDS)
        self.num_records = 0

    def add(self, batch: Batch, text: Text) -> None:
        self.num_records += len(batch.numbers)
        keys = text_keys(text.tokens)
        is_kept = self.sample.admits(keys)
        runs, is_run = text_runs(text.where(is_kept))
        self.sample.add(keys[is_kept], runs, is_run)


class Leakage:
    """Which held-out records the training set holds.

    Same: the tokens before masking are those of a training record. A run: 16 neighboring tokens
    within a or b stand in a training record too, within a or b. Half: so do half of its runs.
    """

    def __init__(self, held_out: HeldOut):
        keys, runs, is_run = held_out.sample.columns()
        self._share = held_out.sample.share
        self._texts, self._text_index = np.unique(keys, return_inverse=True)
        self._runs, self._run_index = np.unique(runs[is_run], return_inverse=True)
        self._record_of_run = np.nonzero(is_run)[0]
        self._has_text = np.zeros(len(self._texts), bool)
        self._has_run = np.zeros(len(self._runs), bool)
        self._table = np.zeros(1 << TABLE_BITS, bool)
        self._table[self._runs >> np.uint64(64 - TABLE_BITS)] = True

    def add(self, batch: Batch, text: Text) -> None:
        """Looks for the held-out texts in a batch of training records."""
        _mark(self._has_text, self._texts, text_keys(text.tokens))
        runs, is_run = text_runs(text)
        runs = runs[is_run]
        _mark(self._has_run, self._runs, runs[self._table[runs >> np.uint64(64 - TABLE_BITS)]])

    def lines(self, values: dict) -> list[tuple[str, str]]:
        sampled = "" if self._share == 1 else f" (a {self._share:.2%} sample)"
        return [
            (
                "leakage",
                f"of {values['num_held_out']:,} held-out records{sampled} the training set holds "
                f"{values['leaked_same_share']:.2%} as they are, half of the runs of {RUN_LENGTH} "
                f"tokens of {values['leaked_half_share']:.2%}, a run of "
                f"{values['leaked_run_share']:.2%}",
            )
        ]

    def findings(self, values: dict) -> list[str]:
        same, half = values["leaked_same_share"], values["leaked_half_share"]
        run = values["leaked_run_share"]
        if not same and not half and run <= MAX_RUN_SHARE:
            return []
        return [
            f"held-out text stands in the training set: {same:.2%} of the records as they are, "
            f"{half:.2%} by half or more, {run:.2%} with a run of {RUN_LENGTH} tokens. Results on "
            "it will look better than they are"
        ]

    def values(self) -> dict:
        num_records = len(self._text_index)
        num_runs = np.bincount(self._record_of_run, minlength=num_records)
        is_found = self._has_run[self._run_index]
        num_found = np.bincount(self._record_of_run[is_found], minlength=num_records)
        is_same = self._has_text[self._text_index]
        is_half = is_same | ((num_found > 0) & (num_found >= NEAR_SHARE * num_runs))
        count = max(1, num_records)
        return {
            "num_held_out": num_records,
            "leaked_same_share": np.count_nonzero(is_same) / count,
            "leaked_half_share": np.count_nonzero(is_half) / count,
            "leaked_run_share": np.count_nonzero(is_same | (num_found > 0)) / count,
        }


def text_runs(text: Text) -> tuple[np.ndarray, np.ndarray]:
    """The keys of the runs of tokens, and which lie within a or b: uint64 and bool [B, runs]."""
    runs = run_keys(text.tokens, RUN_LENGTH)
    start = np.arange(runs.shape[1])
    second, end = text.second_start[:, None], text.num_tokens[:, None]
    is_in_first = (start >= 1) & (start + RUN_LENGTH <= second - 1)
    is_in_second = (start >= second) & (start + RUN_LENGTH <= end - 1)
    return runs, is_in_first | is_in_second


def _mark(is_found: np.ndarray, known: np.ndarray, keys: np.ndarray) -> None:
    """Sets `is_found` where `known`, ascending, is among the keys."""
    if known.size and keys.size:
        place = np.minimum(np.searchsorted(known, keys), known.size - 1)
        is_found[place[known[place] == keys]] = True
