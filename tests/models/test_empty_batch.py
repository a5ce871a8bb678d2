"""A batch of 0 rows, as the last one of a replica may be, counts nothing and spoils nothing."""

import numpy as np
import pytest
import tensorflow as tf

from bert_keras.layers.block import TransformerBlock
from bert_keras.layers.rematerialized import RematerializedBlock
from bert_keras.models.packed_pretrainer import packed_pretrainer
from bert_keras.models.pretrainer import pretrainer
from bert_keras.objectives.pretraining import pretraining
from bert_keras.training import step
from tests import golden_model
from tests.models.test_xla import BATCHES, CONFIG


def empty(build):
    return {name: values[:0] for name, values in BATCHES[build].items()}


@pytest.mark.parametrize(
    ("build", "block"),
    [(pretrainer, TransformerBlock), (packed_pretrainer, RematerializedBlock)],
)
def test_empty_batch_has_losses_and_gradients_of_0(build, block):
    model, batch = build(CONFIG, block), empty(build)
    means, gradients = step.gradients(model, pretraining, golden_model.denominators(batch), batch)
    for mean in means.values():
        np.testing.assert_array_equal([mean.total, mean.count], 0)
    for variable, gradient in zip(model.trainable_variables, gradients, strict=True):
        expected = np.zeros(variable.shape)
        np.testing.assert_array_equal(tf.convert_to_tensor(gradient), expected, variable.path)


@pytest.mark.parametrize("build", BATCHES)
def test_inference_on_an_empty_batch_gives_no_rows(build):
    model, batch = build(CONFIG), empty(build)
    outputs = model(step.model_inputs(model, batch))
    assert outputs["masked_lm_logits"].shape == (*batch["masked_lm_positions"].shape, 160)
    assert outputs["next_sentence_logits"].shape[0] == 0
