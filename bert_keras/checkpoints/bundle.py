"""Named tensors in one TensorFlow V2 bundle: the file format of the original's checkpoints."""

import tensorflow as tf

DATA_SUFFIX = ".data-00000-of-00001"
INDEX_SUFFIX = ".index"
UNFINISHED = ".unfinished"


def write(prefix: str, variables: dict) -> None:
    """Writes `variables`, a dict of name -> variable or tensor, as the bundle `prefix`.

    The two files are written under another name and renamed, the index last: a process that is
    killed at any moment leaves either a complete bundle or none.

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
    for suffix in (DATA_SUFFIX, INDEX_SUFFIX):
        tf.io.gfile.rename(unfinished + suffix, prefix + suffix, overwrite=True)
