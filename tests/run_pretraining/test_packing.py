"""--pack_sequences: rows that hold several examples train and score the same kind of model."""

import dataclasses
import pathlib

import numpy as np
import pytest

from bert_keras import from_pretrained, pretrainer
from bert_keras.data.packed_pipeline import packed_evaluation_dataset
from bert_keras.errors import InputError
from bert_keras.pretraining import job
from bert_keras.run_pretraining import main
from bert_keras.training.stop import StopRequest
from tests.run_pretraining.inputs import NUM_RECORDS, settings_for, write_records


@pytest.fixture(scope="module")
def finished(inputs, tmp_path_factory):
    """Settings of a run of 4 steps that is done, on records short enough to share rows."""
    folder = tmp_path_factory.mktemp("runs")
    write_records(folder / "short.tfrecord", NUM_RECORDS, shortest=4)
    settings = dataclasses.replace(
        settings_for(inputs, folder / "run"),
        input_file=[str(folder / "short.tfrecord")],
        pack_sequences=True,
        num_train_steps=4,
        vocab_file=str(inputs / "vocab.txt"),
    )
    assert main(settings) == 0
    return settings


def weights(settings):
    model, _ = from_pretrained(settings.output_dir, pretrainer)
    return {weight.path: weight.numpy() for weight in model.trainable_weights}


def test_rows_score_a_model_as_single_examples_do(finished):
    evaluation = dataclasses.replace(finished, do_train=False, do_eval=True, max_eval_steps=0)
    packed = job.run(evaluation, StopRequest())
    single = job.run(dataclasses.replace(evaluation, pack_sequences=False), StopRequest())
    assert packed == pytest.approx(single, rel=1e-5)


def test_an_evaluation_that_is_cut_counts_rows(finished, capsys):
    evaluation = dataclasses.replace(finished, do_train=False, do_eval=True, max_eval_steps=2)
    lengths = (evaluation.max_seq_length, evaluation.max_predictions_per_seq)
    rows = packed_evaluation_dataset(finished.input_file, *lengths, batch_size=1)
    num_rows = sum(1 for _ in rows)
    assert num_rows < NUM_RECORDS
    assert main(evaluation) == 0
    assert f"evaluated on 16 of {num_rows} rows (--max_eval_steps=2;" in capsys.readouterr().err


@pytest.mark.slow
def test_a_run_goes_on_from_a_checkpoint_as_if_it_had_not_been_stopped(finished):
    expected = weights(finished)
    for file in pathlib.Path(finished.output_dir).glob("model.ckpt-4.*"):
        file.unlink()
    assert main(finished) == 0
    for path, value in weights(finished).items():
        np.testing.assert_array_equal(value, expected[path], err_msg=path)


def test_a_run_stays_packed(finished):
    with pytest.raises(InputError, match="--pack_sequences: True -> False"):
        main(dataclasses.replace(finished, pack_sequences=False, num_train_steps=8))
