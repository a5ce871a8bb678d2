"""Questions -> examples. A context is cut into pieces once, for all its questions."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from bert_keras.data.encoded import EncodedExamples
from bert_keras.tasks.squad.contexts import EncodedContext, Encoder
from bert_keras.tasks.squad.packing import Packer, PlacedWindow, WindowSizes
from bert_keras.tasks.squad.reading import Question
from bert_keras.tasks.squad.training_answers import AnswerSpan, find_answer
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


class PredictionFeatures(NamedTuple):
    """All N windows of all questions, in order; a context without pieces has none.

    Attributes:
        examples: inputs of a model, [N].
        windows: what each shows, [N].
        contexts: those of all questions.
        context_of_question: which of them each question is about.
    """

    examples: EncodedExamples
    windows: list[PlacedWindow]
    contexts: list[EncodedContext]
    context_of_question: list[int]


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
    contexts: Sequence[str],
    questions: Iterable[Question],
    tokenizer: WordPieceTokenizer,
    sizes: WindowSizes,
) -> PredictionFeatures:
    """The windows of questions about contexts. Answers are not looked at."""
    encoder = Encoder(tokenizer)
    encoded_contexts = [*map(encoder.context, contexts)]
    packer, placed_windows, context_of_question = Packer(tokenizer, sizes), [], []
    for index, question in enumerate(questions):
        context_of_question.append(question.context)
        context = encoded_contexts[question.context]
        for placed, input_ids in packer.pack(index, encoder.ids(question.text), context):
            packer.add(placed, input_ids)
            placed_windows.append(placed)
    examples = packer.examples({})
    return PredictionFeatures(examples, placed_windows, encoded_contexts, context_of_question)


def training_features(
    contexts: Sequence[str],
    questions: Iterable[Question],
    tokenizer: WordPieceTokenizer,
    sizes: WindowSizes,
    keep_windows_without_answer: bool = True,
) -> TrainingFeatures:
    """The windows of questions with their answers; of several answers to a question the first.

    Args:
        contexts: what the questions are about.
        questions: each has an answer, or is impossible.
        tokenizer: makes the pieces.
        sizes: those of the windows.
        keep_windows_without_answer: whether windows that do not show the answer of their question
            are learned as having none. The original does so in version 1.1 too, though its comment
            says that it throws them out (google-research/bert#801).
    """
    encoder = Encoder(tokenizer)
    encoded_contexts = [*map(encoder.context, contexts)]
    packer, positions, lost, moved = Packer(tokenizer, sizes), [], [], []
    for index, question in enumerate(questions):
        context, span = encoded_contexts[question.context], None
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
