"""One fine-tuning: trains, evaluates and predicts, as far as its settings ask for it."""

from bert_keras import command_line
from bert_keras.checkpoints import pretrained
from bert_keras.checkpoints.builders import stored_model_of
from bert_keras.data.encoded import EncodedExamples, Outputs
from bert_keras.errors import InputError
from bert_keras.fine_tuning import answer_files, recipe, run_model
from bert_keras.fine_tuning.assignment import Assignment
from bert_keras.fine_tuning.early_stopping import EarlyStopping, Evaluated
from bert_keras.fine_tuning.settings import FineTuningSettings
from bert_keras.fine_tuning.setup import Results
from bert_keras.notices import notify
from bert_keras.progress import Progress
from bert_keras.tasks.task import description
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from bert_keras.training import agreement, evaluation, run_folder
from bert_keras.training.inference import Inference
from bert_keras.training.session import Session


class Run:
    """A model in its folder, and the task that it learns.

    Args:
        session: the model.
        settings: what is done.
        tokenizer: that of the model's vocabulary.
        assignment: what is learned, scored and answered.
    """

    def __init__(
        self,
        session: Session,
        settings: FineTuningSettings,
        tokenizer: WordPieceTokenizer,
        assignment: Assignment,
    ):
        self._session = session
        self._settings = settings
        self._folder = settings.output_dir
        self._tokenizer = tokenizer
        self._assignment = assignment
        self._described_task = description(assignment.task)
        self._padded_length = recipe.padded_length(settings, session.strategy)
        self._inference = Inference(
            session.strategy, session.model, session.stop, self._padded_length
        )
        self._evaluated: list[tuple[EncodedExamples, Outputs]] = []

    def complete(self) -> Results | None:
        """Does what was asked for; returns the results of the evaluation, None without one."""
        step = self._train() if self._settings.do_train else self._load()
        if step is None:
            return None
        results = self._evaluate(step) if self._settings.do_eval else None
        if self._settings.do_predict:
            self._write_predictions(step)
        if self._session.is_chief and not self._session.stop.reason:
            print(f"Done; {self._folder} holds {self._made()}.")
        return results

    def _made(self) -> str:
        """What lies in the folder now, in words."""
        parts = {
            "the model": self._settings.do_train,
            f"the scores ({evaluation.RESULTS_NAME})": self._settings.do_eval,
            "the predictions": self._settings.do_predict and bool(self._assignment.predictions),
        }
        return ", ".join(part for part, is_made in parts.items() if is_made)

    def _load(self) -> int:
        """Takes the weights of the start; returns the steps that they were trained for here."""
        self._session.initialize(self._session.model)
        if self._session.is_chief:
            run_folder.make(self._folder)
        return run_model.step_of_model(self._folder)

    def _train(self) -> int | None:
        """Trains and keeps the model; returns the steps done, None if it was stopped."""
        settings, session = self._settings, self._session
        early_stopping = self._early_stopping() if settings.early_stopping_epochs else None
        training = recipe.training(settings, self._assignment, self._padded_length, early_stopping)
        if session.is_chief:
            stored = stored_model_of(session.model, self._tokenizer, task=self._described_task)
            run_model.describe(stored, self._folder, training.decisive)
        done = session.train(training)
        if early_stopping:
            is_over = self._finish(early_stopping, done, training.num_train_steps)
            step = early_stopping.best_step
        else:
            is_over, step = done == training.num_train_steps, done
            if is_over:
                self._keep(done)
        if is_over and session.stop.reason:
            notify(
                f"Stopped by {session.stop.reason} after the last step: the model is in "
                f"{self._folder}. The same command goes on from there."
            )
        return step if is_over and not session.stop.reason else None

    def _finish(self, early_stopping, done, num_train_steps) -> bool:
        """Takes the best weights if the training has ended; returns whether it has."""
        if done == num_train_steps:
            early_stopping.visit(done)
        elif not early_stopping.is_over:
            return False
        if self._session.stop.reason:
            return False
        pretrained.load_noticed(self._session.model, self._folder)
        notify(f"the best weights are those of step {early_stopping.best_step}")
        return True

    def _early_stopping(self) -> EarlyStopping:
        settings, assignment = self._settings, self._assignment
        if not assignment.evaluations:
            raise InputError(
                "--early_stopping_epochs needs examples to evaluate on. Received: none with answers"
            )
        examples = [one.examples.fingerprint() for one in assignment.evaluations.values()]
        return EarlyStopping(
            self._folder,
            Evaluated(assignment.metric, " ".join(examples)),
            recipe.steps_between_evaluations(settings, assignment),
            settings.early_stopping_epochs,
            self._score,
            self._keep,
            self._session.is_chief,
        )

    def _keep(self, step: int) -> None:
        if self._session.is_chief:
            made_by = f"Made by\n\n    {command_line.command(self._settings)}"
            pretrained.save_pretrained(
                self._session.model, self._tokenizer, self._folder, made_by, self._described_task
            )
            run_model.note_kept(self._folder, step)
            if not self._settings.do_predict:
                answer_files.notify_of_others(self._folder, step)
        agreement.meet(self._session.strategy)

    def _score(self) -> float | None:
        """The score that decides, of the chief: others may differ in the last digit."""
        scores = self._scores()
        if scores is None:
            return None
        return agreement.of_chief(self._session.strategy, scores[self._assignment.metric])

    def _scores(self) -> Results | None:
        """The scores of all sets, name -> value; None if a stop was requested."""
        scores = {}
        self._evaluated.clear()
        for name, (examples, score) in self._assignment.evaluations.items():
            outputs = self._outputs(examples, self._settings.eval_batch_size, f"evaluating {name}")
            if outputs is None:
                return None
            self._evaluated.append((examples, outputs))
            scores |= score(outputs)
        return scores

    def _evaluate(self, step: int) -> Results | None:
        scores = self._scores()
        if scores is None:
            notify(f"Stopped by {self._session.stop.reason} in the evaluation: no results.")
            return None
        results = scores | {"global_step": step}
        if self._session.is_chief:
            evaluation.write_results(self._folder, results, step)
        return results

    def _write_predictions(self, step: int) -> None:
        stop, batch_size = self._session.stop, self._settings.predict_batch_size
        if not self._settings.do_eval:
            self._evaluated.clear()  # what early stopping saw was made by other weights
        for name, prediction in self._assignment.predictions.items():
            examples = prediction.examples
            outputs = next((made for of, made in self._evaluated if of is examples), None)
            if not stop.reason:
                outputs = outputs or self._outputs(examples, batch_size, f"predicting {name}")
            if stop.reason:
                notify(
                    f"Stopped by {stop.reason}: {name} is not predicted. The same command does it."
                )
                return
            if self._session.is_chief:
                files = prediction.files(outputs)
                answer_files.write(files, self._folder, step)
                prediction.submit(files)

    def _outputs(self, examples, batch_size, what) -> Outputs | None:
        with Progress(what, total=len(examples.lengths), unit=" examples") as progress:
            return self._inference.run(examples, batch_size, progress.advance)
