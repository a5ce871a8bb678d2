"""First pieces of words, as the `tokenizers` wheel has them for text that is already words."""

import pathlib

import pytest

from bert_keras.tasks.tagging.columns import columns_of, read_words
from bert_keras.tasks.tagging.encoding import encode_sentences
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

tokenizers = pytest.importorskip("tokenizers")
pytestmark = pytest.mark.parity

GOLDEN = pathlib.Path(__file__).parents[1] / "golden"


@pytest.mark.parametrize("name", ["wnut17.conll", "uner_ewt.iob2", "ud_ewt.conllu"])
def test_pieces_and_first_pieces(name):
    vocab_file = str(GOLDEN / "vocab" / "bert-base-uncased-vocab.txt")
    path = str(GOLDEN / "tagging" / name)
    sentences = read_words(path, columns_of(path, None, None))
    words = [sentence.words for sentence in sentences]
    ours = encode_sentences(words, WordPieceTokenizer(vocab_file), max_seq_length=128)
    peer = tokenizers.BertWordPieceTokenizer(vocab_file, lowercase=True)
    num_words = 0
    for index, sentence in enumerate(sentences):
        theirs = peer.encode(sentence.words, is_pretokenized=True)
        assert ours.examples.tokens["input_ids"][index].tolist() == theirs.ids
        first = {word: theirs.word_ids.index(word) for word in theirs.word_ids if word is not None}
        words, positions = ours.places.words[index] - num_words, ours.places.positions[index]
        assert dict(zip(words.tolist(), positions.tolist(), strict=True)) == first
        num_words += len(sentence.words)
