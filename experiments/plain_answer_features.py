"""The yardstick of the benchmark of SQuAD's features: the same step in plain, unhurried Python.

It says in the order of the algorithm (`read_squad_examples` and `convert_examples_to_features` of
run_squad.py of google-research/bert; Devlin et al. 2018, section 4.2) what bert_keras.tasks.squad
does fast, and makes the same features, which a test checks: every question cuts its context into
pieces anew, and every piece of every window asks all windows where it is seen best. Nothing but
the benchmark and that test uses it.
"""

import json
from typing import NamedTuple

from experiments.plain_data_creation import tokenize


class Example(NamedTuple):
    """A question; its answer lies in words `start` to `end`, -1 and -1 if there is none."""

    id: str
    question: str
    words: list[str]
    answer: str
    start: int
    end: int


class Feature(NamedTuple):
    """A window: its inputs, where the answer is, and the positions that no other shows better."""

    id: str
    input_ids: list[int]
    segment_ids: list[int]
    max_context: list[int]
    start_position: int
    end_position: int


def read_examples(path: str) -> list[Example]:
    """The questions of a file, each with its first answer; those whose answer is lost left out."""
    with open(path, encoding="utf-8") as file:
        articles = json.load(file)["data"]
    examples = []
    for article in articles:
        for paragraph in article["paragraphs"]:
            words, word_of_character = split_words(paragraph["context"])
            for question in paragraph["qas"]:
                examples += example(question, words, word_of_character)
    return examples


def split_words(context: str) -> tuple[list[str], list[int]]:
    """The words of a context, and the word of each character or of the one before it."""
    words, word_of_character = [], []
    after_space = True
    for character in context:
        if character in " \t\r\n\u202f":
            after_space = True
        else:
            if after_space:
                words.append("")
            words[-1] += character
            after_space = False
        word_of_character.append(len(words) - 1)
    return words, word_of_character


def example(question: dict, words: list[str], word_of_character: list[int]) -> list[Example]:
    """The question as a list of one; an empty one if its answer is not among its words."""
    if question.get("is_impossible"):
        return [Example(question["id"], question["question"], words, "", -1, -1)]
    answer = question["answers"][0]
    start = word_of_character[answer["answer_start"]]
    end = word_of_character[answer["answer_start"] + len(answer["text"]) - 1]
    if " ".join(answer["text"].split()) not in " ".join(words[start : end + 1]):
        return []
    return [Example(question["id"], question["question"], words, answer["text"], start, end)]


def features(
    example: Example,
    vocabulary: dict[str, int],
    do_lower_case: bool,
    max_seq_length: int,
    doc_stride: int,
    max_query_length: int,
) -> list[Feature]:
    """The windows of an example."""
    query = tokenize(example.question, vocabulary, do_lower_case)[:max_query_length]
    pieces, first_piece_of_word = [], []
    for word in example.words:
        first_piece_of_word.append(len(pieces))
        pieces += tokenize(word, vocabulary, do_lower_case)
    first_piece_of_word.append(len(pieces))
    answer = (-1, -1)
    if example.start >= 0:
        first, last = first_piece_of_word[example.start], first_piece_of_word[example.end + 1] - 1
        answer_pieces = tokenize(example.answer, vocabulary, do_lower_case)
        answer = improved_span(pieces, first, last, " ".join(answer_pieces))
    spans = window_spans(len(pieces), max_seq_length - len(query) - 3, doc_stride)
    return [
        feature(example.id, query, pieces, spans, index, answer, vocabulary)
        for index in range(len(spans))
    ]


def window_spans(num_pieces: int, room: int, doc_stride: int) -> list[tuple[int, int]]:
    """(first piece, number of pieces) of each window."""
    spans = []
    start = 0
    while start < num_pieces:
        length = min(num_pieces - start, room)
        spans.append((start, length))
        if start + length == num_pieces:
            break
        start += min(length, doc_stride)
    return spans


def feature(example_id, query, pieces, spans, index, answer, vocabulary) -> Feature:
    """One window."""
    start, length = spans[index]
    tokens, segment_ids, max_context = ["[CLS]"], [0], []
    for token in query:
        tokens.append(token)
        segment_ids.append(0)
    tokens.append("[SEP]")
    segment_ids.append(0)
    for piece in range(start, start + length):
        if is_max_context(spans, index, piece):
            max_context.append(len(tokens))
        tokens.append(pieces[piece])
        segment_ids.append(1)
    tokens.append("[SEP]")
    segment_ids.append(1)
    positions = (0, 0)
    if answer[0] >= start and answer[1] < start + length:
        shift = len(query) + 2 - start
        positions = (answer[0] + shift, answer[1] + shift)
    input_ids = [vocabulary[token] for token in tokens]
    return Feature(example_id, input_ids, segment_ids, max_context, *positions)


def is_max_context(spans: list[tuple[int, int]], index: int, piece: int) -> bool:
    """Whether of all windows with a piece this one shows most on its poorer side."""
    best_score, best_index = None, None
    for other, (start, length) in enumerate(spans):
        if start <= piece < start + length:
            score = min(piece - start, start + length - 1 - piece) + 0.01 * length
            if best_score is None or score > best_score:
                best_score, best_index = score, other
    return index == best_index


def improved_span(pieces: list[str], first: int, last: int, answer: str) -> tuple[int, int]:
    """The first part of a span that reads as the answer does, or the span."""
    for start in range(first, last + 1):
        for end in range(last, start - 1, -1):
            if " ".join(pieces[start : end + 1]) == answer:
                return start, end
    return first, last
