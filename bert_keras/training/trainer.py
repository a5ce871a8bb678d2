"""`model.fit` for pre-training: the loop's own step inside Keras' loop."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import keras
import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.training import step


class Trainer(keras.Model):
    """Wraps a model and an objective, so that `compile(optimizer)`, `fit` and `evaluate` work.

        trainer = Trainer(pretrainer(config), pretraining, LOSSES, ACCURACIES)
        trainer.compile(AdamWeightDecay(1e-4))
        trainer.fit(pretraining_dataset(...), steps_per_epoch=100, epochs=10)

    The numbers that `fit` and `evaluate` return are those of the program: sums over all examples
    of the epoch, divided by their counts.

    Args:
        model: a functional model; it takes its inputs by name from the features of the dataset.
        objective: function of (outputs, features) -> dict of name -> Mean.
        losses: the means that are added to give the loss, as `step.train_step` takes them.
        accuracies: the names of other means that are shown.
    """

    def __init__(
        self,
        model: keras.Model,
        objective: step.Objective,
        losses: Mapping[str, float],
        accuracies: Sequence[str] = (),
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.model = model
        self.objective = objective
        self.loss_terms = dict(losses)
        self.means = {name: keras.metrics.Mean(name=name) for name in (*losses, *accuracies)}
        self.built = True  # all weights are those of the model: they can be saved and loaded

    def compile(
        self,
        optimizer: keras.optimizers.Optimizer,
        run_eagerly: bool = False,
        jit_compile: bool = False,
        steps_per_execution: int = 1,
    ) -> None:
        """Sets the optimizer.

        Raises:
            InputError: Keras' loop cannot do this under a strategy of several replicas.
        """
        strategy = tf.distribute.get_strategy()
        refused = {
            "jit_compile=True": jit_compile is True,
            "steps_per_execution > 1": steps_per_execution > 1,
            "an optimizer with gradient_accumulation_steps": bool(
                getattr(optimizer, "gradient_accumulation_steps", None)
            ),
            "an optimizer with clipping='replica'": (
                getattr(optimizer, "clipping", "global") == "replica"
            ),
            "MultiWorkerMirroredStrategy": isinstance(
                strategy, tf.distribute.MultiWorkerMirroredStrategy
            ),
        }
        received = [name for name, present in refused.items() if present]
        if strategy.num_replicas_in_sync > 1 and received:
            raise InputError(
                f"Under {type(strategy).__name__} Keras' fit works without {', '.join(received)}. "
                "Leave it out, or train with python -m bert_keras.run_pretraining."
            )
        super().compile(
            optimizer=optimizer,
            run_eagerly=run_eagerly,
            jit_compile=jit_compile,
            steps_per_execution=steps_per_execution,
            auto_scale_loss=False,  # the optimizers here take the gradient of the loss as it is
        )

    def fit(
        self,
        x: tf.data.Dataset,
        *,
        shuffle: bool = False,
        validation_data: tf.data.Dataset | None = None,
        **kwargs,
    ) -> keras.callbacks.History:
        """Keras' `fit` on a tf.data.Dataset, which holds its own order and batches.

        Raises:
            InputError: `x` or `validation_data` is no dataset of the model's features, or is to be
                shuffled here.
        """
        if shuffle:
            raise InputError(
                "A tf.data.Dataset brings its own order, so fit takes shuffle=False only. "
                "Received: shuffle=True. Call dataset.shuffle(buffer_size) before batching."
            )
        self._check_features("x", x)
        if validation_data is not None:
            self._check_features("validation_data", validation_data)
        return super().fit(x, shuffle=False, validation_data=validation_data, **kwargs)

    def evaluate(self, x: tf.data.Dataset, **kwargs) -> list[float] | dict[str, float]:
        """Keras' `evaluate` on a tf.data.Dataset, to its end.

        Raises:
            InputError: `x` is no dataset of the model's features.
        """
        self._check_features("x", x)
        with warnings.catch_warnings():
            # A dataset that has not been counted has an end all the same.
            warnings.filterwarnings("ignore", message="Your input ran out of data")
            return super().evaluate(x, **kwargs)

    def save(self, *_, **__) -> None:
        """Raises InputError, as `get_config` does, before Keras begins a file."""
        self.get_config()

    def get_config(self) -> dict[str, Any]:
        """Raises InputError: an objective is any function, which has no configuration."""
        raise InputError(
            "A Trainer has no configuration, so it can be neither saved nor cloned whole. Save or "
            "clone trainer.model; trainer.save_weights keeps the weights of the training, also by "
            "ModelCheckpoint(..., save_weights_only=True)."
        )

    def call(self, features: step.Features, training: bool = False) -> Any:
        return self.model(step.model_inputs(self.model, features), training=training)

    def train_step(self, features: step.Features) -> dict[str, tf.Tensor]:
        return self._updated(
            step.train_step(self.model, self.objective, self.loss_terms, self.optimizer, features)
        )

    def test_step(self, features: step.Features) -> dict[str, tf.Tensor]:
        return self._updated(step.evaluation_step(self.model, self.objective, features))

    @property
    def metrics(self) -> list[keras.metrics.Metric]:
        return list(self.means.values())

    def _check_features(self, argument, dataset):
        if not isinstance(dataset, (tf.data.Dataset, tf.distribute.DistributedDataset)):
            raise InputError(
                f"{argument} must be a tf.data.Dataset of batches, as pretraining_dataset makes "
                f"them. Received: {type(dataset).__name__}"
            )
        names = {tensor.name for tensor in self.model.inputs}
        spec = dataset.element_spec
        if not isinstance(spec, Mapping) or names - spec.keys():
            received = ", ".join(spec) if isinstance(spec, Mapping) else type(spec).__name__
            raise InputError(
                f"The batches of {argument} must be a dict with the model's inputs "
                f"{', '.join(sorted(names))}. Received: {received}"
            )

    def _updated(self, means):
        """Adds the sums and counts of a batch; returns the means so far, and their loss."""
        for name, metric in self.means.items():
            value = tf.math.divide_no_nan(means[name].total, means[name].count)
            metric.update_state(value, sample_weight=means[name].count)
        results = {name: metric.result() for name, metric in self.means.items()}
        return {"loss": sum(results[name] for name in self.loss_terms)} | results
