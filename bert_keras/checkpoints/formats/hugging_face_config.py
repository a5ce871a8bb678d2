"""Hugging Face's `config.json` of a BERT, and ours, both ways.

Keys that no model of ours uses are kept as they are, but those that would make transformers run
code or take the numbers for quantized ones; the type of the weights becomes float32.
"""

from bert_keras.checkpoints.formats.hugging_face_names import ARCHITECTURES
from bert_keras.checkpoints.labels import numbered_labels
from bert_keras.checkpoints.names import LABELED
from bert_keras.config import MOST_LABELS, BertConfig
from bert_keras.errors import InputError
from bert_keras.notices import notify

# Their names of an activation -> ours; the first of each is the one that is written.
ACTIVATIONS = {
    "gelu": "gelu_erf",
    "gelu_python": "gelu_erf",
    "gelu_new": "gelu",
    "gelu_pytorch_tanh": "gelu",
    "gelu_fast": "gelu",
    "gelu_accurate": "gelu",
    "relu": "relu",
    "tanh": "tanh",
    "linear": "linear",
}
_WRITTEN_ACTIVATIONS = {ours: theirs for theirs, ours in reversed(ACTIVATIONS.items())}
_MODELS = {
    architecture: model for model, architecture in ARCHITECTURES.items() if model != "unpooled_bert"
}
# Key -> the values with which it is the BERT of the paper; a file may lack each.
_ONLY = {
    "model_type": ("bert",),
    "position_embedding_type": ("absolute", None),
    "is_decoder": (False, None),
    "add_cross_attention": (False, None),
    "pruned_heads": ({}, None),
}
_RENAMED = {"layer_norm_eps": "layer_norm_epsilon"}
_LABELS = ("id2label", "label2id", "num_labels")
_OWN = ("labels", "layer_norm_epsilon")  # names of ours, which transformers does not know
# They say what StoredModel says, or what is true of every model here: the writer sets them.
_SET = ("model_type", "architectures", "tie_word_embeddings")
# They belong to the files that were read: how these held numbers, and code that came with them.
_OF_FILES = ("quantization_config", "auto_map")
_DTYPES = ("dtype", "torch_dtype")  # what transformers casts the weights to when it loads them


def from_hugging_face(values: dict) -> tuple[BertConfig, str | None]:
    """Keys of `config.json` -> the config, and the model by its name in `bert_keras.models`.

    The model is None where `architectures` names no class that we know. Keys that the model does
    not use are kept.

    Raises:
        InputError: another family's config, a variant that the paper does not have, or impossible
            values; the message names the key.
    """
    for key, allowed in _ONLY.items():
        if values.get(key, allowed[0]) not in allowed:
            raise InputError(
                f"{key} must be {allowed[0]!r}, as of the BERT of the paper. "
                f"Received: {values[key]!r:.200}. Other models run in transformers."
            )
    _check_token_ids(values)
    model = _model(values.get("architectures"))
    labels = () if model == "multiple_choice" else _labels(values, model)
    dropped = (*_SET, *_OWN, *_OF_FILES, *(_LABELS if labels else ()))
    ours = {_RENAMED.get(key, key): value for key, value in values.items() if key not in dropped}
    ours["hidden_act"] = _activation(values.get("hidden_act", "gelu"))
    ours["problem_type"] = values.get("problem_type") or ""  # transformers writes null
    return BertConfig.from_dict(ours | {"labels": labels}), model


def to_hugging_face(config: BertConfig, model: str, num_classes: int | None) -> dict:
    """The keys of `config.json` with which transformers builds `model`, one of `ARCHITECTURES`.

    `num_classes`: the rows of the classifier's weights, None without one.

    Raises:
        InputError: the config names another number of classes.
    """
    theirs = {new: old for old, new in _RENAMED.items()}
    values = {theirs.get(key, key): value for key, value in config.to_dict().items()}
    values = {key: value for key, value in values.items() if key not in ("labels", *_OF_FILES)}
    values["hidden_act"] = _WRITTEN_ACTIVATIONS[config.hidden_act]
    values |= {key: "float32" for key in _DTYPES if key in values}
    values |= {
        "architectures": [ARCHITECTURES[model]],
        "model_type": "bert",
        "tie_word_embeddings": True,
    }
    labels = _written_labels(config.labels, model, num_classes)
    if labels or model == "question_answering":
        values = {key: value for key, value in values.items() if key not in _LABELS}
    if labels:
        values["id2label"] = {str(index): label for index, label in enumerate(labels)}
        values["label2id"] = {label: index for index, label in enumerate(labels)}
    return values


def _model(architectures) -> str | None:
    names = architectures if isinstance(architectures, list) else []
    models = [_MODELS[name] for name in names if isinstance(name, str) and name in _MODELS]
    return models[0] if models else None


def _check_token_ids(values: dict) -> None:
    """`pad_token_id` and its like, which transformers looks up in tables."""
    for key, value in values.items():
        ids = value if isinstance(value, list) else [] if value is None else [value]
        if key.endswith("_token_id") and not all(type(index) is int for index in ids):
            raise InputError(
                f"{key} must be an integer, a list of integers or null. Received: {value!r:.200}"
            )


def _activation(name) -> str:
    if not isinstance(name, str) or name not in ACTIVATIONS:
        raise InputError(
            f"hidden_act must be one of {', '.join(ACTIVATIONS)}. Received: {name!r:.200}"
        )
    return ACTIVATIONS[name]


def _labels(values: dict, model: str | None) -> tuple[str, ...]:
    """The names of the classes in the order of their ids; those of transformers where it has none.

    A config says how many they are, by names or by a number; it need not where there are two.
    """
    num_labels, id2label = values.get("num_labels"), values.get("id2label")
    if id2label is None:
        if num_labels is None:
            num_labels = 2 if model in LABELED else 0
        if type(num_labels) is not int or not 0 <= num_labels <= MOST_LABELS:
            raise InputError(
                f"num_labels must be an integer of at most {MOST_LABELS}. "
                f"Received: {num_labels!r:.200}"
            )
        return numbered_labels(num_labels)
    labels = _in_order(id2label)
    if num_labels not in (None, len(labels)):
        raise InputError(
            f"num_labels and id2label must agree. Received: {num_labels!r:.200} and "
            f"{len(labels)} names"
        )
    label2id = values.get("label2id")
    if label2id is not None and label2id != {label: index for index, label in enumerate(labels)}:
        notify("label2id of the config disagrees with id2label, whose order is taken")
    return labels


def _in_order(id2label) -> tuple[str, ...]:
    if isinstance(id2label, dict):
        names = [id2label.get(str(index)) for index in range(len(id2label))]
        if all(isinstance(name, str) for name in names):
            return tuple(names)
    raise InputError(
        'id2label must be an object that names the classes "0", "1", … without a gap. '
        f"Received: {id2label!r:.200}"
    )


def _written_labels(labels: tuple, model: str, num_classes: int | None) -> tuple[str, ...]:
    """The labels with which transformers builds a head of the right number of rows."""
    if model == "question_answering":  # start and end, as many as there are labels by default
        return labels if len(labels) == 2 else ()
    if model not in LABELED or num_classes is None:
        return labels
    if labels and len(labels) != num_classes:
        raise InputError(
            f"A classifier needs a label for each row of output_weights, {num_classes}. "
            f"Received: {len(labels)} labels in the config"
        )
    return labels or numbered_labels(num_classes)
