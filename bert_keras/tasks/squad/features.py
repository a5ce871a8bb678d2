"""Files of questions -> examples. A context is cut into pieces once, for all its questions."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bert_keras.data.encoded import EncodedExamples
from bert_keras.progress import Progress
from bert_keras.tasks.squad.answer_spans import AnswerSpan, find_answer
from bert_keras.tasks.squad.contexts import EncodedContext, Encoder
from bert_keras.tasks.squad.packing import Packer, PlacedWindow, WindowSizes
from bert_keras.tasks.squad.reading import Question, SquadFile
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


class PredictionFeatures(NamedTuple):
    """All N windows of all questions, in order; a context without pieces has none.

    Attributes:
        examples: inputs of a model, [N].
        windows: what each shows, [N].
        contexts: those of the file.
    """

    examples: EncodedExamples
    windows: list[PlacedWindow]
    contexts: list[EncodedContext]


class TrainingFeatures(NamedTuple):
    """N windows to learn from.

    Attributes:
        examples: inputs, and `start_positions` and `end_positions`, int32 [N]: 0, that of [CLS],
            where the window does not show the answer, or there is none.
        lost: ids of questions left out: the answer's text does not match the context at its offset.
        moved: ids of questions whose answer stands near its offset only.
    """

    examples: EncodedExamples
    lost: list[str]
    moved: list[str]


def prediction_features(
    file: SquadFile, tokenizer: WordPieceTokenizer, sizes: WindowSizes
) -> PredictionFeatures:
    """The windows of a file. Answers are not looked at."""
    encoder = Encoder(tokenizer)
    contexts = [*map(encoder.context, file.contexts)]
    packer, placed_windows = Packer(tokenizer, sizes), []
    for index, question in _with_progress(file.questions):
        context = contexts[question.context]
        for placed, input_ids in packer.pack(index, encoder.ids(question.text), context):
            packer.add(placed, input_ids)
            placed_windows.append(placed)
    return PredictionFeatures(packer.examples({}), placed_windows, contexts)


def training_features(
    file: SquadFile,
    tokenizer: WordPieceTokenizer,
    sizes: WindowSizes,
    keep_windows_without_answer: bool = True,
) -> TrainingFeatures:
    """The windows of a file with their answers; of several answers to a question the first.

    Args:
        file: each question has an answer, or is impossible.
        tokenizer: makes the pieces.
        sizes: those of the windows.
        keep_windows_without_answer: whether windows that do not show the answer of their question
            are learned as having none. The original does so in version 1.1 too, though its comment
            says that it throws them out (google-research/bert#801).
    """
    encoder = Encoder(tokenizer)
    contexts = [*map(encoder.context, file.contexts)]
    packer, positions, lost, moved = Packer(tokenizer, sizes), [], [], []
    for index, question in _with_progress(file.questions):
        context, span = contexts[question.context], None
        if not question.is_impossible:
            span = find_answer(context, question.answers[0], encoder)
            if span is None:
                lost.append(question.id)
                continue
            if not span.is_at_offset:
                moved.append(question.id)
        for placed, input_ids in packer.pack(index, encoder.ids(question.text), context):
            target = _positions(placed, span)
            if any(target) or question.is_impossible or keep_windows_without_answer:
                packer.add(placed, input_ids)
                positions.append(target)
    columns = np.array(positions, np.int32).reshape(-1, 2)
    values = {"start_positions": columns[:, 0], "end_positions": columns[:, 1]}
    return TrainingFeatures(packer.examples(values), lost, moved)


def _positions(placed: PlacedWindow, span: AnswerSpan | None) -> tuple[int, int]:
    """Where in the example the answer starts and ends; 0 and 0 if the window does not show it."""
    window = placed.window
    if span is None or span.first < window.start or span.last >= window.start + window.length:
        return 0, 0
    shift = placed.offset - window.start
    return span.first + shift, span.last + shift


def _with_progress(questions: list[Question]) -> Iterator[tuple[int, Question]]:
    with Progress("cutting windows", total=len(questions), unit=" questions") as progress:
        for index, question in enumerate(questions):
            yield index, question
            progress.advance()
