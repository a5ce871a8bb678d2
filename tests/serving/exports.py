"""Tiny models of random weights, their exports, and a process that knows nothing but TensorFlow."""

import pickle
import subprocess
import sys

from bert_keras.serving.load import load_model
from bert_keras.serving.saved_model import export
from tests.checkpoints import stored_models

LENGTH = 12  # max_seq_length of the exports of `conftest.py`

# What a server in Python needs: no bert_keras, and none of its files but the export.
_CLIENT = """
import pickle, sys
import tensorflow as tf
for package in sys.argv[2:]:
    __import__(package)
loaded, answers = {}, []
for folder, signature, inputs in pickle.load(sys.stdin.buffer):
    if folder not in loaded:
        loaded[folder] = tf.saved_model.load(folder)
    constants = {name: tf.constant(value, **of) for name, (value, of) in inputs.items()}
    outputs = loaded[folder].signatures[signature](**constants)
    answers.append({name: value.numpy() for name, value in outputs.items()})
assert "bert_keras" not in sys.modules
assert ("tensorflow_text" in sys.modules) == ("tensorflow_text" in sys.argv)
with open(sys.argv[1], "wb") as file:
    pickle.dump(answers, file)
"""


def write_model(folder, model: str, **config) -> str:
    """A model that is a function of `bert_keras.models`; its vocabulary are letters."""
    stored_models.write(stored_models.stored(model, **config), folder, "bert_keras")
    return str(folder)


def write_export(model: str, folder, task: str | None = None, **fields) -> str:
    """The folder of the version."""
    return export(load_model(model, task, **fields), str(folder))


def ask(requests, folder, packages=("tensorflow_text",)):
    """What signatures answer in another process.

    Args:
        requests: a folder, the name of a signature, and name of an input -> value and how it
            becomes a tensor, each.
        folder: where the answers may be put.
        packages: what the process loads beside TensorFlow.
    """
    file = folder / "answers"
    command = [sys.executable, "-P", "-c", _CLIENT, str(file), *packages]
    subprocess.run(command, input=pickle.dumps(requests), check=True, cwd=folder)
    return pickle.loads(file.read_bytes())
