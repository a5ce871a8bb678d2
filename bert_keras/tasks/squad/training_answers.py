"""Where in a context's pieces the answer of a training question lies."""

from typing import NamedTuple

from bert_keras.tasks.squad.contexts import EncodedContext, Encoder
from bert_keras.tasks.squad.reading import Answer


class AnswerSpan(NamedTuple):
    """The pieces from `first` to `last`; whether the text stands exactly at its offset."""

    first: int
    last: int
    is_at_offset: bool


def find_answer(context: EncodedContext, answer: Answer, encoder: Encoder) -> AnswerSpan | None:
    """The pieces of an answer; None if its text does not match the context at its offset.

    The words that its characters touch must hold the text, as in the original, where any white
    space stands for any other: there an answer with a no-break or a thin space is never found and
    its question lost (google-research/bert#690). So a text that stands a few characters off is
    found too; of text in other units (UTF-8 bytes, UTF-16) some is.
    """
    text = _with_plain_spaces(answer.text)
    answer_ids = encoder.ids(answer.text)
    if not answer_ids or answer.start is None or answer.start < 0:
        return None
    end = answer.start + len(answer.text)
    first_word, last_word = context.word_at(answer.start), context.word_at(end - 1)
    is_at_offset = _with_plain_spaces(context.text[answer.start : end]) == text
    if not is_at_offset and (
        end > len(context.text)
        or text not in _with_plain_spaces(context.text_of_words(first_word, last_word))
    ):
        return None
    first, last = context.pieces_of_words(first_word, last_word)
    return AnswerSpan(*_improved(context, first, last, answer_ids), is_at_offset)


def _improved(
    context: EncodedContext, first: int, last: int, answer_ids: list[int]
) -> tuple[int, int]:
    """The first place within a span that has just the pieces of the answer; else the span.

    `_improve_answer_span` of the original: 1895, not the whole word (1895-1943).
    """
    ids = context.ids[first : last + 1].tolist()
    for start in range(len(ids) - len(answer_ids) + 1):
        if ids[start : start + len(answer_ids)] == answer_ids:
            return first + start, first + start + len(answer_ids) - 1
    return first, last


def _with_plain_spaces(text: str) -> str:
    return " ".join(text.split())
