"""The format of google-research/bert: `bert_config.json`, `vocab.txt`, a checkpoint."""

import tensorflow as tf

from bert_keras.checkpoints.files.json_files import write_json
from bert_keras.checkpoints.formats.checkpoint_folders import write_weights
from bert_keras.checkpoints.formats.config_files import CONFIG_FILE, config_values
from bert_keras.checkpoints.formats.tokenizer_files import VOCABULARY_FILE
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.notices import notify
from bert_keras.tokenizers.vocabulary import known_case, save_vocabulary

EPSILON = 1e-12  # of layer normalization in the original, whatever a config says


def write(stored: StoredModel, folder: str, max_shard_size: int | None = None) -> list[str]:
    """Writes a folder as Google releases them; slots and step go into the checkpoint.

    Such a folder has no place for a case setting, and the original computes with an epsilon of
    1e-12 whatever the config says: notices say what has to be said again.

    Args:
        stored: what to write.
        folder: an existing one.
        max_shard_size: the most bytes of one data file; None: a single one.

    Returns:
        The names of the weights that are not written: dropout seeds, which belong to our runs.
    """
    values = config_values(stored)
    if values["layer_norm_epsilon"] == EPSILON:
        del values["layer_norm_epsilon"]  # no key of the original's
    write_json(tf.io.gfile.join(folder, CONFIG_FILE), values)
    if stored.tokenizer is not None:
        save_vocabulary(stored.tokenizer.vocab, tf.io.gfile.join(folder, VOCABULARY_FILE))
    for line in _not_held(stored):
        notify(line)
    return write_weights(stored.weights, folder, max_shard_size)


def _not_held(stored: StoredModel) -> list[str]:
    """What this layout has no place for, a line each."""
    lines = []
    if stored.tokenizer is not None:
        case = stored.tokenizer.do_lower_case
        if not case and known_case(stored.tokenizer.vocab) is None:
            lines.append(
                "a release of Google's stores no case setting, and this vocabulary does not show "
                "that it is cased: say so to who reads it (do_lower_case=False)"
            )
        if stored.tokenizer.strip_accents != case:
            lines.append(
                "a release of Google's cannot say that accents are "
                f"{'stripped' if stored.tokenizer.strip_accents else 'kept'}"
            )
    if stored.config.layer_norm_epsilon != EPSILON:
        lines.append(
            "the original computes layer normalization with an epsilon of 1e-12 and would pass "
            f"over layer_norm_epsilon={stored.config.layer_norm_epsilon}"
        )
    if stored.config.hidden_act == "gelu_erf":
        lines.append("the original has no hidden_act=gelu_erf and will refuse it; bert_keras has")
    if stored.pooling:
        lines.append("a release of Google's has no place for the pooling of sentence vectors")
    return lines
