"""Texts in, answers out: what the programs do with a finished model, for Python."""

import os
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from bert_keras.data.encoded import EncodedExamples, Outputs
from bert_keras.errors import InputError
from bert_keras.progress import unseen
from bert_keras.serving.load import load_model
from bert_keras.training.inference import Inference
from bert_keras.training.stop import StopRequest


class Predictor:
    """Answers with the model of a folder, whoever wrote it.

    The forms of inputs and answers are those of its task, a class of `bert_keras.tasks`.

        predictor = Predictor("out/mrpc")
        predictor.predict("A text.")
        predictor.predict([("A text.", "Another."), ("One.", "Two.")])

    Args:
        path: what `from_pretrained` takes.
        task: by default what the folder says, or what the head of the model is for; any model is
            for "embedding" and "features" too.
        fields: of the task, such as `max_seq_length`, in place of those that the folder says.

    Raises:
        InputError: a file is missing or damaged; the model has no head for the task; a field is
            unknown or impossible.
    """

    def __init__(self, path: str | os.PathLike, task: str | None = None, **fields: Any):
        self.loaded = load_model(os.fspath(path), task, **fields)
        strategy = tf.distribute.get_strategy()
        self._inference = Inference(strategy, self.loaded.model, StopRequest())

    def predict(
        self,
        inputs: Any,
        batch_size: int = 32,
        advance: Callable[[int], None] = unseen,
    ) -> Any:
        """Answers each input, in their order; a text that is no list of them gets one answer.

        Args:
            inputs: a list of N inputs; a text, or a tuple of them, is a single one.
            batch_size: examples of a batch; they are sorted by length.
            advance: is told how many examples more are done.

        Raises:
            InputError: an input is not of the form of the task.
        """
        if isinstance(inputs, str | tuple):
            return self.predict([inputs], batch_size, advance)[0]
        if not isinstance(inputs, Sequence) or isinstance(inputs, bytes):
            raise InputError(f"inputs must be a list, or one text. Received: {inputs!r:.100}")
        encoded = self.loaded.task.encode(inputs, self.loaded.tokenizer)
        outputs = self.outputs_of(encoded.examples, batch_size, advance)
        return self.loaded.task.decode(encoded, outputs, self.loaded.config)

    def outputs_of(
        self, examples: EncodedExamples, batch_size: int, advance: Callable[[int], None]
    ) -> Outputs:
        """What the model makes of examples, in their order."""
        return self._inference.run(examples, batch_size, advance)
