"""`fit` runs the loop's own step: the same weights, bit for bit, and the same numbers."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.models.pretrainer import pretrainer
from bert_keras.objectives.pretraining import ACCURACIES, LOSSES, pretraining
from bert_keras.optimizers.adam_weight_decay import AdamWeightDecay
from bert_keras.training import evaluation, loop
from bert_keras.training.trainer import Trainer

BATCH_SIZE, NUM_BATCHES = 8, 3
ONE_DEVICE = tf.distribute.get_strategy()


@pytest.fixture(scope="module")
def dataset():
    rng = np.random.default_rng(0)
    num_examples, num_positions, num_predictions = BATCH_SIZE * NUM_BATCHES, 16, 4
    integers = {
        "input_ids": rng.integers(0, 50, (num_examples, num_positions)),
        "input_mask": np.ones((num_examples, num_positions)),
        "segment_ids": np.zeros((num_examples, num_positions)),
        "masked_lm_positions": rng.integers(0, num_positions, (num_examples, num_predictions)),
        "masked_lm_ids": rng.integers(0, 50, (num_examples, num_predictions)),
        "next_sentence_labels": rng.integers(0, 2, (num_examples, 1)),
    }
    features = {name: values.astype(np.int32) for name, values in integers.items()}
    weights = rng.integers(0, 2, (num_examples, num_predictions))
    features["masked_lm_weights"] = weights.astype(np.float32)
    return tf.data.Dataset.from_tensor_slices(features).batch(BATCH_SIZE, drop_remainder=True)


def model_and_optimizer():
    keras.utils.set_random_seed(1)
    config = BertConfig(
        vocab_size=50,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
    )
    return pretrainer(config), AdamWeightDecay(1e-2)


@pytest.fixture(scope="module")
def fitted(dataset):
    model, optimizer = model_and_optimizer()
    trainer = Trainer(model, pretraining, LOSSES, ACCURACIES)
    trainer.compile(optimizer)
    history = trainer.fit(dataset, epochs=2, verbose=0).history
    return trainer, history


@pytest.fixture(scope="module")
def looped(dataset):
    model, optimizer = model_and_optimizer()
    optimizer.build(model.trainable_variables)
    take_step = loop.compile_train_step(ONE_DEVICE, model, pretraining, LOSSES, optimizer)
    steps = [take_step(features)[0] for _ in range(2) for features in dataset]
    return model, steps


def test_fit_and_loop_give_the_same_weights(fitted, looped):
    trainer, _ = fitted
    model, _ = looped
    for weight, other in zip(trainer.model.weights, model.weights, strict=True):
        np.testing.assert_array_equal(weight, other, err_msg=weight.path)


def test_fit_reports_sums_divided_by_counts(fitted, looped):
    _, history = fitted
    _, steps = looped
    for epoch in range(2):
        of_epoch = steps[epoch * NUM_BATCHES : (epoch + 1) * NUM_BATCHES]
        for name in (*LOSSES, *ACCURACIES):
            total = sum(float(means[name].total) for means in of_epoch)
            count = sum(float(means[name].count) for means in of_epoch)
            assert history[name][epoch] == pytest.approx(total / count, rel=1e-6), name
        loss = sum(history[name][epoch] for name in LOSSES)
        assert history["loss"][epoch] == pytest.approx(loss, rel=1e-6)


def test_evaluate_equals_the_programs_evaluation(fitted, dataset):
    trainer, _ = fitted
    evaluation_step = loop.compile_evaluation_step(ONE_DEVICE, trainer.model, pretraining)
    expected = evaluation.evaluate(lambda features: evaluation_step(features)[0], dataset, LOSSES)
    results = trainer.evaluate(dataset, return_dict=True, verbose=0)
    assert results == pytest.approx(expected, rel=1e-6)


def test_an_uncounted_dataset_is_evaluated_without_a_warning(fitted, dataset, recwarn):
    trainer, _ = fitted
    uncounted = dataset.filter(lambda features: True)
    trainer.evaluate(uncounted, return_dict=True, verbose=0)
    assert [str(warning.message) for warning in recwarn] == []


def test_what_keras_users_pass_to_fit(dataset):
    model, optimizer = model_and_optimizer()
    trainer = Trainer(model, pretraining, LOSSES, ACCURACIES)
    trainer.compile(optimizer)
    history = trainer.fit(x=dataset, validation_data=dataset, epochs=2, verbose=0).history
    results = trainer.evaluate(x=dataset, return_dict=True, verbose=0)
    assert history["val_loss"][-1] == pytest.approx(results["loss"], rel=1e-6)
    assert len(history["val_masked_lm_loss"]) == 2


def test_what_fit_cannot_take_is_a_clear_error(fitted, dataset):
    trainer, _ = fitted
    features = next(iter(dataset))
    without_ids = dataset.map(lambda features: {"segment_ids": features["segment_ids"]})
    for message, arguments in {
        r"Call dataset.shuffle\(buffer_size\)": {"x": dataset, "shuffle": True},
        "x must be a tf.data.Dataset .* Received: dict": {"x": features},
        "model's inputs input_ids, .* Received: segment_ids": {"x": without_ids},
        "batches of validation_data must": {"x": dataset, "validation_data": without_ids},
    }.items():
        with pytest.raises(InputError, match=message):
            trainer.fit(**arguments)


def test_weights_are_saved_and_loaded(fitted, dataset, tmp_path):
    trainer, _ = fitted
    path = str(tmp_path / "trained.weights.h5")
    trainer.save_weights(path)
    model, optimizer = model_and_optimizer()
    other = Trainer(model, pretraining, LOSSES, ACCURACIES)
    other.compile(optimizer)
    other.load_weights(path)
    for weight, expected in zip(model.weights, trainer.model.weights, strict=True):
        np.testing.assert_array_equal(weight, expected, err_msg=weight.path)
    every_epoch = keras.callbacks.ModelCheckpoint(
        str(tmp_path / "{epoch}.weights.h5"), save_weights_only=True
    )
    other.fit(dataset, callbacks=[every_epoch], verbose=0)
    assert (tmp_path / "1.weights.h5").exists()


def test_a_trainer_is_not_saved_or_cloned_whole(fitted, tmp_path):
    trainer, _ = fitted
    with pytest.raises(InputError, match="Save or clone trainer.model"):
        trainer.save(str(tmp_path / "trainer.keras"))
    with pytest.raises(InputError, match="Save or clone trainer.model"):
        keras.models.clone_model(trainer)
    assert list(tmp_path.iterdir()) == []


class Replicas:
    """Stands for a strategy of two replicas where only their number is asked."""

    num_replicas_in_sync = 2


def test_fit_does_not_clip_for_each_replica(monkeypatch):
    """The step of `fit` divides by the counts of all replicas, a clipped replica by its own."""
    monkeypatch.setattr(tf.distribute, "get_strategy", Replicas)
    model, _ = model_and_optimizer()
    with pytest.raises(InputError, match="an optimizer with clipping='replica'"):
        Trainer(model, pretraining, LOSSES).compile(AdamWeightDecay(clipping="replica"))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"jit_compile": True}, "jit_compile=True"),
        ({"steps_per_execution": 10}, "steps_per_execution > 1"),
    ],
)
def test_what_fit_cannot_do_on_replicas_is_an_error(monkeypatch, options, message):
    monkeypatch.setattr(tf.distribute, "get_strategy", Replicas)
    model, optimizer = model_and_optimizer()
    with pytest.raises(InputError, match=f"Under Replicas Keras' fit works without {message}"):
        Trainer(model, pretraining, LOSSES).compile(optimizer, **options)
