r"""Answers lines of text with a finished model: any that `from_pretrained` loads.

    python -m bert_keras.run_predict --model=out/sst2 < lines.txt > answers.jsonl

A line is a text, or `text a ||| text b` where the task takes two: a pair to classify, a question
and its context. A line that begins with `{` is a JSON object with the same in its keys: `text`;
`text_a` and `text_b`; `question` and `context`; `words`; `context` and `choices`. For each line a
JSON object is written, in the same order: at a terminal at once, else 1,024 lines at a time. A line
that cannot be asked ends the program when those before it are answered.
"""

import dataclasses
import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from bert_keras import flags, streams
from bert_keras.backend import check_backend, import_tensorflow_quietly
from bert_keras.errors import InputError
from bert_keras.progress import Progress
from bert_keras.serving.json_forms import input_of, plain

LINES_AT_A_TIME = 1024
_BETWEEN_TEXTS = " ||| "


@dataclasses.dataclass(frozen=True)
class Settings:
    """The flags of the program."""

    model: str = flags.required("Folder of a finished model.")
    task: str | None = flags.setting(
        None, "What is asked for; by default what the folder says, or what its head is for."
    )
    batch_size: int = flags.setting(32, "Examples of a batch.", minimum=1)
    max_seq_length: int | None = flags.setting(
        None, "The most tokens of an example; by default as in the training.", minimum=3
    )


def main(settings: Settings) -> None:
    """Answers the lines of stdin on stdout."""
    check_backend()
    import_tensorflow_quietly()
    from bert_keras.serving.predictor import Predictor

    predictor = Predictor(settings.model, settings.task, max_seq_length=settings.max_seq_length)
    stream = streams.prepare_input()
    num_together = 1 if stream.isatty() else LINES_AT_A_TIME
    with Progress("answering", total=None, unit=" lines") as progress:
        num_lines = 0
        for pool in _pools(inputs_of(stream, predictor.loaded.task.name), num_together):
            try:
                _write(predictor.predict(pool, settings.batch_size))
            except InputError:
                index, refusal = _first_refused(predictor.loaded, pool, num_lines)
                _write(predictor.predict(pool[:index], settings.batch_size))
                raise refusal from None
            num_lines += len(pool)
            progress.advance(len(pool))


def _write(answers: Iterable[Any]) -> None:
    for answer in answers:
        sys.stdout.write(json.dumps(plain(answer), ensure_ascii=False) + "\n")
    sys.stdout.flush()


def _first_refused(loaded: Any, pool: list[Any], num_lines: int) -> tuple[int, InputError]:
    """The place of the first input that a task refuses, and why, by its line.

    Args:
        loaded: the `serving.load.LoadedModel` that is asked.
        pool: what is asked.
        num_lines: the lines before it.
    """
    for index, one in enumerate(pool):
        try:
            loaded.task.encode([one], loaded.tokenizer)
        except InputError as error:
            place = f"Line {num_lines + index + 1}"
            return index, InputError(str(error).replace("input 0", place, 1))
    raise AssertionError("The task has refused them together.")


def inputs_of(stream: TextIO, task: str) -> Iterator[Any]:
    """Yields what the lines of a stream ask a task.

    Raises:
        InputError: a line is no text, or an object without the right keys.
    """
    for number, line in enumerate(stream, start=1):
        line = line.rstrip("\r\n")
        if line.startswith("{"):
            yield _of_object(line, task, f"Line {number}")
            continue
        text_a, separator, text_b = line.partition(_BETWEEN_TEXTS)
        yield (text_a, text_b) if separator else line


def _of_object(line: str, task: str, place: str) -> Any:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{place} begins with {{ and must be a JSON object ({error}). Received: {line:.100}"
        ) from error
    return input_of(values, task, place)


def _pools(inputs: Iterator[Any], size: int) -> Iterator[list[Any]]:
    """Lists of so many; what comes before a line that is refused is yielded first."""
    pool = []
    try:
        for one in inputs:
            pool.append(one)
            if len(pool) == size:
                yield pool
                pool = []
    except InputError:
        if pool:
            yield pool
        raise
    if pool:
        yield pool


if __name__ == "__main__":
    flags.run(main, Settings)
