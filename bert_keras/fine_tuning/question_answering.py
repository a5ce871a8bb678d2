"""What `run_squad` learns: which span of a text answers a question."""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from bert_keras.config import BertConfig
from bert_keras.data.encoded import EncodedExamples, Outputs
from bert_keras.errors import InputError
from bert_keras.fine_tuning.assignment import Assignment, Evaluation, Prediction
from bert_keras.models.question_answering import question_answering
from bert_keras.notices import notify
from bert_keras.objectives.span import ACCURACIES, LOSSES, span
from bert_keras.progress import tracked
from bert_keras.tasks.squad import scores
from bert_keras.tasks.squad.features import prediction_features, training_features
from bert_keras.tasks.squad.predictions import (
    PredictedAnswer,
    predicted_answers,
    prediction_files,
    without_padding,
)
from bert_keras.tasks.squad.reading import (
    Question,
    SquadFile,
    read_squad,
    require_unique_ids,
    with_answers,
)
from bert_keras.tasks.squad.task import QuestionAnswering
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from bert_keras.training import preflight

NUM_NAMED = 5  # questions that a notice names


def read_assignment(settings: Any, config: BertConfig, tokenizer: WordPieceTokenizer) -> Assignment:
    """Reads the files of `run_squad.Settings`.

    Raises:
        InputError: a setting leaves no room for a context, or a file is missing or damaged.
    """
    task = task_of(settings)
    used_files = {
        "train_file": settings.do_train,
        "predict_file": settings.needs_evaluation or settings.do_predict,
    }
    preflight.check_there(settings, [name for name, is_used in used_files.items() if is_used])
    train = _training_examples(settings, task, tokenizer) if settings.do_train else None
    evaluations, predictions = {}, {}
    if settings.needs_evaluation or settings.do_predict:
        questions = AskedQuestions(settings, task, tokenizer)
        if settings.needs_evaluation:
            questions.require_answers()
            evaluations["dev"] = Evaluation(questions.examples, questions.score)
        if settings.do_predict:
            predictions["dev"] = Prediction(questions.examples, questions.files)
    return Assignment(
        # What is stored is for answers that say where they stand; the files are the original's.
        task=dataclasses.replace(task, answer_text="offsets"),
        config=dataclasses.replace(config, labels=(), problem_type=""),  # of another task
        build=question_answering,
        objective=span,
        losses=LOSSES,
        accuracies=ACCURACIES,
        train=train,
        evaluations=evaluations,
        predictions=predictions,
        metric="f1",
    )


def task_of(settings: Any) -> QuestionAnswering:
    """The task as the flags of these names describe it.

    Raises:
        InputError: they can work with no file.
    """
    names = [field.name for field in dataclasses.fields(QuestionAnswering)]
    return QuestionAnswering(**{name: getattr(settings, name) for name in names})


class AskedQuestions:
    """The questions of --predict_file, and what becomes of a model's logits for them."""

    def __init__(self, settings: Any, task: QuestionAnswering, tokenizer: WordPieceTokenizer):
        self._file = read_squad(settings.predict_file)
        require_unique_ids(self._file)
        questions = _tracked(self._file)
        self._features = prediction_features(self._file.contexts, questions, tokenizer, task.sizes)
        _notify_of_windows(self._file, self._features.examples)
        self._settings = task.answer_settings
        self._is_scored = settings.do_eval
        self._answered: tuple[Outputs | None, list[PredictedAnswer]] = (None, [])

    @property
    def examples(self) -> EncodedExamples:
        """The windows of all questions."""
        return self._features.examples

    def require_answers(self) -> None:
        """Raises InputError if there is nothing to compare predictions with."""
        if not self._has_answers():
            raise InputError(
                f"{self._file.path}: official scores need answers to the questions: to each one, "
                "or with --version_2_with_negative some answer or `is_impossible`: true. For "
                "predictions alone, --do_predict without --do_eval"
            )

    def score(self, outputs: Outputs) -> dict[str, float]:
        """The official scores, name -> percent."""
        return self._score(self._answers(outputs))

    def files(self, outputs: Outputs) -> dict[str, str]:
        """Those of the original, name -> text; says the scores that no evaluation tells."""
        answers = self._answers(outputs)
        if self._has_answers() and not self._is_scored:
            found = self._score(answers)
            shown = ", ".join(f"{name} {value:.2f}" for name, value in found.items())
            notify(f"the answers to {self._file.path} score {shown}")
        return prediction_files(self._file, answers, self._settings.version_2_with_negative)

    def _answers(self, outputs: Outputs) -> list[PredictedAnswer]:
        """The answers; found once for outputs that are both evaluated and written."""
        if outputs is not self._answered[0]:
            logits = without_padding(outputs, self._features)
            answers = predicted_answers(self._features, logits, self._settings)
            self._answered = (outputs, answers)
        return self._answered[1]

    def _has_answers(self) -> bool:
        questions = self._file.questions
        if self._settings.version_2_with_negative:
            return any(question.answers or question.is_impossible for question in questions)
        return all(question.answers for question in questions)

    def _score(self, answers: list[PredictedAnswer]) -> dict[str, float]:
        questions, texts = self._file.questions, [answer.text for answer in answers]
        if not self._settings.version_2_with_negative:
            return scores.scores_v1(questions, texts)
        return scores.scores_v2(questions, texts, [answer.null_odds for answer in answers])


def _training_examples(
    settings: Any, task: QuestionAnswering, tokenizer: WordPieceTokenizer
) -> EncodedExamples:
    """The windows of --train_file; says which questions are left out, and why."""
    file = with_answers(read_squad(settings.train_file), settings.version_2_with_negative)
    examples, lost, moved = training_features(
        file.contexts, _tracked(file), tokenizer, task.sizes, settings.keep_windows_without_answer
    )
    _notify_of_windows(file, examples)
    num_questions = len(file.questions)
    if lost:
        notify(
            f"{file.path}: {len(lost)} of {num_questions} questions are left out of training: "
            "answer text does not match the context at its offset, which counts characters, not "
            f"bytes or UTF-16 units: {_named(lost)}"
        )
    if moved:
        notify(
            f"{file.path}: {len(moved)} of {num_questions} questions have their answer a few "
            f"characters off its offset; it was found in the words there: {_named(moved)}"
        )
    num_several = sum(len(question.answers) > 1 for question in file.questions)
    if num_several:
        notify(
            f"{file.path}: {num_several} of {num_questions} questions have several answers, of "
            "which the first is learned"
        )
    if not len(examples.lengths):
        raise InputError(
            f"{file.path} must hold a question whose answer a window shows. "
            f"Received: {num_questions} questions, none of them such"
        )
    return examples


def _tracked(file: SquadFile) -> Iterator[Question]:
    return tracked(file.questions, "cutting windows", " questions")


def _notify_of_windows(file: SquadFile, examples: EncodedExamples) -> None:
    notify(f"{file.path}: {len(file.questions)} questions in {len(examples.lengths)} windows")


def _named(ids: Sequence[str]) -> str:
    return ", ".join(ids[:NUM_NAMED]) + (", ..." if len(ids) > NUM_NAMED else "")
