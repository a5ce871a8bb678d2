"""Files of weights, and what faulty disks, cut downloads and malice make of them.

Blind mutations change any bytes. The others know the format: one field is given an extreme value,
and what stands around it, lengths and checksums, is made to fit again.
"""

import json
import random
from collections.abc import Iterator
from typing import NamedTuple

from tests.checkpoints.files import bundle_tables

Files = dict[str, bytes]  # name -> content
NUMBERS = (-1, 0, 1, 2, 3, 8, 127, 2**16, 2**31 - 1, 2**32, 2**40, 2**62, 2**63 - 1)
NO_NUMBERS = (None, "", "3", 1.5, [], [[]], {}, [0], True, 10**30)
SHAPES = (
    [2**40, 2**40],
    [2**32] * 4,
    [0, 2**62],
    [2**40, 0],
    [2**33, 0],
    [0, 2**33],
    [2**20, 2, 0],
    [1] * 10_000,
)
CHECKSUMS = ("", "0", "[]", "null", "false", '""', "{}", "[1]", '{"a/kernel": 0}', "[" * 10**5)
FILE_NAMES = ("", ".", "..", "../x", "/dev/zero", "gs://x/y", "a/b.safetensors", "x.bin", "\0", 5)
OTHER_FILES = {
    "empty": b"",
    "zip": b"PK\x03\x04" + bytes(100),
    "pickle": b"\x80\x04\x95" + bytes(100),
    "gzip": b"\x1f\x8b\x08" + bytes(100),
    "web page": b"<!DOCTYPE html><html>404</html>",
    "pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n",
    "zeros": bytes(1000),
    "ones": b"\xff" * 1000,
    "brackets": (10**6).to_bytes(8, "little") + b"[" * 10**6,
    "braces": (10**6).to_bytes(8, "little") + b'{"a":' * 200_000,
}


class Mutant(NamedTuple):
    what: str  # the mutation, for a report
    files: Files
    keeps_names: bool = True  # False: no checksum covers the names, and one may have changed


def of_bundle(files: Files) -> Iterator[Mutant]:
    """Knowing mutants of a bundle of the prefix `x`."""
    index = files["x.index"]
    yield from _other_files(files)
    for handle, number in _pairs(range(4), NUMBERS):
        yield Mutant(
            f"number {handle} of the footer is {number}",
            files | {"x.index": bundle_tables.with_handle(index, handle, number)},
        )
    for what, altered in bundle_tables.with_fields(index, NUMBERS):
        yield Mutant(what, files | {"x.index": altered})
    for position in range(len(index) - bundle_tables.FOOTER_BYTES):
        bit = position * 3 % 8
        altered = bundle_tables.with_bit_and_checksum(index, position, bit)
        if altered:
            what = f"bit {bit} of byte {position} of the index is flipped, its checksum made to fit"
            yield Mutant(what, files | {"x.index": altered}, keeps_names=False)


def of_safetensors(files: Files) -> Iterator[Mutant]:
    """Knowing mutants of one file or of several and their index."""
    yield from _other_files(files)
    for name, content in files.items():
        if name.endswith(".json"):
            texts = _of_index(json.loads(content))
            yield from (Mutant(what, files | {name: text.encode()}) for what, text in texts)
            continue
        for number in NUMBERS:
            length = (number % 2**64).to_bytes(8, "little")
            yield Mutant(f"{name}: header of {number} bytes", files | {name: length + content[8:]})
        end = 8 + int.from_bytes(content[:8], "little")
        for what, text in _of_header(json.loads(content[8:end])):
            header = text.encode()
            altered = len(header).to_bytes(8, "little") + header + content[end:]
            yield Mutant(f"{name}: {what}", files | {name: altered})


def blind(files: Files, generator: random.Random, mutable: dict[str, range]) -> Mutant:
    """A mutant of one file; `mutable` says where its bytes are changed."""
    name = generator.choice(sorted(mutable))
    where, content = mutable[name], files[name]
    begin = generator.choice(where)
    end = min(begin + generator.choice((1, 1, 2, 4, 30)), where.stop)
    other = generator.randrange(where.start, max(where.stop - (end - begin), where.start + 1))
    piece, noise = content[begin:end], generator.randbytes(end - begin)
    flipped = bytes([piece[0] ^ 1 << generator.randrange(8)]) + piece[1:]
    changed = {
        "cut": content[:begin],
        "bit flipped": content[:begin] + flipped + content[end:],
        "bytes replaced": content[:begin] + noise + content[end:],
        "bytes zeroed": content[:begin] + bytes(end - begin) + content[end:],
        "bytes deleted": content[:begin] + content[end:],
        "bytes inserted": content[:begin] + noise + content[begin:],
        "bytes repeated": content[:end] + piece + content[end:],
        "bytes copied": content[:begin]
        + content[other : other + end - begin]
        + content[begin + len(content[other : other + end - begin]) :],
        "bytes appended": content + noise,
    }
    what = generator.choice(sorted(changed))
    return Mutant(f"{name}: {what} at {begin} to {end}, {other}", files | {name: changed[what]})


