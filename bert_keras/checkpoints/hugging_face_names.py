"""The names of weights in Hugging Face's BERT (PyTorch), and the original's: one table, both ways.

`#` stands for the number of a layer. PyTorch's `Linear` holds its matrix as [out, in] where the
original's dense layers hold [in, out]: kernels, and nothing else, are transposed.
"""

import re
from typing import NamedTuple

from bert_keras.checkpoints.names import WORDS

_LAYER = "bert/encoder/layer_#/"
_DENSE = (
    _LAYER + "attention/self/query",
    _LAYER + "attention/self/key",
    _LAYER + "attention/self/value",
    _LAYER + "attention/output/dense",
    _LAYER + "intermediate/dense",
    _LAYER + "output/dense",
    "bert/pooler/dense",
    "cls/predictions/transform/dense",
)
_LAYER_NORMS = (
    "bert/embeddings/LayerNorm",
    _LAYER + "attention/output/LayerNorm",
    _LAYER + "output/LayerNorm",
    "cls/predictions/transform/LayerNorm",
)
_OTHERS = {
    WORDS: "bert.embeddings.word_embeddings.weight",
    "bert/embeddings/position_embeddings": "bert.embeddings.position_embeddings.weight",
    "bert/embeddings/token_type_embeddings": "bert.embeddings.token_type_embeddings.weight",
    "cls/predictions/output_bias": "cls.predictions.bias",
    "cls/seq_relationship/output_weights": "cls.seq_relationship.weight",
    "cls/seq_relationship/output_bias": "cls.seq_relationship.bias",
    "cls/squad/output_weights": "qa_outputs.weight",
    "cls/squad/output_bias": "qa_outputs.bias",
    "output_weights": "classifier.weight",
    "output_bias": "classifier.bias",
}


def _module(scope: str) -> str:
    return scope.replace("layer_", "layer.").replace("/", ".")


# the original's name -> Hugging Face's
NAMES = (
    {f"{scope}/kernel": f"{_module(scope)}.weight" for scope in _DENSE}
    | {f"{scope}/bias": f"{_module(scope)}.bias" for scope in _DENSE}
    | {f"{scope}/gamma": f"{_module(scope)}.weight" for scope in _LAYER_NORMS}
    | {f"{scope}/beta": f"{_module(scope)}.bias" for scope in _LAYER_NORMS}
    | _OTHERS
)
_ORIGINALS = {theirs: ours for ours, theirs in NAMES.items()}
# Files converted from the original's early on kept its two words, that of bert-base-uncased too.
_OLD_ENDS = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}
# Copies that some files hold beside what they are tied to, or in its place.
COPIES = {
    "cls.predictions.decoder.weight": WORDS,
    "cls.predictions.decoder.bias": "cls/predictions/output_bias",
}
# Counted up at run time, no weights.
BUFFERS = ("embeddings.position_ids", "embeddings.token_type_ids")
PREFIX = "bert."  # of the encoder, where a head stands beside it
_ENCODER = ("embeddings.", "encoder.", "pooler.")


class Architecture(NamedTuple):
    """A class of transformers, and how the names of the weights that it holds begin."""

    name: str
    scopes: tuple[str, ...]

    def names(self, num_layers: int) -> dict[str, str]:
        """The original's name -> the class's own, for every weight that it holds."""
        prefixed = {
            ours.replace("#", str(layer)): theirs.replace("#", str(layer))
            for ours, theirs in NAMES.items()
            if ours.startswith(self.scopes)
            for layer in range(num_layers if "#" in ours else 1)
        }
        if self.name != "BertModel":
            return prefixed
        return {ours: theirs.removeprefix(PREFIX) for ours, theirs in prefixed.items()}


_UNPOOLED = ("bert/embeddings/", "bert/encoder/")
_POOLED = (*_UNPOOLED, "bert/pooler/")
_OUTPUTS = ("output_weights", "output_bias")
# the function of bert_keras.models -> the class of transformers
ARCHITECTURES = {
    "pretrainer": Architecture(
        "BertForPreTraining", (*_POOLED, "cls/predictions/", "cls/seq_relationship/")
    ),
    "masked_lm": Architecture("BertForMaskedLM", (*_UNPOOLED, "cls/predictions/")),
    "next_sentence": Architecture(
        "BertForNextSentencePrediction", (*_POOLED, "cls/seq_relationship/")
    ),
    "classifier": Architecture("BertForSequenceClassification", (*_POOLED, *_OUTPUTS)),
    "token_classifier": Architecture("BertForTokenClassification", (*_UNPOOLED, *_OUTPUTS)),
    "multiple_choice": Architecture("BertForMultipleChoice", (*_POOLED, *_OUTPUTS)),
    "question_answering": Architecture("BertForQuestionAnswering", (*_UNPOOLED, "cls/squad/")),
    "bert": Architecture("BertModel", _POOLED),
    "unpooled_bert": Architecture("BertModel", _POOLED),  # no class of its own
}


def original_name(name: str) -> str | None:
    """`encoder.layer.3.output.dense.weight`, with or without the prefix `bert.`, -> the original's.

    None: the original has no such weight.
    """
    for old, new in _OLD_ENDS.items():
        name = name.removesuffix(old) + new if name.endswith(old) else name
    name = PREFIX + name if name.startswith(_ENCODER) else name
    number = re.search(r"layer\.([0-9]+)\.", name)
    if number is None:
        return _ORIGINALS.get(name)
    pattern = _ORIGINALS.get(name[: number.start(1)] + "#" + name[number.end(1) :])
    return pattern and pattern.replace("#", number[1])


def is_transposed(original: str) -> bool:
    """Whether PyTorch holds the transposed matrix."""
    return original.endswith("/kernel")
