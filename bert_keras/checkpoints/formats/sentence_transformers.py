"""Folders of Sentence-Transformers: how they say what becomes of a BERT's token vectors.

`modules.json` lists the steps from text to vector in their order, each with a folder of its own: a
Hugging Face model with its tokenizer, a pooling, perhaps a scaling to length 1. Other steps would
make other vectors, and are refused by name. The names of both lines of versions, until 5 and from
then on, are read; written are those that all of them read, where they can say it.
"""

from typing import Any, NamedTuple

import tensorflow as tf

from bert_keras.checkpoints.files.json_files import read_json, require_values, write_json
from bert_keras.checkpoints.stored_model import Pooling
from bert_keras.errors import InputError

MODULES_FILE = "modules.json"
SENTENCE_FILE = "sentence_bert_config.json"

_CONFIG_FILE = "config.json"
_POOLING_FOLDER = "1_Pooling"
_NORMALIZE_FOLDER = "2_Normalize"
POOLING_FILES = (MODULES_FILE, SENTENCE_FILE, _POOLING_FOLDER, _NORMALIZE_FOLDER)
_SEQUENCES = (
    ["Transformer"],
    ["Transformer", "Pooling"],
    ["Transformer", "Pooling", "Normalize"],
)
# A mode -> the key that early versions set for it, in the order in which they concatenate.
_FLAGS = {
    "cls": "pooling_mode_cls_token",
    "max": "pooling_mode_max_tokens",
    "mean": "pooling_mode_mean_tokens",
    "mean_sqrt_len": "pooling_mode_mean_sqrt_len_tokens",
}
# A mode -> the value that "pooling_mode" has for it in later versions.
_NAMES = {"cls": "cls", "max": "max", "mean": "mean", "mean_sqrt_len": "mean_sqrt_len_tokens"}
_MODE_OF = {value: mode for table in (_FLAGS, _NAMES) for mode, value in table.items()}

_OTHER_VECTORS = "Another pooling makes other vectors; it can be built in Keras."


class _Module(NamedTuple):
    kind: str  # the name of its class
    folder: str  # within that of the model; "" is the model's own


def read_pooling(folder: str) -> Pooling | None:
    """The pooling of a folder; None if it is a model for tokens, from this library or another.

    Raises:
        InputError: a file is damaged, or another step than those of `Pooling` is asked for.
    """
    modules = _read_modules(folder)
    if len(modules) < 2:
        return None
    path = tf.io.gfile.join(folder, modules[1].folder, _CONFIG_FILE)
    for module in modules[2:]:
        _check_normalize(tf.io.gfile.join(folder, module.folder, _CONFIG_FILE))
    return Pooling(
        _modes(path, read_json(path, dict)),
        normalize=len(modules) == 3,
        max_seq_length=_max_seq_length(tf.io.gfile.join(folder, modules[0].folder, SENTENCE_FILE)),
    )


def transformer_folder(folder: str) -> str:
    """Where config, tokenizer and weights lie: the folder itself but in the oldest, 0_Transformer.

    Raises:
        InputError: as `read_pooling`.
    """
    modules = _read_modules(folder)
    inner = modules[0].folder if modules else ""
    return tf.io.gfile.join(folder, inner) if inner else folder


def lower_cases_text(folder: str) -> bool:
    """Whether texts are lower-cased before they come to the tokenizer of a Transformer's folder.

    Raises:
        InputError: the file that says so is damaged.
    """
    path = tf.io.gfile.join(folder, SENTENCE_FILE)
    return tf.io.gfile.exists(path) and bool(read_json(path, dict).get("do_lower_case"))


