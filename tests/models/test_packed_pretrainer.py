"""A sequence in a row with others gives what it gives alone: outputs, losses, gradients, steps."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from bert_keras.checkpoints.pretrained import from_pretrained, save_pretrained
from bert_keras.data import packing
from bert_keras.models.bert import bert
from bert_keras.models.packed_bert import packed_bert
from bert_keras.models.packed_pretrainer import packed_pretrainer
from bert_keras.models.pretrainer import pretrainer
from bert_keras.objectives.pretraining import LOSSES, pretraining
from bert_keras.optimizers.adam_weight_decay import AdamWeightDecay
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from bert_keras.training import step
from tests import golden_model

NUM_EXAMPLES = 5
LIMITS = (24, 8)  # positions and predictions of a row
MAX_SEQUENCES = 3


@pytest.fixture(scope="module")
def models():
    return golden_model.model(), golden_model.model(packed_pretrainer)


def features(lengths, seed=0):
    """Random examples of these lengths, [N, 24], with one prediction in about six tokens."""
    generator = np.random.default_rng(seed)
    shape = (len(lengths), LIMITS[0])
    mask = np.arange(shape[1]) < np.reshape(lengths, [-1, 1])
    predicted = np.arange(4) < np.reshape(lengths, [-1, 1]) // 6
    positions = np.stack([np.sort(generator.permutation(length)[:4]) for length in range(4, 28)])
    integers = {
        "input_ids": generator.integers(1, 160, shape) * mask,
        "input_mask": mask,
        "segment_ids": (np.arange(shape[1]) > np.reshape(lengths, [-1, 1]) // 2) * mask,
        "masked_lm_positions": positions[np.maximum(lengths, 4) - 4] * predicted,
        "masked_lm_ids": generator.integers(1, 160, predicted.shape) * predicted,
        "next_sentence_labels": generator.integers(2, size=(len(lengths), 1)),
    }
    integers = {name: tf.constant(value, tf.int32) for name, value in integers.items()}
    return integers | {"masked_lm_weights": tf.constant(predicted, tf.float32)}


def packed(batch, num_rows=NUM_EXAMPLES):
    """As many rows as examples, so that shapes stay the same; the last ones may be empty."""
    places = packing.first_fit(packing.sizes(batch), LIMITS, MAX_SEQUENCES)
    return places, packing.pack(batch, places, num_rows, LIMITS, MAX_SEQUENCES)


@tf.function
def means_and_gradients(model, objective, batch):
    with tf.GradientTape() as tape:
        means = objective(model(step.model_inputs(model, batch), training=True), batch)
        loss = step.total_loss(means, golden_model.denominators(batch))
    gradients = tape.gradient(loss, [variable.value for variable in model.trainable_variables])
    return means, [tf.convert_to_tensor(gradient) for gradient in gradients]


def assert_same(models, batch):
    """Losses, counts and gradients of the batch and of its rows."""
    plain, in_rows = models
    means, gradients = means_and_gradients(plain, pretraining, batch)
    packed_means, packed_gradients = means_and_gradients(in_rows, pretraining, packed(batch)[1])
    assert means.keys() == packed_means.keys()
    for name, mean in means.items():
        assert packed_means[name].count == mean.count, name
        np.testing.assert_allclose(packed_means[name].total, mean.total, rtol=1e-5, err_msg=name)
    for variable, gradient, expected in zip(
        plain.trainable_variables, packed_gradients, gradients, strict=True
    ):
        np.testing.assert_allclose(gradient, expected, atol=1e-5, err_msg=variable.path)


@pytest.mark.parametrize(
    "lengths",
    [
        [24, 24, 24, 24, 24],  # no two fit in a row
        [2, 2, 2, 2, 2],  # rows run out of places
        [24, 12, 12, 7, 17],  # rows without any padding
        [3, 20, 9, 1, 24],
    ],
)
def test_losses_and_gradients_of_known_lengths(models, lengths):
    assert_same(models, features(lengths))


@given(
    st.lists(st.integers(1, 24), min_size=NUM_EXAMPLES, max_size=NUM_EXAMPLES), st.integers(0, 9)
)
@settings(max_examples=15, deadline=None)
def test_losses_and_gradients_of_any_lengths(models, lengths, seed):
    assert_same(models, features(lengths, seed))


def test_one_example_alone(models):
    batch = features([9])
    plain, in_rows = models
    expected = plain(step.model_inputs(plain, batch))
    actual = in_rows(step.model_inputs(in_rows, packed(batch, num_rows=1)[1]))
    np.testing.assert_allclose(
        actual["next_sentence_logits"][:, 0], expected["next_sentence_logits"], atol=1e-6
    )


def test_outputs_of_the_encoder_are_those_of_each_example():
    batch = features([3, 20, 9, 1, 24, 8])
    places, rows = packed(batch, num_rows=4)
    plain, in_rows = golden_model.model(bert), golden_model.model(packed_bert)
    expected = plain(step.model_inputs(plain, batch))
    actual = in_rows(step.model_inputs(in_rows, rows))
    unpacked = packing.unpack(actual["sequence_output"], rows, places, batch["input_mask"])
    mask = tf.cast(batch["input_mask"], tf.float32)[..., tf.newaxis]
    np.testing.assert_allclose(unpacked, expected["sequence_output"] * mask, atol=1e-5)
    np.testing.assert_allclose(
        tf.gather_nd(actual["pooled_output"], places), expected["pooled_output"], atol=1e-5
    )


def test_a_sequence_does_not_see_its_neighbors():
    """Bit by bit: what is masked weighs 0, whatever it is."""
    model = golden_model.model(packed_bert)
    _, rows = packed(features([10, 8, 6]), num_rows=1)
    inputs = step.model_inputs(model, rows)
    ids, sequences = inputs["input_ids"], inputs["sequence_ids"]
    before = model(inputs)
    after = model(inputs | {"input_ids": tf.where(sequences == 2, 159 - ids, ids)})
    changed = np.any(before["sequence_output"] != after["sequence_output"], axis=-1)
    np.testing.assert_array_equal(changed, sequences == 2)
    changed = np.any(before["pooled_output"] != after["pooled_output"], axis=-1)
    np.testing.assert_array_equal(changed, [[False, True, False]])


def test_a_row_may_be_longer_than_the_position_table():
    """Two sequences of 24 in a row of 48, where the table has 40 positions."""
    batch = features([24, 24])
    rows = packing.pack_tokens(batch, tf.constant([[0, 0], [0, 1]]), 1, 48, 2)
    plain, in_rows = golden_model.model(bert), golden_model.model(packed_bert)
    expected = plain(step.model_inputs(plain, batch))["pooled_output"]
    np.testing.assert_allclose(in_rows(rows)["pooled_output"][0], expected, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "number"), [("position_ids", 40), ("position_ids", -1), ("first_token_positions", 24)]
)
def test_positions_outside_are_an_error(name, number):
    model = golden_model.model(packed_bert)
    inputs = step.model_inputs(model, packed(features([4, 5]), num_rows=1)[1])
    with pytest.raises(tf.errors.InvalidArgumentError, match=name):
        model(inputs | {name: tf.fill(tf.shape(inputs[name]), number)})


def test_optimizer_steps_are_the_same(models):
    """The clipped norm included: gathered positions must not give a sparse gradient."""
    batch = features([3, 20, 9, 1, 24])
    norms, weights = [], []
    for build, examples in ((pretrainer, batch), (packed_pretrainer, packed(batch)[1])):
        model, optimizer = golden_model.model(build), AdamWeightDecay(1e-3)
        optimizer.build(model.trainable_variables)
        take_step = tf.function(step.train_step)
        norms.append([])
        for _ in range(3):
            take_step(model, pretraining, LOSSES, optimizer, examples)
            norms[-1].append(optimizer.gradient_norm.numpy())
        weights.append([variable.numpy() for variable in model.trainable_variables])
    np.testing.assert_allclose(norms[1], norms[0], rtol=1e-5)
    for expected, actual in zip(*weights, strict=True):
        np.testing.assert_allclose(actual, expected, atol=2e-5)


def test_checkpoints_are_those_of_the_plain_models(tmp_path, models):
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a"]
    (tmp_path / "vocab.txt").write_text("\n".join(tokens))
    tokenizer = WordPieceTokenizer(str(tmp_path / "vocab.txt"), do_lower_case=True)
    plain, in_rows = models
    for model, build in ((plain, packed_pretrainer), (in_rows, pretrainer)):
        save_pretrained(model, tokenizer, tmp_path / build.__name__)
        loaded, _ = from_pretrained(tmp_path / build.__name__, build)
        assert [weight.path for weight in loaded.weights] == [w.path for w in model.weights]
        for actual, expected in zip(loaded.trainable_weights, plain.trainable_weights, strict=True):
            np.testing.assert_array_equal(actual, expected)


def test_one_seed_gives_the_weights_of_the_plain_model():
    weights = []
    for build in (pretrainer, packed_pretrainer):
        keras.utils.set_random_seed(1)
        weights.append(build(golden_model.config()).get_weights())
    for actual, expected in zip(*weights, strict=True):
        np.testing.assert_array_equal(actual, expected)


def test_saved_model_file_computes_the_same(tmp_path, models):
    _, model = models
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    inputs = step.model_inputs(model, packed(features([4, 5, 6]), num_rows=1)[1])
    for name, value in model(inputs).items():
        np.testing.assert_array_equal(loaded(inputs)[name], value)


def test_it_compiles_for_devices_that_need_static_shapes(models):
    _, model = models
    inputs = step.model_inputs(model, packed(features([4, 5, 6, 24]), num_rows=2)[1])
    compiled = tf.function(model, jit_compile=True)(inputs)
    for name, value in model(inputs).items():
        np.testing.assert_allclose(compiled[name], value, atol=1e-5)
