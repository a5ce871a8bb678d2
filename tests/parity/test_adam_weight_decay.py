"""With bias correction our Adam is PyTorch's AdamW but for where epsilon is added."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bert_keras.optimizers.adam_weight_decay import AdamWeightDecay

pytestmark = pytest.mark.parity


def test_hundred_steps_are_those_of_adamw():
    torch = pytest.importorskip("torch")
    gradients = np.random.default_rng(0).normal(size=[100, 20]).astype(np.float32)
    ours = keras.Variable(np.ones(20, np.float32), name="kernel")
    optimizer = AdamWeightDecay(
        0.01, correct_bias=True, epsilon=1e-12, clip_norm=None, exclude_from_weight_decay=[]
    )
    theirs = torch.nn.Parameter(torch.ones(20))
    reference = torch.optim.AdamW([theirs], lr=0.01, eps=1e-12, weight_decay=0.01)
    for gradient in gradients:
        optimizer.apply([tf.constant(gradient)], [ours])
        theirs.grad = torch.tensor(gradient)
        reference.step()
        np.testing.assert_allclose(ours, theirs.detach().numpy(), rtol=1e-5, atol=1e-6)
