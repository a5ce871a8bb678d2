"""How fast each layer learns, as a multiple of the schedule's rate: an optimizer multiplies them.

Howard & Ruder 2018 (ULMFiT, arXiv:1801.06146), sections 3.2 and 3.3. Which layer a variable
belongs to, its path tells: `embeddings`, `layer_0` …; all others are heads, the pooler too.
"""

import dataclasses
import math
import re

import keras
import tensorflow as tf

from bert_keras.errors import InputError

_OF_LAYER = re.compile(r"(?:^|/)layer_(\d+)/")
_OF_EMBEDDINGS = re.compile(r"(?:^|/)embeddings/")


@dataclasses.dataclass(frozen=True, kw_only=True)
class RateFactor:
    """A function of the path of a variable and the number of a step, from 1, to a factor.

    Attributes:
        num_layers: how many blocks the encoder has.

    Raises:
        InputError: a number is out of its range.
    """

    num_layers: int

    def __post_init__(self):
        self._check("num_layers", self.num_layers >= 1, "at least 1")

    def __call__(self, path: str, step_number: tf.Tensor) -> float | tf.Tensor:
        raise NotImplementedError(f"{type(self).__name__} must define __call__.")

    def num_layers_above(self, path: str) -> int:
        """How many layers lie above that of a variable: 0 for the heads, which count as one."""
        if _OF_EMBEDDINGS.search(path):
            return self.num_layers + 1
        match = _OF_LAYER.search(path)
        return self.num_layers - int(match[1]) if match else 0

    def get_config(self) -> dict:
        return dataclasses.asdict(self)

    @classmethod
    def from_config(cls, config: dict) -> "RateFactor":
        return cls(**config)

    def _check(self, name, holds, rule):
        if not holds:
            value = getattr(self, name)
            raise InputError(f"{name} of {type(self).__name__} must be {rule}. Received: {value}")


@keras.saving.register_keras_serializable("bert_keras")
@dataclasses.dataclass(frozen=True, kw_only=True)
class LayerRateDecay(RateFactor):
    """Every layer learns `decay` times as fast as the one above it, the heads at the full rate.

    ULMFiT's "discriminative fine-tuning"; there a layer of three had 1 / 2.6 of the next one's.

    Attributes:
        decay: in [0, 1]; 1 changes nothing, with 0 only the heads learn.
    """

    decay: float

    def __post_init__(self):
        super().__post_init__()
        self._check("decay", 0 <= self.decay <= 1, "in [0, 1]")

    def __call__(self, path, step_number):
        return self.decay ** self.num_layers_above(path)


@keras.saving.register_keras_serializable("bert_keras")
@dataclasses.dataclass(frozen=True, kw_only=True)
class GradualUnfreezing(RateFactor):
    """The heads learn alone at first; after every `num_steps` steps one more layer, from the top.

    A layer that waits keeps its weights. Its gradient moves Adam's moments and counts in the norm
    that clips, so that it begins without a jolt.

    Attributes:
        num_steps: how long each layer waits for the one above it; may be a fraction.
    """

    num_steps: float

    def __post_init__(self):
        super().__post_init__()
        self._check("num_steps", 0 <= self.num_steps < math.inf, "finite and at least 0")

    def __call__(self, path, step_number):
        num_waiting_steps = self.num_steps * self.num_layers_above(path)
        return tf.cast(step_number > num_waiting_steps, tf.float32)
