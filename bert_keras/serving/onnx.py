"""Models for ONNX Runtime and whatever else reads ONNX, through Keras' own exporter.

Converted is the model from ids to its raw outputs: text becomes ids outside.
"""

import functools
import os
import warnings
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from bert_keras.data.encoded import EncodedExamples, Outputs
from bert_keras.errors import InputError
from bert_keras.progress import unseen
from bert_keras.serving.converted_folder import (
    Check,
    Page,
    check_positions,
    converted_folder,
    read_description,
)
from bert_keras.serving.load import LoadedModel
from bert_keras.serving.token_batches import Inputs, outputs_of

MODEL_FILE = "model.onnx"
_NOT_INSTALLED = "ONNX needs {name}, which is not installed: pip install 'bert_keras[onnx]'"
_EXAMPLE = """\
import onnxruntime

session = onnxruntime.InferenceSession("model.onnx", providers=["CPUExecutionProvider"])
names = [output.name for output in session.get_outputs()]
for name, values in zip(names, session.run(names, inputs)):
    print(name, values.shape, values.dtype)
"""
_FACTS = """\
Weights and computation are float32. Ids are not checked: one outside of the vocabulary is an \
error or nonsense. `pip install onnxruntime`"""


def export_onnx(loaded: LoadedModel, folder: str, check: Check | None = None) -> None:
    """Writes `model.onnx` and what is needed to use it, whole or not at all.

    Batch and length are free, and have these names in the file.

    Args:
        loaded: the model and its task.
        folder: a name that is not there, or an empty folder.
        check: function of the folder, called before it gets its name, such as
            `agreement.agreement_check`: if it raises an error nothing is left.

    Raises:
        InputError: a package is not installed, or the folder cannot be written.
    """
    page = Page("A model in ONNX", MODEL_FILE, _FACTS, _EXAMPLE, "OnnxModel")
    with converted_folder(loaded, folder, page, None, check) as unfinished:
        convert(loaded.model, os.path.join(unfinished, MODEL_FILE))


def convert(model: keras.Model, path: str) -> None:
    """Writes a model, which takes its inputs by name and whose outputs are a dict, as ONNX.

    Args:
        model: it keeps the names of inputs and outputs.
        path: of the file, on a local disk.

    Raises:
        InputError: a package is not installed.
    """
    try:
        import onnx
        import tf2onnx  # noqa: F401
    except ImportError as error:
        raise InputError(_NOT_INSTALLED.format(name=error.name)) from error
    _register_erfc()
    # Keras exports only what was called.
    model({name: tf.zeros([1] * len(of.shape), tf.int32) for name, of in model.input.items()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of how Keras mends tf2onnx for NumPy 2
        model.export(path, format="onnx", verbose=False)
    written = onnx.load(path)
    _name_axes(written.graph, len(model.input["input_ids"].shape))
    onnx.save(written, path)


class OnnxModel:
    """A folder of `export_onnx`, run by ONNX Runtime.

    Args:
        folder: where it lies.

    Attributes:
        task, config, tokenizer: what makes inputs of texts, and answers of outputs.

    Raises:
        InputError: a file is missing or damaged, or ONNX Runtime is not installed.
    """

    def __init__(self, folder: str | os.PathLike):
        folder = os.fspath(folder)
        self.task, self.config, self.tokenizer = read_description(folder)
        self._session = _session(os.path.join(folder, MODEL_FILE))
        self._input_names = [one.name for one in self._session.get_inputs()]
        self._output_names = [one.name for one in self._session.get_outputs()]

    def outputs_of(
        self,
        examples: EncodedExamples,
        batch_size: int = 32,
        advance: Callable[[int], None] = unseen,
    ) -> Outputs:
        """What the model makes of examples, in their order.

        Args:
            examples: they may be none.
            batch_size: the most of a batch.
            advance: is told how many examples more are done.

        Raises:
            InputError: one is longer than the model takes.
        """
        check_positions(max(examples.lengths, default=0), self.config)
        names = (self._input_names, self._output_names)
        return outputs_of(self._run_batch, *names, examples, batch_size, advance)

    def _run_batch(self, inputs: Inputs) -> dict[str, np.ndarray]:
        outputs = self._session.run(self._output_names, dict(inputs))
        return dict(zip(self._output_names, outputs, strict=True))


@functools.cache
def _register_erfc() -> None:
    """Tells tf2onnx what it does not know of `gelu_erf`: erfc(x) = 1 - erf(x)."""
    from tf2onnx.handler import tf_op

    @tf_op("Erfc")
    class Erfc:
        @classmethod
        def version_9(cls, graph, node, **_):
            shapes, types = node.output_shapes, node.output_dtypes
            erf = graph.make_node("Erf", node.input, shapes=shapes, dtypes=types)
            one = graph.make_const(f"{node.name}_one", np.ones([], np.float32))
            graph.remove_node(node.name)
            inputs = [one.output[0], erf.output[0]]
            graph.make_node("Sub", inputs, outputs=node.output, shapes=shapes, dtypes=types)


def _session(path: str) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise InputError(_NOT_INSTALLED.format(name="onnxruntime")) from error
    try:
        return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    except Exception as error:  # each kind of damage has a class of its own
        raise InputError(f"{path} must be a model in ONNX. Received: {error}") from error


def _name_axes(graph: Any, rank_of_ids: int) -> None:
    """Gives free axes names that say what they are, in place of numbers."""
    of_ids = ("batch", "length") if rank_of_ids == 2 else ("batch", "choices", "length")
    for value in (*graph.input, *graph.output):
        names = ("batch", "predictions") if value.name.startswith("masked_lm") else of_ids
        for axis, name in zip(value.type.tensor_type.shape.dim, names, strict=False):
            if axis.dim_param:
                axis.dim_param = name
