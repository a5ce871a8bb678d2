import json

import numpy as np
import pytest
import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.extract_features import Settings
from bert_keras.feature_extraction import job, lines
from bert_keras.feature_extraction.layers import layer_outputs
from bert_keras.models.bert import unpooled_bert
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tests import golden_model
from tests.checkpoints import stored_models

TEXTS = ["a b c", "", "d ||| e f g h i j k", "l", "m n o p q r s t u v w x y z"]
LAYERS = [-1, 0, -4]


@pytest.fixture
def settings(tmp_path):
    """The original's flags: every file by its name."""
    (tmp_path / "in.txt").write_text("\n".join(TEXTS))
    (tmp_path / "vocab.txt").write_text("\n".join(stored_models.VOCABULARY))

    def settings(**changes):
        return Settings(
            **dict(
                input_file=str(tmp_path / "in.txt"),
                output_file=str(tmp_path / "out.jsonl"),
                init_checkpoint=str(golden_model.FOLDER / "bert_model.ckpt"),
                bert_config_file=str(golden_model.FOLDER / "bert_config.json"),
                vocab_file=str(tmp_path / "vocab.txt"),
                layers=[str(number) for number in LAYERS],
                max_seq_length=12,
                batch_size=2,
            )
            | changes
        )

    return settings


@pytest.fixture(scope="module")
def expected():
    """Tokens and values of each text by itself, without any padding."""
    model = layer_outputs(golden_model.model(unpooled_bert), LAYERS)
    tokenizer = WordPieceTokenizer(stored_models.vocabulary())

    def features(line):
        ids = tokenizer.convert_tokens_to_ids(line.tokens)
        rows = {"input_ids": ids, "input_mask": [1] * len(ids), "segment_ids": line.segment_ids}
        return model({name: tf.constant([row]) for name, row in rows.items()})["features"][
            0
        ].numpy()

    return lambda path: [
        (line.tokens, features(line)) for line in lines.read_lines(path, tokenizer, 12)
    ]


def read(path):
    with tf.io.gfile.GFile(path) as file:
        rows = [json.loads(line) for line in file.read().splitlines()]
    assert [row["linex_index"] for row in rows] == list(range(len(rows)))
    for row in rows:
        for token in row["features"]:
            assert [layer["index"] for layer in token["layers"]] == LAYERS
    return [
        (
            [token["token"] for token in row["features"]],
            np.array([[layer["values"] for layer in t["layers"]] for t in row["features"]]),
        )
        for row in rows
    ]


def assert_equal(found, expected):
    assert [tokens for tokens, _ in found] == [tokens for tokens, _ in expected]
    for (_, values), (_, right) in zip(found, expected, strict=True):
        np.testing.assert_allclose(values, right, atol=2e-6, rtol=0)


@pytest.mark.parametrize(("batch_size", "bytes_of_pool"), [(2, job.BYTES_OF_POOL), (100, 1)])
def test_every_line_has_the_features_that_it_has_alone(
    settings, expected, batch_size, bytes_of_pool, monkeypatch
):
    """In the order of the input, whatever the batches and the pools."""
    monkeypatch.setattr(job, "BYTES_OF_POOL", bytes_of_pool)
    job.run(settings(batch_size=batch_size))
    assert_equal(read(settings().output_file), expected(settings().input_file))


def test_paths_of_other_file_systems(settings, expected, monkeypatch):
    monkeypatch.setattr(job, "BYTES_OF_POOL", 2**12)  # some lines
    tf.io.gfile.makedirs("ram://features")
    tf.io.gfile.copy(settings().input_file, "ram://features/in.txt", overwrite=True)
    job.run(settings(input_file="ram://features/in.txt", output_file="ram://features/out.jsonl"))
    assert_equal(read("ram://features/out.jsonl"), expected("ram://features/in.txt"))


def test_a_run_that_ends_early_leaves_the_earlier_file_as_it_was(settings, tmp_path, monkeypatch):
    monkeypatch.setattr(job, "BYTES_OF_POOL", 1)
    (tmp_path / "out.jsonl").write_text("earlier")
    features_of = job.features_of

    def interrupted(inference, pool, *arguments):
        if pool[0].index == 2:
            assert (tmp_path / ".out.jsonl.unfinished").exists()
            raise KeyboardInterrupt
        return features_of(inference, pool, *arguments)

    monkeypatch.setattr(job, "features_of", interrupted)
    with pytest.raises(KeyboardInterrupt):
        job.run(settings())
    assert (tmp_path / "out.jsonl").read_text() == "earlier"
    assert not (tmp_path / ".out.jsonl.unfinished").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"input_file": "no such file"}, "no such file cannot be read"),
        ({"output_file": "no such folder/out.npz"}, "no such folder/out.npz cannot be written"),
        ({"layers": ["3"]}, "--layers must be numbers from -4"),
        ({"max_seq_length": 41}, "--max_seq_length must not exceed max_position_embeddings=40"),
        ({"init_checkpoint": "no such model"}, "no such model"),
    ],
)
def test_what_cannot_work_is_said_before_anything_is_computed(
    settings, changes, message, monkeypatch
):
    monkeypatch.setattr(job, "features_of", None)
    with pytest.raises(InputError, match=message):
        job.run(settings(**changes))


def test_the_input_is_not_overwritten(settings):
    with pytest.raises(InputError, match="another file than --input_file"):
        job.run(settings(output_file=settings().input_file))
