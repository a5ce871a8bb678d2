"""From flags to a training: steps, schedule, optimizer, and what a run depends on."""

import dataclasses

import numpy as np
import pytest

from bert_keras.config import BertConfig
from bert_keras.fine_tuning import recipe
from bert_keras.fine_tuning.settings import FineTuningSettings
from bert_keras.optimizers.rate_factors import GradualUnfreezing, LayerRateDecay
from bert_keras.optimizers.schedules import SlantedTriangular, WarmupPolynomialDecay
from tests.fine_tuning import letters

CONFIG = BertConfig.named("tiny", vocab_size=len(letters.TOKENS))


def training(**flags):
    settings = FineTuningSettings(**{"do_train": True, "train_batch_size": 20} | flags)
    assignment = letters.read_assignment(settings, CONFIG, None)
    return recipe.training(settings, assignment, None, None)


def test_the_default_is_the_originals_recipe():
    plan = training()
    assert plan.num_train_steps == 15  # 96 examples, 3 times, 20 in a batch: 14.4
    optimizer = plan.make_optimizer(plan.schedule)
    assert isinstance(plan.schedule, WarmupPolynomialDecay)
    assert plan.schedule.num_warmup_steps == 1  # a tenth, rounded down
    assert float(plan.schedule(1)) == pytest.approx(5e-5 * 14 / 15)
    assert not optimizer.correct_bias and not optimizer.rate_factors
    assert optimizer.weight_decay_rate == 0.01


def test_every_flag_of_a_recipe_reaches_the_optimizer():
    plan = training(
        learning_rate_schedule="slanted_triangular",
        layer_rate_decay=0.5,
        unfreeze_every_epochs=2.0,
        correct_bias=True,
    )
    optimizer = plan.make_optimizer(plan.schedule)
    assert isinstance(plan.schedule, SlantedTriangular) and optimizer.correct_bias
    assert optimizer.rate_factors == (
        LayerRateDecay(num_layers=2, decay=0.5),
        GradualUnfreezing(num_layers=2, num_steps=2 * 96 / 20),
    )


def test_the_batches_are_those_of_the_steps():
    batches = training(train_batch_size=32, num_train_epochs=1.0).dataset(2).take(1)
    (batch,) = batches.as_numpy_iterator()
    assert batch["input_ids"].shape[0] == 32
    assert np.all(batch["example_weights"] == 1)


def test_evaluations_lie_an_epoch_apart():
    settings = FineTuningSettings(do_train=True, train_batch_size=20)
    assignment = letters.read_assignment(settings, CONFIG, None)
    assert recipe.steps_between_evaluations(settings, assignment) == 5
    one = dataclasses.replace(settings, train_batch_size=500)
    assert recipe.steps_between_evaluations(one, assignment) == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("learning_rate", 1e-3),
        ("random_seed", 7),
        ("layer_rate_decay", 0.9),
        ("num_frozen_layers", 1),
        ("unfreeze_every_epochs", 1.0),
        ("correct_bias", True),
        ("num_train_epochs", 4.0),
        ("warmup_proportion", 0.5),
    ],
)
def test_what_the_weights_depend_on_is_decisive(name, value):
    assert training(**{name: value}).decisive != training().decisive


def test_what_changes_no_weight_is_not_decisive():
    assert training(eval_batch_size=7, do_eval=True, report_steps=3).decisive == training().decisive
