"""--pack_sequences: rows that hold several examples train and score the same kind of model."""

import dataclasses
import pathlib

import numpy as np
import pytest

from bert_keras import from_pretrained, pretrainer
from bert_keras.errors import InputError
from bert_keras.run_pretraining import main
from bert_keras.training import pretraining
from bert_keras.training.stop import StopRequest
from tests.run_pretraining.inputs import settings_for


@pytest.fixture(scope="module")
def finished(inputs, tmp_path_factory):
    """Settings of a run of 4 steps that is done."""
    settings = settings_for(inputs, tmp_path_factory.mktemp("runs"))
    settings = dataclasses.replace(
        settings, pack_sequences=True, num_train_steps=4, vocab_file=str(inputs / "vocab.txt")
    )
    assert main(settings) == 0
    return settings


def weights(settings):
    model, _ = from_pretrained(settings.output_dir, pretrainer)
    return {weight.path: weight.numpy() for weight in model.trainable_weights}


def test_rows_score_a_model_as_single_examples_do(finished):
    evaluation = dataclasses.replace(finished, do_train=False, do_eval=True, max_eval_steps=0)
    packed = pretraining.run(evaluation, StopRequest())
    single = pretraining.run(dataclasses.replace(evaluation, pack_sequences=False), StopRequest())
    assert packed == pytest.approx(single, rel=1e-5)


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
