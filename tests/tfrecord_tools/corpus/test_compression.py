"""Compressed files give the bytes that went in, and say when they are cut off."""

import bz2
import gzip
import io
import lzma
import random
import tracemalloc

import pytest
import zstandard

from bert_keras.errors import InputError
from tfrecord_tools.corpus import compression

COMPRESS = {
    "plain": bytes,
    "gzip": lambda text: gzip.compress(text, compresslevel=1),
    "bzip2": lambda text: bz2.compress(text, compresslevel=1),
    "xz": lambda text: lzma.compress(text, preset=0),
    "zstd": zstandard.compress,
}
COMPRESSED = [name for name in COMPRESS if name != "plain"]


WORDS = ["the", "ship", "sails", "to", "port", "\n", "\n", "été"]
TEXT = " ".join(random.Random(0).choices(WORDS, k=400_000)).encode()


def read(path, report=lambda num_bytes: None):
    return b"".join(compression.read_file(str(path), report))


@pytest.mark.parametrize("name", COMPRESS)
def test_bytes_come_back_whatever_the_name_of_the_file(name, tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_bytes(COMPRESS[name](TEXT))
    num_bytes = []
    assert read(path, num_bytes.append) == TEXT
    assert sum(num_bytes) == path.stat().st_size


@pytest.mark.parametrize("name", COMPRESS)
def test_streams_after_each_other_are_one_text(name, tmp_path):
    path = tmp_path / "corpus"
    path.write_bytes(COMPRESS[name](b"the port\n") + COMPRESS[name](TEXT) + COMPRESS[name](b""))
    assert read(path) == b"the port\n" + TEXT


@pytest.mark.parametrize("name", COMPRESSED)
@pytest.mark.parametrize("part", [0.5, 0.999])
def test_a_file_that_is_cut_off_is_named(name, part, tmp_path):
    path = tmp_path / "corpus"
    content = COMPRESS[name](TEXT)
    path.write_bytes(content[: int(part * len(content))])
    with pytest.raises(InputError, match=f"{path} is cut off or damaged"):
        read(path)


@pytest.mark.parametrize("name", COMPRESSED)
def test_a_file_with_a_wrong_byte_is_named(name, tmp_path):
    path = tmp_path / "corpus"
    content = bytearray(COMPRESS[name](TEXT))
    for position in range(len(content) // 2, len(content) // 2 + 40):
        content[position] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(InputError, match=f"{path} is cut off or damaged"):
        read(path)


@pytest.mark.parametrize("name", COMPRESS)
def test_a_file_of_zeros_does_not_fill_the_memory(name, tmp_path):
    path = tmp_path / "corpus"
    path.write_bytes(COMPRESS[name](bytes(100_000_000)))
    tracemalloc.start()
    chunks = compression.read_file(str(path), lambda num_bytes: None)
    lengths = [len(chunk) for chunk in chunks]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sum(lengths) == 100_000_000
    assert max(lengths) <= compression.CHUNK_BYTES
    assert peak < 40 << 20


def test_a_text_may_begin_with_letters_of_a_magic_number(tmp_path):
    path = tmp_path / "corpus"
    path.write_bytes(b"BZh9 is how bzip2 begins\n")
    assert read(path) == b"BZh9 is how bzip2 begins\n"


def test_frames_that_are_to_be_skipped_are(tmp_path):
    path = tmp_path / "corpus"
    path.write_bytes(b"\x50\x2a\x4d\x18\x04\x00\x00\x00pzst" + zstandard.compress(b"port\n"))
    assert read(path) == b"port\n"


@pytest.mark.parametrize("name", COMPRESS)
def test_standard_input_may_be_compressed_too(name, monkeypatch):
    stdin = io.TextIOWrapper(io.BytesIO(COMPRESS[name](TEXT)))
    monkeypatch.setattr("sys.stdin", stdin)
    assert read("-") == TEXT


def test_a_closed_standard_input_is_said(monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(InputError, match="is closed"):
        read("-")


def test_an_absent_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    path = tmp_path / "corpus"
    path.write_bytes(zstandard.compress(b"port\n"))
    with pytest.raises(InputError, match=r"pip install 'bert_keras\[data\]'"):
        read(path)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(InputError, match="missing cannot be read"):
        read(tmp_path / "missing")
