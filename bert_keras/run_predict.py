r"""Answers lines of text with a finished model: any that `from_pretrained` loads.

    python -m bert_keras.run_predict --model=out/sst2 < lines.txt > answers.jsonl

A line is a text, or `text a ||| text b` where the task takes two: a pair to classify, a question
and its context. A line that begins with `{` is a JSON object with the same in its keys: `text`;
`text_a` and `text_b`; `question` and `context`; `words`; `context` and `choices`. For each line a
JSON object is written, in the same order.
"""

import contextlib
import dataclasses
import json
import sys
from collections.abc import Iterator
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
    with Progress("answering", total=None, unit=" lines") as progress:
        num_lines = 0
        for pool in _pools(inputs_of(streams.prepare_input())):
            with _named_line(predictor.head, pool, num_lines):
                answers = predictor.predict(pool, settings.batch_size)
            for answer in answers:
                sys.stdout.write(json.dumps(plain(answer), ensure_ascii=False) + "\n")
            sys.stdout.flush()
            num_lines += len(pool)
            progress.advance(len(pool))


@contextlib.contextmanager
def _named_line(head: Any, pool: list[Any], num_lines: int) -> Iterator[None]:
    """Lets an error say which line of the input has no input of the task.

    Args:
        head: the `serving.load.Head` that is asked.
        pool: what is asked.
        num_lines: the lines before it.
    """
    try:
        yield
    except InputError:
        for number, one in enumerate(pool, start=num_lines + 1):
            try:
                head.task.encode([one], head.tokenizer)
            except InputError as error:
                raise InputError(str(error).replace("input 0", f"Line {number}", 1)) from error
        raise


def inputs_of(stream: TextIO) -> Iterator[Any]:
    """Yields what the lines of a stream ask.

    Raises:
        InputError: a line is no text, or an object without the right keys.
    """
    for number, line in enumerate(stream, start=1):
        line = line.rstrip("\r\n")
        if line.startswith("{"):
            yield _of_object(line, number)
            continue
        text_a, separator, text_b = line.partition(_BETWEEN_TEXTS)
        yield (text_a, text_b) if separator else line


def _of_object(line: str, number: int) -> Any:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"Line {number} begins with {{ and must be a JSON object. Received: {error}"
        ) from error
    return input_of(values, f"Line {number}")


def _pools(inputs: Iterator[Any]) -> Iterator[list[Any]]:
    pool = []
    for one in inputs:
        pool.append(one)
        if len(pool) == LINES_AT_A_TIME:
            yield pool
            pool = []
    if pool:
        yield pool


if __name__ == "__main__":
    flags.run(main, Settings)
