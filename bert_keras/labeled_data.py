"""Data with answers for a finished model, and the check that a conversion has to pass on them.

They are read as the program of its task reads them.
"""

import dataclasses
import functools
import shlex
from collections.abc import Callable
from typing import Any

from bert_keras import flags, run_sweep
from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.tasks.task import Task, description
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

# Name of a task -> the program that fine-tunes models for it: their modules have these names.
PROGRAMS = {program.module: program for program in run_sweep.PROGRAMS.values()}


def labeled_settings(task: Task, words: str) -> Any:
    """The settings of the program of a task, which evaluates.

    Args:
        task: its fields are the flags that are not given.
        words: flags of that program that say what is read, as a shell takes them, such as
            `--task_name=MRPC --data_dir=glue/MRPC`.

    Raises:
        InputError: the task has no program, or its program no such flag.
    """
    if task.name not in PROGRAMS:
        raise InputError(
            f"Data with answers are for {', '.join(PROGRAMS)}. Received: the task {task.name}"
        )
    settings_class = PROGRAMS[task.name].settings_class
    known = {field.name for field in dataclasses.fields(settings_class)}
    fields = [f"--{key}={value}" for key, value in description(task).items() if key in known]
    try:
        given = shlex.split(words)
    except ValueError as error:
        raise InputError(f"Flags are parted as by a shell. Received: {words} ({error})") from error
    settings = flags.parse(settings_class, [*fields, *given])
    return dataclasses.replace(settings, do_train=False, do_eval=True, do_predict=False)


def read_labeled(task: Task, config: BertConfig, tokenizer: WordPieceTokenizer, words: str) -> Any:
    """The `fine_tuning.assignment.Assignment` whose `evaluations` are the data; loads TensorFlow.

    Args:
        task: as of `labeled_settings`; so are the words.
        config: of the model; it names the labels.
        tokenizer: that of the model.

    Raises:
        InputError: a file is missing or damaged, or its answers are not those of the model.
    """
    settings = labeled_settings(task, words)
    return PROGRAMS[task.name].read_assignment(settings, config, tokenizer)


def conversion_check(
    loaded: Any, load: Callable[[str], Any], words: str, max_drop: float, batch_size: int = 32
) -> Callable[[str], None]:
    """A check for `export_litert` and `export_onnx`, on data that are read at once.

    Args:
        loaded: the `serving.load.LoadedModel` that is converted; at a fixed length, the shortened
            one.
        load: function of a folder -> the model in it, such as `LiteRTModel`.
        words: as of `labeled_settings`.
        max_drop: the most points of a hundred that the score may fall by.
        batch_size: the most examples of a batch.

    Raises:
        InputError: as of `read_labeled`.
    """
    import tensorflow as tf

    from bert_keras.serving.agreement import agreement_check, compare
    from bert_keras.training.inference import Inference
    from bert_keras.training.stop import StopRequest

    assignment = read_labeled(loaded.task, loaded.config, loaded.tokenizer, words)
    of_keras = Inference(tf.distribute.get_strategy(), loaded.model, StopRequest())
    measure = functools.partial(
        compare,
        loaded.task.name,
        loaded.config,
        assignment.evaluations,
        assignment.metric,
        of_keras.run,
        batch_size=batch_size,
    )
    return agreement_check(lambda folder: load(folder).outputs_of, measure, max_drop)
