"""The program from start to end: a tiny model learns to tag, and later tags words alone."""

import pytest

from bert_keras.run_tagging import Settings, main
from bert_keras.serving import Predictor
from tests.fine_tuning import quick_learner
from tests.tagged_sentences import sentences, write

pytestmark = pytest.mark.slow
MAX_SEQ_LENGTH = 12  # some sentences are longer


def test_learns_evaluates_and_later_predicts_with_the_finished_model(tmp_path, capfd):
    dev = list(sentences(50, seed=2))
    shared = {"output_dir": str(tmp_path / "run"), "max_seq_length": MAX_SEQ_LENGTH}
    assert not main(
        Settings(
            **shared,
            do_train=True,
            do_eval=True,
            train_file=write(tmp_path / "train.conll", sentences(300, seed=1)),
            dev_file=write(tmp_path / "dev.conll", dev),
            **quick_learner.write(tmp_path),
            learning_rate=3e-3,
            num_train_epochs=5,
        )
    )
    results = (tmp_path / "run" / "eval_results.txt").read_text()
    assert {"f1 = 1", "PER_f1 = 1", "accuracy = 1"} <= {*results.splitlines()}

    words = write(tmp_path / "test.txt", [[(word,) for word, _ in rows] for rows in dev])
    assert not main(Settings(**shared, do_predict=True, test_file=words, predict_batch_size=7))
    predictions = (tmp_path / "run" / "test_predictions.conll").read_text()
    assert predictions == (tmp_path / "dev.conll").read_text()
    answers = Predictor(tmp_path / "run").predict([[word for word, _ in rows] for rows in dev])
    labels = [[word.label for word in answer.words] for answer in answers]
    assert labels == [[tag for _, tag in rows] for rows in dev]
    assert "Traceback" not in capfd.readouterr().err
