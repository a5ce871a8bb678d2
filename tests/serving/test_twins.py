import pytest
import tensorflow as tf

from bert_keras.serving.heads import TASKS, WITH_OFFSETS
from bert_keras.serving.load import load_head
from bert_keras.serving.twins import PAIRED, TWINS, twin_of
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


@pytest.fixture(scope="module")
def head(model):
    return load_head(model)


def test_every_twin_is_that_of_a_task():
    assert {*TWINS} == {*TASKS}
    assert {*PAIRED, *WITH_OFFSETS} <= {*TWINS}


@pytest.mark.parametrize(
    "settings",
    [{}, {"do_lower_case": False}, {"strip_accents": False}, {"special_tokens_in_text": True}],
)
def test_a_twin_has_the_tokenizer_of_the_model(head, settings):
    tokenizer = WordPieceTokenizer(head.tokenizer.vocab, **settings)
    rows = twin_of(head._replace(tokenizer=tokenizer)).encode(tf.constant(["aB á [SEP]"]))
    encoded = head.task.encode(["aB á [SEP]"], tokenizer)
    assert rows.ids.to_list() == [encoded.examples.tokens["input_ids"][0].tolist()]


def test_the_ids_of_core_operations_are_the_same(head):
    texts = tf.constant(["aB á [SEP]", "", "Ä" * 9])
    ours, theirs = (twin_of(head, core_ops_only).encode(texts) for core_ops_only in (True, False))
    assert ours.ids.to_list() == theirs.ids.to_list()
