"""Stored models for the tests of surgery: the golden one, and one of plain numbers."""

import numpy as np
import tensorflow as tf

from bert_keras.checkpoints.loading import load_weights
from bert_keras.checkpoints.names import OUTPUT_BIAS, POSITIONS, WORDS
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.checkpoints.weights import Weights
from bert_keras.config import BertConfig
from bert_keras.tokenizers.vocabulary import SPECIAL_TOKENS
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tests import golden_model

LETTERS = "abcdefghijklmnopqrstuvwxyz"
WIDTH = 3


def golden_tokens() -> list[str]:
    """160 tokens for the golden model, whose own vocabulary is of ids alone."""
    syllables = [consonant + vowel for consonant in LETTERS for vowel in "aeiou"]
    return [*SPECIAL_TOKENS, *LETTERS, *("##" + letter for letter in LETTERS), *syllables[:103]]


def tokenizer(tokens, **settings) -> WordPieceTokenizer:
    return WordPieceTokenizer({token: index for index, token in enumerate(tokens)}, **settings)


def golden(checkpoint="bert_model.ckpt") -> StoredModel:
    reader = tf.train.load_checkpoint(str(golden_model.FOLDER / checkpoint))
    shapes = {name: tuple(shape) for name, shape in reader.get_variable_to_shape_map().items()}
    weights = Weights(checkpoint, shapes, reader.get_tensor)
    return StoredModel(golden_model.config(), tokenizer(golden_tokens()), weights)


def of_arrays(old_tokenizer, num_rows=None, **arrays) -> StoredModel:
    """Three tables of numbers that are all different; the first has `num_rows` [V, 3]."""
    num_rows = num_rows or old_tokenizer.vocab_size
    numbers = np.random.default_rng(0).standard_normal((num_rows, WIDTH)).astype(np.float32)
    values = {WORDS: numbers, OUTPUT_BIAS: numbers[:, 0] * 2, POSITIONS: numbers[:4] + 1} | arrays
    shapes = {name: value.shape for name, value in values.items()}
    config = BertConfig(
        vocab_size=num_rows,
        hidden_size=WIDTH,
        num_hidden_layers=1,
        num_attention_heads=1,
        max_position_embeddings=len(values[POSITIONS]),
        other_keys={"pad_token_id": 0, "bos_token_id": None},
    )
    return StoredModel(config, old_tokenizer, Weights("arrays", shapes, values.__getitem__))


def values(stored: StoredModel) -> dict[str, np.ndarray]:
    return {name: np.asarray(stored.weights.read(name)) for name in stored.weights.shapes}


def loaded(stored: StoredModel, build):
    model = build(stored.config)
    report = load_weights(model, stored.weights, optional=())
    return model, report
