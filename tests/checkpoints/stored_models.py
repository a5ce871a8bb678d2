"""Stored models for the tests of formats: random weights in every head, and a vocabulary."""

import dataclasses
import functools

import numpy as np

from bert_keras.checkpoints.builders import BUILDERS
from bert_keras.checkpoints.conversion.writing import WRITERS
from bert_keras.checkpoints.files.whole_folders import new_folder
from bert_keras.checkpoints.loading import named_variables
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.checkpoints.weights import Weights
from bert_keras.config import BertConfig
from bert_keras.tokenizers.vocabulary import SPECIAL_TOKENS
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

CONFIG = BertConfig(
    vocab_size=39,
    hidden_size=16,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=24,
    max_position_embeddings=20,
    labels=("no", "maybe", "yes"),
)
VOCABULARY = [*SPECIAL_TOKENS, *"abcdefghijklmnopqrstuvwxyz", *(f"##{c}" for c in "abcdefgh")]


def vocabulary() -> dict[str, int]:
    return {token: index for index, token in enumerate(VOCABULARY)}


def stored(model: str = "pretrainer", with_state: bool = False, **config) -> StoredModel:
    """Weights of normal random values, biases and all; with Adam's moments and step if wanted."""
    own = dataclasses.replace(CONFIG, **config)
    if model not in ("classifier", "token_classifier"):
        own = dataclasses.replace(own, labels=())
    shapes = _shapes(model, own)
    random = np.random.default_rng(3)
    values = {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    if with_state:
        values |= {
            f"{name}/{slot}": random.normal(size=shape).astype(np.float32)
            for name, shape in shapes.items()
            for slot in ("adam_m", "adam_v")
        }
        values["global_step"] = np.asarray(8, np.int64)
    return StoredModel(
        config=own,
        tokenizer=WordPieceTokenizer(vocabulary()),
        weights=Weights("none", {}, {}.__getitem__).with_values(values),
        model=model,
    )


@functools.cache
def _shapes(model: str, config: BertConfig) -> dict[str, tuple[int, ...]]:
    variables = named_variables(BUILDERS[model](config))
    return {name: tuple(variable.shape) for name, variable in variables.items()}


def values(of: StoredModel) -> dict[str, np.ndarray]:
    return {name: np.array(of.weights.read(name)) for name in of.weights.shapes}


def assert_same_values(ours: StoredModel, theirs: StoredModel, without: tuple = ()) -> None:
    """Bit for bit, but for what the names of `without` end in."""
    kept = [name for name in theirs.weights.shapes if not name.endswith(tuple(without))]
    expected = {name: value for name, value in values(theirs).items() if name in kept}
    assert values(ours).keys() == expected.keys()
    for name, value in values(ours).items():
        np.testing.assert_array_equal(value, expected[name], strict=True)


def write(stored: StoredModel, folder, format_name: str, max_shard_size: int | None = None):
    """A new folder in a format; returns the names that the format cannot hold."""
    with new_folder(str(folder)) as unfinished:
        return WRITERS[format_name](stored, unfinished, max_shard_size)
