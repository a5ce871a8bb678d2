import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from bert_keras.config import BertConfig
from bert_keras.data.length_batches import longest_first_batches
from bert_keras.errors import InputError
from bert_keras.fine_tuning.multiple_choice import read_assignment
from bert_keras.run_multiple_choice import Settings
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tests.checkpoints import stored_models

GOLDEN = Path(__file__).parents[1] / "golden" / "multiple_choice"
CONFIG = dataclasses.replace(stored_models.CONFIG, num_hidden_layers=1, labels=())
TOKENIZER = WordPieceTokenizer(stored_models.vocabulary())
EXAMPLES = [
    {"sent1": "a b c", "ending0": "d", "ending1": "e f", "ending2": "g h i j", "label": 2},
    {"sent1": "k", "ending0": "l", "ending1": "m", "label": 0},
    {"sent1": "n o", "ending0": "p", "ending1": "q", "ending2": "r", "ending3": "s", "label": 1},
]


def written(folder, examples):
    path = folder / "examples.jsonl"
    path.write_text("\n".join(map(json.dumps, examples)))
    return [str(path)]


def assignment_of(config: BertConfig = CONFIG, **settings):
    return read_assignment(Settings(max_seq_length=20, **settings), config, TOKENIZER)


def test_the_defaults_are_the_papers_for_swag():
    settings = Settings()
    chosen = (settings.num_train_epochs, settings.learning_rate, settings.train_batch_size)
    assert chosen == (3.0, 2e-5, 16)


def test_only_what_is_asked_for_is_read(tmp_path):
    files = written(tmp_path, EXAMPLES)
    nothing = ["missing.csv"]
    assignment = assignment_of(do_train=True, train_file=files, dev_file=nothing, test_file=nothing)
    assert (
        len(assignment.train.lengths) == 3
        and not assignment.evaluations
        and not assignment.predictions
    )
    assignment = assignment_of(do_eval=True, train_file=nothing, dev_file=files)
    assert assignment.train is None and [*assignment.evaluations] == ["dev"]


def test_the_labels_of_a_classifier_are_forgotten(tmp_path):
    labels, problem_type = ("entailment", "neutral"), "single_label_classification"
    config = dataclasses.replace(CONFIG, labels=labels, problem_type=problem_type)
    assignment = assignment_of(config, do_train=True, train_file=written(tmp_path, EXAMPLES))
    assert (assignment.config.labels, assignment.config.problem_type) == ((), "")


@pytest.mark.parametrize("name", ["train", "dev", "test"])
def test_a_file_that_is_needed_must_be_named(name):
    switch = {"train": "do_train", "dev": "do_eval", "test": "do_predict"}[name]
    with pytest.raises(InputError, match=f"--{name}_file must be given"):
        assignment_of(**{switch: True})


def test_a_glob_names_the_articles_of_race(tmp_path):
    race = {"article": "a", "questions": ["b"], "options": [["c", "d"]], "answers": ["A"]}
    for name in ("high", "middle"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.txt").write_text(json.dumps(race))
    assignment = assignment_of(do_train=True, train_file=[str(tmp_path / "*" / "*.txt")])
    assert len(assignment.train.lengths) == 2


def test_a_mixed_batch_scores_every_example_as_it_is_scored_alone(tmp_path):
    """Whatever the number of its choices; a perfect choice has accuracy 1."""
    assignment = assignment_of(do_eval=True, dev_file=written(tmp_path, EXAMPLES))
    model = assignment.build(assignment.config)
    features = next(
        iter(longest_first_batches(assignment.evaluations["dev"].examples, batch_size=4))
    )
    outputs = model({name: features[name] for name in model.input})
    together = assignment.objective(outputs, features)
    alone = []
    for example in EXAMPLES:
        of_one = assignment_of(do_eval=True, dev_file=written(tmp_path, [example]))
        one = next(iter(longest_first_batches(of_one.evaluations["dev"].examples, batch_size=1)))
        alone.append(of_one.objective(model({name: one[name] for name in model.input}), one))
    for name, (total, count) in together.items():
        np.testing.assert_allclose(total, sum(means[name].total for means in alone), rtol=1e-4)
        assert count == 3
    is_right = tf.one_hot([example["label"] for example in EXAMPLES], 4).numpy()
    assert assignment.evaluations["dev"].score({"logits": list(is_right)}) == {"accuracy": 1.0}


def test_predictions_have_a_row_for_each_example():
    assignment = assignment_of(
        do_predict=True, test_file=[str(GOLDEN / "codah.tsv"), str(GOLDEN / "swag.csv")]
    )
    prediction = assignment.predictions["test"]
    assert not prediction.examples.values
    files = prediction.files({"logits": [np.arange(4.0)] * 9})
    rows = files["test_results.tsv"].splitlines()
    assert len(rows) == 1 + 9
    assert [row.split("\t")[0] for row in rows[6:]] == ["5", "18313", "18419", "18418"]
