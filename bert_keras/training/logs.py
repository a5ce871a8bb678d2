"""Reports of a run: TensorBoard, one JSON line a report, and a progress bar or plain lines.

A resumed run takes back the reports after the step that it goes on from: the JSON lines are cut,
and TensorBoard is told by a START event, on which it drops later points, though not texts.
"""

import contextlib
import json
import os
import socket
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import tensorflow as tf
from tqdm import tqdm

from bert_keras.errors import InputError
from bert_keras.notices import notify
from bert_keras.training.watch import Check

LOG_NAME = "train_log.jsonl"


class TrainLog:
    """Reports the progress of training from `start_step` on.

    Args:
        folder: where the JSON lines and the TensorBoard events go.
        start_step: the steps done so far; reports of later steps are taken back.
        num_train_steps: the steps of the whole run.
        examples_per_step: the global batch size.
        tokens_per_step: the positions of a global batch, padding included.
        shown: the names of the values that a plain line shows.
        checks: functions of a step and the values of its report that may return a sentence for the
            user.

    Raises:
        InputError: the files cannot be written.
    """

    def __init__(
        self,
        folder: str,
        start_step: int,
        num_train_steps: int,
        examples_per_step: int,
        tokens_per_step: int,
        shown: Sequence[str] = ("loss", "learning_rate"),
        checks: Sequence[Check] = (),
    ):
        self._per_step = {"examples": examples_per_step, "tokens": tokens_per_step}
        self._num_train_steps = num_train_steps
        self._shown = shown
        self._checks = checks
        self._path = tf.io.gfile.join(folder, LOG_NAME)
        with _named_errors(f"The reports in {folder}"):
            _cut(self._path, start_step)
            self._events = EventFile(folder, start_step)
        self._bar = None
        if sys.stderr.isatty():
            self._bar = tqdm(
                desc="training",
                unit="step",
                total=num_train_steps,
                initial=start_step,
                smoothing=0.1,
            )
        self._clock = None
        self._num_timed_steps = 0
        self._seconds_waited = 0.0

    def __enter__(self) -> "TrainLog":
        return self

    def __exit__(self, *_) -> None:
        self._events.close()
        if self._bar is not None:
            self._bar.close()

    def advance(self, num_steps: int = 1) -> None:
        """Notes more steps. The clock starts after the first call, which compiles the step."""
        if self._clock is None:
            self.restart_clock()
        else:
            self._num_timed_steps += num_steps
        if self._bar is not None:
            self._bar.update(num_steps)

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """Counts what is done within as waiting for the next batch."""
        begin = time.perf_counter()
        yield
        self._seconds_waited += time.perf_counter() - begin

    def restart_clock(self) -> None:
        """Leaves what was just done, such as a save, out of the rates."""
        self._clock = time.perf_counter()
        self._num_timed_steps = 0
        self._seconds_waited = 0.0

    def report(self, step: int, values: dict[str, float]) -> None:
        """Writes `values`, dict of name -> float, as the report of `step`.

        Raises:
            InputError: it cannot be written.
        """
        values = values | self._rates()
        self.restart_clock()
        with _named_errors(f"The report of step {step}"):
            with tf.io.gfile.GFile(self._path, "a") as file:
                file.write(json.dumps({"step": step} | values) + "\n")
            self._events.write(step, values)
            self._show(step, values)
            self._remark(step, values)

    def _remark(self, step, values):
        """Says what the checks have to say, in the terminal and as TensorBoard text."""
        for sentence in filter(None, (check(step, values) for check in self._checks)):
            notify(f"step {step}: {sentence}")
            self._events.write_text(step, "remarks", sentence)

    def _rates(self):
        if not self._num_timed_steps:
            return {}
        seconds = time.perf_counter() - self._clock
        rates = {
            f"{unit}_per_second": amount * self._num_timed_steps / seconds
            for unit, amount in self._per_step.items()
        }
        # Steps that stay in the graph do not say how long they wait.
        waited = (
            {"input_wait_share": self._seconds_waited / seconds} if self._seconds_waited else {}
        )
        return rates | waited

    def _show(self, step, values):
        if self._bar is not None:
            self._bar.set_postfix(loss=f"{values['loss']:.3f}")
            return
        line = f"step {step}/{self._num_train_steps}"
        line += "".join(f"  {name} {values[name]:.4g}" for name in self._shown)
        if "examples_per_second" in values:
            rate = values["examples_per_second"]
            steps_left = self._num_train_steps - step
            seconds_left = steps_left * self._per_step["examples"] / rate
            line += f"  {rate:.1f} examples/s  {tqdm.format_interval(seconds_left)} left"
        print(line, file=sys.stderr, flush=True)


