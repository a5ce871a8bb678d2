"""Files of features: the JSON lines of the original, npz, Parquet."""

import contextlib
import io
import json
import zipfile
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bert_keras.errors import InputError

NUM_DECIMALS = 6  # of the original's JSON lines


class LineFeatures(NamedTuple):
    """What is written of one line.

    Attributes:
        index: which line of the input, from 0.
        tokens: T pieces.
        values: float32 [T, L, H], of L layers.
    """

    index: int
    tokens: Sequence[str]
    values: np.ndarray


Write = Callable[[Sequence[LineFeatures]], None]


def writer_for(path: str):
    """Which writer a file gets by the end of its name: `.npz`, `.parquet`, else JSON lines.

    Writers are context managers of a stream, the numbers of the layers and H; they yield a function
    that writes some lines.
    """
    return _WRITERS.get(path.rpartition(".")[2].lower(), json_lines)


@contextlib.contextmanager
def json_lines(stream: io.RawIOBase, layers: Sequence[int], hidden_size: int) -> Iterator[Write]:
    """An object a line, in the keys, their order and the rounding of the original."""

    def write(lines: Sequence[LineFeatures]) -> None:
        for line in lines:
            # The product of a float32 with 10^6 is exact in float64, so this is Python's `round`.
            values = np.round(line.values.astype(np.float64), NUM_DECIMALS).tolist()
            features = [
                {
                    "token": token,
                    "layers": [
                        {"index": index, "values": of_layer}
                        for index, of_layer in zip(layers, of_token, strict=True)
                    ],
                }
                for token, of_token in zip(line.tokens, values, strict=True)
            ]
            content = json.dumps({"linex_index": line.index, "features": features})
            stream.write(content.encode("ascii") + b"\n")

    yield write


@contextlib.contextmanager
def npz(stream: io.RawIOBase, layers: Sequence[int], hidden_size: int) -> Iterator[Write]:
    """Arrays for `numpy.load`, which reads each when it is asked for.

    `layers` [L]; for line i `tokens_i` [T], text, and `values_i` [T, L, H], float32.
    """
    with zipfile.ZipFile(stream, "w") as archive:

        def add(name: str, array: np.ndarray) -> None:
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)

        def write(lines: Sequence[LineFeatures]) -> None:
            for line in lines:
                add(f"tokens_{line.index}", np.array(line.tokens))
                add(f"values_{line.index}", line.values)

        add("layers", np.array(layers))
        yield write


@contextlib.contextmanager
def parquet(stream: io.RawIOBase, layers: Sequence[int], hidden_size: int) -> Iterator[Write]:
    """A row for each token: `line`, `position`, `token`, and a column such as `layer_-1` of [H]."""
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetWriter
    except ImportError as error:
        raise InputError(
            "Parquet needs pyarrow, which is not installed: pip install 'bert_keras[parquet]'; or "
            "let --output_file end in .npz or .jsonl."
        ) from error
    names = [f"layer_{index}" for index in layers]
    vector = pa.list_(pa.float32(), hidden_size)
    fields = [("line", pa.int64()), ("position", pa.int32()), ("token", pa.string())]
    schema = pa.schema(fields + [(name, vector) for name in names])

    def write(lines: Sequence[LineFeatures]) -> None:
        lengths = [len(line.tokens) for line in lines]
        values = np.concatenate([line.values for line in lines])
        columns = [
            np.repeat([line.index for line in lines], lengths),
            np.concatenate([np.arange(length, dtype=np.int32) for length in lengths]),
            [token for line in lines for token in line.tokens],
        ]
        vectors = [
            pa.FixedSizeListArray.from_arrays(values[:, layer].ravel(), hidden_size)
            for layer in range(len(layers))
        ]
        writer.write_table(pa.Table.from_arrays([*map(pa.array, columns), *vectors], schema=schema))

    with ParquetWriter(stream, schema) as writer:
        yield write


_WRITERS = {"npz": npz, "parquet": parquet}
