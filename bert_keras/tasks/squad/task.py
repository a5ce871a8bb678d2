"""Questions about contexts, and the parts of these that answer them."""

import dataclasses
from collections.abc import Iterable
from typing import ClassVar, NamedTuple

from bert_keras.config import BertConfig
from bert_keras.data.encoded import Outputs
from bert_keras.errors import InputError
from bert_keras.tasks.sequences import check_text
from bert_keras.tasks.squad.answer_text import ANSWER_TEXTS
from bert_keras.tasks.squad.contexts import EncodedContext
from bert_keras.tasks.squad.features import prediction_features
from bert_keras.tasks.squad.packing import NUM_SPECIAL_TOKENS, WindowSizes
from bert_keras.tasks.squad.predictions import (
    AnswerSettings,
    PredictedAnswer,
    predicted_answers,
    without_padding,
)
from bert_keras.tasks.squad.reading import Question
from bert_keras.tasks.squad.spans import Span
from bert_keras.tasks.task import Encoded
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


class PossibleAnswer(NamedTuple):
    """A possible answer, which stands at `context[start:end]`; no answer is empty, at 0.

    `score` is its probability among the best ones of its question.
    """

    text: str
    start: int
    end: int
    score: float


class SpanAnswer(NamedTuple):
    """The answer to a question, which stands at `context[start:end]`; no answer is empty, at 0.

    Attributes:
        text, start, end, score: those of the answer, see `PossibleAnswer`.
        null_odds: the score of "no answer" less that of the best span: the greater, the likelier.
        n_best: the best answers, best first.
    """

    text: str
    start: int
    end: int
    score: float
    null_odds: float
    n_best: list[PossibleAnswer]


@dataclasses.dataclass(frozen=True)
class QuestionAnswering:
    """For the model `question_answering`. An input is a question and its context.

    The attributes are the flags of these names of `run_squad`.
    """

    name: ClassVar[str] = "question_answering"
    max_seq_length: int = 384
    doc_stride: int = 128
    max_query_length: int = 64
    n_best_size: int = 20
    max_answer_length: int = 30
    version_2_with_negative: bool = False
    null_score_diff_threshold: float = 0.0
    answer_text: str = "offsets"

    def __post_init__(self):
        least = self.max_query_length + NUM_SPECIAL_TOKENS + 1
        if self.max_seq_length < least:
            raise InputError(
                f"--max_seq_length must exceed --max_query_length by more than "
                f"{NUM_SPECIAL_TOKENS}, so that a window shows some of its context beside the "
                f"longest question. Received: {self.max_seq_length} with --max_query_length="
                f"{self.max_query_length}"
            )
        if self.answer_text not in ANSWER_TEXTS:
            raise InputError(
                f"--answer_text must be one of {', '.join(ANSWER_TEXTS)}. "
                f"Received: {self.answer_text}"
            )

    @property
    def sizes(self) -> WindowSizes:
        """What bounds a window."""
        return WindowSizes(*(getattr(self, name) for name in WindowSizes._fields))

    @property
    def answer_settings(self) -> AnswerSettings:
        """How answers are chosen."""
        return AnswerSettings(*(getattr(self, name) for name in AnswerSettings._fields))

    def encode(self, inputs: Iterable[tuple[str, str]], tokenizer: WordPieceTokenizer) -> Encoded:
        """The windows of the inputs; `places` are their `PredictionFeatures`."""
        index_of_context: dict[str, int] = {}
        questions = []
        for index, one in enumerate(inputs):
            question, context = _checked(f"input {index}", one)
            place = index_of_context.setdefault(context, len(index_of_context))
            questions.append(Question("", question, place, (), is_impossible=False))
        features = prediction_features([*index_of_context], questions, tokenizer, self.sizes)
        return Encoded(features.examples, features)

    def decode(self, encoded: Encoded, outputs: Outputs, config: BertConfig) -> list[SpanAnswer]:
        """Of `start_logits` and `end_logits` [T]: an answer to each question."""
        features = encoded.places
        logits = without_padding(outputs, features)
        found = predicted_answers(features, logits, self.answer_settings)
        contexts = [features.contexts[index] for index in features.context_of_question]
        return [_answer(*one) for one in zip(found, contexts, strict=True)]


def _answer(found: PredictedAnswer, context: EncodedContext) -> SpanAnswer:
    n_best = [
        PossibleAnswer(one.text, *_offsets(one.span, context), one.probability)
        for one in found.n_best
    ]
    # Of one that is not among the best, as "no answer" takes the only place, nothing is known.
    score = next((one.score for one in n_best if one.text == found.text), 0.0)
    start, end = _offsets(found.span, context)
    return SpanAnswer(found.text, start, end, score, found.null_odds, n_best)


def _offsets(span: Span, context: EncodedContext) -> tuple[int, int]:
    return context.offsets(span.first, span.last) if span.first >= 0 else (0, 0)


def _checked(place: str, one: tuple[str, str]) -> tuple[str, str]:
    wanted = "a pair, (question, context)"
    if not isinstance(one, tuple) or len(one) != 2:
        raise InputError(f"{place} must be {wanted}. Received: {one!r:.100}")
    for text in one:
        check_text(text, place, wanted)
    return one
