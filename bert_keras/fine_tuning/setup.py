"""What the runs of one command share."""

from collections.abc import Callable
from typing import NamedTuple

import tensorflow as tf

from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.fine_tuning.assignment import Assignment
from bert_keras.fine_tuning.settings import FineTuningSettings
from bert_keras.training.strategy import worker_of

Results = dict[str, float]


class Setup(NamedTuple):
    """Data are read once, devices set up once.

    Attributes:
        strategy: the devices.
        start: the model before its training.
        assignment: what is learned.
        run: function of settings and a model to begin with -> the results of one run; None if it
            was stopped, or not evaluated.
    """

    strategy: tf.distribute.Strategy
    start: StoredModel
    assignment: Assignment
    run: Callable[[FineTuningSettings, StoredModel], Results | None]

    @property
    def is_chief(self) -> bool:
        """Whether this process writes the files."""
        return worker_of(self.strategy).is_chief
