"""The program as a whole, on a model of two layers."""

import json

import pytest

from bert_keras import flags
from bert_keras.run_squad import REPLACED_FLAGS, Settings, main
from bert_keras.serving import Predictor
from bert_keras.tasks.squad.reading import read_squad
from tests.tasks.squad import reference
from tests.tasks.squad.reference import question, write

LETTERS = "abcdefgh"
CONFIG = {
    "vocab_size": len(reference.SMALL_VOCABULARY.split()),
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "max_position_embeddings": 32,
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """Which port does the ship reach? The letter after `port`, in 48 contexts."""
    folder = tmp_path_factory.mktemp("squad")
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "vocab.txt").write_text("\n".join(reference.SMALL_VOCABULARY.split()))
    paragraphs = []
    for number in range(48):
        before, answer = number % 7, LETTERS[number * 5 % 8]
        context = "ship " * before + f"port {answer}" + " sail" * (6 - before)
        offset = context.index(answer, 5 * before + 4)
        paragraphs.append((context, [question("the port?", [(answer, offset)], str(number))]))
    write(folder / "train.json", *paragraphs)
    return folder


def settings(inputs, output_dir, **changes):
    values = {
        "output_dir": str(output_dir),
        "bert_config_file": str(inputs / "config.json"),
        "vocab_file": str(inputs / "vocab.txt"),
        "do_train": True,
        "do_eval": True,
        "do_predict": True,
        "train_file": str(inputs / "train.json"),
        "predict_file": str(inputs / "train.json"),
        "max_seq_length": 14,
        "max_query_length": 5,
        "doc_stride": 4,
        "train_batch_size": 16,
        "num_train_epochs": 12.0,
        "learning_rate": 5e-3,
    }
    return Settings(**values | changes)


def results(folder):
    lines = (folder / "eval_results.txt").read_text().splitlines()
    return {name: float(value) for name, value in (line.split(" = ") for line in lines)}


@pytest.mark.slow
def test_it_learns_and_answers_the_same_for_every_batch_size(inputs, tmp_path):
    assert main(settings(inputs, tmp_path)) == 0
    found, predictions = results(tmp_path), (tmp_path / "predictions.json").read_text()
    assert found["exact_match"] > 90
    assert len(json.loads(predictions)) == 48

    sizes = {"eval_batch_size": 5, "predict_batch_size": 7}
    assert main(settings(inputs, tmp_path, do_train=False, **sizes)) == 0
    assert results(tmp_path) == found
    assert (tmp_path / "predictions.json").read_text() == predictions

    file = read_squad(str(inputs / "train.json"))
    asked = [(one.text, file.contexts[one.context]) for one in file.questions]
    answers = Predictor(tmp_path).predict(asked)
    ids = [one.id for one in file.questions]
    texts = [answer.text for answer in answers]
    assert dict(zip(ids, texts, strict=True)) == json.loads(predictions)


def test_flags_of_the_original():
    line = (
        "--vocab_file=v --bert_config_file=c --init_checkpoint=i --do_train=True --train_file=t "
        "--do_predict=True --predict_file=p --train_batch_size=12 --learning_rate=3e-5 "
        "--num_train_epochs=2.0 --max_seq_length=384 --doc_stride=128 --output_dir=o "
        "--use_tpu=False --version_2_with_negative=True --null_score_diff_threshold=-1.5 "
        "--max_query_length=64 --n_best_size=20 --max_answer_length=30 --predict_batch_size=8 "
        "--warmup_proportion=0.1 --save_checkpoints_steps=1000 --iterations_per_loop=1000"
    )
    found = flags.parse(Settings, line.split())
    assert (found.doc_stride, found.null_score_diff_threshold) == (128, -1.5)
    assert {"verbose_logging", "num_tpu_cores"} <= {*REPLACED_FLAGS}
    defaults = Settings()
    assert (defaults.max_seq_length, defaults.num_train_epochs) == (384, 3.0)
    assert (defaults.train_batch_size, defaults.learning_rate) == (32, 5e-5)
