"""The index of a TensorFlow V2 bundle: a sorted table of name -> type, shape and place.

The file is a table as LevelDB's doc/table_format.md describes it, with the values of TensorFlow's
tensor_bundle.proto. TensorFlow's own reader takes memory by lengths that stand in the file and
can end the process by them, so that here every length is held against the file's first.
"""

import struct
from collections.abc import Iterator

import google_crc32c
from google.protobuf.message import DecodeError
from tensorflow.core.protobuf import tensor_bundle_pb2

from bert_keras.checkpoints.files.stored_tensor import damaged
from bert_keras.errors import InputError
from bert_keras.files import file_size, read_bytes

FOOTER_BYTES = 48
BLOCK_TRAILER_BYTES = 5  # how it is compressed, and its checksum
MAGIC = 0xDB4775248B80FB57
MASK_DELTA = 0xA282EAD8
LARGEST_INDEX = 2**26  # bytes; that of BERT-Large with Adam's slots has 2**16
VERSION = 1


def read_index(path: str) -> tuple[int, dict[str, tensor_bundle_pb2.BundleEntryProto]]:
    """Returns the number of data files, and the entry of each tensor by its name.

    Raises:
        InputError: the file cannot be read, is none or is damaged, or a reader of this version of
            the format cannot read it.
    """
    size = file_size(path)
    if not FOOTER_BYTES <= size <= LARGEST_INDEX:
        raise damaged(path, f"an index of {size} bytes, not {FOOTER_BYTES} to {LARGEST_INDEX}")
    content = read_bytes(path)
    try:
        items = dict(_items(content))
        header = tensor_bundle_pb2.BundleHeaderProto.FromString(items.pop(b""))
        entries = {
            name.decode(): tensor_bundle_pb2.BundleEntryProto.FromString(entry)
            for name, entry in items.items()
        }
    except (DecodeError, IndexError, KeyError, ValueError, struct.error) as error:
        raise damaged(path, f"not the index of a checkpoint ({error})") from error
    is_little = header.endianness == tensor_bundle_pb2.BundleHeaderProto.LITTLE
    if not is_little or header.version.min_consumer > VERSION:
        raise InputError(
            f"A checkpoint must be little-endian and of version {VERSION}. Received: {path}, "
            f"{'little' if is_little else 'big'}-endian, for readers of version "
            f"{header.version.min_consumer}. Save it again with TensorFlow 2."
        )
    return header.num_shards, entries


def unmasked(checksum: int) -> int:
    """The CRC-32C that TensorFlow stores rotated by 15 bits, plus a constant."""
    rotated = (checksum - MASK_DELTA) % 2**32
    return (rotated >> 17 | rotated << 15) % 2**32


def _items(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """All keys and values, in their order; ValueError if that is not ascending."""
    footer = content[-FOOTER_BYTES:]
    if footer[-8:] != MAGIC.to_bytes(8, "little"):
        raise ValueError("its last bytes are not those of a table")
    _, position = _handle(footer, 0)  # of the block of filters, which there are none of
    index_block, _ = _handle(footer, position)
    last_key = None
    for _, handle in _block_items(_block(content, index_block)):
        for key, value in _block_items(_block(content, _handle(handle, 0)[0])):
            if last_key is not None and key <= last_key:
                raise ValueError("its names are not in order")
            last_key = key
            yield key, value


def _block(content: bytes, handle: tuple[int, int]) -> bytes:
    offset, size = handle
    end = offset + size
    if end + BLOCK_TRAILER_BYTES > len(content) - FOOTER_BYTES:
        raise ValueError(f"a block ends at byte {end} of {len(content)}")
    compression, checksum = struct.unpack_from("<BI", content, end)
    if google_crc32c.value(content[offset : end + 1]) != unmasked(checksum):
        raise ValueError("a block does not have its checksum")
    if compression:
        raise ValueError("a block is compressed")
    return content[offset:end]


def _block_items(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Keys and values of a block; a key is stored as what differs from the one before."""
    (num_restarts,) = struct.unpack_from("<I", block, len(block) - 4)
    end = len(block) - 4 - 4 * num_restarts
    if end < 0:
        raise ValueError(f"a block of {len(block)} bytes has {num_restarts} restarts")
    position, key = 0, b""
    while position < end:
        num_shared, position = _varint(block, position)
        num_new, position = _varint(block, position)
        num_value, position = _varint(block, position)
        key_end = position + num_new
        if num_shared > len(key) or key_end + num_value > end:
            raise ValueError("an entry is longer than its block")
        key = key[:num_shared] + block[position:key_end]
        position = key_end + num_value
        yield key, block[key_end:position]


def _handle(content: bytes, position: int) -> tuple[tuple[int, int], int]:
    """Offset and size of a block, and the position after them."""
    offset, position = _varint(content, position)
    size, position = _varint(content, position)
    return (offset, size), position


def _varint(content: bytes, position: int) -> tuple[int, int]:
    """A number of seven bits a byte, the lowest first, and the position after it."""
    number = 0
    for shift in range(0, 64, 7):
        byte = content[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, position
    raise ValueError("a number has more than 64 bits")
