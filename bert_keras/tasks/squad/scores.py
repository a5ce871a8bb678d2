"""Exact match and F1 as the official scripts of SQuAD compute them, in percent.

`evaluate-v1.1.py` and `evaluate-v2.0.py` of rajpurkar.github.io/SQuAD-explorer. Both compare texts
without case, punctuation, English articles and kinds of white space; F1 is that of their bags of
words. Of several answers that people gave the best match counts.
"""

import re
import string
from collections import Counter
from collections.abc import Sequence

from bert_keras.tasks.collapse import notify_collapse
from bert_keras.tasks.squad.reading import Question

_ARTICLE = re.compile(r"\b(a|an|the)\b")
_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)


def scores_v1(questions: Sequence[Question], predictions: Sequence[str]) -> dict[str, float]:
    """`exact_match` and `f1` of version 1.1; every question has an answer."""
    exact, f1 = [], []
    for question, prediction in zip(questions, predictions, strict=True):
        words = normalized_words(prediction)
        golds = [normalized_words(answer.text) for answer in question.answers]
        exact.append(float(words in golds))
        f1.append(max(_f1(words, gold) for gold in golds))
    return {"exact_match": _percent(exact), "f1": _percent(f1)}


def scores_v2(
    questions: Sequence[Question], predictions: Sequence[str], null_odds: Sequence[float]
) -> dict[str, float]:
    """`exact` and `f1` of version 2.0, where an empty prediction says that there is no answer.

    Also, as the script names them: those of the questions that have an answer (`HasAns_`) and of
    the others (`NoAns_`), with their numbers; and the best that emptying the predictions whose
    `null_odds` exceed some threshold can reach (`best_exact`, `best_f1`), with it (`_thresh`).
    Predictions that are empty already stay so: a threshold above theirs is not found.
    """
    if not any(predictions) and any(question.answers for question in questions):
        notify_collapse(len(predictions), "that there is no answer")
    exact, f1 = [], []
    for question, prediction in zip(questions, predictions, strict=True):
        words = normalized_words(prediction)
        golds = [normalized_words(answer.text) for answer in question.answers]
        golds = [gold for gold in golds if gold] or [[]]
        exact.append(float(words in golds))
        f1.append(max(_f1(words, gold) if words and gold else words == gold for gold in golds))
    has_answer = [bool(question.answers) for question in questions]
    scores = _means("", exact, f1)
    for prefix, kind in (("HasAns_", True), ("NoAns_", False)):
        rows = [row for row, has in enumerate(has_answer) if has is kind]
        if rows:
            scores |= _means(prefix, [exact[row] for row in rows], [f1[row] for row in rows])
    for name, values in (("exact", exact), ("f1", f1)):
        best, threshold = _best_threshold(values, predictions, null_odds, has_answer)
        scores |= {f"best_{name}": best, f"best_{name}_thresh": threshold}
    return scores


def normalized_words(text: str) -> list[str]:
    """The words by which answers are compared."""
    return _ARTICLE.sub(" ", text.lower().translate(_WITHOUT_PUNCTUATION)).split()


def _f1(words: list[str], gold: list[str]) -> float:
    num_common = (Counter(words) & Counter(gold)).total()
    return 2 * num_common / (len(words) + len(gold)) if num_common else 0.0


def _means(prefix: str, exact: list[float], f1: list[float]) -> dict[str, float]:
    return {
        f"{prefix}exact": _percent(exact),
        f"{prefix}f1": _percent(f1),
        f"{prefix}total": float(len(exact)),
    }


def _percent(values: list[float]) -> float:
    return 100.0 * sum(values) / len(values)


def _best_threshold(
    values: list[float],
    predictions: Sequence[str],
    null_odds: Sequence[float],
    has_answer: list[bool],
) -> tuple[float, float]:
    """`find_best_thresh`: the best mean, and the null odds that must be exceeded for no answer."""
    total = best = float(has_answer.count(False))  # of answering nothing
    threshold = 0.0
    for row in sorted(range(len(values)), key=null_odds.__getitem__):
        if has_answer[row]:
            total += values[row]
        elif predictions[row]:
            total -= 1
        if total > best:
            best, threshold = total, null_odds[row]
    return 100.0 * best / len(values), threshold
