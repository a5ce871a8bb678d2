"""Files in SQuAD's JSON layout, versions 1.1 and 2.0 (arXiv:1606.05250, arXiv:1806.03822).

`read_squad_examples` of `run_squad.py` of google-research/bert, with every bad value named by its
place in the file. Offsets count characters (code points), and a context is never stripped.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from bert_keras.errors import InputError
from bert_keras.files import read_text

_KINDS = {
    dict: "an object",
    list: "an array",
    str: "text",
    int: "a whole number",
    bool: "true or false",
}
_LONGEST_VALUE = 100  # characters of a bad value that a message shows


class Answer(NamedTuple):
    """A text and where it starts in its context, in characters; None if that is not known."""

    text: str
    start: int | None


class Question(NamedTuple):
    """A question about a context.

    Attributes:
        id: its name, by which predictions are filed.
        text: the question, which may be empty.
        context: which context of the file it is about.
        answers: those that people gave, which all count as right; none in a file for prediction.
        is_impossible: the context has no answer, as the file says (version 2.0).
    """

    id: str
    text: str
    context: int
    answers: tuple[Answer, ...]
    is_impossible: bool


class SquadFile(NamedTuple):
    """What a file holds; questions of one context follow each other."""

    path: str
    contexts: list[str]
    questions: list[Question]


def read_squad(path: str) -> SquadFile:
    """Reads a file.

    Raises:
        InputError: it cannot be read, is no JSON, lacks a key, holds a value of another kind than
            SQuAD's, or no question.
    """
    try:
        content = json.loads(read_text(path))
        json.dumps(content, ensure_ascii=False).encode()  # "\\ud800" alone is no character
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} must be a JSON file in SQuAD's layout: {error}") from error
    contexts: list[str] = []
    questions: list[Question] = []
    for place, article in _members(content, "data", path, ""):
        for paragraph_place, paragraph in _members(article, "paragraphs", path, place):
            context = _value(paragraph, "context", str, path, paragraph_place)
            for question_place, question in _members(paragraph, "qas", path, paragraph_place):
                questions.append(_question(question, len(contexts), path, question_place))
            contexts.append(context)
    if not questions:
        raise InputError(f"{path} must hold questions, in `data`, `paragraphs`, `qas`. It has none")
    return SquadFile(path, contexts, questions)


def require_unique_ids(file: SquadFile) -> None:
    """Raises InputError if two questions share an id: one prediction would replace the other."""
    seen: set[str] = set()
    for question in file.questions:
        if question.id in seen:
            raise InputError(
                f"{file.path}: predictions are filed by `id`, so each question needs its own. "
                f"Received twice: {question.id!r}"
            )
        seen.add(question.id)


def with_answers(file: SquadFile, version_2: bool) -> SquadFile:
    """The file, each question of which can be learned from.

    In version 1.1 every question has an answer, whatever `is_impossible` says, as in the original.

    Raises:
        InputError: a question has no answer; in version 2.0, and is not impossible either.
    """
    questions = file.questions
    if not version_2:
        questions = [question._replace(is_impossible=False) for question in questions]
    way_out = "or `is_impossible`: true" if version_2 else "or --version_2_with_negative"
    for question in questions:
        if not question.answers and not question.is_impossible:
            raise InputError(
                f"{file.path}: each question to learn from needs an answer, {way_out}. "
                f"Received none for {question.id!r}"
            )
    return file._replace(questions=questions)


def _question(question: Any, context: int, path: str, place: str) -> Question:
    question_id = _value(question, "id", str, path, place)
    answers = tuple(
        Answer(
            _value(answer, "text", str, path, answer_place),
            _value(answer, "answer_start", int, path, answer_place)
            if "answer_start" in answer
            else None,
        )
        for answer_place, answer in (
            _members(question, "answers", path, place) if "answers" in question else ()
        )
    )
    is_impossible = "is_impossible" in question and _value(
        question, "is_impossible", bool, path, place
    )
    text = _value(question, "question", str, path, place)
    return Question(question_id, text, context, answers, is_impossible)


def _members(parent: Any, name: str, path: str, place: str) -> Iterator[tuple[str, dict]]:
    """The objects of an array, each with its place."""
    for index, member in enumerate(_value(parent, name, list, path, place)):
        member_place = f"{place}.{name}[{index}]".removeprefix(".")
        _require_kind(member, dict, path, member_place)
        yield member_place, member


def _value(parent: Any, name: str, kind: type, path: str, place: str) -> Any:
    _require_kind(parent, dict, path, place or "the whole")
    if name not in parent:
        raise InputError(
            f"{path}: {place or 'the whole'} must have a key `{name}`, as SQuAD's files do. "
            f"Received: {_shown(parent)}"
        )
    _require_kind(parent[name], kind, path, f"{place}.{name}".removeprefix("."))
    return parent[name]


def _require_kind(value: Any, kind: type, path: str, place: str) -> None:
    if type(value) is not kind:  # to isinstance, true would be a number
        raise InputError(f"{path}: {place} must be {_KINDS[kind]}. Received: {_shown(value)}")


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}..."
