r"""Answers lines of text with a finished model: any that `from_pretrained` loads.

    python -m bert_keras.run_predict --model=out/sst2 < lines.txt > answers.jsonl

A line is a text, or `text a ||| text b` where the task takes two: a pair to classify, a question
and its context. A line that begins with `{` is a JSON object with the same in its keys: `text`;
`text_a` and `text_b`; `question` and `context`; `words`; `context` and `choices`. For each line a
JSON object is written, in the same order.
"""

import dataclasses
import json
import sys
from collections.abc import Iterator
from typing import Any, TextIO

from bert_keras import flags
from bert_keras.backend import check_backend, import_tensorflow_quietly
from bert_keras.errors import InputError
from bert_keras.progress import Progress

LINES_AT_A_TIME = 1024
_BETWEEN_TEXTS = " ||| "
# Keys of an object -> what a task takes for it. The first whose keys are all there counts.
_FORMS = (
    ("question", "context"),
    ("context", "choices"),
    ("text_a", "text_b"),
    ("words",),
    ("text",),
)


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
        for pool in _pools(inputs_of(sys.stdin)):
            for answer in predictor.predict(pool, settings.batch_size):
                sys.stdout.write(as_json(answer) + "\n")
            sys.stdout.flush()
            progress.advance(len(pool))


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


def as_json(answer: Any) -> str:
    """An answer, named tuples within named tuples, as a JSON object on one line."""
    return json.dumps(_plain(answer), ensure_ascii=False)


def _of_object(line: str, number: int) -> Any:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"Line {number} begins with {{ and must be a JSON object. Received: {error}"
        ) from error
    for form in _FORMS:
        if all(name in values for name in form):
            found = tuple(values[name] for name in form)
            return found if len(form) > 1 else found[0]
    forms = "; ".join(" and ".join(form) for form in _FORMS)
    raise InputError(f"Line {number}: an object has the keys {forms}. Received: {line:.200}")


def _plain(value: Any) -> Any:
    if hasattr(value, "_asdict"):
        return {name: _plain(one) for name, one in value._asdict().items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value.tolist() if hasattr(value, "tolist") else value


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