def write_pooling(pooling: Pooling, folder: str, width: int) -> None:
    """Makes a folder with a Hugging Face model one that `SentenceTransformer` reads.

    Args:
        pooling: what becomes of the token vectors.
        folder: must exist.
        width: the hidden size H of the model.

    Raises:
        InputError: a file cannot be written.
    """
    modules = [_Module("Transformer", ""), _Module("Pooling", _POOLING_FOLDER)]
    if pooling.normalize:
        modules.append(_Module("Normalize", _NORMALIZE_FOLDER))
    description = [
        {
            "idx": index,
            "name": str(index),
            "path": module.folder,
            "type": f"sentence_transformers.models.{module.kind}",
        }
        for index, module in enumerate(modules)
    ]
    config = {"word_embedding_dimension": width}
    config |= {flag: mode in pooling.modes for mode, flag in _FLAGS.items()}
    if pooling.modes != tuple(mode for mode in _FLAGS if mode in pooling.modes):
        config["pooling_mode"] = [_NAMES[mode] for mode in pooling.modes]
    for module in modules[1:]:
        tf.io.gfile.makedirs(tf.io.gfile.join(folder, module.folder))
    write_json(tf.io.gfile.join(folder, _POOLING_FOLDER, _CONFIG_FILE), config)
    # The tokenizer's files say the case.
    sentence = {"max_seq_length": pooling.max_seq_length, "do_lower_case": False}
    write_json(tf.io.gfile.join(folder, SENTENCE_FILE), sentence)
    write_json(tf.io.gfile.join(folder, MODULES_FILE), description)


def _read_modules(folder: str) -> list[_Module]:
    """The steps in their order; none without `modules.json`."""
    path = tf.io.gfile.join(folder, MODULES_FILE)
    if not tf.io.gfile.exists(path):
        return []
    modules = [_module(path, stored) for stored in read_json(path, list)]
    kinds = [module.kind for module in modules]
    if kinds not in _SEQUENCES:
        raise InputError(
            f"{path}: a sentence encoder must be a Transformer, a Pooling and perhaps a Normalize. "
            f"Received: {kinds}. Without {MODULES_FILE} the Transformer loads alone; the rest can "
            "be built in Keras."
        )
    return modules


def _module(path: str, stored: Any) -> _Module:
    """Its folder must be one within the model's: files elsewhere are not the model's to read."""
    match stored:
        case {"type": str(kind), "path": str(folder)}:
            package, _, name = kind.rpartition(".")
        case _:
            raise InputError(f"{path}: a module must have type and path. Received: {stored!r}")
    if package.partition(".")[0] != "sentence_transformers":
        raise InputError(
            f"{path}: a module must be one of sentence_transformers; code that comes with a model "
            f"is not run. Received: {kind!r}"
        )
    is_within = ".." not in folder.split("/") and not folder.startswith("/")
    if not is_within or not folder.isprintable() or not {":", "\\"}.isdisjoint(folder):
        raise InputError(
            f"{path}: the path of a module must lie in the model's folder. Received: {folder!r}"
        )
    return _Module(name, folder)


def _modes(path: str, config: dict[str, Any]) -> tuple[str, ...]:
    """What the config of a pooling asks for, as early or later versions wrote it."""
    require_values(path, "", config, {"include_prompt": (None, True)}, _OTHER_VECTORS)
    asked = config.get("pooling_mode") or _flags(config)
    asked = [asked] if isinstance(asked, str) else asked
    if not (isinstance(asked, list) and asked and all(str(value) in _MODE_OF for value in asked)):
        raise InputError(
            f"{path}: a pooling must be one of {', '.join(_NAMES.values())}, or several. "
            f"Received: {asked}"
        )
    return tuple(_MODE_OF[value] for value in asked)


def _max_seq_length(path: str) -> int | None:
    """After how many tokens texts are cut, if the file of a Transformer says it."""
    length = read_json(path, dict).get("max_seq_length") if tf.io.gfile.exists(path) else None
    if length is not None and (type(length) is not int or length < 1):
        raise InputError(
            f"{path}: max_seq_length must be an integer of at least 1. Received: {length!r:.200}"
        )
    return length


def _flags(config: dict[str, Any]) -> list[str]:
    """The keys of early versions that are set, of modes unknown here too, in their order."""
    known = [flag for flag in _FLAGS.values() if config.get(flag)]
    return known + [
        key
        for key, is_set in config.items()
        if is_set and key.startswith("pooling_mode_") and key not in known
    ]


def _check_normalize(path: str) -> None:
    """Raises InputError if it scales anything but the vector of the sentence."""
    if tf.io.gfile.exists(path):
        names = ("module_input_name", "module_output_name")
        allowed = dict.fromkeys(names, (None, "sentence_embedding"))
        require_values(path, "", read_json(path, dict), allowed, _OTHER_VECTORS)
