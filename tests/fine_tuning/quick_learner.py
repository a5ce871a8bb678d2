"""A tiny new model that learns in seconds: large weights, no dropout."""

import dataclasses

from tests.checkpoints import stored_models

CONFIG = dataclasses.replace(
    stored_models.CONFIG,
    labels=(),
    initializer_range=0.2,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
)


def write(folder):
    """Writes its configuration and vocabulary; returns the settings that name them."""
    (folder / "bert_config.json").write_text(CONFIG.to_json_string())
    (folder / "vocab.txt").write_text("\n".join(stored_models.VOCABULARY))
    return {
        "bert_config_file": str(folder / "bert_config.json"),
        "vocab_file": str(folder / "vocab.txt"),
    }
