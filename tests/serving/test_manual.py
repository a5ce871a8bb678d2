import json
from pathlib import Path

from bert_keras.serving import manual
from bert_keras.serving.model_tasks import TASKS


def test_the_signatures_are_described(exported):
    content = json.loads(Path(exported, "signature.json").read_text())
    assert content["task"] == "classification" and content["labels"] == ["no", "maybe", "yes"]
    ops = ["FastWordpieceTokenizeWithOffsets", "NormalizeUTF8"]
    assert [op.removeprefix("TFText>") for op in content["ops_of_tensorflow_text"]] == ops
    signatures = content["signatures"]
    assert [*signatures] == ["examples", "pairs", "serving_default", "token_ids", "tokens"]
    assert signatures["serving_default"]["outputs"]["probabilities"] == {
        "dtype": "float32",
        "shape": [None, 3],
        "meaning": "of each label",
    }
    optional = [name for name, of in signatures["tokens"]["inputs"].items() if "optional" in of]
    assert optional == ["input_mask", "segment_ids"]


def test_the_page_shows_a_request_and_every_signature(exported):
    page = Path(exported, "README.md").read_text()
    assert """curl -d '{"inputs": {"text": ["A text."]}}'""" in page
    assert "| output | label | string | [any] | the likeliest label |" in page
    assert page.count("\n## ") == 5
    assert "import tensorflow_text" in page


def test_another_model_in_the_same_folder_is_said(exported, tmp_path, capsys):
    content = json.loads(Path(exported, "signature.json").read_text())
    for version, labels in (("1", content["labels"]), ("2", ["bad", "good"])):
        (tmp_path / version).mkdir()
        text = json.dumps(content | {"labels": labels})
        (tmp_path / version / "signature.json").write_text(text)
    manual.notify_of_change(str(tmp_path / "1"), str(tmp_path / "1"))
    manual.notify_of_change(str(tmp_path / "3"), str(tmp_path / "1"))
    assert not capsys.readouterr().err
    manual.notify_of_change(str(tmp_path / "1"), str(tmp_path / "2"))
    assert "labels was ['no', 'maybe', 'yes'] and is ['bad', 'good']" in capsys.readouterr().err


def test_meanings_are_those_of_the_task():
    for task, name in manual.MEANINGS_OF_TASK:
        assert name in manual.MEANINGS and task in TASKS


def test_a_model_of_marks_is_shown_a_text_with_one():
    ranks = {"text": 1}
    assert manual.example_request("fill_mask", ranks) == {"text": ["A [MASK] text."]}
    assert manual.example_request("embedding", ranks) == {"text": ["A text."]}
