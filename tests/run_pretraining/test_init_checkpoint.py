"""A run begins with weights of any format, and goes on to the same ones."""

import dataclasses
import pathlib

import numpy as np
import pytest

from bert_keras import from_pretrained, pretrainer
from bert_keras.checkpoints.conversion.writing import WRITERS
from bert_keras.run_pretraining import main
from tests.checkpoints import stored_models

CONFIG_FILES = {
    "tf1": "bert_config.json",
    "hugging_face": "config.json",
    "bert_keras": "config.json",
}


@pytest.mark.slow
def test_runs_from_each_format_end_with_the_same_weights(settings, tmp_path):
    """With the exact GELU, which each format spells in its way."""
    original = stored_models.stored("pretrainer", vocab_size=39, hidden_act="gelu_erf")
    ends = {}
    for name in WRITERS:
        folder = tmp_path / name
        stored_models.write(original, folder, name)
        settings = dataclasses.replace(
            settings,
            init_checkpoint=str(folder),
            bert_config_file=str(folder / CONFIG_FILES[name]),
            vocab_file=str(folder / "vocab.txt"),
            output_dir=str(tmp_path / f"from_{name}"),
            num_train_steps=2,
        )
        assert main(settings) == 0
        model, _ = from_pretrained(settings.output_dir, pretrainer)
        ends[name] = [weight.numpy() for weight in model.weights]
        config = pathlib.Path(settings.output_dir, "config.json").read_text()
        assert '"hidden_act": "gelu_erf"' in config
    for name in ("hugging_face", "bert_keras"):
        for ours, theirs in zip(ends[name], ends["tf1"], strict=True):
            np.testing.assert_array_equal(ours, theirs)
