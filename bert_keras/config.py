"""BERT's hyper-parameters: the keys of `bert_config.json`, checked.

Devlin et al. 2018 (arXiv:1810.04805), section 3, and `BertConfig` of google-research/bert.
"""

import dataclasses
import json
import re
import sys

from bert_keras.errors import InputError
from bert_keras.files import read_text
from bert_keras.notices import notify

HUGGING_FACE_KEYS = {"model_type", "layer_norm_eps"}  # no other config has them
LARGEST_NUMBER = sys.float_info.max  # a JSON file may hold an integer that no float does
HIDDEN_ACTIVATIONS = ("gelu", "gelu_erf", "relu", "tanh", "linear")
# Hugging Face's names of what a classifier's outputs mean.
REGRESSION = "regression"
SINGLE_LABEL = "single_label_classification"
MULTI_LABEL = "multi_label_classification"
PROBLEM_TYPES = ("", REGRESSION, SINGLE_LABEL, MULTI_LABEL)  # "": not said
MOST_LABELS = 100_000  # what is taken for labels must not decide how much memory is taken

# layers, width: Turc et al. 2019 (arXiv:1908.08962) released every pair of these two lists.
RELEASED_NUM_LAYERS = (2, 4, 6, 8, 10, 12)
RELEASED_HIDDEN_SIZES = (128, 256, 512, 768)
NAMED_SIZES = {
    "tiny": (2, 128),
    "mini": (4, 256),
    "small": (4, 512),
    "medium": (8, 512),
    "base": (12, 768),
    "large": (24, 1024),
}
UNCASED_VOCAB_SIZE = 30522


