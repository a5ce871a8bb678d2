"""Models for phones and small machines: LiteRT, which was TensorFlow Lite.

Converted is the model from ids to its raw outputs: text becomes ids outside. The masks stay
float32 in every precision, so that the -10000 of a masked position is never rounded to 256 levels.
"""

import dataclasses
import os
import tempfile
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from bert_keras.data.encoded import INPUTS, EncodedExamples, Outputs
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

MODEL_FILE = "model.tflite"
SIGNATURE = "tokens"
_EXAMPLE = """\
from ai_edge_litert.interpreter import Interpreter

tokens = Interpreter("model.tflite").get_signature_runner("tokens")
for name, values in tokens(**inputs).items():
    print(name, values.shape, values.dtype)
"""
_FACTS = """\
Precision: {precision}. Ids are not checked: one outside of the vocabulary is an error or \
nonsense. It needs none of TensorFlow's own operations ("flex"). `pip install ai-edge-litert`"""


def _as_it_is(converter: tf.lite.TFLiteConverter) -> None:
    """float32, the weights too."""


def _half_weights(converter: tf.lite.TFLiteConverter) -> None:
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.target_spec.supported_types = [tf.float16]


def _byte_weights(converter: tf.lite.TFLiteConverter) -> None:
    converter.optimizations = [tf.lite.Optimize.DEFAULT]


# What the weights are stored as -> how a converter is told. Between the products all is float32.
# Of `int8` also what is multiplied with a matrix is rounded to 256 levels, row by row, as it comes
# ("dynamic range"); tables and matrices of fewer than 1024 numbers stay float32.
PRECISIONS: dict[str, Callable[[tf.lite.TFLiteConverter], None]] = {
    "float32": _as_it_is,
    "float16": _half_weights,
    "int8": _byte_weights,
}


def export_litert(
    loaded: LoadedModel,
    folder: str,
    precision: str = "float32",
    length: int | None = None,
    check: Check | None = None,
) -> None:
    """Writes `model.tflite` and what is needed to use it, whole or not at all.

    Args:
        loaded: the model and its task.
        folder: a name that is not there, or an empty folder.
        precision: one of `PRECISIONS`.
        length: how many positions the model takes, which then takes one example at a time: what
            accelerators of phones want. None: any number, of both.
        check: function of the folder, called before it gets its name, such as
            `agreement.agreement_check`: if it raises an error nothing is left.

    Raises:
        InputError: there is no such precision or length, or the folder cannot be written.
    """
    if precision not in PRECISIONS:
        raise InputError(
            f"--precision of LiteRT must be one of {', '.join(PRECISIONS)}. Received: {precision}"
        )
    loaded = loaded if length is None else shortened(loaded, length)
    facts = _FACTS.format(precision=precision)
    page = Page("A model for LiteRT", MODEL_FILE, facts, _EXAMPLE, "LiteRTModel")
    with converted_folder(loaded, folder, page, length, check) as unfinished:
        path = tf.io.gfile.join(unfinished, MODEL_FILE)
        with tf.io.gfile.GFile(path, "wb") as file:
            file.write(convert(loaded.model, precision, length))


def shortened(loaded: LoadedModel, length: int) -> LoadedModel:
    """The model with a task whose examples have at most so many tokens.

    Raises:
        InputError: the model, or its task, cannot have that length.
    """
    check_positions(length, loaded.config)
    if length < 3:
        raise InputError(f"--length must be at least 3, [CLS] and [SEP] in it. Received: {length}")
    longest = min(length, loaded.task.max_seq_length)
    return loaded._replace(task=dataclasses.replace(loaded.task, max_seq_length=longest))


def convert(model: keras.Model, precision: str = "float32", length: int | None = None) -> bytes:
    """The content of a .tflite file with the signature `tokens`.

    Args:
        model: takes its inputs by name; its outputs are a dict.
        precision: one of `PRECISIONS`.
        length: as of `export_litert`.
    """
    # Keras' archive keeps track of the variables: of a concrete function, or of a tf.Module that
    # holds the model, they stay variables without a value, and every output is NaN.
    archive = keras.export.ExportArchive()
    archive.track(model)
    archive.add_endpoint(
        SIGNATURE,
        lambda inputs: model(inputs, training=False),
        input_signature=[_signature(model, length)],
    )
    with tempfile.TemporaryDirectory() as saved:
        archive.write_out(saved, verbose=False)
        converter = tf.lite.TFLiteConverter.from_saved_model(saved, signature_keys=[SIGNATURE])
        PRECISIONS[precision](converter)
        return converter.convert()


class LiteRTModel:
    """A folder of `export_litert`, run by LiteRT.

    Args:
        folder: where it lies.

    Attributes:
        task, config, tokenizer: what makes inputs of texts, and answers of outputs.
        length: the number of positions that it takes; None: any.

    Raises:
        InputError: a file is missing or damaged, or LiteRT is not installed.
    """

    def __init__(self, folder: str | os.PathLike):
        folder = os.fspath(folder)
        self.task, self.config, self.tokenizer = read_description(folder)
        self._run = _runner(tf.io.gfile.join(folder, MODEL_FILE))
        details = self._run.get_input_details()
        length = int(details[INPUTS[0]]["shape_signature"][-1])
        self.length = length if length > 0 else None
        self._names = (tuple(details), tuple(self._run.get_output_details()))

    def outputs_of(
        self,
        examples: EncodedExamples,
        batch_size: int = 32,
        advance: Callable[[int], None] = unseen,
    ) -> Outputs:
        """What the model makes of examples, in their order.

        Args:
            examples: they may be none.
            batch_size: the most of a batch; a model of fixed length takes one at a time.
            advance: is told how many examples more are done.

        Raises:
            InputError: one is longer than the model takes.
        """
        longest = max(examples.lengths, default=0)
        check_positions(longest, self.config)
        if self.length and longest > self.length:
            raise InputError(
                f"This model takes sequences of {self.length} positions, as it was exported. "
                f"Received: one of {longest}. Export it with a greater length, or with none."
            )
        size = 1 if self.length else batch_size
        return outputs_of(self._run_batch, *self._names, examples, size, advance, self.length)

    def _run_batch(self, inputs: Inputs) -> dict[str, np.ndarray]:
        return self._run(**inputs)


def _runner(path: str) -> Any:
    try:
        from ai_edge_litert.interpreter import Interpreter
    except ImportError as error:
        raise InputError(
            "LiteRT needs ai-edge-litert, which is not installed: pip install 'bert_keras[litert]'"
        ) from error
    try:
        interpreter = Interpreter(model_path=path, num_threads=os.cpu_count())
        return interpreter.get_signature_runner(SIGNATURE)
    except ValueError as error:
        raise InputError(
            f"{path} must be a model of `export_litert`, with the signature {SIGNATURE}. "
            f"Received: {error}"
        ) from error


def _signature(model: keras.Model, length: int | None) -> dict[str, tf.TensorSpec]:
    """The numbers of choices and of masked positions are free at any length."""
    shapes = {name: list(tensor.shape) for name, tensor in model.input.items()}
    if length is not None:
        for name, shape in shapes.items():
            shape[0] = 1
            if name in INPUTS:
                shape[-1] = length
    return {name: tf.TensorSpec(shape, tf.int32, name) for name, shape in shapes.items()}
