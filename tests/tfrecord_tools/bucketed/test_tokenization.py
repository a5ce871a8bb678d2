"""Tokens of documents are those of the tokenizer, and words those that the segmenter tells."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.errors import InputError
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tfrecord_tools.bucketed import tokenization
from tfrecord_tools.bucketed.tokenization import (
    ChunkTokenizer,
    SegmentedTokenizer,
    document_tokenizer,
    tokenize_documents,
)
from tfrecord_tools.corpus.documents import Document

TOKENS = "[PAD] [UNK] [CLS] [SEP] [MASK] sail ##s ##ing port . 東 京 都 に a ##b"
TEXTS = st.lists(st.text(st.sampled_from("sailngport .東京都にab\u200b\x85\t"), max_size=30))


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    path = tmp_path_factory.mktemp("vocabulary") / "vocab.txt"
    path.write_text("\n".join(TOKENS.split()) + "\n")
    return WordPieceTokenizer(path)


@given(TEXTS)
def test_ids_are_those_of_the_tokenizer(tokenizer, sentences):
    num_tokens, ids, starts_word = ChunkTokenizer(tokenizer)(sentences)
    expected = [tokenizer.tokenize(sentence) for sentence in sentences]
    pieces = [piece for row in expected for piece in row]
    assert num_tokens.tolist() == list(map(len, expected))
    assert ids.tolist() == tokenizer.convert_tokens_to_ids(pieces)
    assert starts_word.tolist() == [not piece.startswith("##") for piece in pieces]


def test_what_was_learned_may_be_forgotten(tokenizer, monkeypatch):
    monkeypatch.setattr(tokenization, "MAX_KNOWN_CHUNKS", 2)
    tokenize = ChunkTokenizer(tokenizer)
    for _ in range(3):
        for sentences in (["sails port a"], ["ab . sailing"], []):
            num_tokens, ids, _ = tokenize(sentences)
            pieces = [piece for sentence in sentences for piece in tokenizer.tokenize(sentence)]
            assert ids.tolist() == tokenizer.convert_tokens_to_ids(pieces)
            assert num_tokens.sum() == len(ids)


def test_sentences_without_a_token_are_left_out(tokenizer):
    tokenize = ChunkTokenizer(tokenizer)
    documents = tokenize_documents(
        tokenize,
        [
            Document(["sails", "\u200b", "", "port"], "x", 1),
            Document(["\u200b", ""], "x", 5),
            Document([], "x", 8),
            Document(["a"], "x", 9),
        ],
    )
    assert np.diff(documents.first_tokens).tolist() == [2, 1, 1]
    assert documents.first_sentences.tolist() == [0, 2, 3]
    assert documents.num_documents == len(set(documents.origins.tolist())) == 2
    assert tokenize_documents(tokenize, []).num_documents == 0


def test_a_segmenter_tells_where_words_start(tokenizer):
    words = {"東京都に port": ["東京", "都", "に", " ", "port"], "sails": ["sai", "ls"]}
    tokenize = SegmentedTokenizer(tokenizer, words.__getitem__)
    num_tokens, ids, starts_word = tokenize(["東京都に port", "sails"])
    assert tokenizer.convert_ids_to_tokens(ids) == ["東", "京", "都", "に", "port", "sail", "##s"]
    assert num_tokens.tolist() == [5, 2]
    assert starts_word.astype(int).tolist() == [1, 0, 1, 1, 1, 1, 0]
    assert tokenize([])[0].tolist() == []


def test_a_segmenter_that_changes_the_text_is_refused(tokenizer):
    with pytest.raises(InputError, match="must be the text that it was given"):
        SegmentedTokenizer(tokenizer, lambda text: text.upper().split())(["sails"])


def test_a_segmenter_is_named_by_module_and_function(tokenizer):
    assert isinstance(document_tokenizer(tokenizer, None), ChunkTokenizer)
    tokenize = document_tokenizer(tokenizer, "builtins:list")
    assert tokenize(["東京"])[2].tolist() == [True, True]
    for name in ("list", "no_such_module:list", "builtins:no_such_function", ":"):
        with pytest.raises(InputError, match="module:function"):
            document_tokenizer(tokenizer, name)
