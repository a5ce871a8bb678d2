import numpy as np
import pytest

from bert_keras.config import BertConfig
from bert_keras.models.attention_maps import attention_maps
from bert_keras.models.bert import unpooled_bert
from bert_keras.models.classifier import classifier
from tests import golden_model


def test_rows_are_shares_of_the_tokens_and_padding_has_none():
    inputs = golden_model.inputs(("input_ids", "input_mask", "segment_ids"))
    config = golden_model.config()
    maps = attention_maps(golden_model.model(unpooled_bert), inputs)
    batch, length = inputs["input_ids"].shape
    assert maps.shape == (
        batch,
        config.num_hidden_layers,
        config.num_attention_heads,
        length,
        length,
    )
    np.testing.assert_allclose(maps.sum(axis=-1), 1, rtol=1e-5)
    seen = np.broadcast_to(inputs["input_mask"][:, None, None, None], maps.shape)
    assert maps[seen == 0].max(initial=0) < 1e-4 < maps[seen == 1].max()


def test_context_is_the_values_weighted_by_them():
    """Identity matrices make the layer show its own weights."""
    model = unpooled_bert(BertConfig.named("tiny", 9))
    attention = model.get_layer("layer_0").attention.self_attention
    inputs = {
        "input_ids": np.array([[2, 5, 6, 3]], np.int32),
        "input_mask": np.array([[1, 1, 1, 1]], np.int32),
        "segment_ids": np.array([[0, 0, 0, 0]], np.int32),
    }
    hidden = np.random.default_rng(1).normal(size=(1, 4, 128)).astype(np.float32)
    mask = inputs["input_mask"][:, np.newaxis]
    probabilities = attention.probabilities(hidden, hidden, mask).numpy()
    values = (hidden @ attention.value.kernel.numpy() + attention.value.bias.numpy()).reshape(
        1, 4, 2, 64
    )
    context = np.einsum("bnqt,btnd->bqnd", probabilities, values).reshape(1, 4, 128)
    np.testing.assert_allclose(attention(hidden, hidden, mask).numpy(), context, atol=1e-5)


@pytest.mark.parametrize("build", [unpooled_bert, classifier])
def test_the_last_layer_shows_all_rows_whatever_the_head_computes(build):
    config = BertConfig.named("tiny", 9)
    config = type(config)(**{**config.to_dict(), "labels": ("no", "yes")})
    inputs = {
        name: np.ones((2, 3), np.int32) for name in ("input_ids", "input_mask", "segment_ids")
    }
    assert attention_maps(build(config), inputs).shape == (2, 2, 2, 3, 3)
