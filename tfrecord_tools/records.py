"""Instances -> features -> bytes, and TFRecord files -> bytes -> features."""

from collections.abc import Iterator

import tensorflow as tf

from bert_keras.data.features import pretraining_features
from bert_keras.errors import InputError
from tfrecord_tools.instances import Instance

GZIP_MAGIC = b"\x1f\x8b"
Features = dict[str, list[int] | list[float]]


def instance_features(
    instance: Instance, max_seq_length: int, max_predictions_per_seq: int
) -> Features:
    """Pads an instance to the features of `bert_keras.data.features.pretraining_features`."""
    num_tokens = len(instance.tokens)
    num_predictions = len(instance.masked_lm_positions)
    num_b = num_tokens - instance.segment_b_start
    padding = [0] * (max_seq_length - num_tokens)
    no_predictions = [0] * (max_predictions_per_seq - num_predictions)
    return {
        "input_ids": instance.tokens + padding,
        "input_mask": [1] * num_tokens + padding,
        "segment_ids": [0] * instance.segment_b_start + [1] * num_b + padding,
        "masked_lm_positions": instance.masked_lm_positions + no_predictions,
        "masked_lm_ids": instance.masked_lm_ids + no_predictions,
        "masked_lm_weights": [1.0] * num_predictions + [0.0] * len(no_predictions),
        "next_sentence_labels": [int(instance.is_random_next)],
    }


def serialize(features: Features) -> bytes:
    """Features -> a serialized tf.train.Example; equal features give equal bytes.

    The protobuf class is the fast way: an encoder in Python that writes the bytes itself took
    twice as long.
    """
    example = tf.train.Example()
    feature_map = example.features.feature
    for name, values in features.items():
        if isinstance(values[0], float):
            feature_map[name].float_list.value.extend(values)
        else:
            feature_map[name].int64_list.value.extend(values)
    return example.SerializeToString(deterministic=True)


def deserialize(record: bytes) -> Features:
    """A serialized tf.train.Example of a pre-training record -> its features.

    Raises:
      InputError: the bytes are no Example, a feature is missing, or lengths contradict each other.
    """
    try:
        feature_map = tf.train.Example.FromString(record).features.feature
    except Exception as error:  # protobuf's implementations raise different classes
        raise InputError("Records must be serialized tf.train.Examples.") from error
    features: Features = {}
    kinds = {"int64": "int64_list", "float32": "float_list"}
    for name, feature in pretraining_features(0, 0).items():
        values = list(getattr(feature_map[name], kinds[feature.dtype]).value)
        features[name] = values
    missing = [name for name, values in features.items() if not values]
    if missing:
        raise InputError(
            f"A pre-training record has the features {', '.join(features)}; "
            f"missing: {', '.join(missing)}."
        )
    expected = pretraining_features(
        len(features["input_ids"]), len(features["masked_lm_positions"])
    )
    for name, values in features.items():
        if len(values) != expected[name].shape[0]:
            raise InputError(
                f"{name} must have {expected[name].shape[0]} values, as the features beside it; "
                f"received {len(values)}."
            )
    return features


def read_records(path: str) -> Iterator[bytes]:
    """Yields the records of a TFRecord file, plain or GZIP (its first bytes tell which).

    Raises:
      InputError: no such file, a folder, or not a sound TFRecord file.
    """
    if not tf.io.gfile.exists(path) or tf.io.gfile.isdir(path):
        raise InputError(f"Expected a TFRecord file; {path!r} is a folder or does not exist.")
    with tf.io.gfile.GFile(path, "rb") as file:
        compression = "GZIP" if file.read(len(GZIP_MAGIC)) == GZIP_MAGIC else ""
    num_read = 0
    try:
        for record in tf.data.TFRecordDataset(path, compression).as_numpy_iterator():
            yield record
            num_read += 1
    except tf.errors.DataLossError as error:
        raise InputError(
            f"Expected a TFRecord file; {path} cannot be read past record {num_read}: it is "
            "another kind of file, damaged or cut off. Make it again."
        ) from error
