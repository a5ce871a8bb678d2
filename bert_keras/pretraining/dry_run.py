"""The numbers that `--dry_run` of run_pretraining prints, to plan a run with."""

import time
from collections.abc import Callable
from typing import Any

from bert_keras.config import BertConfig
from bert_keras.pretraining import estimates
from bert_keras.training.units import duration, with_prefix

NUM_COMPILED_STEPS = 2  # the first traces and compiles, the second may still allocate
NUM_TIMED_STEPS = 10


def describe(settings: Any, config: BertConfig, num_replicas: int) -> str:
    """Returns a line for each number that follows from the settings and the configuration.

    Args:
        settings: the flags of run_pretraining.
        config: the model.
        num_replicas: the devices that share a batch.
    """
    batch_size, length = settings.train_batch_size, settings.max_seq_length
    num_predictions = settings.max_predictions_per_seq
    memory = estimates.training_memory(
        config,
        batch_size // num_replicas,
        length,
        num_predictions,
        precision=settings.precision,
        rematerialize=settings.rematerialize,
        num_micro_batches=settings.gradient_accumulation_steps,
    )
    flops = estimates.step_flops(config, batch_size, length, num_predictions)
    num_tokens = settings.num_train_steps * batch_size * length
    parts = [f"{with_prefix(part, 'B')} {name}" for name, part in memory._asdict().items()]
    rows = {
        "parameters": f"{estimates.num_parameters(config):,}",
        "memory of a replica": f"about {with_prefix(sum(memory), 'B')}: {', '.join(parts)}",
        "memory of TensorFlow": f"about {with_prefix(estimates.TENSORFLOW_BYTES, 'B')} on a CPU",
        "arithmetic of a step": with_prefix(flops, "FLOP"),
        "arithmetic of the run": with_prefix(flops * settings.num_train_steps, "FLOP"),
        "tokens seen": f"{with_prefix(num_tokens, 'tokens')}, padding included",
        "a checkpoint": with_prefix(estimates.checkpoint_bytes(config), "B"),
    }
    return "\n".join(_row(name, value) for name, value in rows.items())


def measure(take_step: Callable[[], Any], num_steps: int = NUM_TIMED_STEPS) -> float:
    """Returns the seconds of a training step.

    Args:
        take_step: trains one step, on a batch of its own, and returns when it is done.
        num_steps: how many are timed, after `NUM_COMPILED_STEPS` others.
    """
    for _ in range(NUM_COMPILED_STEPS):
        take_step()
    start = time.perf_counter()
    for _ in range(num_steps):
        take_step()
    return (time.perf_counter() - start) / num_steps


def time_to_finish(seconds_per_step: float, settings: Any, num_steps_done: int = 0) -> str:
    """Returns the lines about time that a measurement adds to those of `describe`.

    Args:
        seconds_per_step: as `measure` returns it.
        settings: the flags of run_pretraining.
        num_steps_done: the steps that the run has behind it.
    """
    num_steps = max(settings.num_train_steps - num_steps_done, 0)
    rate = settings.train_batch_size / seconds_per_step
    rows = {
        "a step": f"{seconds_per_step:.3g} s, {rate:.3g} examples/s",
        "time to finish": f"{duration(num_steps * seconds_per_step)} for {num_steps:,} steps, "
        "checkpoints and evaluation apart",
    }
    return "\n".join(_row(name, value) for name, value in rows.items())


def _row(name: str, value: str) -> str:
    return f"{name:<23}{value}"
