"""Examples as numbers, not yet padded: what a task hands to the batches. Loads no TensorFlow."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

INPUTS = ("input_ids", "input_mask", "segment_ids")  # those of every model of one sequence
# Name of a model's output -> an array for each example, without batch axis, in the order of the
# examples. One with an axis of positions may be longer than its example.
Outputs = Mapping[str, Sequence[np.ndarray]]


class EncodedExamples(NamedTuple):
    """N examples.

    Attributes:
        tokens: name -> N arrays [T_i], or [C, T_i] for C choices: `input_ids`, `input_mask`,
            `segment_ids`, and targets of every position. They are padded with zeros.
        values: name -> array [N, ...]: a label, a position, a weight.
    """

    tokens: Mapping[str, Sequence[np.ndarray]]
    values: Mapping[str, np.ndarray]

    @classmethod
    def of_sequences(
        cls,
        ids: Sequence[np.ndarray],
        segment_ids: Sequence[np.ndarray] | None = None,
        values: Mapping[str, np.ndarray] | None = None,
    ) -> "EncodedExamples":
        """Examples of one sequence each, all of whose positions hold a token.

        Args:
            ids: N arrays of int32 [T_i].
            segment_ids: those of their tokens, int32 [T_i]; None: 0, of texts that are no pairs.
            values: name -> array [N, ...].
        """
        # One array in whose slices all masks are, which therefore nobody may write to.
        zeros, ones = np.repeat([[0], [1]], max(map(len, ids), default=0), axis=1).astype(np.int32)
        for shared in (zeros, ones):
            shared.flags.writeable = False
        masks = [ones[: len(row)] for row in ids]
        segment_ids = segment_ids or [zeros[: len(row)] for row in ids]
        return cls(dict(zip(INPUTS, (ids, masks, segment_ids), strict=True)), values or {})

    @property
    def lengths(self) -> np.ndarray:
        """How many positions each example has, int64 [N]."""
        return np.array([ids.shape[-1] for ids in self.tokens["input_ids"]], np.int64)

    def fingerprint(self) -> str:
        """What differs where other examples, or other ids, would be learned from."""
        digest = hashlib.sha256()
        for name, arrays in (*self.tokens.items(), *self.values.items()):
            digest.update(f"{name} {len(arrays)}".encode())
            for array in arrays:
                digest.update(f"{array.shape}".encode() + array.tobytes())
        return digest.hexdigest()[:16]
