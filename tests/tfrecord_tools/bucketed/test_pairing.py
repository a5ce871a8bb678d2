"""What stands together in a record: the rules of each kind of pair, against plain arithmetic."""

import numpy as np
import pytest

from bert_keras.errors import InputError
from tfrecord_tools.bucketed.documents import concatenate, from_sentences
from tfrecord_tools.bucketed.pairing import (
    doc_sentences,
    full_sentences,
    next_sentence,
    row_maker,
    sentence_order,
)


def corpus(lengths_of_documents, origins=None):
    """Documents with sentences of the given numbers of tokens; every token has its own id."""
    num_tokens = np.array([length for lengths in lengths_of_documents for length in lengths])
    tokens = np.arange(num_tokens.sum(), dtype=np.int32)
    origins = origins or [str(number) for number in range(len(lengths_of_documents))]
    num_sentences = np.array(list(map(len, lengths_of_documents)))
    return from_sentences(num_sentences, num_tokens, tokens, tokens >= 0, origins)


def random_corpus(num_documents, seed=0, longest=20):
    rng = np.random.default_rng(seed)
    return corpus(
        [rng.integers(1, longest, rng.integers(1, 9)).tolist() for _ in range(num_documents)]
    )


def texts_of(rows):
    """Row -> list of (segment, start, end)."""
    texts = [[] for _ in rows.labels]
    columns = (rows.text_rows, rows.text_segments, rows.text_starts, rows.text_ends)
    for row, *text in zip(*(column.tolist() for column in columns), strict=True):
        texts[row].append(tuple(text))
    return texts


def document_of(documents, token):
    bounds = documents.first_tokens[documents.first_sentences]
    return int(np.searchsorted(bounds, token, side="right")) - 1


