import dataclasses
import json
import subprocess
import sys

import numpy as np
import pytest

from bert_keras import flags
from bert_keras.errors import InputError
from bert_keras.labeled_data import PROGRAMS, conversion_check, labeled_settings, read_labeled
from bert_keras.run_classifier import Settings, main
from bert_keras.serving.litert import LiteRTModel, export_litert, shortened
from bert_keras.serving.load import load_model
from bert_keras.serving.model_tasks import TASKS, VECTORS
from bert_keras.tasks.classification.task import Classification
from bert_keras.tasks.fill_mask.task import FillMask
from bert_keras.tasks.squad.task import QuestionAnswering
from tests.fine_tuning import quick_learner

LENGTH = 12


def test_every_task_with_official_scores_has_its_program():
    assert {*PROGRAMS} == {*TASKS} - {*VECTORS} - {FillMask.name}


def test_the_flags_are_those_of_the_program_and_the_task():
    task = QuestionAnswering(max_seq_length=99, version_2_with_negative=True, doc_stride=7)
    settings = labeled_settings(task, "--predict_file='a b.json' --doc_stride=8")
    assert settings.predict_file == "a b.json"
    assert (settings.max_seq_length, settings.version_2_with_negative) == (99, True)
    assert (settings.doc_stride, settings.answer_text) == (8, "offsets")
    assert settings.do_eval and not settings.do_train and not settings.do_predict


def test_a_task_without_official_scores_is_refused():
    with pytest.raises(InputError, match="Received: the task fill_mask"):
        labeled_settings(FillMask(), "")


def test_a_flag_of_no_program_is_refused():
    with pytest.raises(InputError, match="no flag --dev_fil. The nearest: --dev_file"):
        labeled_settings(Classification(), "--dev_fil=a")


@pytest.mark.slow
def test_reading_the_flags_loads_no_tensorflow():
    code = "import sys, bert_keras.labeled_data; sys.exit('tensorflow' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A classifier that has learned whether a text begins with a or with b, and its flags."""
    folder = tmp_path_factory.mktemp("run")
    random = np.random.default_rng(5)
    for name, num_rows in (("train", 400), ("dev", 200)):
        firsts = random.choice([*"ab"], num_rows)
        rows = [
            f"{first} {' '.join(random.choice([*'cdefgh'], random.integers(1, 9)))}\t{first}\n"
            for first in firsts
        ]
        (folder / f"{name}.tsv").write_text("text\tlabel\n" + "".join(rows))
    named = quick_learner.write(folder)
    config = dataclasses.replace(quick_learner.CONFIG, hidden_size=32, intermediate_size=64)
    (folder / "bert_config.json").write_text(config.to_json_string())
    words = f"--dev_file={folder}/dev.tsv --text_a_column=text --label_column=label"
    given = [f"--{name}={path}" for name, path in named.items()]
    given += [f"--train_file={folder}/train.tsv", f"--output_dir={folder}/model", *words.split()]
    given += ["--do_train", "--learning_rate=3e-3", "--max_seq_length=20", "--num_train_epochs=4"]
    assert not main(flags.parse(Settings, given))
    return folder / "model", words


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["float16", "int8"])
@pytest.mark.parametrize("length", [None, LENGTH])
def test_a_smaller_model_loses_at_most_a_point(run, tmp_path, precision, length):
    folder, words = run
    loaded = load_model(str(folder))
    loaded = shortened(loaded, length) if length else loaded
    check = conversion_check(loaded, LiteRTModel, words, max_drop=1.0)
    export_litert(loaded, str(tmp_path / "new"), precision, length, check)
    content = json.loads((tmp_path / "new" / "agreement.json").read_text())
    found = content["sets"]["dev"]
    assert (content["task"], content["metric"]) == ("classification", "accuracy")
    assert found["num_examples"] == found["num_answers"] == 200
    assert found["before"]["accuracy"] >= 0.95 and found["answers_equal"] >= 0.99
    assert content["drop"] == pytest.approx(
        100 * (found["before"]["accuracy"] - found["after"]["accuracy"])
    )
    assert 0 < found["largest_difference"]["logits"] < 1


@pytest.mark.slow
def test_a_model_that_lost_what_it_knew_is_not_exported(run, tmp_path):
    folder, words = run
    loaded = load_model(str(folder))

    class Guessing(LiteRTModel):
        def outputs_of(self, examples, batch_size, advance):
            outputs = super().outputs_of(examples, batch_size, advance)
            return {name: [row * 0 for row in rows] for name, rows in outputs.items()}

    check = conversion_check(loaded, Guessing, words, max_drop=1.0)
    with pytest.raises(InputError, match="accuracy must not fall by more than --max_drop=1 "):
        export_litert(loaded, str(tmp_path / "new"), "float32", None, check)
    assert not [*tmp_path.iterdir()]


@pytest.mark.slow
def test_the_score_is_that_of_the_run(run):
    folder, words = run
    loaded = load_model(str(folder))
    assignment = read_labeled(loaded.task, loaded.config, loaded.tokenizer, words)
    assert [*assignment.evaluations] == ["dev"] and assignment.metric == "accuracy"
    assert len(assignment.evaluations["dev"].examples.lengths) == 200