@dataclasses.dataclass(frozen=True)
class BertConfig:
    """The numbers that define one BERT; the field names are the keys of `bert_config.json`.

    `type_vocab_size` is 2, as in every released file (the original class defaults to 16).
    `layer_norm_epsilon` is a constant of the original code and not a key of its files.
    `labels` names the classes of a classifier, in the order of its outputs, and `problem_type` says
    what these mean; files have them if they are not empty.
    `other_keys` holds keys of a file that this model does not use (`directionality`, `pooler_*`);
    they are written back by `to_dict`.

    Raises:
        InputError: a value with which no BERT can be built; the message names the key.
    """

    vocab_size: int
    hidden_size: int = 768
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    intermediate_size: int = 3072
    hidden_act: str = "gelu"
    hidden_dropout_prob: float = 0.1
    attention_probs_dropout_prob: float = 0.1
    max_position_embeddings: int = 512
    type_vocab_size: int = 2
    initializer_range: float = 0.02
    layer_norm_epsilon: float = 1e-12
    labels: tuple[str, ...] = ()
    problem_type: str = ""
    other_keys: dict = dataclasses.field(default_factory=dict, compare=False)

    def __post_init__(self):
        for key in _keys_of_type(int):
            _check_positive_integer(key, getattr(self, key))
        for key in _keys_of_type(float):
            _check_finite_number(key, getattr(self, key))
        for key in ("hidden_dropout_prob", "attention_probs_dropout_prob"):
            if not 0 <= getattr(self, key) < 1:
                raise InputError(f"{key} must lie in [0, 1). Received: {getattr(self, key)}")
        for key in ("initializer_range", "layer_norm_epsilon"):
            if getattr(self, key) <= 0:
                raise InputError(f"{key} must be greater than 0. Received: {getattr(self, key)}")
        _check_labels(self.labels)
        object.__setattr__(self, "labels", tuple(self.labels))  # a file has a list
        _check_one_of("hidden_act", self.hidden_act, HIDDEN_ACTIVATIONS)
        _check_one_of("problem_type", self.problem_type, PROBLEM_TYPES)
        if self.hidden_size % self.num_attention_heads:
            raise InputError(
                "hidden_size must be a multiple of num_attention_heads. "
                f"Received: hidden_size={self.hidden_size}, "
                f"num_attention_heads={self.num_attention_heads}"
            )

    @classmethod
    def from_dict(cls, values: dict) -> "BertConfig":
        """Builds a config from the keys of a file; unused keys are kept."""
        if not isinstance(values, dict):
            raise InputError(
                f"A BERT config is a JSON object or dict. Received: a {type(values).__name__}"
            )
        if "vocab_size" not in values:
            raise InputError(f"A BERT config needs the key vocab_size. Received: {sorted(values)}")
        own = {field.name for field in dataclasses.fields(cls)} - {"other_keys"}
        other_keys = {key: value for key, value in values.items() if key not in own}
        return cls(**{key: values[key] for key in own & set(values)}, other_keys=other_keys)

    @classmethod
    def from_json_file(cls, path: str) -> "BertConfig":
        """Reads a `bert_config.json`; unused keys are kept with a notice.

        Raises:
            InputError: no such file, not a JSON object, or values that are impossible.
        """
        try:
            values = json.loads(read_text(path))
        except json.JSONDecodeError as error:
            raise InputError(
                f"A BERT config is a JSON file like bert_config.json. Received: {path} ({error})"
            ) from error
        _refuse_hugging_face(values, path)
        try:
            config = cls.from_dict(values)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
        if config.other_keys:
            unused = ", ".join(config.other_keys)
            notify(f"{path} has keys that this model does not use; they are kept: {unused}")
        return config

    @classmethod
    def of(cls, config: "BertConfig | dict") -> "BertConfig":
        """The config itself, or the one that a saved layer holds as a dict."""
        return cls.from_dict(config) if isinstance(config, dict) else config

    @classmethod
    def base(cls, vocab_size: int = UNCASED_VOCAB_SIZE) -> "BertConfig":
        """BERT-Base of the paper: 12 layers, 768 wide, 12 heads."""
        return cls.named("base", vocab_size)

    @classmethod
    def large(cls, vocab_size: int = UNCASED_VOCAB_SIZE) -> "BertConfig":
        """BERT-Large of the paper: 24 layers, 1024 wide, 16 heads."""
        return cls.named("large", vocab_size)

    @classmethod
    def named(cls, name: str, vocab_size: int = UNCASED_VOCAB_SIZE) -> "BertConfig":
        """A released size: `"mini"`, `"base"` … or by its folder, `"uncased_L-4_H-256_A-4"`."""
        size = NAMED_SIZES.get(name) or _released_size(name)
        if size is None:
            raise InputError(
                f"A released size is one of {', '.join(NAMED_SIZES)}, or L-<layers>_H-<width> with "
                f"layers in {RELEASED_NUM_LAYERS} and width in {RELEASED_HIDDEN_SIZES}. "
                f"Received: {name!r}"
            )
        num_layers, hidden_size = size
        return cls(
            vocab_size=vocab_size,
            hidden_size=hidden_size,
            num_hidden_layers=num_layers,
            num_attention_heads=hidden_size // 64,
            intermediate_size=4 * hidden_size,
        )

    def to_dict(self) -> dict:
        """The keys of the file in the order of the fields, then the unused ones."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        other_keys = values.pop("other_keys")
        values["labels"] = list(self.labels)
        for key in ("labels", "problem_type"):
            if not values[key]:
                del values[key]
        return values | {key: value for key, value in other_keys.items() if key not in values}

    def to_json_string(self) -> str:
        return json.dumps(self.to_dict(), indent=2) + "\n"


def _keys_of_type(kind: type) -> list[str]:
    return [field.name for field in dataclasses.fields(BertConfig) if field.type is kind]


def _check_positive_integer(key: str, value) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InputError(f"{key} must be an integer of at least 1. Received: {value!r}")


def _check_one_of(key: str, value, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        names = ", ".join(filter(None, allowed))
        raise InputError(f"{key} must be one of {names}. Received: {value!r}")


def _check_finite_number(key: str, value) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not abs(value) <= LARGEST_NUMBER:
        raise InputError(f"{key} must be a finite number. Received: {value!r}")


def _refuse_hugging_face(values, path: str) -> None:
    """Their "gelu" is another function than the original's, and their epsilon has another key."""
    if isinstance(values, dict) and not HUGGING_FACE_KEYS.isdisjoint(values):
        raise InputError(
            f"{path} is a config of Hugging Face's, whose keys mean something else. "
            "bert_keras.from_pretrained and --bert_config_file read it; or convert the model with "
            "python -m bert_keras.run_conversion --format=bert_keras."
        )


def _check_labels(labels) -> None:
    is_list = isinstance(labels, list | tuple)  # one string would be as many labels as letters
    if not is_list or not all(isinstance(label, str) for label in labels):
        raise InputError(f"labels must be a list of names. Received: {labels!r}")
    if len(set(labels)) < len(labels):
        raise InputError(f"labels must differ from each other. Received: {list(labels)}")


def _released_size(name: str) -> tuple[int, int] | None:
    match = re.search(r"L-(\d+)_H-(\d+)(?:_A-(\d+))?$", name)
    if not match:
        return None
    num_layers, hidden_size = int(match[1]), int(match[2])
    if match[3] and int(match[3]) * 64 != hidden_size:
        return None
    released = num_layers in RELEASED_NUM_LAYERS and hidden_size in RELEASED_HIDDEN_SIZES
    is_large = (num_layers, hidden_size) == NAMED_SIZES["large"]
    return (num_layers, hidden_size) if released or is_large else None
