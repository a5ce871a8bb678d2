import json

import numpy as np
import pytest

from bert_keras.run_multiple_choice import Settings, main
from bert_keras.serving import Predictor
from tests.fine_tuning import quick_learner

pytestmark = pytest.mark.slow


def examples(num_examples, seed):
    """The right one of three or four choices is that with an x."""
    random = np.random.default_rng(seed)
    for _ in range(num_examples):
        num_choices, label = random.integers(3, 5), int(random.integers(3))
        endings = [" ".join(random.choice([*"abcdefgh"], 3)) for _ in range(num_choices)]
        endings[label] = endings[label][:-1] + "x"
        yield {"sent1": "k l m", "label": label} | {
            f"ending{index}": ending for index, ending in enumerate(endings)
        }


def write(path, values):
    path.write_text("\n".join(map(json.dumps, values)))
    return [str(path)]


def test_learns_evaluates_and_later_predicts_with_the_finished_model(tmp_path, capfd):
    dev = list(examples(50, seed=2))
    settings = dict(output_dir=str(tmp_path / "run"), max_seq_length=16)
    assert not main(
        Settings(
            **settings,
            do_train=True,
            do_eval=True,
            train_file=write(tmp_path / "train.jsonl", examples(400, seed=1)),
            dev_file=write(tmp_path / "dev.jsonl", dev),
            **quick_learner.write(tmp_path),
            learning_rate=3e-3,
            num_train_epochs=8,
        )
    )
    assert "accuracy = 1\n" in (tmp_path / "run" / "eval_results.txt").read_text()

    unlabeled = [{key: value for key, value in row.items() if key != "label"} for row in dev]
    test_file = write(tmp_path / "test.jsonl", unlabeled)
    assert not main(Settings(**settings, do_predict=True, test_file=test_file))
    rows = (tmp_path / "run" / "test_results.tsv").read_text().splitlines()[1:]
    assert [int(row.split("\t")[-1]) for row in rows] == [row["label"] for row in dev]
    endings = [[row[key] for key in row if key.startswith("ending")] for row in dev]
    asked = [(row["sent1"], of_row) for row, of_row in zip(dev, endings, strict=True)]
    answers = Predictor(tmp_path / "run").predict(asked)
    assert [answer.choice for answer in answers] == [row["label"] for row in dev]
    assert "Traceback" not in capfd.readouterr().err
