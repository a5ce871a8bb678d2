"""Which devices a program runs on."""

import contextlib
import importlib.metadata
import os
from typing import NamedTuple

import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.notices import notify
from bert_keras.training import cluster
from bert_keras.training.devices import DeviceSettings
from bert_keras.training.stop import signals_act_at_once

REQUIREMENTS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "requirements-tpu.txt")


class Worker(NamedTuple):
    """One of the processes of a run; the chief, which is the first one, writes all files."""

    index: int
    num_workers: int

    @property
    def is_chief(self) -> bool:
        return self.index == 0


def strategy_for(settings: DeviceSettings) -> tf.distribute.Strategy:
    """Returns the strategy for the devices: what `--strategy` says, else what is there.

    Call it before anything else touches the devices: their memory is set up here.

    Raises:
        InputError: there are no such devices, the installed TensorFlow has no support for them, or
            two flags contradict each other.
    """
    tpu = tpu_of(settings)
    workers = cluster.cluster_of(os.environ)
    name = settings.strategy or _what_is_there(tpu, workers)
    if name not in STRATEGIES:
        raise InputError(f"--strategy must be one of {', '.join(STRATEGIES)}. Received: {name}")
    if tpu and name != "tpu":
        raise InputError(
            f"--strategy={name} and the TPU {tpu!r} contradict each other. Leave one of them out."
        )
    return STRATEGIES[name](settings, tpu, workers)


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


def worker_of(strategy: tf.distribute.Strategy) -> Worker:
    """Returns which of the processes of a run this one is; one alone is the chief."""
    if not isinstance(strategy, tf.distribute.MultiWorkerMirroredStrategy):
        return Worker(0, 1)
    workers = cluster.cluster_of(os.environ)
    return Worker(workers.index, len(workers.addresses)) if workers else Worker(0, 1)


def describe(strategy: tf.distribute.Strategy, batch_size: int) -> str:
    """Returns one line for the user: the devices, the replicas, and what a step gives each."""
    num_replicas = strategy.num_replicas_in_sync
    kind = _device_type(strategy)
    where = f"{num_replicas} x {kind}"
    worker = worker_of(strategy)
    if worker.num_workers > 1:
        where += f" on {worker.num_workers} workers, of which this is number {worker.index}"
    return (
        f"devices: {where}; {num_replicas} replica{'s' * (num_replicas > 1)}, global batch "
        f"{batch_size}, {batch_size // num_replicas} for each replica"
    )


def _what_is_there(tpu, workers):
    if tpu:
        return "tpu"
    if workers and len(workers.addresses) > 1:
        return "multi_worker"
    return "mirrored" if len(tf.config.list_physical_devices("GPU")) > 1 else "one"


def _one(*_):
    _let_memory_grow()
    return tf.distribute.get_strategy()


def _mirrored(*_):
    _let_memory_grow()
    devices = tf.config.list_logical_devices("GPU") or tf.config.list_logical_devices("CPU")
    if len(devices) < 2:
        raise InputError(
            "--strategy=mirrored needs at least two devices of this machine. Received: "
            f"{len(devices)} x {devices[0].device_type}. Leave it out to train on that."
        )
    return tf.distribute.MirroredStrategy([device.name for device in devices])


def _multi_worker(settings, tpu, workers):
    if not workers:
        raise InputError(
            f"--strategy=multi_worker needs the variable {cluster.VARIABLE}, which describes the "
            f"workers. {cluster.EXAMPLE} Received: none"
        )
    _let_memory_grow()
    address, num_workers = workers.addresses[workers.index], len(workers.addresses)
    notify(f"worker {workers.index} at {address} waits until all {num_workers} workers are there")
    # TensorFlow waits for them as well, but where no signal reaches the process.
    with signals_act_at_once():
        cluster.wait_for_others(workers)
    try:
        with signals_act_at_once():
            return tf.distribute.MultiWorkerMirroredStrategy()
    except (RuntimeError, tf.errors.OpError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(
            f"Worker {workers.index} could not begin at {address} ({reason}). A port may be used "
            f"by one process only, and all {num_workers} workers of {cluster.VARIABLE} must be "
            "started."
        ) from error


def _tpu(settings, tpu, workers):
    if not tpu:
        raise InputError(
            "--strategy=tpu needs the TPU: --tpu=local on a TPU VM, or its name or address. "
            "Received: none"
        )
    if not _is_installed("tensorflow-tpu"):
        raise InputError(
            f"TPU {tpu!r} cannot be used: the installed TensorFlow {tf.__version__} has no TPU "
            "support; on the TPU VM, in a new virtual environment, `pip install -r "
            f"{REQUIREMENTS}` as its first lines say, and pass --tpu=local."
        )
    try:
        resolver = tf.distribute.cluster_resolver.TPUClusterResolver(
            tpu=tpu, zone=settings.tpu_zone, project=settings.gcp_project
        )
        with signals_act_at_once():
            tf.config.experimental_connect_to_cluster(resolver)
            tf.tpu.experimental.initialize_tpu_system(resolver)
    except (OSError, ValueError, tf.errors.OpError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(
            f"TPU {tpu!r} was not found ({reason}). On a TPU VM the name is `local`; "
            "any other TPU needs its gRPC address, grpc://HOST:8470."
        ) from error
    return tf.distribute.TPUStrategy(resolver)


def _is_installed(distribution):
    try:
        importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


STRATEGIES = {"one": _one, "mirrored": _mirrored, "multi_worker": _multi_worker, "tpu": _tpu}


def _device_type(strategy):
    with strategy.scope():
        is_default = not tf.distribute.has_strategy()
    if is_default:
        return "GPU" if tf.config.list_physical_devices("GPU") else "CPU"
    return tf.DeviceSpec.from_string(strategy.extended.worker_devices[0]).device_type


def _let_memory_grow():
    for gpu in tf.config.list_physical_devices("GPU"):
        # In a notebook the devices may be in use already: then they stay as they are.
        with contextlib.suppress(RuntimeError):
            tf.config.experimental.set_memory_growth(gpu, True)
