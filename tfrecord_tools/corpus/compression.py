"""Files as they lie on the disk -> the bytes of their text, a megabyte at a time."""

import bz2
import gzip
import io
import lzma
import re
import sys
import zlib
from collections.abc import Callable, Iterator

from bert_keras.errors import InputError
from bert_keras.files import named_errors, open_bytes
from tfrecord_tools.corpus.settings import STDIN

CHUNK_BYTES = 1 << 20
# Four bytes of Zstandard stand for up to 128 KB of zeros: so many make 16 MB at most.
ZSTD_PIECE_BYTES = 1 << 9


def read_file(path: str, report_bytes: Callable[[int], None]) -> Iterator[bytes]:
    """Yields the text of a file in chunks of CHUNK_BYTES at most; `-` is standard input.

    Args:
      path: plain text, gzip, bzip2, xz or Zstandard, also several streams after each other. The
        first bytes tell, not the name.
      report_bytes: is told how many bytes were read from the disk.

    Raises:
      InputError: the file cannot be read, or is cut off or damaged.
    """
    if path == STDIN:
        if sys.stdin is None:
            raise InputError("Standard input (-) is closed; send text into it, or name a file.")
        yield from _decompress("standard input", sys.stdin.buffer, report_bytes)
    else:
        with named_errors(path, "read"), open_bytes(path) as file:
            yield from _decompress(path, file, report_bytes)


class _CountedFile(io.RawIOBase):
    """Tells how much of a file has been read."""

    def __init__(self, file, report_bytes: Callable[[int], None]):
        self._file = file
        self._report_bytes = report_bytes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        self._report_bytes(len(data))
        return len(data)


def _decompress(source: str, file, report_bytes: Callable[[int], None]) -> Iterator[bytes]:
    compressed = io.BufferedReader(_CountedFile(file, report_bytes), CHUNK_BYTES)
    head = compressed.peek(16)
    read = next((read for magic, read in _READERS.items() if re.match(magic, head)), _read_plain)
    try:
        yield from read(compressed)
    except (EOFError, OSError, zlib.error, lzma.LZMAError, _Damaged) as error:
        if getattr(error, "errno", None):  # not the content, but the disk
            raise
        raise InputError(
            f"{source} is cut off or damaged: {error}. Fetch or compress it again."
        ) from error


def _read_plain(file: io.BufferedReader) -> Iterator[bytes]:
    while chunk := file.read(CHUNK_BYTES):
        yield chunk


def _read_gzip(file: io.BufferedReader) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=file) as text:
        yield from _read_plain(text)


def _read_bzip2(file: io.BufferedReader) -> Iterator[bytes]:
    with bz2.BZ2File(file) as text:
        yield from _read_plain(text)


def _read_xz(file: io.BufferedReader) -> Iterator[bytes]:
    with lzma.LZMAFile(file) as text:
        yield from _read_plain(text)


def _read_zstd(file: io.BufferedReader) -> Iterator[bytes]:
    """By hand, as zstandard's own reader takes a file that is cut off for a whole one."""
    try:
        import zstandard
    except ImportError as error:
        raise InputError(
            "Reading Zstandard files needs the package zstandard: pip install 'bert_keras[data]'"
        ) from error
    frame = None
    while data := file.read(ZSTD_PIECE_BYTES):
        while data:
            frame = frame or zstandard.ZstdDecompressor().decompressobj()
            try:
                text = frame.decompress(data)
            except zstandard.ZstdError as error:
                raise _Damaged(error) from error
            for begin in range(0, len(text), CHUNK_BYTES):
                yield text[begin : begin + CHUNK_BYTES]
            data = frame.unused_data if frame.eof else b""
            frame = None if frame.eof else frame
    if frame is not None:
        raise _Damaged("it ends within a frame")


class _Damaged(Exception):
    """What is wrong with a Zstandard file: no name from a package that may be absent."""


_READERS = {
    rb"\x1f\x8b\x08": _read_gzip,
    rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)": _read_bzip2,
    rb"\xfd7zXZ\x00": _read_xz,
    rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18": _read_zstd,
}
