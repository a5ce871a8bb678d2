"""The names of weights in Hugging Face's BERT (PyTorch), and the original's: one table, both ways.

`#` stands for the number of a layer. PyTorch's `Linear` holds its matrix as [out, in] where the
original's dense layers hold [in, out]: kernels, and nothing else, are transposed.
"""

import re

from bert_keras.checkpoints.names import (
    DENSE,
    LAYER_NORMS,
    OUTPUT_BIAS,
    POSITIONS,
    SEGMENTS,
    WORDS,
    names_of,
)

_OTHERS = {
    WORDS: "bert.embeddings.word_embeddings.weight",
    POSITIONS: "bert.embeddings.position_embeddings.weight",
    SEGMENTS: "bert.embeddings.token_type_embeddings.weight",
    OUTPUT_BIAS: "cls.predictions.bias",
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
    {f"{scope}/kernel": f"{_module(scope)}.weight" for scope in DENSE}
    | {f"{scope}/bias": f"{_module(scope)}.bias" for scope in DENSE}
    | {f"{scope}/gamma": f"{_module(scope)}.weight" for scope in LAYER_NORMS}
    | {f"{scope}/beta": f"{_module(scope)}.bias" for scope in LAYER_NORMS}
    | _OTHERS
)
_ORIGINALS = {theirs: ours for ours, theirs in NAMES.items()}
# Files converted from the original's early on kept its two words, that of bert-base-uncased too.
_OLD_ENDS = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}
# Copies that some files hold beside what they are tied to, or in its place.
COPIES = {
    "cls.predictions.decoder.weight": WORDS,
    "cls.predictions.decoder.bias": OUTPUT_BIAS,
}
# Counted up at run time, no weights.
BUFFERS = ("embeddings.position_ids", "embeddings.token_type_ids")
PREFIX = "bert."  # of the encoder, where a head stands beside it
_ENCODER = ("embeddings.", "encoder.", "pooler.")


# the function of bert_keras.models -> the class of transformers
ARCHITECTURES = {
    "pretrainer": "BertForPreTraining",
    "masked_lm": "BertForMaskedLM",
    "next_sentence": "BertForNextSentencePrediction",
    "classifier": "BertForSequenceClassification",
    "token_classifier": "BertForTokenClassification",
    "multiple_choice": "BertForMultipleChoice",
    "question_answering": "BertForQuestionAnswering",
    "bert": "BertModel",
    "unpooled_bert": "BertModel",  # there is no class without a pooler
}


def names_in_class(model: str, num_layers: int) -> dict[str, str]:
    """The original's name -> the name in the class of `model`, for every weight of the class."""
    has_no_head = ARCHITECTURES[model] == "BertModel"
    return {
        ours: hugging_face_name(ours).removeprefix(PREFIX if has_no_head else "")
        for ours in names_of("bert" if has_no_head else model, num_layers)
    }


def hugging_face_name(original: str) -> str:
    """`bert/encoder/layer_3/output/dense/kernel` -> `bert.encoder.layer.3.output.dense.weight`."""
    number = re.search(r"/layer_([0-9]+)/", original)
    if number is None:
        return NAMES[original]
    return NAMES[original.replace(number[0], "/layer_#/")].replace("#", number[1])


def name_from_hugging_face(name: str) -> str | None:
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
