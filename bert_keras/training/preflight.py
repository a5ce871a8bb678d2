"""Checks before a run: whether flags, configuration, vocabulary and records can work together."""

import tensorflow as tf

from bert_keras.errors import InputError

SMALLEST_VALUES = {
    "max_seq_length": 1,
    "max_predictions_per_seq": 1,
    "train_batch_size": 1,
    "eval_batch_size": 1,
    "num_train_steps": 1,
    "num_warmup_steps": 0,
    "save_checkpoints_steps": 1,
    "keep_checkpoint_max": 0,
    "report_steps": 1,
    "max_eval_steps": 0,
}


def check_settings(settings):
    """Raises InputError for settings that can work with no file."""
    if not settings.do_train and not settings.do_eval:
        raise InputError("At least one of `do_train` or `do_eval` must be True.")
    for name in ("input_file", "output_dir", "bert_config_file"):
        if not getattr(settings, name):
            raise InputError(f"--{name} must be given.")
    for name, smallest in SMALLEST_VALUES.items():
        value = getattr(settings, name)
        if value < smallest:
            raise InputError(f"--{name} must be at least {smallest}. Received: {value}")
    if settings.learning_rate <= 0:
        raise InputError(f"--learning_rate must be positive. Received: {settings.learning_rate}")


def check_agreement(settings, config, tokenizer):
    """Raises InputError where flags, configuration and vocabulary contradict each other."""
    if settings.max_seq_length > config.max_position_embeddings:
        raise InputError(
            f"--max_seq_length={settings.max_seq_length} must not exceed "
            f"max_position_embeddings={config.max_position_embeddings} of "
            f"{settings.bert_config_file}. Make records of a shorter length, or enlarge the table."
        )
    if tokenizer and tokenizer.vocab_size != config.vocab_size:
        raise InputError(
            f"The vocabulary must have vocab_size={config.vocab_size} of "
            f"{settings.bert_config_file}. Received: {settings.vocab_file} with "
            f"{tokenizer.vocab_size} entries."
        )


def check_ids(dataset, vocab_size):
    """Raises InputError if the first record holds an id that the model has no embedding for."""
    features = next(iter(dataset))
    for name in ("input_ids", "masked_lm_ids"):
        largest = int(tf.reduce_max(features[name]))
        if largest >= vocab_size:
            raise InputError(
                f"Ids must be less than vocab_size={vocab_size} of the configuration. Received: "
                f"{largest} in {name} of the first record. Use the configuration that belongs to "
                "the vocabulary that the records were made with."
            )
