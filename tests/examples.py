"""Records that tests write: protobuf's own, whatever the package writes."""

import numpy as np
import tensorflow as tf


def serialized(features) -> bytes:
    """The bytes of an Example of these features; an array or list of floats becomes floats."""
    example = tf.train.Example()
    for name, values in features.items():
        values = np.asarray(values)
        stored = example.features.feature[name]
        kind = stored.float_list if values.dtype.kind == "f" else stored.int64_list
        kind.value.extend(values.tolist())
    return example.SerializeToString(deterministic=True)
