"""What surrounds the training step of BERT-Mini, 32 x 128, as shares and ratios in one run.

Claim: the loop spends at most 2 % of its time outside of the step, waiting for records included; a
checkpoint every 100 steps costs at most 5 %; two devices that share the cores train at least 0.85
of the examples of one that has them. Four parts of a batch were to cost at most 5 %; on 2 cores
they cost 10 %, as do four steps of so few examples: the products are too small, not the sums.

What is compared takes turns, so that other work on the machine slows all of it alike; where that
is not enough, processor seconds mean the same on a busy machine. The records are the sample's.
"""

import contextlib
import functools
import importlib.resources
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import tensorflow as tf

from bert_keras.config import BertConfig
from bert_keras.data.pipeline import pretraining_dataset
from bert_keras.models.pretrainer import pretrainer
from bert_keras.objectives.pretraining import LOSSES, pretraining
from bert_keras.optimizers.adam_weight_decay import AdamWeightDecay
from bert_keras.optimizers.schedules import WarmupPolynomialDecay
from bert_keras.training import loop, run_state, step
from bert_keras.training.batches import training_batches
from bert_keras.training.devices import DeviceSettings
from bert_keras.training.logs import TrainLog, read_log
from bert_keras.training.stop import StopRequest
from bert_keras.training.strategy import strategy_for
from bert_keras.training.visits import NoVisits
from experiments import machine
from tfrecord_tools import create_pretraining_data

SAMPLE = importlib.resources.files("bert_keras") / "sample"
BATCH_SIZE, LENGTH, NUM_PREDICTIONS = 32, 128, 20
NUM_PARTS = 4  # of a batch
SAVE_CHECKPOINTS_STEPS = 100
NUM_WARMUP_STEPS = 3  # not timed: the first one compiles
SCHEDULE = WarmupPolynomialDecay(1e-4, 10_000, 100)


class Trained(NamedTuple):
    """A model in training."""

    run: Callable[..., loop.Steps]  # of a batch
    batches: Iterator[Any]
    variables: dict[str, Any]  # what a checkpoint holds

    def take_step(self) -> None:
        self.run(next(self.batches)).gradient_norm.numpy()


def loop_overhead(num_steps: int) -> dict[str, float]:
    """The shares of the loop's time outside of the step, and of it in waiting for a batch.

    There is one report in `num_steps`; by default the programs make one in 100.
    """
    with records() as file, tempfile.TemporaryDirectory() as folder:
        trained = training(strategy_for(DeviceSettings()), file)
        seconds_in_steps = []

        def timed_run(features, flag):
            start = time.perf_counter()
            taken = trained.run(features, flag)
            seconds_in_steps.append(time.perf_counter() - start)
            return taken

        end_step = NUM_WARMUP_STEPS + num_steps
        train(trained._replace(run=timed_run), folder, 0, NUM_WARMUP_STEPS)
        seconds_in_steps.clear()
        seconds = machine.seconds(
            lambda: train(trained._replace(run=timed_run), folder, NUM_WARMUP_STEPS, end_step)
        )
        return {
            "seconds": seconds / num_steps,
            "share_outside_of_steps": 1 - sum(seconds_in_steps) / seconds,
            "input_wait_share": read_log(folder)[-1]["input_wait_share"],
        }


def checkpoint_stall(num_steps: int) -> dict[str, float]:
    """The time of a save as a share of the steps between two of them."""
    with records() as file, tempfile.TemporaryDirectory() as folder:
        trained = training(strategy_for(DeviceSettings()), file)
        saved_steps = iter(range(num_steps + NUM_WARMUP_STEPS))

        def save():
            run_state.save(folder, next(saved_steps), trained.variables)

        of_step, of_save = costs(num_steps, trained.take_step, save)
        return {
            "seconds": of_step.seconds,
            "seconds_of_save": of_save.seconds,
            "share_of_100_steps": of_save.seconds / (SAVE_CHECKPOINTS_STEPS * of_step.seconds),
        }


def two_devices(num_steps: int) -> dict[str, float]:
    """Two logical devices of the processor, half of a batch each, against one with the whole."""
    processor = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(
        processor, [tf.config.LogicalDeviceConfiguration()] * 2
    )
    with records() as file:
        one = training(strategy_for(DeviceSettings()), file)
        two = training(strategy_for(DeviceSettings(strategy="mirrored")), file)
        return rates(num_steps, one, two)


def accumulation(num_steps: int) -> dict[str, float]:
    """A batch in parts, one after the other, against the whole at once."""
    in_parts = step.accumulated(step.gradients, NUM_PARTS)
    with records() as file:
        strategy = strategy_for(DeviceSettings())
        whole = training(strategy, file)
        parts = training(strategy, file, gradients_of=in_parts)
        return rates(num_steps, whole, parts)


@contextlib.contextmanager
def records() -> Iterator[str]:
    """The sample as TFRecords, in a file that is there within the block."""
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/train.tfrecord"
        create_pretraining_data.create_pretraining_data(
            create_pretraining_data.Settings(
                input_file=[str(SAMPLE / "corpus.txt")],
                output_file=[file],
                vocab_file=str(SAMPLE / "vocab.txt"),
                max_seq_length=LENGTH,
                max_predictions_per_seq=NUM_PREDICTIONS,
            )
        )
        yield file


def training(strategy: tf.distribute.Strategy, file: str, **options) -> Trained:
    """BERT-Mini with the released vocabulary's size; `options` are those of `step.train_step`."""
    with strategy.scope():
        model = pretrainer(BertConfig.named("mini"))
        optimizer = AdamWeightDecay(SCHEDULE)
        optimizer.build(model.trainable_variables)
    dataset = functools.partial(
        pretraining_dataset, file, LENGTH, NUM_PREDICTIONS, BATCH_SIZE, seed=1
    )
    return Trained(
        loop.compile_train_step(strategy, model, pretraining, LOSSES, optimizer, **options),
        iter(training_batches(strategy, dataset, BATCH_SIZE)),
        run_state.run_variables(model, optimizer),
    )


def train(trained: Trained, folder: str, start_step: int, end_step: int) -> None:
    """Runs the programs' loop, which reports once and saves nothing."""
    stop = StopRequest()
    plan = loop.Plan(start_step, end_step, end_step, end_step - start_step)
    tokens = BATCH_SIZE * LENGTH
    with TrainLog(folder, start_step, end_step, BATCH_SIZE, tokens) as log:
        take_steps = loop.one_by_one(trained.run, trained.batches, stop, log)
        loop.train(take_steps, plan, SCHEDULE, LOSSES, lambda step: None, log, stop, NoVisits())


def rates(num_steps: int, usual: Trained, other: Trained) -> dict[str, float]:
    """Examples a second of two ways to train, which take turns."""
    of_usual, of_other = costs(num_steps, usual.take_step, other.take_step)
    return {
        "examples_per_second": BATCH_SIZE / of_other.seconds,
        "ratio": of_usual.seconds / of_other.seconds,
        "processor_ratio": of_usual.processor_seconds / of_other.processor_seconds,
    }


def costs(num_rounds: int, *functions: Callable[[], None]) -> list[machine.Run]:
    """The least that each of some functions takes; they take turns."""
    for function in functions * NUM_WARMUP_STEPS:
        function()
    rounds = [[cost(function) for function in functions] for _ in range(num_rounds)]
    return [machine.Run(*map(min, zip(*runs, strict=True))) for runs in zip(*rounds, strict=True)]


def cost(function: Callable[[], None]) -> machine.Run:
    start = time.process_time()
    seconds = machine.seconds(function)
    return machine.Run(seconds, time.process_time() - start)
