"""Numbers that stand for texts and for runs of tokens: equal ones for equal tokens.

64 bits each, the same in every run. Among a hundred million different texts two share a number once
in some thousand sets.
"""

import numpy as np

FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio, odd


def mixed(values: np.ndarray) -> np.ndarray:
    """Spreads uint64 numbers over all 64 bits; different ones stay different.

    The last step of SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number
    generators").
    """
    values = values ^ (values >> np.uint64(30))
    values *= np.uint64(0xBF58476D1CE4E5B9)
    values ^= values >> np.uint64(27)
    values *= np.uint64(0x94D049BB133111EB)
    values ^= values >> np.uint64(31)
    return values


def text_keys(tokens: np.ndarray) -> np.ndarray:
    """int64 [B, T] -> uint64 [B]; padding of zeros changes nothing, so lengths may differ."""
    place = np.arange(1, tokens.shape[1] + 1, dtype=np.uint64)
    return mixed(tokens.astype(np.uint64) @ (mixed(place * FACTOR) | np.uint64(1)))


def run_keys(tokens: np.ndarray, num_tokens: int) -> np.ndarray:
    """The keys of all runs of `num_tokens` neighbors: int64 [B, T] -> uint64 [B, T - n + 1].

    Of rows shorter than a run one key is made, of the row and zeros after it.
    """
    missing = max(0, num_tokens - tokens.shape[1])
    tokens = np.pad(tokens.astype(np.uint64), ((0, 0), (0, missing)))
    num_runs = tokens.shape[1] - num_tokens + 1
    keys = np.zeros((tokens.shape[0], num_runs), np.uint64)
    for offset in range(num_tokens):
        keys *= FACTOR
        keys += tokens[:, offset : offset + num_runs]
    return mixed(keys)