class NoLog:
    """Stands in for a `TrainLog` where another worker reports."""

    def __enter__(self) -> "NoLog":
        return self

    def __exit__(self, *_) -> None:
        pass

    def advance(self, num_steps: int = 1) -> None:
        pass

    def waiting(self) -> contextlib.AbstractContextManager:
        return contextlib.nullcontext()

    def restart_clock(self) -> None:
        pass

    def report(self, step: int, values: dict[str, float]) -> None:
        pass


class EventFile:
    """A TensorBoard file: a TFRecord file of Event messages.

    `tf.summary` needs the package tensorboard to write, and has no START event.
    """

    def __init__(self, folder: str, start_step: int = 0):
        now = time.time()
        name = f"events.out.tfevents.{now:.6f}.{socket.gethostname()}.{os.getpid()}"
        self._writer = tf.io.TFRecordWriter(tf.io.gfile.join(folder, name))
        self._add(wall_time=now, file_version="brain.Event:2")
        if start_step:
            start = tf.compat.v1.SessionLog(status=tf.compat.v1.SessionLog.START)
            self._add(wall_time=now, step=start_step + 1, session_log=start)
        self._writer.flush()

    def write(self, step: int, values: Mapping[str, float]) -> None:
        """Adds `values`, dict of name -> float, as scalars of `step`."""
        scalars = [
            tf.compat.v1.Summary.Value(tag=name, simple_value=value)
            for name, value in values.items()
        ]
        self._add(wall_time=time.time(), step=step, summary=tf.compat.v1.Summary(value=scalars))
        self._writer.flush()

    def write_text(self, step: int, tag: str, text: str) -> None:
        """Adds a text of `step`, which TensorBoard shows under TEXT."""
        value = tf.compat.v1.Summary.Value(tag=tag, tensor=tf.make_tensor_proto([text]))
        value.metadata.plugin_data.plugin_name = "text"
        self._add(wall_time=time.time(), step=step, summary=tf.compat.v1.Summary(value=[value]))
        self._writer.flush()

    def close(self) -> None:
        self._writer.close()

    def _add(self, **fields):
        self._writer.write(tf.compat.v1.Event(**fields).SerializeToString())


def write_events(folder: str, step: int, values: Mapping[str, float]) -> None:
    """Writes a TensorBoard file of its own for `values`, dict of name -> float.

    Raises:
        InputError: it cannot be written.
    """
    with _named_errors(f"The TensorBoard file in {folder}"):
        tf.io.gfile.makedirs(folder)
        events = EventFile(folder)
        events.write(step, values)
        events.close()


def read_log(folder: str) -> list[dict[str, Any]]:
    """Returns the reports of a run, a dict each; lines that are damaged are left out."""
    path = tf.io.gfile.join(folder, LOG_NAME)
    if not tf.io.gfile.exists(path):
        return []
    with tf.io.gfile.GFile(path, "rb") as file:
        reports = map(_report_of, file.read().split(b"\n"))
    return [report for report in reports if report]


def _report_of(line):
    """The report of a JSON line; None for what a killed process or a bad disk left."""
    try:
        report = json.loads(line)
    except ValueError:
        return None
    is_report = isinstance(report, dict) and isinstance(report.get("step"), int)
    return report if is_report else None


@contextlib.contextmanager
def _named_errors(what):
    """Raises InputError, which says what was to be written, for a file that cannot be written."""
    try:
        yield
    except tf.errors.OpError as error:
        raise InputError(
            f"{what} could not be written: {error.message}. The checkpoints are kept. "
            "Make room or correct the rights, then run the same command again."
        ) from error


def _cut(path, start_step):
    """Takes the reports after `start_step` out of a log of JSON lines."""
    if not tf.io.gfile.exists(path):
        return
    kept = [report for report in read_log(os.path.dirname(path)) if report["step"] <= start_step]
    with tf.io.gfile.GFile(path + ".unfinished", "w") as file:
        file.write("".join(json.dumps(report) + "\n" for report in kept))
    tf.io.gfile.rename(path + ".unfinished", path, overwrite=True)
