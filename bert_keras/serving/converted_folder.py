"""The folder of a converted model: what lies beside the file, so that its task can be asked."""

import contextlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from bert_keras.checkpoints.builders import stored_model_of
from bert_keras.checkpoints.files.whole_folders import new_folder
from bert_keras.checkpoints.formats.config_files import read_config
from bert_keras.checkpoints.formats.native import CARD_FILE, write_description
from bert_keras.checkpoints.formats.task_files import TASK_FILE, read_task
from bert_keras.checkpoints.formats.tokenizer_files import VOCABULARY_FILE, read_tokenizer
from bert_keras.config import BertConfig
from bert_keras.data.length_batches import single_batch
from bert_keras.errors import InputError
from bert_keras.files import write_text
from bert_keras.serving.load import LoadedModel
from bert_keras.serving.model_tasks import TASKS, check_fields
from bert_keras.tasks.fill_mask.task import FillMask
from bert_keras.tasks.multiple_choice.task import MultipleChoice
from bert_keras.tasks.squad.task import QuestionAnswering
from bert_keras.tasks.task import Task, description
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

# Looks at a folder that is not finished: if it raises an error, there will be none.
Check = Callable[[str], None]
_EXAMPLES = {
    QuestionAnswering.name: ("Where?", "Here."),
    MultipleChoice.name: ("One.", ["Two.", "Three."]),
    FillMask.name: "One [MASK] text.",
}
_PAGE = """\
# {title}

Task: {task}. {num_layers} layers, {hidden_size} wide. {shape}{labels}

{facts}

By name, whatever their order, the inputs and outputs of an example:

```python
{example}```

`bert_keras` makes the inputs of texts, and answers of the outputs:

```python
from bert_keras.serving import {loader}

model = {loader}(".")  # this folder
encoded = model.task.encode([{text!r}], model.tokenizer)
outputs = model.outputs_of(encoded.examples, batch_size=1)
print(model.task.decode(encoded, outputs, model.config))
```

| file | what it is |
|---|---|
| {file_name} | the weights and what is computed with them |
| vocab.txt, tokenizer_config.json | the vocabulary, and how text is split |
| task.json | how long texts may be, how answers are chosen |
| config.json | the numbers of the model, and its labels |
| agreement.json | with `--check_on`: scores and answers before and after the conversion |
"""
_INPUTS = """\
import numpy as np

inputs = {inputs}
inputs = {{name: np.array(rows, np.int32) for name, rows in inputs.items()}}
{fill_up}"""
_FILL_UP = """\
for name in ("input_ids", "input_mask", "segment_ids"):  # filled up with zeros
    missing = {length} - inputs[name].shape[-1]
    inputs[name] = np.pad(inputs[name], [(0, 0)] * (inputs[name].ndim - 1) + [(0, missing)])
"""


class Page(NamedTuple):
    """What the page of a folder says of its format.

    Attributes:
        title: what it is.
        file_name: the converted model.
        facts: what is to be known of it.
        example: Python that runs it on `inputs`, in the folder.
        loader: the class of `bert_keras.serving` that loads it.
    """

    title: str
    file_name: str
    facts: str
    example: str
    loader: str


class Description(NamedTuple):
    """What a folder says of its model."""

    task: Task
    config: BertConfig
    tokenizer: WordPieceTokenizer


@contextlib.contextmanager
def converted_folder(
    loaded: LoadedModel, folder: str, page: Page, length: int | None, check: Check | None
) -> Iterator[str]:
    """Yields a folder to write the converted model into; it gets its name when all is there.

    Args:
        loaded: the model, with the task as it is to be asked.
        folder: a name that is not there, or an empty folder.
        page: what its README.md says.
        length: how many positions the model takes; None: any number.
        check: is called last.

    Raises:
        InputError: something is there, or it cannot be written.
    """
    with new_folder(folder, last=(page.file_name,)) as unfinished:
        stored = stored_model_of(loaded.model, loaded.tokenizer, task=description(loaded.task))
        write_description(stored, unfinished)
        write_text(tf.io.gfile.join(unfinished, CARD_FILE), _page(loaded, page, length))
        yield unfinished
        if check:
            check(unfinished)


def read_description(folder: str) -> Description:
    """What lies beside a converted model.

    Raises:
        InputError: a file is missing or damaged.
    """
    config, _ = read_config(folder)
    tokenizer = read_tokenizer(folder, "")
    fields = read_task(folder)
    name = fields.pop("task", None)
    if tokenizer is None or name not in TASKS:
        raise InputError(
            f"A converted model has {VOCABULARY_FILE} beside it, and a {TASK_FILE} that names one "
            f"of {', '.join(TASKS)}. Received: {folder}, with {name!r:.100}"
        )
    check_fields(name, fields, tf.io.gfile.join(folder, TASK_FILE))
    return Description(TASKS[name](**fields), config, tokenizer)


def check_positions(length: int, config: BertConfig) -> None:
    """Raises InputError for sequences that are longer than the model knows positions."""
    if length > config.max_position_embeddings:
        raise InputError(
            "A sequence must not be longer than max_position_embeddings="
            f"{config.max_position_embeddings}. Received: {length} positions"
        )


def _page(loaded: LoadedModel, page: Page, length: int | None) -> str:
    text = _EXAMPLES.get(loaded.task.name, "A text.")
    fill_up = _FILL_UP.format(length=length) if length else ""
    inputs = _INPUTS.format(inputs=_example_inputs(loaded, text), fill_up=fill_up)
    labels = f" Labels: {', '.join(loaded.config.labels)}." if loaded.config.labels else ""
    shape = f"At most {loaded.task.max_seq_length} tokens a sequence."
    if length:
        shape = f"One example at a time, exactly {length} positions, filled up with zeros."
    return _PAGE.format(
        **page._asdict() | {"example": f"{inputs}\n{page.example}"},
        task=loaded.task.name,
        num_layers=loaded.config.num_hidden_layers,
        hidden_size=loaded.config.hidden_size,
        shape=shape,
        labels=labels,
        text=text,
    )


def _example_inputs(loaded: LoadedModel, text: str) -> str:
    """The inputs of a text as Python writes them."""
    batch = single_batch(loaded.task.encode([text], loaded.tokenizer).examples)
    lines = [f"    {name!r}: {np.asarray(batch[name]).tolist()}," for name in loaded.model.input]
    return "\n".join(["{", *lines, "}"]).replace("'", '"')