def generator(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("max_seq_length", [5, 16, 40])
def test_a_random_text_is_from_another_document_and_a_next_one_is_next(max_seq_length):
    documents = random_corpus(60)
    rows = next_sentence(documents, max_seq_length, 0.1, generator())
    assert 0.3 < rows.labels.mean() < 1
    for label, (a, b) in zip(rows.labels, texts_of(rows), strict=True):
        assert (a[0], b[0]) == (0, 1)
        assert a[1] < a[2] and b[1] < b[2]  # both have a token
        assert a[2] - a[1] + b[2] - b[1] <= max_seq_length - 3
        same = document_of(documents, a[1]) == document_of(documents, b[1])
        assert same == (label == 0)
        if label == 0:
            assert b[1] >= a[2]


def test_without_truncation_every_token_stands_in_an_a_or_a_next_b_once():
    documents = random_corpus(40, longest=5)
    rows = next_sentence(documents, 512, 0.0, generator(1))
    used = np.zeros(documents.num_tokens, int)
    for label, texts in zip(rows.labels, texts_of(rows), strict=True):
        for _, start, end in texts if label == 0 else texts[:1]:
            used[start:end] += 1
    assert (used == 1).all()
    assert rows.num_dropped_tokens == rows.num_left_out_tokens == 0


def test_half_of_the_pairs_that_may_be_either_are_random():
    documents = corpus([[5] * 6 for _ in range(4000)])
    rows = next_sentence(documents, 10, 0.0, generator(2))  # target 7: runs of two, at the end one
    num_pairs = len(rows.labels)
    # A run of two is next with 1/2 and takes both, else one: p of a lone last sentence is known.
    chance = np.zeros(7)
    chance[0] = 1
    for taken in range(5):
        chance[taken + 1] += chance[taken] / 2
        chance[taken + 2] += chance[taken] / 2
    singles = chance[5]
    expected_next = sum(chance[:5]) / 2
    share = expected_next / (2 * expected_next + singles)
    assert (rows.labels == 0).mean() == pytest.approx(share, abs=3 * 0.5 / num_pairs**0.5)


def test_over_long_texts_are_cut_at_both_ends_and_the_loss_is_counted():
    documents = corpus([[100], [2]])
    rows = next_sentence(documents, 16, 0.0, generator())
    (a, b), _ = texts_of(rows)
    assert a[2] - a[1] + b[2] - b[1] == 13
    assert (b[1], b[2]) == (100, 102)
    assert a[1] > 0 and a[2] < 100
    assert rows.num_dropped_tokens == 2 * (100 + 2 - 13)


@pytest.mark.parametrize(
    "origins", [["book", "book", "book"], ["a", "a", "a", "a"]], ids=["parts", "more parts"]
)
def test_parts_of_one_document_are_no_random_texts_for_each_other(origins):
    documents = corpus([[3, 4, 5], [6, 2], [4]] + [[7]] * (len(origins) - 3), origins)
    rows = next_sentence(documents, 32, 0.0, generator())
    assert rows.labels.tolist() == [0, 0]
    assert rows.num_left_out_tokens == documents.num_tokens - 20


def test_copies_of_a_document_are_no_random_texts_for_each_other():
    copy = corpus([[3, 3, 3]])
    copies = [copy._replace(origins=np.array([number], np.uint64)) for number in range(50)]
    rows = next_sentence(concatenate(copies), 32, 0.0, generator())
    assert rows.labels.tolist() == [0] * 50
    documents = concatenate([*copies, corpus([[4]], ["other"])])
    for seed in range(20):
        rows = next_sentence(documents, 32, 0.0, generator(seed))
        assert len(rows.labels) > 50
        for label, (a, b) in zip(rows.labels, texts_of(rows), strict=True):
            of_other = {document_of(documents, text[1]) == 50 for text in (a, b)}
            assert of_other == ({True, False} if label else {False})


def test_a_random_text_is_not_the_continuation_that_another_document_shares():
    """Documents that begin alike: each is the beginning of the next."""
    prefixes = corpus([[3] * 12])
    parts = []
    for num_sentences in range(2, 13):
        tokens = prefixes.tokens[: 3 * num_sentences]
        parts.append(
            from_sentences(
                np.array([num_sentences]),
                np.full(num_sentences, 3),
                tokens,
                tokens >= 0,
                [str(num_sentences)],
            )
        )
    documents = concatenate(parts)
    for seed in range(50):
        rows = next_sentence(documents, 15, 0.0, generator(seed))
        for label, (a, b) in zip(rows.labels, texts_of(rows), strict=True):
            follows = documents.tokens[b[1]] == documents.tokens[a[2] - 1] + 1
            is_last = a[2] in documents.first_tokens[documents.first_sentences]
            assert not (label == 1 and follows and not is_last)


def test_a_random_text_is_not_the_continuation_with_other_line_breaks():
    tokens = np.arange(32, dtype=np.int32)
    whole, joined = (
        from_sentences(
            np.array([len(lengths)]), np.array(lengths), tokens, tokens >= 0, [str(lengths)]
        )
        for lengths in ([4] * 8, [8] * 4)
    )
    documents = concatenate([whole, joined])
    for seed in range(50):
        rows = next_sentence(documents, 64, 0.5, generator(seed))
        for label, (a, b) in zip(rows.labels, texts_of(rows), strict=True):
            ends_document = a[2] in documents.first_tokens[documents.first_sentences]
            follows = documents.tokens[b[1]] == documents.tokens[a[2] - 1] + 1
            assert not (label == 1 and follows and not ends_document)


def test_rare_others_are_found_among_many_copies():
    copy = corpus([[3, 3, 3]])
    copies = [copy._replace(origins=np.array([number], np.uint64)) for number in range(3000)]
    documents = concatenate([*copies, corpus([[4], [5, 6]], ["x", "y"])])
    rows = next_sentence(documents, 32, 0.0, generator())
    assert rows.labels.mean() > 0.4


def test_halves_are_swapped_half_of_the_time():
    documents = corpus([[4] * 8 for _ in range(3000)])
    rows = sentence_order(documents, 19, 0.0, generator())  # target 16: runs of four
    assert len(rows.labels) == 6000
    assert rows.labels.mean() == pytest.approx(0.5, abs=3 * 0.5 / 6000**0.5)
    for label, (first, second) in zip(rows.labels, texts_of(rows), strict=True):
        a, b = (second, first) if label else (first, second)
        assert a[2] == b[1]
        assert b[2] - a[1] == 16


def test_a_sentence_that_stands_alone_has_no_order():
    documents = corpus([[30], [3, 3], [40, 2, 5]])
    rows = sentence_order(documents, 16, 0.0, generator())
    assert len(rows.labels) == 2
    assert rows.num_left_out_tokens == 30 + 5


def test_document_sentences_fill_rows_and_end_them_with_the_document():
    documents = corpus([[4, 5, 2], [8], [30, 1]])
    rows = doc_sentences(documents, 12, 0.1, generator())  # 10 tokens a row
    texts = [[(start, end) for _, start, end in row] for row in texts_of(rows)]
    assert texts == [
        [(0, 9)],
        [(9, 11)],
        [(11, 19)],
        [(19, 29)],
        [(29, 39)],
        [(39, 49)],
        [(49, 50)],
    ]
    assert rows.labels.tolist() == [0] * 7


def test_full_sentences_go_on_into_the_next_document():
    documents = corpus([[4, 5, 2], [3], [20]])
    rows = full_sentences(documents, 16, 0.1, generator(3))
    order = [document_of(documents, row[0][1]) for row in texts_of(rows)]
    num_tokens = [sum(end - start + 1 for _, start, end in row) for row in texts_of(rows)]
    assert max(num_tokens) <= 15
    used = sorted((start, end) for row in texts_of(rows) for _, start, end in row)
    assert [start for start, _ in used] == [0, *(end for _, end in used[:-1])]
    assert len(order) < 5
    assert {segment for row in texts_of(rows) for segment, _, _ in row} == {0}


@pytest.mark.parametrize("packed", [full_sentences, doc_sentences])
@pytest.mark.parametrize("max_seq_length", [5, 16, 64])
def test_packing_loses_nothing(packed, max_seq_length):
    documents = random_corpus(50, seed=4, longest=40)
    rows = packed(documents, max_seq_length, 0.1, generator())
    used = np.zeros(documents.num_tokens, int)
    for row in texts_of(rows):
        assert sum(end - start + 1 for _, start, end in row) + 1 <= max_seq_length
        for _, start, end in row:
            assert document_of(documents, start) == document_of(documents, end - 1)
            used[start:end] += 1
    assert (used == 1).all()


def test_full_rows_take_no_more_room_than_document_rows():
    documents = random_corpus(200, seed=5)
    full = full_sentences(documents, 64, 0.1, generator())
    per_document = doc_sentences(documents, 64, 0.1, generator())
    assert len(full.labels) < 0.7 * len(per_document.labels)


@pytest.mark.parametrize(
    ("pairs", "packing", "message"),
    [("nsp", "full_sentences", "--pairs must be one of.*nsp"), ("none", "x", "--packing must.*x")],
)
def test_unknown_names_are_refused(pairs, packing, message):
    with pytest.raises(InputError, match=message):
        row_maker(pairs, packing)
