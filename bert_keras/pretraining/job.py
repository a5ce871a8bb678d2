"""The job of `run_pretraining`: settings in, a trained and evaluated model in a folder out."""

import contextlib
import functools
from typing import Any

import keras
import tensorflow as tf

from bert_keras import flags
from bert_keras.checkpoints import pretrained
from bert_keras.data.masking_settings import check_masking
from bert_keras.data.records import count_records
from bert_keras.errors import InputError
from bert_keras.layers.block import TransformerBlock
from bert_keras.layers.rematerialized import RematerializedBlock
from bert_keras.notices import notify
from bert_keras.objectives.pretraining import ACCURACIES, LOSSES, pretraining
from bert_keras.optimizers.adam_weight_decay import AdamWeightDecay
from bert_keras.optimizers.lamb import Lamb
from bert_keras.optimizers.schedules import (
    ContinuousWarmupPolynomialDecay,
    WarmupConstant,
    WarmupPolynomialDecay,
)
from bert_keras.pretraining import baselines, dry_run, run_readme
from bert_keras.pretraining.inputs import check_inputs, read_inputs, sized
from bert_keras.pretraining.watch import pretraining_checks
from bert_keras.training import agreement, preflight, run_folder, run_state, step
from bert_keras.training.precision import POLICIES, precision
from bert_keras.training.session import Session, Training
from bert_keras.training.stop import SharedStop, StopRequest
from bert_keras.training.strategy import worker_of

# --optimizer
OPTIMIZERS = {"adamw": AdamWeightDecay, "lamb": Lamb}
# --learning_rate_schedule
SCHEDULES = {
    "original": WarmupPolynomialDecay,
    "continuous": ContinuousWarmupPolynomialDecay,
    "constant": WarmupConstant,
}
# --rematerialize, --xla
BLOCKS = {False: TransformerBlock, True: RematerializedBlock}
GRADIENTS = {False: step.gradients, True: step.compiled(step.gradients)}
# Read once more to count them; of more data it would take too long for a line.
MOST_BYTES_COUNTED = 2**30
# The flags that the weights depend on, beside the records and the configuration of the model: all
# but those that change rounding, or the dropout masks of the parts that a batch is shared in.
DECISIVE_FLAGS = (
    "init_checkpoint",
    "max_seq_length",
    "max_predictions_per_seq",
    "pack_sequences",
    "train_batch_size",
    "learning_rate",
    "learning_rate_schedule",
    "decay_power",
    "optimizer",
    "clipping",
    "precision",
    "num_train_steps",
    "num_warmup_steps",
    "random_seed",
)


def run(settings: Any, stop: StopRequest) -> dict[str, float] | None:
    """Trains and evaluates as the `Settings` of `run_pretraining` say, until a stop is requested.

    Returns:
        The results of the evaluation, name -> value; None without one.

    Raises:
        InputError: the settings, or the files that they name, cannot work.
    """
    check_settings(settings)
    return agreement.run_together(settings, lambda strategy: _run_on(strategy, settings, stop))


def _run_on(strategy, settings, stop):
    inputs = read_inputs(settings)
    agreement.check_same(strategy, "the records", sized(inputs.files))
    for sentence in check_inputs(settings, inputs, strategy):
        notify(sentence)
    if settings.check:
        print("Flags, files and devices can work together.")
        return None
    session = _session(settings, inputs, strategy, stop)
    if settings.dry_run:
        _show_dry_run(session, settings, inputs)
        return None
    # An evaluation of what is not there makes no folder: its name may be mistyped.
    if session.is_chief and (settings.do_train or settings.init_checkpoint):
        run_folder.make(settings.output_dir)
    # An evaluation may look at the checkpoints of a run that goes on.
    writes = settings.do_train and session.is_chief
    with run_folder.lock(settings.output_dir) if writes else contextlib.nullcontext():
        return _train_and_evaluate(session, settings, inputs)


def _session(settings, inputs, strategy, stop):
    """A new model in its folder."""
    with strategy.scope(), precision(settings.precision):
        keras.utils.set_random_seed(settings.random_seed)
        model = inputs.examples.build(inputs.config, BLOCKS[settings.rematerialize])
    return Session(
        folder=settings.output_dir,
        strategy=strategy,
        model=model,
        objective=pretraining,
        losses=LOSSES,
        accuracies=ACCURACIES,
        initialize=_initialize(settings.init_checkpoint),
        stop=stop if worker_of(strategy).num_workers == 1 else SharedStop(stop),
        check_data=lambda: count_records(inputs.shards),
    )


def _initialize(checkpoint):
    return functools.partial(pretrained.load_noticed, checkpoint=checkpoint) if checkpoint else None


