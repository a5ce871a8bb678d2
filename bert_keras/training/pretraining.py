"""The job of `run_pretraining`: settings in, a trained and evaluated model in a folder out."""

import contextlib
import dataclasses
from typing import Any

import keras
import tensorflow as tf

from bert_keras import flags
from bert_keras.checkpoints import pretrained
from bert_keras.config import BertConfig
from bert_keras.data.masking_settings import check_masking
from bert_keras.data.records import check_first_records, count_records
from bert_keras.errors import InputError
from bert_keras.files import expand_input_files
from bert_keras.notices import notify
from bert_keras.optimizers.adam_weight_decay import AdamWeightDecay
from bert_keras.optimizers.schedules import (
    ContinuousWarmupPolynomialDecay,
    WarmupPolynomialDecay,
)
from bert_keras.tokenizers.vocabulary import check_case
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from bert_keras.training import preflight, run_folder
from bert_keras.training.examples import examples_of
from bert_keras.training.session import Session, Training
from bert_keras.training.stop import StopRequest
from bert_keras.training.strategy import describe, strategy_for

# --learning_rate_schedule
SCHEDULES = {
    "original": WarmupPolynomialDecay,
    "continuous": ContinuousWarmupPolynomialDecay,
}
# Read once more to count them; of more data it would take too long for a line.
MOST_BYTES_COUNTED = 2**30
# The flags that the weights depend on, beside the records and the configuration of the model.
DECISIVE_FLAGS = (
    "init_checkpoint",
    "max_seq_length",
    "max_predictions_per_seq",
    "pack_sequences",
    "train_batch_size",
    "learning_rate",
    "learning_rate_schedule",
    "num_train_steps",
    "num_warmup_steps",
    "random_seed",
)

README = """\
# A BERT, pre-trained

{num_layers} layers, {hidden_size} wide, {vocab_size} word pieces; {step} steps of
{train_batch_size} examples x {max_seq_length} positions. Made by

    python -m bert_keras.run_pretraining {command}

## Results

`eval_results.txt` holds the last evaluation, if there was one. Together with `--do_train` that is
one on the records that were trained on. On records that were held out:

    python -m bert_keras.run_pretraining --do_eval --input_file=HELD_OUT.tfrecord {flags}

## Use it

{missing}    import bert_keras
    import numpy as np

    encoder, tokenizer = bert_keras.from_pretrained({folder!r})
    tokens = ["[CLS]", *tokenizer.tokenize("Here is a sentence."), "[SEP]"]
    ids = np.array([tokenizer.convert_tokens_to_ids(tokens)])
    inputs = {{"input_ids": ids, "input_mask": ids * 0 + 1, "segment_ids": ids * 0}}
    encoder(inputs)["sequence_output"]  # [1, number of tokens, {hidden_size}]

## Files

| file | what it is |
|---|---|
| config.json, vocab.txt, tokenizer_config.json, bert_model.ckpt.* | the model |
| model.ckpt-N.*, checkpoint | the run at step N: the same command goes on from the newest |
| run_settings.json | the settings that the weights depend on |
| train_log.jsonl | a JSON line for each report of the training |
| events.out.tfevents.*, eval/ | the same for `tensorboard --logdir=.` |
| eval_results.txt | the last evaluation |
"""

MISSING_VOCABULARY = """\
The run was not told its vocabulary (--vocab_file). Put it here as vocab.txt, then:

"""


@dataclasses.dataclass(frozen=True)
class Inputs:
    """What the settings name, read and checked."""

    config: BertConfig
    tokenizer: WordPieceTokenizer | None
    files: list[str]


def run(settings: Any, stop: StopRequest) -> dict[str, float] | None:
    """Trains and evaluates as the `Settings` of `run_pretraining` say, until a stop is requested.

    Returns:
        The results of the evaluation, name -> value; None without one.

    Raises:
        InputError: the settings, or the files that they name, cannot work.
    """
    check_settings(settings)
    inputs = read_inputs(settings)
    # Before anything else touches the devices: their memory is set up here.
    strategy = strategy_for(settings)
    notify(f"devices: {describe(strategy)}")
    lengths = (settings.max_seq_length, settings.max_predictions_per_seq)
    shards = check_first_records(inputs.files, *lengths)
    examples = examples_of(shards, settings, inputs.tokenizer)
    first = examples.for_evaluation(1)
    preflight.check_ids(first, ("input_ids", "masked_lm_ids"), inputs.config.vocab_size)
    # An evaluation of what is not there makes no folder: its name may be mistyped.
    if settings.do_train or settings.init_checkpoint or tf.io.gfile.exists(settings.output_dir):
        run_folder.make(settings.output_dir)
    # An evaluation may look at the checkpoints of a run that goes on.
    with run_folder.lock(settings.output_dir) if settings.do_train else contextlib.nullcontext():
        with strategy.scope():
            keras.utils.set_random_seed(settings.random_seed)
            model = examples.build(inputs.config)
        session = Session(
            folder=settings.output_dir,
            strategy=strategy,
            model=model,
            objective=examples.objective,
            losses=examples.losses,
            accuracies=examples.accuracies,
            init_checkpoint=settings.init_checkpoint,
            stop=stop,
            check_data=lambda: count_records(check_first_records(inputs.files, *lengths)),
        )
        return _run(session, settings, inputs, examples)


