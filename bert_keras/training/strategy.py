"""Which devices a program runs on."""

import importlib.util

import tensorflow as tf

from bert_keras.errors import InputError


def strategy_for(tpu=None, tpu_zone=None, gcp_project=None):
    """Returns the strategy for the devices: the named TPU, else all GPUs, else the CPU.

    Args:
        tpu: name or address of a TPU, `local` on a TPU VM; None for no TPU.
        tpu_zone: zone of a named TPU.
        gcp_project: project of a named TPU.

    Raises:
        InputError: there is no such TPU, or the installed TensorFlow has no TPU support.
    """
    if tpu:
        return _tpu_strategy(tpu, tpu_zone, gcp_project)
    gpus = tf.config.list_physical_devices("GPU")
    for gpu in gpus:
        tf.config.experimental.set_memory_growth(gpu, True)
    return tf.distribute.MirroredStrategy() if len(gpus) > 1 else tf.distribute.get_strategy()


def describe(strategy):
    """Returns one line for the user: the kind of devices and how many."""
    kinds = {"TPUStrategy": "TPU core", "MirroredStrategy": "GPU"}
    one_device = "GPU" if tf.config.list_physical_devices("GPU") else "CPU"
    kind = kinds.get(type(strategy).__name__, one_device)
    return f"{strategy.num_replicas_in_sync} x {kind}"


def _tpu_strategy(tpu, tpu_zone, gcp_project):
    if importlib.util.find_spec("libtpu") is None:
        raise InputError(
            f"TPU {tpu!r} cannot be used: the installed TensorFlow {tf.__version__} has no TPU "
            "support; on the TPU VM install it with `pip install tensorflow-tpu==2.20.0 && "
            "pip install --no-deps tensorflow-text==2.20.1`, and pass --tpu=local."
        )
    try:
        resolver = tf.distribute.cluster_resolver.TPUClusterResolver(
            tpu=tpu, zone=tpu_zone, project=gcp_project
        )
        tf.config.experimental_connect_to_cluster(resolver)
        tf.tpu.experimental.initialize_tpu_system(resolver)
    except (OSError, ValueError, tf.errors.OpError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(
            f"TPU {tpu!r} was not found ({reason}). On a TPU VM the name is `local`; "
            "any other TPU needs its gRPC address, grpc://HOST:8470."
        ) from error
    return tf.distribute.TPUStrategy(resolver)
