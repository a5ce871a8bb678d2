"""Documents in columns: in memory, by key, in files."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfrecord_tools.bucketed.documents import (
    concatenate,
    from_sentences,
    read_documents,
    sort_by_key,
    write_documents,
)

LAST_KEY = 2**64 - 1
SENTENCES = st.lists(
    st.lists(st.integers(0, 2**31 - 1), min_size=1, max_size=3), min_size=1, max_size=5
)
CORPORA = st.lists(SENTENCES, max_size=5)


def document(sentences, origin="file:1"):
    tokens = np.array([token for sentence in sentences for token in sentence], np.int32)
    num_tokens = np.array(list(map(len, sentences)))
    return from_sentences(np.array([len(sentences)]), num_tokens, tokens, tokens % 2 == 0, [origin])


def sentences_of(documents):
    """The documents as lists of sentences of (token, starts word)."""
    pairs = list(zip(documents.tokens.tolist(), documents.starts_word.tolist(), strict=True))
    tokens = documents.first_tokens.tolist()
    sentences = [pairs[a:b] for a, b in zip(tokens, tokens[1:], strict=False)]
    firsts = documents.first_sentences.tolist()
    return [sentences[a:b] for a, b in zip(firsts, firsts[1:], strict=False)]


def assert_equal(ours, theirs):
    for a, b in zip(ours, theirs, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


@given(CORPORA)
def test_concatenation_keeps_every_document_and_its_order(corpus):
    joined = concatenate(document(sentences) for sentences in corpus)
    expected = [[[(t, t % 2 == 0) for t in s] for s in sentences] for sentences in corpus]
    assert sentences_of(joined) == expected
    assert joined.num_documents == len(corpus)
    assert joined.num_sentences == sum(map(len, corpus))


@given(CORPORA, st.randoms(use_true_random=False))
def test_the_order_by_key_does_not_depend_on_the_order_before(corpus, random):
    parts = [document(sentences) for sentences in corpus]
    ordered = sort_by_key(concatenate(parts))
    random.shuffle(parts)
    assert_equal(sort_by_key(concatenate(parts)), ordered)
    assert list(ordered.keys) == sorted(ordered.keys)
    assert sorted(map(str, sentences_of(ordered))) == sorted(
        map(str, sentences_of(concatenate(parts)))
    )


def test_the_key_is_of_the_tokens_and_of_where_sentences_end():
    assert document([[1, 2], [3]]).keys == document([[1, 2], [3]], "other:7").keys
    assert document([[1, 2], [3]]).keys != document([[1], [2, 3]]).keys
    assert document([[1, 2], [3]]).keys != document([[1, 2], [4]]).keys


@given(CORPORA, st.lists(st.integers(0, LAST_KEY), max_size=4))
def test_files_give_the_documents_of_every_range_of_keys(tmp_path_factory, corpus, cuts):
    path = str(tmp_path_factory.mktemp("documents") / "file")
    ordered = sort_by_key(concatenate(document(sentences) for sentences in corpus))
    write_documents(ordered, path)
    bounds = [0, *sorted({*cuts, *ordered.keys.tolist()} - {0}), LAST_KEY + 1]
    parts = [
        read_documents(path, first, end - 1) for first, end in zip(bounds, bounds[1:], strict=False)
    ]
    assert_equal(concatenate(parts), ordered)


@pytest.mark.parametrize(("first", "last"), [(0, 0), (LAST_KEY, LAST_KEY)])
def test_a_range_may_be_empty(tmp_path, first, last):
    path = str(tmp_path / "file")
    write_documents(sort_by_key(document([[1, 2]])), path)
    assert sentences_of(read_documents(path, first, last)) == []
