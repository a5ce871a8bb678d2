"""How a fine-tuning trains: steps, schedule, optimizer, batches (paper, appendix A.3)."""

import functools
import math
from typing import Any

from bert_keras.data.length_batches import length_batches, num_steps
from bert_keras.fine_tuning.task import Task
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
    "num_train_epochs",
    "warmup_proportion",
    "random_seed",
    "layer_rate_decay",
    "num_frozen_layers",
    "unfreeze_every_epochs",
    "correct_bias",
    "precision",
)


def steps_per_epoch(settings: Any, task: Task) -> int:
    """How many steps see every example once."""
    return num_steps(len(task.train.lengths), settings.train_batch_size, 1)


def training(settings: Any, task: Task, visits: Visits | None) -> Training:
    """The training that the `FineTuningSettings` ask for."""
    num_train_steps = num_steps(
        len(task.train.lengths), settings.train_batch_size, settings.num_train_epochs
    )
    # As the original: rounded down.
    num_warmup_steps = int(num_train_steps * settings.warmup_proportion)
    decisive = {name: getattr(settings, name) for name in DECISIVE_FLAGS}
    decisive |= {"num_train_steps": num_train_steps, "labels": list(task.config.labels)}
    decisive["examples"] = task.train.fingerprint()

    def dataset(start_step, **worker):
        batches = length_batches(
            task.train,
            settings.train_batch_size,
            settings.random_seed,
            settings.num_train_epochs,
            start_step,
            **worker,
        )
        return batches.repeat()  # what is read ahead of the last step is not used

    return Training(
        schedule=SCHEDULES[settings.learning_rate_schedule](
            settings.learning_rate, num_train_steps, num_warmup_steps
        ),
        make_optimizer=functools.partial(
            AdamWeightDecay,
            correct_bias=settings.correct_bias,
            rate_factors=_rate_factors(settings, task),
        ),
        dataset=dataset,
        batch_size=settings.train_batch_size,
        length=math.ceil(task.train.lengths.mean()),
        num_train_steps=num_train_steps,
        loop=settings,
        decisive=decisive,
        step_options={
            "gradients_of": step.accumulated(
                GRADIENTS[settings.xla], settings.gradient_accumulation_steps
            ),
        },
        checks=(ZeroLearningRate(num_train_steps), GradientSpike(), StillLoss()),
        visits=visits or NoVisits(),
    )


def _rate_factors(settings: Any, task: Task) -> list[RateFactor]:
    """By what the rate of each layer is multiplied."""
    num_layers = task.config.num_hidden_layers
    factors = []
    if settings.layer_rate_decay != 1:
        factors.append(LayerRateDecay(num_layers=num_layers, decay=settings.layer_rate_decay))
    if settings.unfreeze_every_epochs:
        wait = settings.unfreeze_every_epochs * steps_per_epoch(settings, task)
        factors.append(GradualUnfreezing(num_layers=num_layers, num_steps=wait))
    return factors
