"""The job of `run_pretraining`: settings in, a trained and evaluated model in a folder out."""

import functools
import itertools

import keras
import tensorflow as tf

from bert_keras.checkpoints import pretrained, tf1
from bert_keras.config import BertConfig
from bert_keras.data.pipeline import evaluation_dataset, pretraining_dataset
from bert_keras.errors import InputError
from bert_keras.files import expand_input_files
from bert_keras.models.pretrainer import pretrainer
from bert_keras.objectives.pretraining import LOSSES, pretraining
from bert_keras.optimizers.adam_weight_decay import AdamWeightDecay
from bert_keras.optimizers.schedules import WarmupPolynomialDecay
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from bert_keras.training import evaluation, logs, loop, preflight, run_folder, run_state
from bert_keras.training.strategy import describe, strategy_for

# The flags that the weights depend on, beside the configuration of the model.
DECISIVE_FLAGS = (
    "init_checkpoint",
    "max_seq_length",
    "max_predictions_per_seq",
    "train_batch_size",
    "learning_rate",
    "num_train_steps",
    "num_warmup_steps",
    "random_seed",
)


def run(settings, stop):
    """Trains and evaluates as the settings of `run_pretraining` say, until a stop is requested.

    Returns:
        The results of the evaluation, name -> value; None without one.

    Raises:
        InputError: the settings, or the files that they name, cannot work.
    """
    job = Job(settings)
    step = job.train(stop) if settings.do_train else job.load()
    results = job.evaluate(step, stop) if settings.do_eval and not stop.received else None
    if settings.do_train and not stop.received:
        job.export(step)
    return results


