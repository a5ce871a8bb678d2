import pytest

from bert_keras.checkpoints.files.json_files import read_json, write_json
from bert_keras.errors import InputError


@pytest.mark.parametrize("content", [{"é": [1, None]}, [{"a": "\u2028"}]])
def test_there_and_back_again(tmp_path, content):
    path = str(tmp_path / "file.json")
    write_json(path, content)
    assert read_json(path, type(content)) == content


def test_a_byte_order_mark_does_no_harm(tmp_path):
    path = tmp_path / "file.json"
    path.write_text('{"a": 1}', encoding="utf-8-sig")
    assert read_json(str(path), dict) == {"a": 1}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "must be a JSON file"),
        (b"{", "must be a JSON file"),
        (b"[" * 100_000, "must be a JSON file"),
        (b'{"a": ' + b"9" * 5000 + b"}", "must be a JSON file"),
        (b"[]", "must be a JSON object"),
        (b"null", "must be a JSON object"),
        (b"\xff", "Text must be UTF-8"),
    ],
)
def test_anything_else_is_refused(tmp_path, content, message):
    path = tmp_path / "file.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_json(str(path), dict)
