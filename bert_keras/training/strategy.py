"""Which devices a program runs on."""

import contextlib
import importlib.util

import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.training.devices import DeviceSettings


def strategy_for(settings: DeviceSettings) -> tf.distribute.Strategy:
    """Returns the strategy for the devices: the named TPU, else all GPUs, else the CPU.

    Raises:
        InputError: there is no such TPU, or the installed TensorFlow has no TPU support.
    """
    tpu = tpu_of(settings)
    if tpu:
        return _tpu_strategy(tpu, settings.tpu_zone, settings.gcp_project)
    gpus = tf.config.list_physical_devices("GPU")
    for gpu in gpus:
        # In a notebook the devices may be in use already: then they stay as they are.
        with contextlib.suppress(RuntimeError):
            tf.config.experimental.set_memory_growth(gpu, True)
    return tf.distribute.MirroredStrategy() if len(gpus) > 1 else tf.distribute.get_strategy()


def tpu_of(settings: DeviceSettings) -> str | None:
    """Returns the TPU that the flags name, the original's `--use_tpu --tpu_name` among them.

    Raises:
        InputError: a TPU is named, but not to be used.
    """
    if settings.use_tpu:
        return settings.tpu or settings.tpu_name or settings.master or "local"
    named = [name for name in ("tpu_name", "master") if getattr(settings, name)]
    if named and not settings.tpu:
        name = named[0]
        raise InputError(
            f"--{name} is used together with --use_tpu only. Received: "
            f"--{name}={getattr(settings, name)}. Add --use_tpu, or name the TPU with --tpu."
        )
    return settings.tpu


def describe(strategy: tf.distribute.Strategy) -> str:
    """Returns one line for the user: the kind of devices and how many."""
    with strategy.scope():
        is_default = not tf.distribute.has_strategy()
    if is_default:
        kind = "GPU" if tf.config.list_physical_devices("GPU") else "CPU"
    else:
        kind = tf.DeviceSpec.from_string(strategy.extended.worker_devices[0]).device_type
    return f"{strategy.num_replicas_in_sync} x {kind}"


def _tpu_strategy(
    tpu: str, tpu_zone: str | None, gcp_project: str | None
) -> tf.distribute.TPUStrategy:
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
