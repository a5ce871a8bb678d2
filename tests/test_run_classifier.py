"""The program from start to end: tiny models learn rows made here, and predict others alone."""

import csv
import dataclasses
import json

import numpy as np
import pytest

from bert_keras import flags
from bert_keras.checkpoints.pretrained import from_pretrained, save_pretrained
from bert_keras.config import BertConfig
from bert_keras.models.classifier import classifier
from bert_keras.run_classifier import Settings, main
from bert_keras.serving import Predictor
from tests.fine_tuning import quick_learner

pytestmark = pytest.mark.slow


@pytest.fixture
def program(tmp_path):
    """A function of flags that runs the program on a new model or the finished one."""
    named = quick_learner.write(tmp_path)

    def run(*words):
        shared = [f"--output_dir={tmp_path}/run", "--max_seq_length=20"]
        if "--do_train" in words:
            shared += [f"--{name}={path}" for name, path in named.items()]
            shared.append("--learning_rate=3e-3")
        assert not main(flags.parse(Settings, [*shared, *words]))
        return tmp_path / "run"

    return run


def pairs(num_rows, seed):
    """The label is told by the letter that the second text begins with."""
    random = np.random.default_rng(seed)
    for _ in range(num_rows):
        label = random.choice(["entailment", "neutral", "contradiction"])
        text = " ".join(random.choice([*"abcdefgh"], random.integers(1, 8)))
        second = {"entailment": "z", "neutral": "x", "contradiction": "y"}[label]
        yield text, f"{second} {text}", label


def results(folder):
    lines = (folder / "eval_results.txt").read_text().splitlines()
    return dict(line.split(" = ") for line in lines)


def save_with_labels(source, target, labels):
    """Saves a classifier with its outputs in the order of other labels."""
    model, tokenizer = from_pretrained(source, classifier)
    stored = BertConfig.from_json_file(str(source / "config.json"))
    order = [stored.labels.index(label.lower()) for label in labels]
    reordered = classifier(dataclasses.replace(stored, labels=labels))
    *encoder, weights, bias = model.get_weights()
    reordered.set_weights([*encoder, weights[order], bias[order]])
    save_pretrained(reordered, tokenizer, target)


def test_mnli_learns_evaluates_alike_by_every_batch_size_and_predicts(program, tmp_path, capfd):
    header = "index\tsentence1\tsentence2\tgold_label\n"
    sets = {"train": 300, "dev_matched": 41, "dev_mismatched": 30}
    for seed, (name, num_rows) in enumerate(sets.items()):
        rows = ["\t".join(row) for row in pairs(num_rows, seed)]
        lines = "".join(f"{index}\t{row}\n" for index, row in enumerate(rows))
        (tmp_path / f"{name}.tsv").write_text(header + lines)
    dev = list(pairs(41, 1))
    (tmp_path / "test_matched.jsonl").write_text(
        "".join(json.dumps({"premise": a, "hypothesis": b}) + "\n" for a, b, _ in dev)
    )
    task = ("--task_name=MNLI", f"--data_dir={tmp_path}")

    folder = program(*task, "--do_train", "--do_eval", "--num_train_epochs=4")
    found = results(folder)
    assert float(found["matched_accuracy"]) > 0.9 and float(found["mismatched_accuracy"]) > 0.9

    tables = set()
    for size in (1, 7, 64):
        sizes = (f"--eval_batch_size={size}", f"--predict_batch_size={size}")
        program(*task, "--do_eval", "--do_predict", *sizes)
        again = results(folder)
        assert [again[f"{name}_accuracy"] for name in ("matched", "mismatched")] == [
            found[f"{name}_accuracy"] for name in ("matched", "mismatched")
        ]
        lines = (folder / "test_matched_results.tsv").read_text().splitlines()
        table = [line.split("\t") for line in lines]
        assert table[0] == ["id", "contradiction", "entailment", "neutral", "prediction"]
        assert [row[0] for row in table[1:]] == [str(index) for index in range(41)]
        tables.add(tuple(row[-1] for row in table))
    assert len(tables) == 1
    answers = Predictor(folder).predict([(a, b) for a, b, _ in dev])
    assert [answer.label for answer in answers] == [row[-1] for row in table[1:]]
    probabilities = [[*answer.probabilities.values()] for answer in answers]
    np.testing.assert_allclose(probabilities, np.array(table)[1:, 1:-1].astype(float), atol=1e-5)

    submitted = (folder / "MNLI-m.tsv").read_text().splitlines()
    predicted = [line.split("\t")[1] for line in submitted[1:]]
    right = [name == label for name, (*_, label) in zip(predicted, dev, strict=True)]
    assert np.mean(right) == pytest.approx(float(found["matched_accuracy"]))
    assert "Traceback" not in capfd.readouterr().err

    other = str(tmp_path / "other_order")
    save_with_labels(folder, other, ("NEUTRAL", "CONTRADICTION", "ENTAILMENT"))
    program(*task, "--do_eval", f"--init_checkpoint={other}", f"--output_dir={tmp_path}/second")
    assert results(tmp_path / "second") == found | {"global_step": "0"}


def test_numbers_of_a_csv(program, tmp_path):
    random = np.random.default_rng(5)
    for name, num_rows in (("train", 300), ("dev", 40)):
        letters = [random.choice([*"ab"], 6) for _ in range(num_rows)]
        rows = [f'"{" ".join(row)}",{np.sum(row == "a")}\n' for row in letters]
        (tmp_path / f"{name}.csv").write_text("text,amount\n" + "".join(rows))
    files = (f"--data_dir={tmp_path}", "--text_a_column=text", "--label_column=amount")

    folder = program(*files, "--problem_type=regression", "--do_train", "--do_eval")
    trained = results(folder)
    assert float(trained["spearman"]) > 0.8

    program(*files, "--do_eval", "--do_predict", f"--test_file={tmp_path}/dev.csv")
    assert results(folder) == trained
    lines = (folder / "test_results.tsv").read_text().splitlines()
    assert lines[0] == "id\tscore" and len(lines) == 41
    rows = csv.DictReader((tmp_path / "dev.csv").read_text().splitlines())
    answers = Predictor(folder).predict([row["text"] for row in rows])
    scores = [float(line.split("\t")[1]) for line in lines[1:]]
    np.testing.assert_allclose([answer.score for answer in answers], scores, atol=1e-5)


def test_sets_of_labels_of_json_lines(program, tmp_path):
    random = np.random.default_rng(6)
    for name, num_rows in (("train", 300), ("dev", 40)):
        with open(tmp_path / f"{name}.jsonl", "w") as file:
            for _ in range(num_rows):
                letters = sorted(set(random.choice([*"abc"], 2)))
                file.write(json.dumps({"text": " ".join(letters), "label": letters}) + "\n")

    folder = program(
        f"--data_dir={tmp_path}",
        "--text_a_column=text",
        "--problem_type=multi_label_classification",
        "--do_train",
        "--do_eval",
        "--do_predict",
        f"--test_file={tmp_path}/dev.jsonl",
        "--num_train_epochs=5",
    )

    assert float(results(folder)["micro_f1"]) > 0.9
    header, *lines = (folder / "test_results.tsv").read_text().splitlines()
    assert header == "id\ta\tb\tc\tprediction"
    rows = map(json.loads, (tmp_path / "dev.jsonl").read_text().splitlines())
    answers = Predictor(folder).predict([row["text"] for row in rows])
    assert [",".join(answer.labels) for answer in answers] == [
        line.split("\t")[-1] for line in lines
    ]
