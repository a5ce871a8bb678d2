"""Commands that cannot work: the rule, what came, the way out."""

import dataclasses
import os

import pytest

from bert_keras.errors import InputError
from bert_keras.pretraining import job
from bert_keras.training import run_folder
from bert_keras.training.stop import StopRequest
from tests.run_pretraining.inputs import NUM_RECORDS, SPECIAL_TOKENS, write_records


def run(settings, **changes):
    return job.run(dataclasses.replace(settings, **changes), StopRequest())


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"do_train": False}, "At least one of `do_train` or `do_eval` must be True"),
        ({"bert_config_file": None}, "--bert_config_file must be given"),
        ({"bert_config_file": "missing.json"}, "missing.json"),
        ({"output_dir": None}, "--output_dir must be given"),
        ({"input_file": []}, "--input_file must be given"),
        ({"input_file": ["nowhere/*.tfrecord"]}, "nowhere"),
        ({"train_batch_size": 0}, "--train_batch_size must be at least 1 .* Received: 0"),
        ({"train_batch_size": 10**20}, "--train_batch_size must be .* at most 1048576"),
        ({"eval_batch_size": 10**20}, "--eval_batch_size must be .* at most 1048576"),
        ({"num_train_steps": 10**20}, "--num_train_steps must be .* at most 2147483647"),
        ({"max_eval_steps": 10**20}, "--max_eval_steps must be .* at most 2147483647"),
        ({"max_predictions_per_seq": 10**20}, "--max_predictions_per_seq must be .* at most"),
        ({"random_seed": -1}, "--random_seed must be at least 0 .* Received: -1"),
        ({"random_seed": 2**31}, "--random_seed must be .* at most 2147483647"),
        ({"learning_rate": -1.0}, "--learning_rate must be positive"),
        ({"learning_rate_schedule": "cosine"}, "must be one of original, continuous. .* cosine"),
        ({"max_seq_length": 21}, "--max_seq_length=21 .* max_position_embeddings=20"),
        ({"max_seq_length": 12}, "12"),
        ({"max_predictions_per_seq": 3}, "3"),
        ({"tpu": "node"}, "'node' cannot be used: .* has no TPU support; .*`pip install"),
        ({"use_tpu": True, "tpu_name": "old"}, "'old' cannot be used"),
    ],
)
def test_settings_that_cannot_work(settings, changes, message):
    with pytest.raises(InputError, match=message):
        run(settings, **changes)


def test_an_output_folder_that_is_a_file(settings, tmp_path):
    (tmp_path / "file").write_text("")
    for folder in ("file", "file/run"):
        with pytest.raises(InputError, match="--output_dir must be a folder"):
            run(settings, output_dir=str(tmp_path / folder))


def test_an_evaluation_makes_no_folder_for_a_mistyped_name(settings):
    with pytest.raises(InputError, match="There is nothing to evaluate"):
        run(settings, do_train=False, do_eval=True)
    assert not os.path.exists(settings.output_dir)


def test_records_of_another_vocabulary(settings, tmp_path):
    write_records(tmp_path / "large.tfrecord", 2, largest_id=40)
    with pytest.raises(InputError, match="less than vocab_size=30 .*large.tfrecord"):
        run(settings, input_file=[str(tmp_path / "large.tfrecord")])


def test_a_vocabulary_of_another_size(settings, tmp_path):
    (tmp_path / "vocab.txt").write_text("\n".join(SPECIAL_TOKENS) + "\n")
    with pytest.raises(InputError, match="vocab_size=30 .* with 5 entries"):
        run(settings, vocab_file=str(tmp_path / "vocab.txt"))


def test_a_case_setting_that_contradicts_the_checkpoint(settings):
    with pytest.raises(InputError, match="--do_lower_case must be .* is cased"):
        run(settings, init_checkpoint="cased_L-12_H-768_A-12/bert_model.ckpt")


def test_the_schedule_is_part_of_what_a_run_is(settings):
    run_folder.make(settings.output_dir)
    stored = {name: getattr(settings, name) for name in job.DECISIVE_FLAGS}
    wanted = stored | {"learning_rate_schedule": "continuous"}
    run_folder.write_settings(settings.output_dir, stored)
    with pytest.raises(InputError, match="--learning_rate_schedule: original -> continuous"):
        run_folder.check_same_run(settings.output_dir, wanted, 4, pytest.fail)


@pytest.mark.parametrize("content", [b"{", b"[]", b"", b"\xff"])
def test_damaged_settings_of_a_run(tmp_path, content):
    (tmp_path / "run_settings.json").write_bytes(content)
    with pytest.raises(InputError, match="run_settings.json must hold .* a new --output_dir"):
        run_folder.check_same_run(str(tmp_path), {"num_train_steps": 8}, 4, pytest.fail)


def test_a_second_run_in_the_folder(settings):
    run_folder.make(settings.output_dir)
    message = "another one is at work"
    with run_folder.lock(settings.output_dir), pytest.raises(InputError, match=message):
        run(settings)


def test_records_made_anew_under_the_same_name(settings, tmp_path):
    records = tmp_path / "records.tfrecord"
    write_records(records, NUM_RECORDS)
    changes = {"input_file": [str(records)], "num_warmup_steps": 0}
    run(settings, num_train_steps=1, **changes)
    write_records(records, NUM_RECORDS + 1)
    with pytest.raises(InputError, match=r"--input_file: .*records.tfrecord \(\d+ bytes\).* -> "):
        run(settings, num_train_steps=2, **changes)


def test_a_damaged_file_is_named_in_mid_training(settings, tmp_path):
    records = tmp_path / "damaged.tfrecord"
    write_records(records, NUM_RECORDS)
    with open(records, "r+b") as file:
        file.seek(records.stat().st_size // 2)
        file.write(b"damage")
    with pytest.raises(InputError, match="damaged.tfrecord is none, or is damaged"):
        run(settings, input_file=[str(records)])
