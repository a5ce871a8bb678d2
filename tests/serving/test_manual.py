import json
from pathlib import Path


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
        "meaning": "of each label, or choice",
    }
    optional = [name for name, of in signatures["tokens"]["inputs"].items() if "optional" in of]
    assert optional == ["input_mask", "segment_ids"]


def test_the_page_shows_a_request_and_every_signature(exported):
    page = Path(exported, "README.md").read_text()
    assert """curl -d '{"inputs": {"text": ["A text."]}}'""" in page
    assert "| output | label | string | [any] | the likeliest label |" in page
    assert page.count("\n## ") == 5
