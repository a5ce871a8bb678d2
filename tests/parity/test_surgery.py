"""Operated models in transformers: they load whole, and compute what the original computed."""

import numpy as np
import pytest

from bert_keras.checkpoints.formats import hugging_face
from bert_keras.checkpoints.surgery.positions import extend_positions
from bert_keras.checkpoints.surgery.vocabulary import change_vocabulary
from tests import golden_model
from tests.checkpoints.surgery import models

pytestmark = pytest.mark.parity


def test_old_tokens_mean_there_what_they_meant_in_the_original(tmp_path):
    """The golden model with other ids, a new token and twice the positions, computed by PyTorch."""
    import torch
    import transformers

    tokens = ["zebu", *models.golden_tokens()[::-1]]
    stored = change_vocabulary(models.golden(), models.tokenizer(tokens))
    hugging_face.write(extend_positions(stored, 80, "copy"), str(tmp_path))
    peer, report = transformers.BertForPreTraining.from_pretrained(
        tmp_path, output_loading_info=True
    )
    assert {key: list(names) for key, names in report.items() if names} == {}
    assert peer.cls.predictions.decoder.weight is peer.bert.embeddings.word_embeddings.weight

    golden = golden_model.arrays("forward.npz")
    new_ids = np.array(stored.tokenizer.convert_tokens_to_ids(models.golden_tokens()))
    with torch.no_grad():
        outputs = peer.eval()(
            input_ids=torch.tensor(new_ids[golden["input_ids"]]),
            attention_mask=torch.tensor(golden["input_mask"]).long(),
            token_type_ids=torch.tensor(golden["segment_ids"]).long(),
        )
    logits = outputs.prediction_logits[:, :, new_ids].log_softmax(-1).numpy()
    positions = golden["masked_lm_positions"]
    predicted = np.take_along_axis(logits, positions[:, :, np.newaxis], axis=1)
    expected = golden["masked_lm_log_probs"].reshape(predicted.shape)
    np.testing.assert_allclose(predicted, expected, rtol=0, atol=1e-5)
