"""Operated models in every format: what is written is what was computed."""

import numpy as np
import pytest

from bert_keras.checkpoints.conversion.writing import WRITERS
from bert_keras.checkpoints.formats.detection import read_model
from bert_keras.checkpoints.surgery.layers import keep_layers
from bert_keras.checkpoints.surgery.positions import extend_positions
from bert_keras.checkpoints.surgery.vocabulary import change_vocabulary
from bert_keras.models.pretrainer import pretrainer
from tests.checkpoints.surgery import models


@pytest.mark.parametrize("name", WRITERS)
def test_written_and_read_again_it_is_the_same(name, tmp_path):
    """From a file with Adam's moments: they must not come along with their old shapes."""
    tokens = ["zebu", *models.golden_tokens()[::-1]]
    stored = change_vocabulary(models.golden("trained_model.ckpt-8"), models.tokenizer(tokens))
    stored = keep_layers(extend_positions(stored, 64, "interpolate"), [0, 2])
    assert WRITERS[name](stored, str(tmp_path), None) == []
    back = read_model(str(tmp_path))
    assert back.config == stored.config
    assert back.tokenizer.vocab == stored.tokenizer.vocab
    expected = models.values(stored)
    assert back.weights.shapes.keys() == expected.keys()
    for key, value in models.values(back).items():
        np.testing.assert_array_equal(value, expected[key], strict=True)
    _, report = models.loaded(back, pretrainer)
    assert (report.missing, report.unused) == ([], [])
