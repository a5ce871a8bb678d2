"""What stands in the place of the tokens to predict (Devlin et al. 2018, section 3.1, task 1)."""

import math

import numpy as np

from tfrecord_tools.audit.parsing import Batch
from tfrecord_tools.audit.restoration import Text
from tfrecord_tools.audit.token_ids import TokenIds

MAX_SIGMAS = 3.0  # what is further from its expectation is a finding
OUTCOMES = ("[MASK]", "kept", "random")


class Masks:
    """Shares of [MASK], kept and random tokens, and whether random ones are drawn evenly.

    A random draw that gives the token itself counts as kept, one that gives [MASK] as [MASK], as
    nobody can tell; the expected shares allow for it.

    Sigmas: the deviation of a share over its standard error. The pieces of a word or span may share
    one throw of the dice, so a record is what counts as independent (a ratio estimator over
    clusters; Cochran, Sampling Techniques, 1977, section 6.3); never less than the error of
    independent throws.
    """

    def __init__(self, ids: TokenIds, expected_shares: tuple[float, float, float]):
        """`expected_shares` of OUTCOMES."""
        mask, keep, random = expected_shares
        chance = random / ids.size
        self._expected = np.array([mask + chance, keep + chance, random - 2 * chance])
        self._ids = ids
        self._counts = np.zeros(3, np.int64)
        self._squares = np.zeros(3, np.int64)  # sums over records: of count²,
        self._products = np.zeros(3, np.int64)  # of count · predictions,
        self._num_squared = 0  # and of predictions²
        self._random_tokens = np.zeros(ids.size, np.int64)

    def add(self, batch: Batch, text: Text) -> None:
        positions, labels = (batch.features[f"masked_lm_{name}"] for name in ("positions", "ids"))
        shown = np.take_along_axis(batch.features["input_ids"], positions, axis=1)
        is_mask = text.is_used & (shown == self._ids.mask)
        is_kept = text.is_used & (shown == labels) & ~is_mask
        is_random = text.is_used & ~is_mask & ~is_kept
        num_predictions = np.count_nonzero(text.is_used, axis=1)
        counts = np.stack([np.count_nonzero(of, axis=1) for of in (is_mask, is_kept, is_random)])
        self._counts += counts.sum(axis=1)
        self._squares += (counts**2).sum(axis=1)
        self._products += counts @ num_predictions
        self._num_squared += int(num_predictions @ num_predictions)
        self._random_tokens += np.bincount(shown[is_random], minlength=self._ids.size)

    def lines(self, values: dict) -> list[tuple[str, str]]:
        shares = ", ".join(
            f"{outcome} {values[f'{name}_share']:.2%} ({values[f'{name}_sigmas']:+.1f} sigma)"
            for outcome, name in zip(OUTCOMES, ("mask", "kept", "random"), strict=True)
        )
        return [
            ("masked tokens", shares),
            (
                "random tokens",
                f"{np.count_nonzero(self._random_tokens):,} of {self._ids.size:,} entries of the "
                f"vocabulary; unevenness {values['random_spread_sigmas']:+.1f} sigma (chi-square)",
            ),
        ]

    def findings(self, values: dict) -> list[str]:
        found = []
        for index, name in enumerate(("mask", "kept", "random")):
            if abs(values[f"{name}_sigmas"]) > MAX_SIGMAS:
                found.append(
                    f"{values[f'{name}_share']:.2%} of the masked tokens are shown as "
                    f"{OUTCOMES[index]}, {self._expected[index]:.2%} expected: "
                    f"{values[f'{name}_sigmas']:+.1f} sigma. --mask_share, --keep_share and "
                    "--random_share say what was asked for"
                )
        if values["random_spread_sigmas"] > MAX_SIGMAS:
            most = int(self._random_tokens.argmax())
            found.append(
                f"random tokens are not drawn evenly: {values['random_spread_sigmas']:+.1f} sigma; "
                f"the most frequent, {self._ids.named(most)}, occurs "
                f"{self._random_tokens[most]:,} times"
            )
        return found

    def values(self) -> dict:
        num = max(1, int(self._counts.sum()))
        shares = self._counts / num
        variance = self._squares - 2 * shares * self._products + shares**2 * self._num_squared
        independent = num * self._expected * (1 - self._expected)
        error = np.sqrt(np.maximum(variance, independent))
        deviation = self._counts - num * self._expected
        sigmas = np.divide(deviation, error, out=np.zeros(3), where=error > 0)
        named = {}
        for index, name in enumerate(("mask", "kept", "random")):
            named |= {f"{name}_share": shares[index], f"{name}_sigmas": sigmas[index]}
        return named | {"random_spread_sigmas": self._spread(), "mask_histogram": self._counts}

    def _spread(self) -> float:
        """Chi-square against even draws, in its standard deviations from its mean."""
        counts = self._random_tokens[self._ids.is_ordinary]
        num, num_entries = int(counts.sum()), len(counts)
        if num < 2 or num_entries < 2:
            return 0.0
        chi_square = float((counts.astype(float) ** 2).sum()) * num_entries / num - num
        deviation = math.sqrt(2 * (num_entries - 1) * (num - 1) / num)
        return (chi_square - (num_entries - 1)) / deviation
