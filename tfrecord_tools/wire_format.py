"""tf.train.Examples as bytes, without protobuf: many at a time, in worker processes without it.

Protocol buffers' wire format (https://protobuf.dev/programming-guides/encoding) of the messages in
tensorflow/core/example/example.proto. A message's bytes are those of its fields one after another.
"""

import functools
import math
from collections.abc import Iterable

import numpy as np

MAX_CACHED_FEATURES = 1 << 14


def example(features: Iterable[bytes]) -> bytes:
    """Features, as the functions below make them -> one Example."""
    body = b"".join(features)
    return b"\x0a" + varint(len(body)) + body  # field 1 of an Example: its Features


def integer_feature(name: str, packed: bytes) -> bytes:
    """A feature of integers, from their varints."""
    return integer_feature_start(name, len(packed)) + packed


@functools.lru_cache(MAX_CACHED_FEATURES)
def integer_feature_start(name: str, num_bytes: int) -> bytes:
    """What stands before `num_bytes` bytes of varints in a feature of integers."""
    return _feature_start(name, b"\x1a", num_bytes)  # field 3 of a Feature: its Int64List


@functools.lru_cache(MAX_CACHED_FEATURES)
def ones_feature(name: str, num_zeros: int, num_ones: int, length: int) -> bytes:
    """A feature of integers: zeros, then ones, then zeros again up to the length."""
    num_left = length - num_zeros - num_ones
    return integer_feature(name, b"\0" * num_zeros + b"\1" * num_ones + b"\0" * num_left)


@functools.lru_cache(MAX_CACHED_FEATURES)
def float_ones_feature(name: str, num_ones: int, length: int) -> bytes:
    """A feature of floats: ones, then zeros up to the length."""
    values = np.zeros(length, "<f4")
    values[:num_ones] = 1
    packed = values.tobytes()
    return _feature_start(name, b"\x12", len(packed)) + packed  # field 2: its FloatList


def varint(number: int) -> bytes:
    """A whole number, seven bits a byte, the lowest first."""
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def varints(values: np.ndarray) -> tuple[bytes, np.ndarray]:
    """The varints of all values, and where those of each row begin.

    Args:
      values: whole numbers from 0 to 2**31 - 1, [N, M].

    Returns:
      The bytes, row after row; row i is `bytes[starts[i]:starts[i + 1]]`, starts int64 [N + 1].
    """
    values = values.astype(np.uint32)
    longest = max(1, math.ceil(int(values.max(initial=0)).bit_length() / 7))
    encoded = np.empty((*values.shape, longest), np.uint8)
    is_used = np.empty(encoded.shape, bool)
    for place in range(longest):
        rest = values >> (7 * place)
        encoded[..., place] = np.minimum(rest, rest & 0x7F | 0x80)  # 0x80: there is more
        is_used[..., place] = rest > 0
    is_used[..., 0] = True  # a zero takes a byte too
    starts = np.zeros(len(values) + 1, np.int64)
    np.cumsum(np.count_nonzero(is_used, axis=(1, 2)), out=starts[1:])
    return encoded[is_used].tobytes(), starts


def _feature_start(name: str, list_tag: bytes, num_bytes: int) -> bytes:
    """The start of an entry of Features, up to the packed values of its list."""
    values = b"\x0a" + varint(num_bytes)  # field 1 of a list: its values, packed
    values_size = len(values) + num_bytes
    of_list = list_tag + varint(values_size)
    list_size = len(of_list) + values_size
    key = name.encode()
    entry = b"\x0a" + varint(len(key)) + key + b"\x12" + varint(list_size)
    entry_size = len(entry) + list_size
    return b"\x0a" + varint(entry_size) + entry + of_list + values
