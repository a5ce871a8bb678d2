"""Records without masks: the same program trains on them, with fresh masks in every epoch."""

import dataclasses
import pathlib

import numpy as np
import pytest
import tensorflow as tf

from bert_keras import from_pretrained, pretrainer
from bert_keras.data.features import unmasked_features
from bert_keras.errors import InputError
from bert_keras.run_pretraining import main
from tests.examples import serialized
from tests.run_pretraining.inputs import MAX_SEQ_LENGTH, NUM_RECORDS, padded, settings_for

CLS, SEP = 2, 3


def write_unmasked_records(path, num_records):
    rng = np.random.default_rng(0)
    with tf.io.TFRecordWriter(str(path)) as writer:
        for _ in range(num_records):
            num_words = rng.integers(6, MAX_SEQ_LENGTH - 1)
            values = {
                "input_ids": [CLS, *rng.integers(5, 30, num_words), SEP],
                "input_mask": np.ones(num_words + 2),
                "segment_ids": np.zeros(num_words + 2),
                "starts_word": [0, *rng.integers(0, 2, num_words), 0],
                "next_sentence_labels": [rng.integers(2)],
            }
            for name, feature in unmasked_features(MAX_SEQ_LENGTH).items():
                values[name] = padded(values[name], feature.shape[0])
            writer.write(serialized(values))


@pytest.fixture(scope="module")
def finished(inputs, tmp_path_factory):
    """Settings of a run of 4 steps that is done and evaluated."""
    folder = tmp_path_factory.mktemp("dynamic")
    write_unmasked_records(folder / "unmasked.tfrecord", NUM_RECORDS)
    settings = dataclasses.replace(
        settings_for(inputs, folder / "run"),
        input_file=[str(folder / "unmasked.tfrecord")],
        vocab_file=str(inputs / "vocab.txt"),
        masking="span",
        num_train_steps=4,
        do_eval=True,
        max_eval_steps=0,
    )
    assert main(settings) == 0
    return settings


def read(settings, name):
    return (pathlib.Path(settings.output_dir) / name).read_text()


@pytest.mark.slow
def test_an_evaluation_gives_the_same_again_whatever_its_batches(finished):
    expected = read(finished, "eval_results.txt")
    assert main(dataclasses.replace(finished, do_train=False, eval_batch_size=50)) == 0
    results = read(finished, "eval_results.txt")
    for line, other in zip(expected.splitlines(), results.splitlines(), strict=True):
        assert float(line.split()[-1]) == pytest.approx(float(other.split()[-1]), rel=1e-5)


@pytest.mark.slow
def test_a_run_goes_on_from_a_checkpoint_as_if_it_had_not_been_stopped(finished):
    expected = weights(finished)
    for file in pathlib.Path(finished.output_dir).glob("model.ckpt-4.*"):
        file.unlink()
    assert main(finished) == 0
    for path, value in weights(finished).items():
        np.testing.assert_array_equal(value, expected[path], err_msg=path)


def weights(settings):
    model, _ = from_pretrained(settings.output_dir, pretrainer)
    return {weight.path: weight.numpy() for weight in model.trainable_weights}


def test_a_run_keeps_its_masking(finished):
    with pytest.raises(InputError, match="--masking: span -> token"):
        main(dataclasses.replace(finished, masking="token", num_train_steps=8))


def test_the_page_of_the_run_tells_the_flags_of_the_evaluation(finished):
    command = read(finished, "README.md").split("--do_eval")[-1]
    assert "--masking=span" in command
    assert f"--vocab_file={finished.vocab_file}" in command


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"vocab_file": None}, "hold no masks; to make them, --vocab_file must be given"),
        ({"masking": "none"}, "hold no masks, so --masking must say how .* Received: none"),
        ({"masking": "words"}, "--masking must be one of token, .* Received: words"),
        ({"whole_word_decision": "row"}, "--whole_word_decision must be one of piece, word"),
        ({"mask_share": 0.9}, r"must sum to 1. Received: 0.9 \+ 0.1 \+ 0.1 = 1.1"),
        ({"keep_share": -0.1}, "--keep_share must be at least 0"),
        ({"masked_lm_prob": 1.5}, "--masked_lm_prob must be .* at most 1"),
        ({"pack_sequences": True}, "--pack_sequences is for records with masks"),
        ({"max_seq_length": 12}, "--max_seq_length=12, but .*--max_seq_length=16"),
    ],
)
def test_settings_that_cannot_work(finished, tmp_path, changes, message):
    with pytest.raises(InputError, match=message):
        main(dataclasses.replace(finished, output_dir=str(tmp_path / "run"), **changes))


def test_a_vocabulary_without_a_mask(finished, tmp_path):
    vocabulary = pathlib.Path(finished.vocab_file).read_text().replace("[MASK]", "z")
    (tmp_path / "vocab.txt").write_text(vocabulary)
    with pytest.raises(InputError, match=r"vocab.txt: the vocabulary lacks \[MASK\]"):
        main(dataclasses.replace(finished, vocab_file=str(tmp_path / "vocab.txt")))


def test_masks_for_records_that_hold_some(finished, inputs):
    masked = dataclasses.replace(finished, input_file=[str(inputs / "records.tfrecord")])
    with pytest.raises(InputError, match="--masking is for records without masks; .*already"):
        main(masked)
    both = dataclasses.replace(finished, input_file=[*finished.input_file, *masked.input_file])
    with pytest.raises(InputError, match="must all hold masks, or none of them; received both"):
        main(both)
