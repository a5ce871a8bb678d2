"""TFRecord files without TensorFlow: each record between its length and two checksums.

The format is that of tensorflow/core/lib/io/record_writer.h: length (8 bytes), its checksum (4),
the record, its checksum (4), numbers with the lowest byte first.
"""

import struct

import google_crc32c

FRAME_SIZE = 16  # what a frame adds to its record


def frame(record: bytes) -> bytes:
    """A record as it stands in a TFRecord file."""
    length = struct.pack("<Q", len(record))
    return b"".join((length, _masked_checksum(length), record, _masked_checksum(record)))


def _masked_checksum(data: bytes) -> bytes:
    """CRC-32C, rotated and shifted, so that a checksum of checksums tells them apart too."""
    checksum = google_crc32c.value(data)
    rotated = checksum >> 15 | checksum << 17 & 0xFFFFFFFF
    return struct.pack("<I", (rotated + 0xA282EAD8) & 0xFFFFFFFF)
