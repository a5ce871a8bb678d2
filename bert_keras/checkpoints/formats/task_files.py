"""`task.json`: what is to be known of the texts and answers of a model, beside its weights.

Nothing here knows a task: the content is that of `tasks.task.description`, which is checked where
it is used.
"""

from collections.abc import Mapping
from typing import Any

import tensorflow as tf

from bert_keras.checkpoints.files.json_files import read_json, write_json

TASK_FILE = "task.json"


def read_task(folder: str) -> dict[str, Any]:
    """The content; empty where there is no such file. Raises InputError if it is damaged."""
    path = tf.io.gfile.join(folder, TASK_FILE)
    return read_json(path, dict) if tf.io.gfile.exists(path) else {}


def write_task(task: Mapping[str, Any], folder: str) -> None:
    """Writes the file, unless there is nothing to say; raises InputError if that fails."""
    if task:
        write_json(tf.io.gfile.join(folder, TASK_FILE), dict(task))
