"""What the settings of a pre-training name, read and checked."""

import dataclasses
from typing import Any

import tensorflow as tf

from bert_keras.checkpoints.formats.config_files import read_config_file
from bert_keras.checkpoints.pretrained import check_stored_case
from bert_keras.config import BertConfig
from bert_keras.data.records import Shard, check_first_records
from bert_keras.data.sampling import NUM_SAMPLED_RECORDS, Sample, sample_records
from bert_keras.data.shard_sets import check_shards, duplicate_notices
from bert_keras.file_patterns import expand_input_files
from bert_keras.files import file_size
from bert_keras.pretraining import estimates
from bert_keras.pretraining.examples import Examples, examples_of
from bert_keras.pretraining.sample_checks import check_sample, label_notices
from bert_keras.tokenizers.vocabulary import check_case
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from bert_keras.training import preflight


@dataclasses.dataclass(frozen=True)
class Inputs:
    """What `read_inputs` found."""

    config: BertConfig
    tokenizer: WordPieceTokenizer | None
    files: list[str]
    shards: list[Shard]  # those of the files that hold records
    sample: Sample
    examples: Examples


def read_inputs(settings: Any) -> Inputs:
    """Reads configuration and vocabulary, and the first records.

    Raises:
        InputError: one of them is missing or contradicts another, or a flag.
    """
    config_file, vocab_file = settings.bert_config_file, settings.vocab_file
    config, _ = read_config_file(config_file)
    preflight.check_length(settings.max_seq_length, config, config_file)
    files = expand_input_files(settings.input_file)
    tokenizer = None
    if vocab_file:
        tokenizer = WordPieceTokenizer(vocab_file, settings.do_lower_case)
        preflight.check_vocabulary(tokenizer, vocab_file, config, config_file)
    vocabulary = tokenizer.vocab if tokenizer else {}
    check_case(settings.do_lower_case, vocabulary, settings.init_checkpoint)
    if settings.init_checkpoint:
        check_stored_case(settings.do_lower_case, settings.init_checkpoint)
    lengths = (settings.max_seq_length, settings.max_predictions_per_seq)
    shards = check_first_records(files, *lengths)
    # For an evaluation the first record of every file will do.
    sample = sample_records(shards, *lengths, NUM_SAMPLED_RECORDS if _trains(settings) else 1)
    check_sample(sample, config)
    return Inputs(
        config, tokenizer, files, shards, sample, examples_of(shards, settings, tokenizer)
    )


def check_inputs(settings: Any, inputs: Inputs, strategy: tf.distribute.Strategy) -> list[str]:
    """Looks for what would go wrong later in a run.

    Returns:
        Sentences about what may not be wanted.

    Raises:
        InputError: it cannot work.
    """
    notices = []
    num_replicas = strategy.num_replicas_in_sync
    if settings.do_eval:
        preflight.check_batch_size(settings.eval_batch_size, num_replicas, name="eval_batch_size")
    if _trains(settings):
        notices += [*check_shards(inputs.files), *duplicate_notices(inputs.files)]
        preflight.check_batch_size(
            settings.train_batch_size, num_replicas, settings.gradient_accumulation_steps
        )
        notices += label_notices(inputs.sample.labels)
    if settings.output_dir and (settings.do_train or settings.check):
        notices += preflight.check_disk(
            settings.output_dir,
            estimates.checkpoint_bytes(inputs.config),
            preflight.num_checkpoints_at_once(
                settings.num_train_steps,
                settings.save_checkpoints_steps,
                settings.keep_checkpoint_max,
                settings.keep_checkpoint_every_steps,
            ),
        )
    return notices


def _trains(settings):
    """Whether a training is wanted, or is to be judged."""
    return settings.do_train or settings.check or settings.dry_run


def sized(files: list[str]) -> list[str]:
    """Returns files with their sizes: records may be made anew under the same name."""
    return [f"{file} ({file_size(file)} bytes)" for file in files]
