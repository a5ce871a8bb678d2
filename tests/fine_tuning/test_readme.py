"""The commands of the page about fine-tuning run as printed."""

import json
import re
from pathlib import Path

import pytest

import bert_keras
from tests import pages

PAGE = Path(bert_keras.__file__).parent / "fine_tuning" / "README.md"


@pytest.mark.slow
def test_the_commands_of_the_page(tmp_path, monkeypatch):
    result = pages.run_commands(PAGE, tmp_path)
    finished = {path.parent.name for path in tmp_path.glob("*/bert_model.ckpt.index")}
    assert finished == {"reviews", "seeds", "sweep", "names"}
    rows = (tmp_path / "reviews" / "test_results.tsv").read_text().splitlines()
    assert len(rows) == 3 and rows[0].startswith("id\tbad\tgood")
    tags = (tmp_path / "names" / "test_predictions.conll").read_text().splitlines()
    assert [line.partition("\t")[0] for line in tags if line] == [
        "Ann",
        "went",
        "to",
        "Rome",
        "Bob",
        "slept",
    ]
    assert len((tmp_path / "features.jsonl").read_text().splitlines()) == 2
    [answer] = (tmp_path / "answers.jsonl").read_text().splitlines()
    assert json.loads(answer)["label"] in ("bad", "good")
    assert '"best_seed"' in result.stdout
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    names = {}
    exec(block, names)
    assert names["predictor"].predict("What a joy!").label in ("bad", "good")
