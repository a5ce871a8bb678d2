"""What the tests of the twins share: a vocabulary, texts, and how the halves are compared."""

import numpy as np
import tensorflow as tf
from hypothesis import strategies as st

from bert_keras.config import BertConfig
from bert_keras.tokenizers.in_graph import InGraphTokenizer
from bert_keras.tokenizers.vocabulary import SPECIAL_TOKENS
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

VOCABULARY = {
    token: index
    for index, token in enumerate([*SPECIAL_TOKENS, "the", "ship", "##s", "é", "[", "mask", "]"])
}
TOKENIZER = WordPieceTokenizer(VOCABULARY)
IN_GRAPH = InGraphTokenizer(VOCABULARY)
CONFIG = BertConfig.named("tiny", len(VOCABULARY))

WORDS = ["the", "Ships", "quay", "É", "[MASK]", "[SEP]", "", "\x00", "\ufffd", "[MASK"]
texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
batches = st.lists(texts, max_size=4)
pairs = st.lists(st.tuples(texts, texts), max_size=4)
lengths = st.sampled_from([3, 8])


def traced(twin):
    """`encode` of a twin as a served graph has it: of any number of inputs."""
    return tf.function(twin.encode, input_signature=list(twin.signature.values()))


def strings(values) -> tf.Tensor:
    return tf.constant(values, tf.string)


def assert_same_rows(rows, encoded):
    """The ids and segments of a task's examples of one sequence each."""
    tokens = encoded.examples.tokens
    assert rows.ids.to_list() == [ids.tolist() for ids in tokens["input_ids"]]
    assert rows.segment_ids.to_list() == [ids.tolist() for ids in tokens["segment_ids"]]
    assert rows.owner.numpy().tolist() == list(range(len(tokens["input_ids"])))
    assert {rows.ids.dtype, rows.segment_ids.dtype, rows.owner.dtype} == {tf.int32}


def random_logits(*shape) -> np.ndarray:
    """Rounded, so that some are equal."""
    logits = np.random.default_rng(len(shape)).normal(scale=2, size=shape)
    return logits.round(1).astype(np.float32)


def decoded(values) -> list:
    return [value.decode() for value in values]
