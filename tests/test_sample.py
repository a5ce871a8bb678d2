"""The corpus that the package ships."""

import importlib.resources
import re

import pytest

from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

SAMPLE = importlib.resources.files("bert_keras") / "sample"


def documents(name):
    text = (SAMPLE / name).read_text(encoding="utf-8")
    return [document.split("\n") for document in text.strip().split("\n\n")]


def test_size_and_form():
    corpus, held_out = documents("corpus.txt"), documents("held_out.txt")
    assert (len(corpus), len(held_out)) == (45, 5)
    for document in corpus + held_out:
        assert len(document) > 20
        assert all(sentence == sentence.strip() != "" for sentence in document)
    num_bytes = sum(len((SAMPLE / n).read_bytes()) for n in ("corpus.txt", "held_out.txt"))
    assert 300_000 < num_bytes < 700_000
    assert not {tuple(d) for d in corpus} & {tuple(d) for d in held_out}


@pytest.fixture(scope="module")
def tokenizer():
    with importlib.resources.as_file(SAMPLE / "vocab.txt") as path:
        return WordPieceTokenizer(str(path))


def test_vocabulary(tokenizer):
    tokens = list(tokenizer.vocab)
    assert len(tokens) == 4000
    assert tokens[:5] == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    assert not any(re.search("[A-Z]", token) for token in tokens[5:])


def test_vocabulary_spells_every_word(tokenizer):
    sentences = [s for n in ("corpus.txt", "held_out.txt") for d in documents(n) for s in d]
    pieces = [piece for sentence in sentences for piece in tokenizer.tokenize(sentence)]
    assert len(pieces) > 140_000
    assert "[UNK]" not in pieces


def test_readme_names_source_and_trainer():
    readme = (SAMPLE / "README.md").read_text(encoding="utf-8")
    assert "public domain" in readme
    assert "WordPieceTrainer" in readme
