"""Answers to the questions of a file, and the files that the original writes of them.

`write_predictions` of `run_squad.py` of google-research/bert.
"""

import functools
import json
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from bert_keras.errors import InputError
from bert_keras.tasks.squad.answer_text import ANSWER_TEXTS
from bert_keras.tasks.squad.features import PredictionFeatures
from bert_keras.tasks.squad.packing import PlacedWindow
from bert_keras.tasks.squad.reading import SquadFile
from bert_keras.tasks.squad.spans import Span, ranked_spans

# Of a question none of whose spans can be the answer; the score of "no answer" that the original
# begins with. It would answer "empty" there in version 1.1, and fail in 2.0.
NULL_ODDS_WITHOUT_SPAN = 1e6
NO_SPAN = Span(-1, -1, 0.0, 0.0)


class AnswerSettings(NamedTuple):
    """How answers are chosen: the flags of these names."""

    n_best_size: int
    max_answer_length: int
    version_2_with_negative: bool
    null_score_diff_threshold: float
    answer_text: str


class Candidate(NamedTuple):
    """One of the best answers; its text is empty for "there is no answer".

    The fields but the last are those of the original's file. `span` is where it comes from; -1 and
    -1 are the pieces of no answer.
    """

    text: str
    probability: float
    start_logit: float
    end_logit: float
    span: Span


class PredictedAnswer(NamedTuple):
    """The answer to a question.

    Attributes:
        text: the answer; empty if there is none.
        null_odds: the score of "no answer" less that of the best span.
        n_best: the best answers, with their probabilities among themselves.
        span: where the answer comes from.
    """

    text: str
    null_odds: float
    n_best: list[Candidate]
    span: Span


def predicted_answers(
    features: PredictionFeatures,
    outputs: Mapping[str, Sequence[np.ndarray]],
    settings: AnswerSettings,
) -> list[PredictedAnswer]:
    """An answer to each question, in their order.

    Args:
        features: the N windows of the questions.
        outputs: `start_logits` and `end_logits`, N arrays each, as long as the window or longer.
        settings: how answers are chosen.

    Raises:
        InputError: a window has no logits.
    """
    start_logits, end_logits = (
        _complete(outputs[name], len(features.windows)) for name in ("start_logits", "end_logits")
    )
    rows_of_question: list[list[int]] = [[] for _ in features.context_of_question]
    for row, placed in enumerate(features.windows):
        rows_of_question[placed.question].append(row)
    answers = []
    for context, rows in zip(features.context_of_question, rows_of_question, strict=True):
        text_at = ANSWER_TEXTS[settings.answer_text](features.contexts[context])
        windows, starts, ends = (
            [column[row] for row in rows] for column in (features.windows, start_logits, end_logits)
        )
        answers.append(_answer(windows, starts, ends, text_at, settings))
    return answers


def without_padding(
    outputs: Mapping[str, Sequence[np.ndarray]], features: PredictionFeatures
) -> dict[str, list[np.ndarray]]:
    """The logits of the windows alone, so that no batch changes an answer.

    In the original all windows are padded to `max_seq_length`, and a high logit of a position
    behind the window can take the place of a better one among the n best.

    Raises InputError if a window has no logits.
    """
    lengths = features.examples.lengths
    cut = {}
    for name, rows in outputs.items():
        complete = _complete(rows, len(lengths))
        cut[name] = [row[:length] for row, length in zip(complete, lengths, strict=True)]
    return cut


def prediction_files(
    file: SquadFile, answers: Sequence[PredictedAnswer], version_2: bool
) -> dict[str, str]:
    """predictions.json, nbest_predictions.json and, in version 2.0, null_odds.json: name -> text.

    The official scripts read the first and the last.
    """
    ids = [question.id for question in file.questions]
    contents: dict[str, list[Any]] = {
        "predictions.json": [answer.text for answer in answers],
        "nbest_predictions.json": [[*map(_as_in_file, answer.n_best)] for answer in answers],
    }
    if version_2:
        contents["null_odds.json"] = [answer.null_odds for answer in answers]
    return {
        name: json.dumps(dict(zip(ids, values, strict=True)), indent=4) + "\n"
        for name, values in contents.items()
    }


def _as_in_file(candidate: Candidate) -> dict[str, Any]:
    return {name: value for name, value in candidate._asdict().items() if name != "span"}


def _complete(rows: Sequence[np.ndarray | None], num_windows: int) -> Sequence[np.ndarray]:
    num_found = sum(row is not None for row in rows)
    if num_found != num_windows:
        raise InputError(
            "Each window needs start and end logits: one that is dropped leaves a question without "
            f"its answer. {num_windows - num_found} of {num_windows} windows are missing"
        )
    return rows


def _null_span(start_logits: list[np.ndarray], end_logits: list[np.ndarray]) -> Span:
    """ "No answer": the least score of [CLS] as start and end, the first one of equals."""
    nulls = [
        NO_SPAN._replace(start_logit=float(start[0]), end_logit=float(end[0]))
        for start, end in zip(start_logits, end_logits, strict=True)
    ]
    return min(nulls, key=_score, default=NO_SPAN)


def _answer(
    windows: list[PlacedWindow],
    start_logits: list[np.ndarray],
    end_logits: list[np.ndarray],
    text_at: Callable[[int, int], str],
    settings: AnswerSettings,
) -> PredictedAnswer:
    """The answer to the question of these windows."""
    spans = ranked_spans(
        windows, start_logits, end_logits, settings.n_best_size, settings.max_answer_length
    )
    null = _null_span(start_logits, end_logits)
    n_best = _with_probabilities(_n_best(spans, null, text_at, settings))
    if not spans:
        return PredictedAnswer("", NULL_ODDS_WITHOUT_SPAN, n_best, NO_SPAN)
    null_odds = _score(null) - spans[0].start_logit - spans[0].end_logit
    is_null = settings.version_2_with_negative and null_odds > settings.null_score_diff_threshold
    text, span = ("", NO_SPAN) if is_null else (_text(spans[0], text_at), spans[0])
    return PredictedAnswer(text, null_odds, n_best, span)


def _n_best(
    spans: list[Span], null: Span, text_at: Callable[[int, int], str], settings: AnswerSettings
) -> dict[str, Span]:
    """Text -> its best span, of the best texts, best first; "" if there is no answer."""
    has_null = settings.version_2_with_negative
    ranked = sorted([*spans, null], key=_score, reverse=True) if has_null else spans
    best_by_text: dict[str, Span] = {}
    for span in ranked:
        if len(best_by_text) >= settings.n_best_size:
            break
        best_by_text.setdefault("" if span is null else _text(span, text_at), span)
    if has_null or not spans:
        best_by_text.setdefault("", null if has_null else NO_SPAN)
    return best_by_text


def _text(span: Span, text_at: Callable[[int, int], str]) -> str:
    return text_at(span.first, span.last)


def _with_probabilities(best_by_text: dict[str, Span]) -> list[Candidate]:
    """Softmax of the scores, in the order of the original's additions: to the last bit its."""
    best = max(map(_score, best_by_text.values()))
    shares = [math.exp(_score(span) - best) for span in best_by_text.values()]
    total = functools.reduce(operator.add, shares)
    return [
        Candidate(text, share / total, span.start_logit, span.end_logit, span)
        for (text, span), share in zip(best_by_text.items(), shares, strict=True)
    ]


def _score(span: Span) -> float:
    return span.start_logit + span.end_logit
