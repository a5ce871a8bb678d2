"""Named tensors in one TensorFlow V2 bundle: the file format of the original's checkpoints."""

import tensorflow as tf

from bert_keras.files import UNFINISHED

DATA_SUFFIX = ".data-00000-of-00001"
INDEX_SUFFIX = ".index"


def write(prefix: str, variables: dict) -> None:
    """Writes `variables`, a dict of name -> variable or tensor, as the bundle `prefix`.

    The two files are written under another name and renamed, the index last: a process that is
    killed at any moment leaves either a complete bundle or none. An older bundle of the name is
    gone from the moment at which its data would be replaced.

    Raises:
        tf.errors.OpError: the file system refused.
    """
    unfinished = prefix + UNFINISHED
    with tf.device("cpu:0"):
        tf.raw_ops.SaveV2(
            prefix=unfinished,
            tensor_names=list(variables),
            shape_and_slices=[""] * len(variables),
            tensors=[tf.convert_to_tensor(variable) for variable in variables.values()],
        )
    if tf.io.gfile.exists(prefix + INDEX_SUFFIX):
        tf.io.gfile.remove(prefix + INDEX_SUFFIX)
    for suffix in (DATA_SUFFIX, INDEX_SUFFIX):
        tf.io.gfile.rename(unfinished + suffix, prefix + suffix, overwrite=True)


def reader(prefix: str):
    """Returns TensorFlow's reader of the bundle `prefix`, or of the newest one in a folder.

    A file system without real folders (ram://) takes a prefix for one, so the index is looked for
    first.

    Raises:
        tf.errors.OpError, ValueError, RuntimeError: there is none, or it cannot be read.
    """
    if tf.io.gfile.exists(str(prefix) + INDEX_SUFFIX):
        return tf.compat.v1.train.NewCheckpointReader(str(prefix))
    return tf.train.load_checkpoint(prefix)
