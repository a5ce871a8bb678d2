"""How a fine-tuning trains: steps, schedule, optimizer, batches (paper, appendix A.3)."""

import functools
import math
from typing import Any

import tensorflow as tf

from bert_keras.data.length_batches import length_batches, num_steps
from bert_keras.fine_tuning.assignment import Assignment
from bert_keras.fine_tuning.settings import FineTuningSettings
from bert_keras.optimizers.adam_weight_decay import AdamWeightDecay
from bert_keras.optimizers.rate_factors import GradualUnfreezing, LayerRateDecay, RateFactor
from bert_keras.optimizers.schedules import (
    ContinuousWarmupPolynomialDecay,
    SlantedTriangular,
    WarmupConstant,
    WarmupPolynomialDecay,
)
from bert_keras.training import step
from bert_keras.training.session import Training
from bert_keras.training.visits import NoVisits, Visits
from bert_keras.training.watch import GradientSpike, StillLoss, ZeroLearningRate

# --learning_rate_schedule
SCHEDULES = {
    "original": WarmupPolynomialDecay,
    "continuous": ContinuousWarmupPolynomialDecay,
    "constant": WarmupConstant,
    "slanted_triangular": SlantedTriangular,
}
# --xla
GRADIENTS = {False: step.gradients, True: step.compiled(step.gradients)}
# The flags that the weights depend on, beside the examples and the model.
DECISIVE_FLAGS = (
    "init_checkpoint",
    "max_seq_length",
    "train_batch_size",
    "learning_rate",
    "learning_rate_schedule",
    "warmup_proportion",
    "random_seed",
    "layer_rate_decay",
    "num_frozen_layers",
    "unfreeze_every_epochs",
    "correct_bias",
    "precision",
)


def steps_between_evaluations(settings: FineTuningSettings, assignment: Assignment) -> int:
    """About an epoch: batches go on from one epoch to the next."""
    return max(1, round(_steps_of_epoch(settings, assignment)))


def padded_length(settings: FineTuningSettings, strategy: tf.distribute.Strategy) -> int | None:
    """Positions that every batch gets: a TPU takes one shape; None: those of its examples."""
    return settings.max_seq_length if isinstance(strategy, tf.distribute.TPUStrategy) else None


def training(
    settings: FineTuningSettings,
    assignment: Assignment,
    padded_length: int | None,
    visits: Visits | None,
) -> Training:
    """The training that the settings ask for.

    Args:
        settings: those of a program.
        assignment: what is learned.
        padded_length: as the function of that name says.
        visits: look at the model in between.
    """
    num_train_steps = num_steps(
        len(assignment.train.lengths), settings.train_batch_size, settings.num_train_epochs
    )
    # As the original: rounded down.
    num_warmup_steps = int(num_train_steps * settings.warmup_proportion)
    return Training(
        schedule=SCHEDULES[settings.learning_rate_schedule](
            settings.learning_rate, num_train_steps, num_warmup_steps
        ),
        make_optimizer=functools.partial(
            AdamWeightDecay,
            correct_bias=settings.correct_bias,
            rate_factors=_rate_factors(settings, assignment),
        ),
        dataset=functools.partial(_batches, settings, assignment, padded_length),
        batch_size=settings.train_batch_size,
        length=math.ceil(assignment.train.lengths.mean()),
        num_train_steps=num_train_steps,
        loop=settings,
        decisive=decisive(settings, assignment) | {"num_train_steps": num_train_steps},
        step_options={
            "gradients_of": step.accumulated(
                GRADIENTS[settings.xla], settings.gradient_accumulation_steps
            ),
        },
        checks=(ZeroLearningRate(num_train_steps), GradientSpike(), StillLoss()),
        visits=visits or NoVisits(),
    )


def _batches(settings, assignment, padded_length, start_step, **worker) -> tf.data.Dataset:
    batches = length_batches(
        assignment.train,
        settings.train_batch_size,
        settings.random_seed,
        settings.num_train_epochs,
        start_step,
        padded_length=padded_length,
        **worker,
    )
    return batches.repeat()  # what is read ahead of the last step is not used


def decisive(settings: FineTuningSettings, assignment: Assignment) -> dict[str, Any]:
    """All that the weights depend on, by its flag or in words."""
    return {name: getattr(settings, name) for name in DECISIVE_FLAGS} | {
        "the model": assignment.config.to_dict(),
        "the training examples (files, vocabulary, lengths)": assignment.train.fingerprint(),
    }


def _steps_of_epoch(settings, assignment) -> float:
    return len(assignment.train.lengths) / settings.train_batch_size


def _rate_factors(settings: FineTuningSettings, assignment: Assignment) -> list[RateFactor]:
    """By what the rate of each layer is multiplied."""
    num_layers = assignment.config.num_hidden_layers
    factors = []
    if settings.layer_rate_decay != 1:
        factors.append(LayerRateDecay(num_layers=num_layers, decay=settings.layer_rate_decay))
    if settings.unfreeze_every_epochs:
        wait = settings.unfreeze_every_epochs * _steps_of_epoch(settings, assignment)
        factors.append(GradualUnfreezing(num_layers=num_layers, num_steps=wait))
    return factors
