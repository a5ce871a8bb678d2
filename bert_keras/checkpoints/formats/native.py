"""Our own folders: `config.json`, `vocab.txt`, the case setting, a checkpoint, and a card.

The layout of Google's releases and what it has no place for: which model it is, the case setting,
the pooling of sentence vectors.
"""

import re

import tensorflow as tf

from bert_keras.checkpoints.files.json_files import read_json, write_json
from bert_keras.checkpoints.files.whole_folders import replaced_files
from bert_keras.checkpoints.formats.checkpoint_folders import WEIGHTS_PREFIX, write_weights
from bert_keras.checkpoints.formats.config_files import OWN_CONFIG_FILE, config_values
from bert_keras.checkpoints.formats.sentence_transformers import POOLING_FILES, write_pooling
from bert_keras.checkpoints.formats.task_files import TASK_FILE, write_task
from bert_keras.checkpoints.formats.tokenizer_files import (
    SETTINGS_FILE,
    VOCABULARY_FILE,
    write_tokenizer,
)
from bert_keras.checkpoints.names import ENCODERS
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.errors import InputError
from bert_keras.files import read_text, write_text

CARD_FILE = "README.md"
REPORT_FILE = "conversion.json"  # of the conversion that made the folder
CARD_TITLE = "# A BERT of bert_keras"
# What `write` may have written before; a newer model need not have all of it.
_OWN_FILES = (
    OWN_CONFIG_FILE,
    VOCABULARY_FILE,
    SETTINGS_FILE,
    re.escape(WEIGHTS_PREFIX) + r"\.(index|data-\d+-of-\d+)",
    TASK_FILE,
    *POOLING_FILES,
    REPORT_FILE,
)
CARD = """\
{title}

{description}: {num_layers} layers, {hidden_size} wide, {num_heads} heads, {vocab_size} word pieces
({case}), up to {num_positions} positions, activation {activation}.{labels}

{made_by}

    import bert_keras

    model, tokenizer = bert_keras.from_pretrained("PATH/OF/THIS/FOLDER"{build})
{answers}
| file | what it is |
|---|---|
| config.json | the numbers that define it |
| vocab.txt, tokenizer_config.json | the vocabulary, and how text is split |
| task.json | if it is there: how long texts may be, how answers are chosen |
| bert_model.ckpt.* | the weights, by the names of google-research/bert |
"""


_ANSWERS = """
It answers texts, in Python and by the command line:

    from bert_keras.serving import Predictor

    predictor = Predictor("PATH/OF/THIS/FOLDER")
    python -m bert_keras.run_predict --model=PATH/OF/THIS/FOLDER < lines.txt > answers.jsonl
"""


def write(stored: StoredModel, folder: str, max_shard_size: int | None = None) -> list[str]:
    """Writes a folder of ours; slots and step go into the checkpoint.

    Args:
        stored: what to write.
        folder: an existing one.
        max_shard_size: the most bytes of one data file; None: a single one.

    Returns:
        The names of the weights that are not written: dropout seeds, which belong to runs.
    """
    write_description(stored, folder)
    if stored.pooling:
        write_pooling(stored.pooling, folder, stored.config.hidden_size)
    unwritten = write_weights(stored.weights, folder, max_shard_size)
    write_text(tf.io.gfile.join(folder, CARD_FILE), card(stored))
    return unwritten


def write_description(stored: StoredModel, folder: str) -> None:
    """Writes all but weights and pooling: with it any checkpoint beside can be read."""
    write_json(tf.io.gfile.join(folder, OWN_CONFIG_FILE), config_values(stored))
    write_task(stored.task, folder)
    if stored.tokenizer is not None:
        write_tokenizer(stored.tokenizer, folder)


def replace(stored: StoredModel, folder: str) -> None:
    """Writes a model in the place of another one of ours, or into a folder with other files.

    A README.md that is no card of ours is left as it is; without a tokenizer the vocabulary is too.

    Raises:
        InputError: it cannot be written; the older model is still there then.
    """
    card_path = tf.io.gfile.join(folder, CARD_FILE)
    keeps_card = tf.io.gfile.exists(card_path) and not read_text(card_path).startswith(CARD_TITLE)

    def is_stale(name):
        is_vocabulary = name in (VOCABULARY_FILE, SETTINGS_FILE)
        is_kept = is_vocabulary and stored.tokenizer is None
        return not is_kept and any(re.fullmatch(pattern, name) for pattern in _OWN_FILES)

    with replaced_files(folder, is_stale, last=(OWN_CONFIG_FILE,)) as unfinished:
        write(stored, unfinished)
        if keeps_card:
            tf.io.gfile.remove(tf.io.gfile.join(unfinished, CARD_FILE))


def may_replace_config(folder: str) -> bool:
    """Whether the `config.json` of a folder, if it has one, is that of a BERT."""
    path = tf.io.gfile.join(folder, OWN_CONFIG_FILE)
    if not tf.io.gfile.exists(path):
        return True
    try:
        return "vocab_size" in read_json(path, dict)
    except InputError:
        return False


def card(stored: StoredModel) -> str:
    """The page that lies beside the weights."""
    config, tokenizer = stored.config, stored.tokenizer
    case = "no vocabulary stored"
    if tokenizer is not None:
        case = "lower-cased" if tokenizer.do_lower_case else "cased"
    is_encoder = stored.model in (None, *ENCODERS)
    return CARD.format(
        title=CARD_TITLE,
        description=f"`bert_keras.{stored.model}`" if stored.model else "An encoder",
        num_layers=config.num_hidden_layers,
        hidden_size=config.hidden_size,
        num_heads=config.num_attention_heads,
        vocab_size=config.vocab_size,
        case=case,
        num_positions=config.max_position_embeddings,
        activation=config.hidden_act,
        labels=f" Labels: {', '.join(config.labels)}." if config.labels else "",
        made_by=stored.made_by or "Written by `bert_keras.save_pretrained`.",
        build="" if is_encoder else f", bert_keras.{stored.model}",
        answers=_ANSWERS if stored.task else "",
    )
