import functools

import pytest
import tensorflow as tf
from hypothesis import given

from bert_keras.errors import InputError
from bert_keras.serving.in_graph.sequences import Sequences
from bert_keras.tasks.sequences import encode_texts
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tests.serving.in_graph.twins import (
    IN_GRAPH,
    TOKENIZER,
    assert_same_rows,
    batches,
    lengths,
    pairs,
    strings,
)


@functools.cache
def encode(num_texts, max_seq_length):
    """The tokenizer is traced: a kernel that is made once compiles its classes of characters."""
    sequences = Sequences(TOKENIZER, IN_GRAPH, max_seq_length)
    signature = [tf.TensorSpec([None], tf.string)] * num_texts
    return tf.function(sequences.encode, input_signature=signature)


@given(batches, lengths)
def test_texts_have_the_ids_of_python(texts, max_seq_length):
    rows = encode(1, max_seq_length)(strings(texts))
    assert_same_rows(rows, encode_texts(texts, TOKENIZER, max_seq_length))


@given(pairs, lengths)
def test_pairs_have_the_ids_of_python(pairs, max_seq_length):
    sides = ([pair[side] for pair in pairs] for side in (0, 1))
    rows = encode(2, max_seq_length)(*map(strings, sides))
    assert_same_rows(rows, encode_texts(pairs, TOKENIZER, max_seq_length))


def test_a_vocabulary_must_have_what_a_sequence_begins_and_ends_with():
    with pytest.raises(InputError, match=r"Received: '\[CLS\]'"):
        Sequences(WordPieceTokenizer({"[UNK]": 0}), IN_GRAPH, 8)


def test_pairs_have_as_many_second_texts():
    with pytest.raises(tf.errors.InvalidArgumentError, match="as many second texts as first ones"):
        encode(2, 9)(tf.constant(["a", "b"]), tf.constant(["a"]))