def _other_files(files: Files) -> Iterator[Mutant]:
    for name in files:
        rest = {other: content for other, content in files.items() if other != name}
        yield Mutant(f"{name} is missing", rest)
        for what, content in OTHER_FILES.items():
            yield Mutant(f"{name} is {what}", rest | {name: content})
        for end in range(0, len(files[name]), 1 + len(files[name]) // 60):
            yield Mutant(f"{name} is cut at {end}", rest | {name: files[name][:end]})
    for name, other in _pairs(files, files):
        if name != other:
            yield Mutant(f"{name} is a copy of {other}", files | {name: files[other]})


def _of_header(header: dict) -> Iterator[tuple[str, str]]:
    """JSON of headers in which one thing is wrong."""
    names = [name for name in header if name != "__metadata__"]
    has_checksums = "bert_keras.crc32c" in header["__metadata__"]
    for name in names:
        entry = header[name]
        for dtype in ("F64", "F32", "I64", "I32", "U32", "F4", "BOOL", "C64", "f32", *NO_NUMBERS):
            if dtype != entry["dtype"]:
                yield f"{name} has the type {dtype}", _with(header, name, entry | {"dtype": dtype})
        for key in ("shape", "data_offsets"):
            for axis, value in _pairs(range(len(entry[key])), (*NUMBERS, *NO_NUMBERS)):
                values = [*entry[key][:axis], value, *entry[key][axis + 1 :]]
                if values != entry[key]:
                    what = f"{name} has the {key} {values}"
                    yield what, _with(header, name, entry | {key: values})
            for value in (*NO_NUMBERS, *SHAPES):
                if value != entry[key]:
                    yield f"{name} has the {key} {value}", _with(header, name, entry | {key: value})
        for key in entry:
            rest = {other: entry[other] for other in entry if other != key}
            yield f"{name} has no {key}", _with(header, name, rest)
        yield (
            f"{name} is there twice",
            json.dumps(header)[:-1] + f', "{name}": {json.dumps(entry)}}}',
        )
        if 0 not in entry["shape"] or has_checksums:
            yield f"{name} is gone", json.dumps({key: header[key] for key in header if key != name})
    for name, other in _pairs(names, names):
        if name < other and has_checksums:
            swapped = header | {name: header[other], other: header[name]}
            yield f"{name} and {other} are swapped", json.dumps(swapped)
    for metadata in (*NO_NUMBERS, *({"bert_keras.crc32c": text} for text in CHECKSUMS)):
        if metadata not in (None, {}):
            yield f"the metadata is {metadata}", _with(header, "__metadata__", metadata)


def _of_index(index: dict) -> Iterator[tuple[str, str]]:
    """JSON of indices in which one thing is wrong."""
    weight_map = index["weight_map"]
    for name, file in _pairs(weight_map, (*FILE_NAMES, *set(weight_map.values()))):
        if file != weight_map[name]:
            yield f"{name} is in {file}", _with(index, "weight_map", weight_map | {name: file})
    for name in weight_map:
        rest = {other: file for other, file in weight_map.items() if other != name}
        yield f"{name} is gone", _with(index, "weight_map", rest)
    file = next(iter(weight_map.values()))
    yield "one more", _with(index, "weight_map", weight_map | {"more": file})
    for value in NO_NUMBERS:
        yield f"the map is {value}", _with(index, "weight_map", value)
        if value is not None:
            yield f"the total is {value}", _with(index, "metadata", {"total_size": value})
        if value:
            yield f"the metadata are {value}", _with(index, "metadata", value)
    for number in NUMBERS:
        yield f"the total is {number}", _with(index, "metadata", {"total_size": number})


def _with(values: dict, key: str, value) -> str:
    return json.dumps(values | {key: value})


def _pairs(left, right) -> Iterator[tuple]:
    return ((first, second) for first in left for second in right)
