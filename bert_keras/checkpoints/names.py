"""The names that the checkpoints of google-research/bert give to what they hold.

Paths of variables are the original's names but for the prefix of the outermost scope. `#` stands
for the number of a layer.
"""

import re

# outermost layer here -> scopes there
SCOPES = {
    "embeddings": "bert/embeddings/",
    "layer": "bert/encoder/layer",
    "pooler": "bert/pooler/",
    "predictions": "cls/predictions/",
    "seq_relationship": "cls/seq_relationship/",
    "classifier": "",  # run_classifier.py has its head in no scope
    "squad": "cls/squad/",
}
ADAM_SLOTS = ("adam_m", "adam_v")
GLOBAL_STEP = "global_step"
DROPOUT_SEED = "dropout_seed_"  # begins the names of seeds in the checkpoints of our own runs

WORDS = "bert/embeddings/word_embeddings"
POSITIONS = "bert/embeddings/position_embeddings"
SEGMENTS = "bert/embeddings/token_type_embeddings"
LAYERS = "bert/encoder/layer"
OUTPUT_BIAS = "cls/predictions/output_bias"  # one entry for each row of the word table
POOLER = "bert/pooler/"
LABEL_WEIGHTS, LABEL_BIAS = "output_weights", "output_bias"  # of every head with classes
# How the names of heads begin: what may be missing where a model is to be trained.
HEADS = ("cls/", LABEL_WEIGHTS, LABEL_BIAS)

_LAYER = f"{LAYERS}_#/"
DENSE = (
    _LAYER + "attention/self/query",
    _LAYER + "attention/self/key",
    _LAYER + "attention/self/value",
    _LAYER + "attention/output/dense",
    _LAYER + "intermediate/dense",
    _LAYER + "output/dense",
    "bert/pooler/dense",
    "cls/predictions/transform/dense",
)
LAYER_NORMS = (
    "bert/embeddings/LayerNorm",
    _LAYER + "attention/output/LayerNorm",
    _LAYER + "output/LayerNorm",
    "cls/predictions/transform/LayerNorm",
)
_ALL = (
    WORDS,
    POSITIONS,
    SEGMENTS,
    *(f"{scope}/{name}" for scope in DENSE for name in ("kernel", "bias")),
    *(f"{scope}/{name}" for scope in LAYER_NORMS for name in ("gamma", "beta")),
    OUTPUT_BIAS,
    "cls/seq_relationship/output_weights",
    "cls/seq_relationship/output_bias",
    "cls/squad/output_weights",
    "cls/squad/output_bias",
    LABEL_WEIGHTS,
    LABEL_BIAS,
)
_UNPOOLED = ("bert/embeddings/", LAYERS)
_POOLED = (*_UNPOOLED, POOLER)
_LABELS = (LABEL_WEIGHTS, LABEL_BIAS)
ENCODERS = ("bert", "unpooled_bert")
LABELED = ("classifier", "token_classifier")  # the models that have classes
HEADED_ALIKE = (*LABELED, "multiple_choice")  # whose heads the original gives one name
# the function of bert_keras.models -> how the names of its weights begin
_SCOPES_OF_MODELS = {
    "bert": _POOLED,
    "unpooled_bert": _UNPOOLED,
    "pretrainer": (*_POOLED, "cls/predictions/", "cls/seq_relationship/"),
    "masked_lm": (*_UNPOOLED, "cls/predictions/"),
    "next_sentence": (*_POOLED, "cls/seq_relationship/"),
    "classifier": (*_POOLED, *_LABELS),
    "token_classifier": (*_UNPOOLED, *_LABELS),
    "multiple_choice": (*_POOLED, *_LABELS),
    "question_answering": (*_UNPOOLED, "cls/squad/"),
}


def names_of(model: str, num_layers: int) -> list[str]:
    """The names of all weights of a function of `bert_keras.models`."""
    return [
        name.replace("#", str(layer))
        for name in _ALL
        if name.startswith(_SCOPES_OF_MODELS[model])
        for layer in range(num_layers if "#" in name else 1)
    ]


def is_known(name: str) -> bool:
    """Whether it is a weight of one of our models, or the step."""
    return name == GLOBAL_STEP or (
        "#" not in name and re.sub(r"(?<=/layer_)[0-9]+(?=/)", "#", name) in _ALL
    )


def original_name(path: str) -> str:
    """`layer_0/attention/self/query/kernel` -> `bert/encoder/layer_0/attention/…`.

    A variable of no layer in `SCOPES` keeps its path as its name.
    """
    outermost, slash, rest = path.partition("/")
    scope, underscore, index = outermost.rpartition("_")
    if index.isdigit() and scope in SCOPES:
        return SCOPES[scope] + underscore + index + slash + rest
    return SCOPES[outermost] + rest if outermost in SCOPES else path


def is_state(name: str) -> bool:
    """Whether it is part of a run and not of its model: the step, a moment, a dropout seed."""
    return (
        name == GLOBAL_STEP
        or name.startswith(DROPOUT_SEED)
        or name.rpartition("/")[2] in ADAM_SLOTS
    )


def weight_of_state(name: str) -> str:
    """The weight that a moment belongs to; of any other name the name itself."""
    weight, _, last = name.rpartition("/")
    return weight if last in ADAM_SLOTS else name
