"""Files of multiple choice: which layout one has is seen from its name and content.

`.csv` and `.tsv` with a header are SWAG's, without one they are CODAH's. `.json`, `.jsonl` and
`.txt` hold JSON objects one after the other, on a line each or not: those with an `article` are
RACE's, others have the keys of SWAG's columns.
"""

from collections.abc import Iterator, Sequence

from bert_keras.errors import InputError
from bert_keras.tasks.multiple_choice import layouts
from bert_keras.tasks.multiple_choice.example import Example
from bert_keras.tasks.tables import read_objects, read_rows


def read_examples(paths: Sequence[str], is_labeled: bool) -> list[Example]:
    """The examples of all files, in their order, each with an id.

    Args:
        paths: the files; one of RACE's holds an article.
        is_labeled: whether labels are read; if not, the files may lack them.

    Raises:
        InputError, which names file and line: no example, or one that breaks a rule of its layout.
    """
    examples = [example for path in paths for example in _examples(path, is_labeled)]
    if not examples:
        raise InputError(f"There must be examples. Received: none in {', '.join(paths)}.")
    return [
        example._replace(id=" ".join(example.id.split()) or str(index))  # a cell of a table
        for index, example in enumerate(examples)
    ]


def _examples(path: str, is_labeled: bool) -> Iterator[Example]:
    ending = path.rpartition(".")[2].lower()
    if ending not in _READERS:
        raise InputError(
            f"The name of a file ends in {', '.join('.' + name for name in _READERS)}. "
            f"Received: {path}"
        )
    return _READERS[ending](path, is_labeled)


def _of_table(path: str, is_labeled: bool) -> Iterator[Example]:
    first = next(read_rows(path, header=False))
    has_header = layouts.FIRST_ENDING in first.values.values()
    layout = layouts.swag if has_header else layouts.codah
    for row in read_rows(path, header=has_header):
        yield from layout(row, is_labeled)


def _of_objects(path: str, is_labeled: bool) -> Iterator[Example]:
    for row in read_objects(path):
        layout = layouts.race if "article" in row.values else layouts.swag
        yield from layout(row, is_labeled)


_READERS = {
    "csv": _of_table,
    "tsv": _of_table,
    "json": _of_objects,
    "jsonl": _of_objects,
    "txt": _of_objects,
}
