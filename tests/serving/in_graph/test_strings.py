import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.serving.in_graph.strings import clean, pack, tokens_by_id
from bert_keras.tokenizers import packing
from bert_keras.tokenizers.basic import decode
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

CLS, SEP = 101, 102
RAGGED = tf.RaggedTensorSpec([None, None], tf.int32)
PIECES = {"[CLS]": CLS, "[SEP]": SEP}

rows = st.lists(st.integers(0, 9), max_size=9)


@tf.function(input_signature=[RAGGED, RAGGED, tf.TensorSpec([], tf.int32)])
def pack_pairs(ids_a, ids_b, max_seq_length):
    return pack(ids_a, ids_b, max_seq_length, CLS, SEP)


@tf.function(input_signature=[RAGGED, tf.TensorSpec([], tf.int32)])
def pack_texts(ids, max_seq_length):
    return pack(ids, None, max_seq_length, CLS, SEP)


def ragged(values):
    return tf.ragged.constant(values, tf.int32, ragged_rank=1, inner_shape=())


def assert_packed(packed, expected):
    ids = [[PIECES.get(piece, piece) for piece in one.pieces] for one in expected]
    assert packed.ids.to_list() == ids
    assert packed.segment_ids.to_list() == [one.segment_ids for one in expected]


@given(st.lists(st.tuples(rows, rows), max_size=4), st.integers(3, 20))
def test_pairs_are_packed_as_in_python(pairs, length):
    firsts, seconds = ([pair[side] for pair in pairs] for side in (0, 1))
    packed = pack_pairs(ragged(firsts), ragged(seconds), length)
    assert_packed(packed, [packing.pack(*pair, length) for pair in pairs])


@given(st.lists(rows, max_size=4), st.integers(3, 20))
def test_texts_are_packed_as_in_python(texts, length):
    packed = pack_texts(ragged(texts), length)
    assert_packed(packed, [packing.pack(text, [], length) for text in texts])


@given(st.lists(st.binary() | st.text().map(lambda text: text.encode("utf-8", "surrogatepass"))))
def test_bad_bytes_are_dropped_as_in_python(texts):
    cleaned = clean(tf.constant(texts, tf.string)).numpy()
    assert [text.decode() for text in cleaned] == [decode(text) for text in texts]


def test_an_id_without_a_token_has_an_empty_one():
    tokenizer = WordPieceTokenizer({"[UNK]": 1, "é": 3})
    assert tokens_by_id(tokenizer).numpy().tolist() == [b"", b"[UNK]", b"", "é".encode()]
