import numpy as np
import pytest

from bert_keras.layers.attention import SelfAttention


def by_hand(layer, hidden, mask):
    """Multi-head attention written with loops (Vaswani et al. 2017, section 3.2)."""

    def dense(part):
        return hidden @ part.kernel.numpy() + part.bias.numpy()

    query, key, value = dense(layer.query), dense(layer.key), dense(layer.value)
    batch, length, width = hidden.shape
    depth = width // layer.num_heads
    context = np.zeros_like(hidden)
    for b in range(batch):
        for head in range(layer.num_heads):
            columns = slice(head * depth, (head + 1) * depth)
            for i in range(length):
                scores = key[b, :, columns] @ query[b, i, columns] / np.sqrt(depth)
                shares = np.exp(scores - scores.max()) * mask[b, i if mask.shape[1] > 1 else 0]
                context[b, i, columns] = shares / shares.sum() @ value[b, :, columns]
    return context


@pytest.mark.parametrize("rows", [1, 5])
def test_equals_attention_by_hand(rows):
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=[2, 5, 12]).astype(np.float32)
    mask = rng.integers(0, 2, [2, rows, 5])
    mask[:, :, 0] = 1
    layer = SelfAttention(num_heads=3, initializer_range=0.5)
    np.testing.assert_allclose(
        layer(hidden, hidden, mask), by_hand_after_build(layer, hidden, mask), atol=1e-5
    )


def by_hand_after_build(layer, hidden, mask):
    layer(hidden, hidden, mask)
    return by_hand(layer, hidden, mask)


@pytest.mark.parametrize("dtype", ["float32", "mixed_float16", "mixed_bfloat16"])
def test_masked_positions_have_no_influence(dtype):
    """-10000 fits into float16 and its exponential is 0; -1e9 would overflow."""
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=[1, 4, 8]).astype(np.float32)
    mask = np.array([[[1, 0, 0, 0]]])
    layer = SelfAttention(num_heads=2, dtype=dtype)
    context = np.asarray(layer(hidden, hidden, mask), np.float32)
    changed = hidden.copy()
    changed[:, 1:] *= 100
    assert np.isfinite(context).all()
    first = np.asarray(layer(changed, changed, mask), np.float32)[:, 0]
    np.testing.assert_array_equal(first, context[:, 0])
