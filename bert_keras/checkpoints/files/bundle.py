"""Named tensors in one TensorFlow V2 bundle: the file format of the original's checkpoints."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping

import tensorflow as tf

from bert_keras.checkpoints.files.bundle_index import read_index, unmasked
from bert_keras.checkpoints.files.stored_tensor import StoredTensor, check_bounds, damaged
from bert_keras.checkpoints.weights import Weights
from bert_keras.errors import InputError
from bert_keras.files import UNFINISHED, file_size

DATA_SUFFIX = ".data-00000-of-00001"
INDEX_SUFFIX = ".index"
_DATA_SUFFIX = re.compile(r"\.data-\d{5}-of-\d{5}")
_ANY_SUFFIX = re.compile(r"\.(index|meta|data-\d{5}-of-\d{5})$")


def open_weights(path: str | os.PathLike) -> Weights:
    """Opens a checkpoint under the names in it: weights, and what else it may hold.

    All that its index says is held against the sizes of its data files, before anything of them
    is read; each tensor has a checksum, which is compared when it is read.

    Args:
        path: the prefix of its files, such as `bert_model.ckpt`, or one of the files.

    Raises:
        InputError: there is none, or it is cut short or damaged.
    """
    prefix = prefix_of(path)
    if not tf.io.gfile.exists(prefix + INDEX_SUFFIX):
        raise InputError(
            "A checkpoint is named by the prefix of its .index and .data files, such as "
            f"bert_model.ckpt. Received: {path}, but there is no {prefix}{INDEX_SUFFIX}"
        )
    num_shards, entries = read_index(prefix + INDEX_SUFFIX)
    sizes, tensors = {}, {}
    for name, entry in entries.items():
        if not 0 <= entry.shard_id < num_shards or entry.slices:
            raise damaged(prefix + INDEX_SUFFIX, f"{name} is in no data file or in parts")
        file = f"{prefix}{_data_suffix(entry.shard_id, num_shards)}"
        sizes[file] = sizes[file] if file in sizes else file_size(file)
        tensors[name] = _stored_tensor(name, entry, file, sizes[file])
    shapes = {name: tensor.shape for name, tensor in tensors.items()}
    return Weights(os.fspath(path), shapes, lambda name: tensors[name].read(name))


def prefix_of(path: str | os.PathLike) -> str:
    """The prefix of a bundle by one of its files, or by itself."""
    return _ANY_SUFFIX.sub("", os.fspath(path))


def _stored_tensor(name, entry, file: str, size: int) -> StoredTensor:
    try:
        dtype = tf.dtypes.as_dtype(entry.dtype)
    except TypeError as error:
        raise damaged(file, f"{name} has no type of TensorFlow ({error})") from error
    shape = tuple(axis.size for axis in entry.shape.dim)
    checksum = unmasked(entry.crc32c)
    tensor = StoredTensor(file, entry.offset, entry.size, dtype.name, shape, checksum)
    if min(shape, default=0) < 0 or entry.shape.unknown_rank:
        raise damaged(file, f"{name} has the shape {list(shape)}")
    check_bounds(tensor, name, dtype.size, size)
    return tensor


def write(prefix: str, tensors: Mapping, max_shard_size: int | None = None) -> None:
    """Writes `tensors`, a mapping of name -> variable, tensor or array, as the bundle `prefix`.

    The files are written under other names and renamed, the index last: a process that is killed
    at any moment leaves either a complete bundle or none. An older bundle of the name is gone from
    the moment at which its data would be replaced.

    Args:
        prefix: how the names of the files begin.
        tensors: each is asked for once, in their order; those of one data file are in memory
            together.
        max_shard_size: bytes of tensors in a data file, but for a larger tensor, which has one of
            its own. None: one file.

    Raises:
        tf.errors.OpError: the file system refused.
    """
    unfinished = prefix + UNFINISHED
    parts = []
    try:
        with tf.device("cpu:0"):
            for part in _parts(tensors, max_shard_size):
                parts.append(f"{unfinished}-{len(parts)}")
                tf.raw_ops.SaveV2(
                    prefix=parts[-1],
                    tensor_names=list(part),
                    shape_and_slices=[""] * len(part),
                    tensors=list(part.values()),
                )
            tf.raw_ops.MergeV2Checkpoints(
                checkpoint_prefixes=parts, destination_prefix=unfinished, delete_old_dirs=False
            )
        _replace(unfinished, prefix, [_data_suffix(part, len(parts)) for part in range(len(parts))])
    finally:
        _remove(file for file in _files(prefix) if file.startswith(unfinished))


def _parts(tensors: Mapping, max_shard_size: int | None) -> Iterator[dict[str, tf.Tensor]]:
    """The tensors of one data file after the other, in one dict that is emptied in between."""
    part, num_bytes = {}, 0
    for name in tensors:
        tensor = tf.convert_to_tensor(tensors[name])
        size = tensor.shape.num_elements() * tensor.dtype.size
        if part and max_shard_size is not None and num_bytes + size > max_shard_size:
            yield part
            part.clear()
            num_bytes = 0
        part[name] = tensor
        num_bytes += size
    yield part


def _replace(source: str, prefix: str, data_suffixes: list[str]) -> None:
    """Gives the files of a bundle another name; those of an older one of the name go first."""
    _remove([prefix + INDEX_SUFFIX] if tf.io.gfile.exists(prefix + INDEX_SUFFIX) else [])
    _remove(file for file in _files(prefix) if _DATA_SUFFIX.fullmatch(file, len(prefix)))
    for suffix in (*data_suffixes, INDEX_SUFFIX):
        tf.io.gfile.rename(source + suffix, prefix + suffix, overwrite=True)


def _files(prefix: str) -> list[str]:
    """All files whose names begin so."""
    folder, slash, name = prefix.rpartition("/")
    found = tf.io.gfile.listdir(folder + slash or ".")
    return [folder + slash + file for file in found if file.startswith(name)]


def _remove(files: Iterable[str]) -> None:
    for file in files:
        tf.io.gfile.remove(file)


def _data_suffix(shard: int, num_shards: int) -> str:
    return f".data-{shard:05d}-of-{num_shards:05d}"


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
