"""Requests that a server answers by itself before it says that a model is ready.

TensorFlow does some work when it first meets a request: without these the first users would wait
for it. A server finds them in `assets.extra/` of a version.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.tokenizers.vocabulary import MASK

WARM_UP_FILE = "assets.extra/tf_serving_warmup_requests"
NUMS_OF_TEXTS = (1, 8, 32)
NUM_CHOICES = 2
BEGINNING, WORD = f"{MASK} ", "warm "  # some tasks look for a [MASK]
DEFAULT_SIGNATURE = "serving_default"


def requests(
    signature: Mapping[str, tf.TensorSpec], max_seq_length: int
) -> Iterator[dict[str, np.ndarray]]:
    """Yields requests of several sizes: few and many texts, short and long ones, and both in one.

    Args:
        signature: name -> strings that a signature takes, [B] or [B, C].
        max_seq_length: the most tokens of an example.
    """
    for num_texts, num_words in itertools.product(NUMS_OF_TEXTS, (1, max_seq_length)):
        yield _request(signature, [BEGINNING + WORD * num_words] * num_texts)
    # A model sees texts of about one length together: where texts are long these are two calls.
    yield _request(signature, [BEGINNING, BEGINNING + WORD * max_seq_length])


def _request(signature: Mapping[str, tf.TensorSpec], texts: Sequence[str]) -> dict[str, np.ndarray]:
    """Of every input the same texts; where it takes several for one, the same as often."""
    column = np.array(texts, object)  # [B]
    grid = np.tile(column[:, np.newaxis], NUM_CHOICES)  # [B, C]
    return {name: grid if len(spec.shape) == 2 else column for name, spec in signature.items()}


def write(
    version: str, signatures: Mapping[str, Mapping[str, tf.TensorSpec]], max_seq_length: int
) -> None:
    """Writes the requests for an export: all of its default signature, the first of the others.

    Args:
        version: the folder of its graph.
        signatures: name -> name of an input -> the strings that it takes.
        max_seq_length: the most tokens of an example.

    Raises:
        InputError: the package tensorflow-serving-api is not there.
    """
    log_pb2 = _protocol()
    path = tf.io.gfile.join(version, WARM_UP_FILE)
    tf.io.gfile.makedirs(path.rpartition("/")[0])
    with tf.io.TFRecordWriter(path) as writer:
        for name, signature in signatures.items():
            number = None if name == DEFAULT_SIGNATURE else 1
            for inputs in itertools.islice(requests(signature, max_seq_length), number):
                log = log_pb2.PredictionLog()
                request = log.predict_log.request
                request.model_spec.signature_name = name
                for key, values in inputs.items():
                    request.inputs[key].CopyFrom(tf.make_tensor_proto(values, tf.string))
                writer.write(log.SerializeToString())


def is_available() -> bool:
    """Whether the package is there that knows the form of the requests."""
    try:
        _protocol()
    except InputError:
        return False
    return True


def _protocol():
    try:
        from tensorflow_serving.apis import prediction_log_pb2
    except ImportError as error:
        raise InputError(
            "Requests to warm up need tensorflow-serving-api: pip install 'bert_keras[serving]'. "
            f"Received: {error}"
        ) from error
    return prediction_log_pb2
