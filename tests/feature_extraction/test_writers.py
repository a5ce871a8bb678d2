import io
import json
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.errors import InputError
from bert_keras.feature_extraction.writers import LineFeatures, writer_for
from bert_keras.files import whole_file

LAYERS = [-1, 0]
LINES = [
    LineFeatures(index, tokens, np.random.default_rng(index).normal(size=(len(tokens), 2, 3)))
    for index, tokens in enumerate([["[CLS]", "caf\u00e9", "[SEP]"], ["[CLS]", "[SEP]"]])
]
LINES = [line._replace(values=line.values.astype(np.float32)) for line in LINES]


def write(path, lines=LINES):
    with whole_file(path) as stream, writer_for(str(path))(stream, LAYERS, 3) as write_some:
        for line in lines:
            write_some([line])


def test_json_lines_are_the_originals(tmp_path):
    """Its loop over tokens and layers, and Python's `round` of every number."""
    write(tmp_path / "features.out")
    expected = ""
    for line in LINES:
        features = []
        for token, of_token in zip(line.tokens, line.values, strict=True):
            layers = [
                {"index": index, "values": [round(float(x), 6) for x in values.flat]}
                for index, values in zip(LAYERS, of_token, strict=True)
            ]
            features.append({"token": token, "layers": layers})
        expected += json.dumps({"linex_index": line.index, "features": features}) + "\n"
    assert (tmp_path / "features.out").read_text() == expected


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1))
def test_numbers_are_rounded_as_python_rounds(values):
    stream = io.BytesIO()
    array = np.array(values, np.float32).reshape(1, 1, -1)
    with writer_for("a.jsonl")(stream, [-1], array.size) as write_some:
        write_some([LineFeatures(0, ["a"], array)])
    (token,) = json.loads(stream.getvalue())["features"]
    assert token["layers"][0]["values"] == [round(value, 6) for value in values]


def test_npz_has_arrays_for_each_line(tmp_path):
    write(tmp_path / "features.npz")
    with np.load(tmp_path / "features.npz") as arrays:
        np.testing.assert_array_equal(arrays["layers"], LAYERS)
        for line in LINES:
            assert arrays[f"tokens_{line.index}"].tolist() == line.tokens
            np.testing.assert_array_equal(arrays[f"values_{line.index}"], line.values, strict=True)


def test_parquet_has_a_row_for_each_token(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    write(tmp_path / "features.parquet")
    rows = parquet.read_table(tmp_path / "features.parquet").to_pylist()
    assert [(row["line"], row["position"], row["token"]) for row in rows] == [
        (line.index, position, token)
        for line in LINES
        for position, token in enumerate(line.tokens)
    ]
    values = np.concatenate([line.values for line in LINES])
    np.testing.assert_array_equal([row["layer_-1"] for row in rows], values[:, 0])
    np.testing.assert_array_equal([row["layer_0"] for row in rows], values[:, 1])


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match="needs pyarrow.*pip install"):
        write(tmp_path / "features.parquet")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["features.jsonl", "features.npz", "features.parquet"])
def test_no_lines_are_a_file_that_can_be_read(tmp_path, name):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    write(tmp_path / name, [])
    if name.endswith("npz"):
        assert np.load(tmp_path / name).files == ["layers"]
    else:
        assert (tmp_path / name).exists()


@pytest.mark.parametrize("name", ["features.jsonl", "features.npz"])
def test_every_file_system_takes_them(name, tmp_path):
    """A stream into a bucket cannot be sought in."""
    write(f"file://{tmp_path}/{name}")
    write(tmp_path / f"local_{name}")
    if name.endswith("npz"):
        assert np.load(tmp_path / name).files == np.load(tmp_path / f"local_{name}").files
    else:
        assert (tmp_path / name).read_bytes() == (tmp_path / f"local_{name}").read_bytes()
