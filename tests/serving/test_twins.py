import pytest
import tensorflow as tf

from bert_keras.serving.load import load_model
from bert_keras.serving.model_tasks import TASKS, WITH_OFFSETS
from bert_keras.serving.twins import PAIRED, TWINS, twin_of
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


@pytest.fixture(scope="module")
def loaded(model):
    return load_model(model)


def test_every_twin_is_that_of_a_task():
    assert {*TWINS} == {*TASKS}
    assert {*PAIRED, *WITH_OFFSETS} <= {*TWINS}


@pytest.mark.parametrize(
    "settings",
    [{}, {"do_lower_case": False}, {"strip_accents": False}, {"special_tokens_in_text": True}],
)
def test_a_twin_has_the_tokenizer_of_the_model(loaded, settings):
    tokenizer = WordPieceTokenizer(loaded.tokenizer.vocab, **settings)
    rows = twin_of(loaded._replace(tokenizer=tokenizer)).encode(tf.constant(["aB á [SEP]"]))
    encoded = loaded.task.encode(["aB á [SEP]"], tokenizer)
    assert rows.ids.to_list() == [encoded.examples.tokens["input_ids"][0].tolist()]


def test_the_ids_of_core_operations_are_the_same(loaded):
    texts = tf.constant(["aB á [SEP]", "", "Ä" * 9])
    ours, theirs = (twin_of(loaded, core_ops_only).encode(texts) for core_ops_only in (True, False))
    assert ours.ids.to_list() == theirs.ids.to_list()