def check_settings(settings: Any) -> None:
    """Raises InputError for settings that can work with no file."""
    if not settings.do_train and not settings.do_eval:
        raise InputError("At least one of `do_train` or `do_eval` must be True.")
    preflight.check_given(settings, ("input_file", "output_dir", "bert_config_file"))
    flags.check_numbers(settings)
    preflight.check_positive(settings, ("learning_rate",))
    preflight.check_one_of(settings, "learning_rate_schedule", SCHEDULES)
    check_masking(settings)


def read_inputs(settings: Any) -> Inputs:
    """Reads configuration and vocabulary, and finds the records.

    Raises:
        InputError: one of them is missing or contradicts another, or a flag.
    """
    config_file, vocab_file = settings.bert_config_file, settings.vocab_file
    config = BertConfig.from_json_file(config_file)
    preflight.check_length(settings.max_seq_length, config, config_file)
    files = expand_input_files(settings.input_file)
    tokenizer = None
    if vocab_file:
        tokenizer = WordPieceTokenizer(vocab_file, settings.do_lower_case)
        preflight.check_vocabulary(tokenizer, vocab_file, config, config_file)
    vocabulary = tokenizer.vocab if tokenizer else {}
    check_case(settings.do_lower_case, vocabulary, settings.init_checkpoint)
    return Inputs(config, tokenizer, files)


def _run(session, settings, inputs, examples):
    """Trains, evaluates and keeps the model, as far as it was asked; returns the results."""
    stop, results = session.stop, None
    if settings.do_train:
        step = session.train(_training(settings, inputs, examples))
    else:
        step = session.load()
    if settings.do_eval and not stop.received:
        dataset = examples.for_evaluation(settings.eval_batch_size)
        results = session.evaluate(dataset, step, settings.max_eval_steps or None)
        if results and settings.max_eval_steps:
            _notify_of_cut(settings, inputs.files, examples)
    if settings.do_train and not stop.received:
        pretrained.save_pretrained(session.model, inputs.tokenizer, session.folder)
        readme = _readme(settings, inputs.config, step, examples.flags)
        run_folder.write_text(session.folder, run_folder.README_NAME, readme)
        print(f"The model is in {session.folder}; its README.md says how to load it.")
    return results


def _notify_of_cut(settings, files, examples):
    """Says how much of the input the results rest on, if that is not all of it."""
    num_evaluated = settings.max_eval_steps * settings.eval_batch_size
    num_all = None
    if sum(tf.io.gfile.stat(file).length for file in files) <= MOST_BYTES_COUNTED:
        with contextlib.suppress(InputError):  # damage behind what was evaluated changes nothing
            num_all = examples.count()
    if num_all is None:
        part = f"{num_evaluated:,} {examples.unit} at most"
    elif num_evaluated < num_all:
        part = f"{num_evaluated:,} of {num_all:,} {examples.unit}"
    else:
        return
    notify(f"evaluated on {part} (--max_eval_steps={settings.max_eval_steps}; 0 takes all)")


def _training(settings, inputs, examples):
    """The training that the settings ask for."""
    decisive = {name: getattr(settings, name) for name in DECISIVE_FLAGS}
    # With their sizes: records may be made anew under the same name.
    sized = [f"{file} ({tf.io.gfile.stat(file).length} bytes)" for file in inputs.files]
    decisive |= {"input_file": sized, "bert_config_file": inputs.config.to_dict()}
    decisive |= examples.decisive
    return Training(
        schedule=SCHEDULES[settings.learning_rate_schedule](
            settings.learning_rate, settings.num_train_steps, settings.num_warmup_steps
        ),
        make_optimizer=AdamWeightDecay,
        dataset=examples.for_training,
        decisive=decisive,
        examples_per_step=settings.train_batch_size,
        tokens_per_step=settings.train_batch_size * settings.max_seq_length,
        num_train_steps=settings.num_train_steps,
        save_checkpoints_steps=settings.save_checkpoints_steps,
        keep_checkpoint_max=settings.keep_checkpoint_max,
        report_steps=settings.report_steps,
    )


def _readme(settings, config, step, flags_of_records):
    """The page of a run: what was done, how well it went, how the model is loaded."""
    return README.format(
        num_layers=config.num_hidden_layers,
        hidden_size=config.hidden_size,
        vocab_size=config.vocab_size,
        step=step,
        train_batch_size=settings.train_batch_size,
        max_seq_length=settings.max_seq_length,
        command=run_folder.command(settings),
        flags=run_folder.command(_evaluation_of(settings, flags_of_records)),
        folder=settings.output_dir,
        missing="" if settings.vocab_file else MISSING_VOCABULARY,
    )


def _evaluation_of(settings, flags_of_records):
    """The settings that evaluate the model of these settings, but for its input."""
    defaults = type(settings)()
    kept = ("output_dir", "bert_config_file", "max_seq_length", "max_predictions_per_seq")
    kept += tuple(flags_of_records)
    return dataclasses.replace(
        defaults, max_eval_steps=0, **{name: getattr(settings, name) for name in kept}
    )