def check_settings(settings: Any) -> None:
    """Raises InputError for settings that can work with no file."""
    if not any((settings.do_train, settings.do_eval, settings.check, settings.dry_run)):
        raise InputError("At least one of `do_train` or `do_eval` must be True.")
    required = ("input_file", "bert_config_file")
    preflight.check_given(settings, required if settings.dry_run else (*required, "output_dir"))
    if settings.do_train:
        preflight.check_output_dir(settings.output_dir)
    flags.check_numbers(settings)
    preflight.check_positive(settings, ("learning_rate", "decay_power"))
    for name, values in (
        ("learning_rate_schedule", SCHEDULES),
        ("optimizer", OPTIMIZERS),
        ("clipping", step.WHOLE_COUNTS),
        ("precision", POLICIES),
    ):
        preflight.check_one_of(settings, name, values)
    preflight.check_multiple(settings, "keep_checkpoint_every_steps", "save_checkpoints_steps")
    check_masking(settings)


def _show_dry_run(session, settings, inputs):
    """Measures on all workers; the chief prints."""
    num_replicas = session.strategy.num_replicas_in_sync
    show = print if session.is_chief else lambda *_, **__: None
    show(dry_run.describe(settings, inputs.config, num_replicas), flush=True)
    steps = run_state.saved_steps(settings.output_dir) if settings.output_dir else []
    seconds = dry_run.measure(session.step_taker(_training(settings, inputs)))
    show(dry_run.time_to_finish(seconds, settings, max(steps, default=0)))


def _train_and_evaluate(session, settings, inputs):
    """Trains, evaluates and keeps the model, as far as it was asked; returns the results."""
    results = None
    if settings.do_train:
        done = session.train(_training(settings, inputs))
        if done < settings.num_train_steps:
            return None
    else:
        done = session.load()
    if settings.do_eval and not session.stop.reason:
        results = session.evaluate(
            functools.partial(inputs.examples.for_evaluation, settings.eval_batch_size),
            settings.eval_batch_size,
            done,
            settings.max_eval_steps or None,
        )
        if results and settings.max_eval_steps:
            _notify_of_cut(settings, inputs)
    if settings.do_train and session.is_chief and not session.stop.reason:
        pretrained.save_pretrained(session.model, inputs.tokenizer, session.folder)
        page = run_readme.page(settings, inputs.config, done, inputs.examples.flags)
        run_folder.write_text(session.folder, run_folder.README_NAME, page)
        print(f"The model is in {session.folder}; its README.md says how to load it.")
    return results


def _notify_of_cut(settings, inputs):
    """Says how much of the input the results rest on, if that is not all of it."""
    unit = inputs.examples.unit
    num_evaluated = settings.max_eval_steps * settings.eval_batch_size
    num_all = None
    if sum(tf.io.gfile.stat(file).length for file in inputs.files) <= MOST_BYTES_COUNTED:
        with contextlib.suppress(InputError):  # damage behind what was evaluated changes nothing
            num_all = inputs.examples.count()
    if num_all is None:
        part = f"{num_evaluated:,} {unit} at most"
    elif num_evaluated < num_all:
        part = f"{num_evaluated:,} of {num_all:,} {unit}"
    else:
        return
    notify(f"evaluated on {part} (--max_eval_steps={settings.max_eval_steps}; 0 takes all)")


def _training(settings, inputs):
    """The training that the settings ask for."""
    decisive = {name: getattr(settings, name) for name in DECISIVE_FLAGS}
    decisive |= {
        "input_file": sized(inputs.files),
        "bert_config_file": inputs.config.to_dict(),
    }
    decisive |= inputs.examples.decisive
    defaults = type(settings)()
    return Training(
        schedule=SCHEDULES[settings.learning_rate_schedule](
            settings.learning_rate,
            settings.num_train_steps,
            settings.num_warmup_steps,
            power=settings.decay_power,
        ),
        make_optimizer=functools.partial(
            OPTIMIZERS[settings.optimizer], clipping=settings.clipping
        ),
        dataset=inputs.examples.for_training,
        batch_size=settings.train_batch_size,
        length=settings.max_seq_length,
        num_train_steps=settings.num_train_steps,
        loop=settings,
        decisive=decisive,
        defaults={name: getattr(defaults, name) for name in DECISIVE_FLAGS},
        step_options={
            "gradients_of": step.accumulated(
                GRADIENTS[settings.xla], settings.gradient_accumulation_steps
            ),
            "whole_counts": step.WHOLE_COUNTS[settings.clipping],
        },
        checks=pretraining_checks(
            inputs.config,
            settings.num_train_steps,
            settings.num_warmup_steps,
            baselines.unigram_entropy(inputs.sample.words),
            baselines.majority_share(inputs.sample.labels.tolist()),
        ),
    )