class Job:
    """A checked set of settings with the model that it asks for."""

    def __init__(self, settings):
        preflight.check_settings(settings)
        self.settings = settings
        self.config = BertConfig.from_json_file(settings.bert_config_file)
        self.input_files = expand_input_files(settings.input_file)
        self.tokenizer = None
        if settings.vocab_file:
            self.tokenizer = WordPieceTokenizer(settings.vocab_file, settings.do_lower_case)
        preflight.check_agreement(settings, self.config, self.tokenizer)
        # Before anything else touches the devices: their memory is set up here.
        self.strategy = strategy_for(tpu_of(settings), settings.tpu_zone, settings.gcp_project)
        logs.notify(f"devices: {describe(self.strategy)}")
        preflight.check_ids(self._evaluation_dataset(batch_size=1), self.config.vocab_size)
        run_folder.make(settings.output_dir)
        with self.strategy.scope():
            keras.utils.set_random_seed(settings.random_seed)
            self.model = pretrainer(self.config)

    def train(self, stop):
        """Trains to the last step, from the newest checkpoint if there is one.

        Returns the number of steps done.
        """
        settings, folder = self.settings, self.settings.output_dir
        schedule = WarmupPolynomialDecay(
            settings.learning_rate, settings.num_train_steps, settings.num_warmup_steps
        )
        with self.strategy.scope():
            optimizer = AdamWeightDecay(schedule)
            optimizer.build(self.model.trainable_variables)
        variables = run_variables(self.model, optimizer)
        start_step = self._start(variables)
        if start_step == settings.num_train_steps:
            logs.notify(f"{folder} is finished: all {start_step} steps are done.")
            return start_step
        take_step = loop.compile_train_step(
            self.strategy, self.model, pretraining, LOSSES, optimizer
        )
        save = functools.partial(
            run_state.save,
            folder,
            variables=variables,
            num_to_keep=settings.keep_checkpoint_max,
        )
        batch_size = settings.train_batch_size
        num_tokens = batch_size * settings.max_seq_length
        log = logs.TrainLog(folder, start_step, settings.num_train_steps, batch_size, num_tokens)
        plan = loop.Plan(
            start_step,
            settings.num_train_steps,
            settings.save_checkpoints_steps,
            settings.report_steps,
        )
        batches = iter(self._train_batches(start_step))
        with log:
            step = loop.train(take_step, batches, plan, schedule, LOSSES, save, log, stop)
        if stop.received:
            logs.notify(
                f"Stopped by {stop.received.name} at step {step} of {settings.num_train_steps}, "
                f"which is saved in {folder}. The same command goes on from there."
            )
        return step

    def load(self):
        """Reads the weights to evaluate: of the newest checkpoint, else of --init_checkpoint.

        Returns the number of steps that the run has done.
        """
        settings = self.settings
        found = run_state.newest_readable(settings.output_dir, logs.notify)
        if found is None and not settings.init_checkpoint:
            raise InputError(
                f"There is nothing to evaluate: {settings.output_dir} holds no checkpoint and "
                "--init_checkpoint is not given. Train with --do_train, or name one."
            )
        step, path = found or (0, settings.init_checkpoint)
        tf1.load_weights(self.model, path)
        return step

    def evaluate(self, step, stop):
        """Scores the model on the input files; prints, writes and returns the results."""
        settings, folder = self.settings, self.settings.output_dir
        dataset = self._evaluation_dataset(settings.eval_batch_size)
        batches = self.strategy.experimental_distribute_dataset(dataset)
        batches = itertools.takewhile(lambda _: not stop.received, batches)
        evaluation_step = loop.compile_evaluation_step(self.strategy, self.model, pretraining)
        results = evaluation.evaluate(
            evaluation_step, batches, LOSSES, settings.max_eval_steps or None
        )
        if stop.received:
            logs.notify(f"Stopped by {stop.received.name} in the evaluation: no results.")
            return None
        results["global_step"] = step
        lines = evaluation.result_lines(results)
        run_folder.write_text(folder, evaluation.RESULTS_NAME, lines)
        logs.write_events(tf.io.gfile.join(folder, "eval"), step, results)
        print(f"evaluated at step {step}:\n{lines}", end="", flush=True)
        return results

    def export(self, step):
        """Leaves the model and a README.md in the folder."""
        settings, folder = self.settings, self.settings.output_dir
        pretrained.save_pretrained(self.model, self.tokenizer, folder)
        run_folder.write_readme(folder, settings, self.config, step)
        print(f"The model is in {folder}; its README.md says how to load it.")

    def _start(self, variables):
        """Restores the newest checkpoint, or begins a new run; returns the steps done."""
        settings, folder = self.settings, self.settings.output_dir
        run_state.remove_unfinished(folder)
        decisive = decisive_settings(settings, self.config, self.input_files)
        found = run_state.newest_readable(folder, logs.notify)
        if found:
            step, path = found
            run_folder.check_same_run(folder, decisive, step, logs.notify)
            run_state.restore(path, variables)
            logs.notify(f"continuing from {path}")
        else:
            step = 0
            if settings.init_checkpoint:
                tf1.load_weights(self.model, settings.init_checkpoint)
        run_folder.write_settings(folder, decisive)
        return step

    def _train_batches(self, start_step):
        dataset = pretraining_dataset(
            self.input_files,
            self.settings.max_seq_length,
            self.settings.max_predictions_per_seq,
            self.settings.train_batch_size,
            self.settings.random_seed,
            start_step=start_step,
        )
        return self.strategy.experimental_distribute_dataset(dataset)

    def _evaluation_dataset(self, batch_size):
        return evaluation_dataset(
            self.input_files,
            self.settings.max_seq_length,
            self.settings.max_predictions_per_seq,
            batch_size,
        )


def run_variables(model, optimizer):
    """Returns name -> variable of all that the future of a run depends on.

    Weights, slots and step have the names of the original's checkpoints. The names of dropout
    seeds are without a slash: readers of weights pass them over.
    """
    variables = {"global_step": optimizer.iterations}
    for weight in model.weights:
        variables[tf1.original_name(weight.path)] = weight
    slots = zip(model.trainable_variables, optimizer.adam_m, optimizer.adam_v, strict=True)
    for weight, adam_m, adam_v in slots:
        name = tf1.original_name(weight.path)
        variables |= {f"{name}/adam_m": adam_m, f"{name}/adam_v": adam_v}
    weights = {id(weight) for weight in model.weights}
    seeds = [variable for variable in model.variables if id(variable) not in weights]
    return variables | {f"dropout_seed_{index}": seed for index, seed in enumerate(seeds)}


def decisive_settings(settings, config, input_files):
    """Returns flag -> value of all that the weights of a run depend on."""
    flags = {name: getattr(settings, name) for name in DECISIVE_FLAGS}
    return flags | {"input_file": input_files, "bert_config_file": config.to_dict()}


def tpu_of(settings):
    """Returns the TPU that the flags name, the original's `--use_tpu --tpu_name` among them."""
    if settings.use_tpu:
        return settings.tpu or settings.tpu_name or settings.master or "local"
    return settings.tpu
