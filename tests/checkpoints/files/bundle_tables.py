"""Writes tables as those that TensorFlow's bundles have for an index, also with a fault in them."""

import struct
from collections.abc import Iterator

import google_crc32c
import tensorflow as tf
from tensorflow.core.protobuf import tensor_bundle_pb2

FOOTER_BYTES = 48
MAGIC = struct.pack("<Q", 0xDB4775248B80FB57)
BLOCK_ENTRIES = 4
# Numbers of types, and none. Nothing could show that a float16 has become a bfloat16.
OTHER_TYPES = [
    n for n in range(120) if n not in (tf.float16.as_datatype_enum, tf.bfloat16.as_datatype_enum)
]


def write(items: dict[bytes, bytes]) -> bytes:
    """A table of several blocks, keys shortened by what they share."""
    content, handles = b"", {}
    keys = sorted(items)
    for start in range(0, len(keys), BLOCK_ENTRIES):
        group = keys[start : start + BLOCK_ENTRIES]
        content, handles[group[-1]] = _append(content, _block({key: items[key] for key in group}))
    content, filters = _append(content, _block({}))
    content, index = _append(content, _block(handles))
    return content + (filters + index).ljust(FOOTER_BYTES - 8, b"\0") + MAGIC


def read(table: bytes) -> dict[bytes, bytes]:
    """The items of a table of one block, as TensorFlow writes small ones."""
    (handle,) = _block_items(_block_at(table, *_footer(table)[2:])).values()
    offset, position = _varint(handle, 0)
    return _block_items(_block_at(table, offset, _varint(handle, position)[0]))


def with_handle(table: bytes, which: int, number: int) -> bytes:
    """One number of the footer changed: offset or size of the filters, or of the index."""
    numbers = _footer(table)
    numbers[which] = number % 2**64
    footer = b"".join(map(_to_varint, numbers)).ljust(FOOTER_BYTES - 8, b"\0")[: FOOTER_BYTES - 8]
    return table[:-FOOTER_BYTES] + footer + MAGIC


def with_bit_and_checksum(table: bytes, position: int, bit: int) -> bytes | None:
    """One bit of a block flipped and the checksum of the block corrected; None: of no block."""
    changed = bytearray(table)
    changed[position] ^= 1 << bit
    begin = 0
    # The blocks of a small table: entries, filters, index.
    for end in (_footer(table)[0] - 5, sum(_footer(table)[:2]), sum(_footer(table)[2:])):
        if begin <= position <= end:
            checksum = google_crc32c.value(bytes(changed[begin : end + 1]))
            changed[end + 1 : end + 5] = struct.pack("<I", masked(checksum))
            return bytes(changed)
        begin = end + 5
    return None


def with_fields(table: bytes, numbers) -> Iterator[tuple[str, bytes]]:
    """Tables in which one field of one entry has one of `numbers`, and all else fits."""
    items = read(table)
    header = tensor_bundle_pb2.BundleHeaderProto.FromString(items[b""])
    for field, number in _changes(header, ("num_shards", "endianness"), numbers):
        yield f"{field} is {number}", write(items | {b"": header.SerializeToString()})
    for field, number in _changes(header.version, ("producer", "min_consumer"), numbers):
        if field == "min_consumer" and number > 1:
            yield f"{field} is {number}", write(items | {b"": header.SerializeToString()})
    for key in filter(None, items):
        entry = tensor_bundle_pb2.BundleEntryProto.FromString(items[key])
        fields = ("shard_id", "offset", "size", "crc32c")
        for field, number in _changes(entry, fields, numbers):
            yield f"{field} of {key} is {number}", write(items | {key: entry.SerializeToString()})
        for field, number in _changes(entry, ("dtype",), OTHER_TYPES):
            yield f"{field} of {key} is {number}", write(items | {key: entry.SerializeToString()})
        for axis in entry.shape.dim:
            for _, number in _changes(axis, ("size",), numbers):
                what = f"an axis of {key} is {number}"
                yield what, write(items | {key: entry.SerializeToString()})
        entry.slices.add()
        yield f"{key} is in parts", write(items | {key: entry.SerializeToString()})


def masked(checksum: int) -> int:
    """As tensorflow/core/lib/hash/crc32c.h stores it."""
    return ((checksum >> 15 | checksum << 17) + 0xA282EAD8) % 2**32


def _changes(message, fields, numbers) -> Iterator[tuple[str, int]]:
    """Sets one field after the other to each number that it can hold and has not, then back."""
    for field in fields:
        original = getattr(message, field)
        for number in numbers:
            try:
                setattr(message, field, number)
            except ValueError:  # too large for the field
                continue
            if number != original:
                yield field, number
        setattr(message, field, original)


def _block(items: dict[bytes, bytes]) -> bytes:
    content, last = b"", b""
    for key, value in items.items():
        num_shared = next(
            (i for i, pair in enumerate(zip(last, key, strict=False)) if pair[0] != pair[1]),
            min(len(last), len(key)),
        )
        for number in (num_shared, len(key) - num_shared, len(value)):
            content += _to_varint(number)
        content += key[num_shared:] + value
        last = key
    return content + struct.pack("<II", 0, 1)


def _append(content: bytes, block: bytes) -> tuple[bytes, bytes]:
    """The content with one more block, and the handle of that."""
    handle = _to_varint(len(content)) + _to_varint(len(block))
    block += b"\0"
    return content + block + struct.pack("<I", masked(google_crc32c.value(block))), handle


def _footer(table: bytes) -> list[int]:
    """Offset and size of the block of filters and of the block of handles."""
    numbers, position = [], len(table) - FOOTER_BYTES
    for _ in range(4):
        number, position = _varint(table, position)
        numbers.append(number)
    return numbers


def _block_at(table: bytes, offset: int, size: int) -> bytes:
    return table[offset : offset + size]


def _block_items(block: bytes) -> dict[bytes, bytes]:
    (num_restarts,) = struct.unpack("<I", block[-4:])
    items, key, position = {}, b"", 0
    while position < len(block) - 4 - 4 * num_restarts:
        num_shared, position = _varint(block, position)
        num_new, position = _varint(block, position)
        num_value, position = _varint(block, position)
        key = key[:num_shared] + block[position : position + num_new]
        position += num_new + num_value
        items[key] = block[position - num_value : position]
    return items


def _varint(content: bytes, position: int) -> tuple[int, int]:
    number, shift = content[position] & 127, 7
    while content[position] > 127:
        position += 1
        number |= (content[position] & 127) << shift
        shift += 7
    return number, position + 1


def _to_varint(number: int) -> bytes:
    content = b""
    while number > 127:
        content += bytes([number & 127 | 128])
        number >>= 7
    return content + bytes([number])
