"""Heads of tiny models for the tests of conversions, and inputs of their tasks."""

import dataclasses

import numpy as np

from bert_keras.checkpoints.stored_model import Pooling
from bert_keras.data.encoded import EncodedExamples
from bert_keras.serving.load import LoadedModel, load_model
from bert_keras.serving.predictor import Predictor
from tests.checkpoints import stored_models

# Wide enough that an 8-bit conversion touches the matrices: it leaves those of < 1024 numbers.
CONFIG = {"num_hidden_layers": 1, "hidden_size": 32, "intermediate_size": 64}
TEXTS = ["a b c", "", "d", "a b c d e f g h", "b a"]
# Of files of Hugging Face: another activation; and all that pooling knows.
OTHER = {"hidden_act": "gelu_erf"}
POOLING = Pooling(("cls", "mean", "max", "mean_sqrt_len"), normalize=True)
# Name of a head -> its model, its task, inputs, fields of the task.
HEADS = {
    "classification": ("classifier", None, [*TEXTS, ("a b", "c")], {}),
    "tagging": ("token_classifier", None, [*TEXTS, ["a", "b c"]], {}),
    "question_answering": (
        "question_answering",
        None,
        [("a", text) for text in TEXTS],
        {"max_seq_length": 12, "max_query_length": 4, "doc_stride": 3},
    ),
    "multiple_choice": ("multiple_choice", None, [("a", ["b", text]) for text in TEXTS], {}),
    "pretrainer": ("pretrainer", None, [f"{text} [MASK]" for text in TEXTS], {}),
    "masked_lm": ("masked_lm", None, [f"{text} [MASK]" for text in TEXTS], {}),
    "embedding": ("bert", "embedding", TEXTS, {}),
    "features": ("unpooled_bert", "features", TEXTS, {}),
    "pooled": ("bert", "embedding", TEXTS, {}),
}


def write(name: str, root) -> str:
    """The folder of the model of a head, made once."""
    model, _, _, _ = HEADS[name]
    if not (root / name).exists():
        changes = CONFIG | (OTHER if name == "pooled" else {})
        stored = stored_models.stored(model, **changes)
        if name == "pooled":
            stored = dataclasses.replace(stored, pooling=POOLING)
        stored_models.write(stored, root / name, "bert_keras")
    return str(root / name)


def loaded(name: str, root) -> LoadedModel:
    _, task, _, fields = HEADS[name]
    return load_model(write(name, root), task, **fields)


def predictor(name: str, root) -> Predictor:
    _, task, _, fields = HEADS[name]
    return Predictor(write(name, root), task, **fields)


def deviations(ours, theirs, examples: EncodedExamples) -> dict[str, float]:
    """Name of an output -> the deviation from theirs, as a share of the spread of its numbers.

    What padding gets does not count.
    """
    assert ours.keys() == theirs.keys()
    return {name: _deviation(name, ours[name], theirs[name], examples.lengths) for name in theirs}


def _deviation(name, ours, theirs, lengths):
    is_of_tokens = name in ("start_logits", "end_logits", "sequence_output")
    if is_of_tokens or name == "logits" and theirs[0].ndim == 2:
        ours, theirs = (
            [row[:length] for row, length in zip(rows, lengths, strict=True)]
            for rows in (ours, theirs)
        )
    ours, theirs = (np.concatenate([np.ravel(row) for row in rows]) for rows in (ours, theirs))
    return float(np.sqrt(np.mean((ours - theirs) ** 2)) / np.std(theirs))
