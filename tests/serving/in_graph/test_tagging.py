"""A tagger in a graph: words and entities are those of the task in Python."""

import functools

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.config import BertConfig
from bert_keras.data.encoded import EncodedExamples
from bert_keras.serving.in_graph.tagging import InGraphTagging
from bert_keras.tasks.tagging.encoding import encode_sentences
from bert_keras.tasks.tagging.task import Entity, Tagged, TaggedWord, Tagging, predicted_labels
from tests.serving.in_graph import fake_model
from tests.serving.in_graph.texts import decoded, texts, tokenizers
from tests.tokenizers.texts import SENTENCES

ENTITIES = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
TASKS = [  # vocabulary, max_seq_length, labels
    ("uncased", 9, ENTITIES),
    ("multilingual-cased", 128, ENTITIES),
    ("uncased", 3, ("S-A", "B-A", "I-A", "E-A", "O")),
    ("uncased", 16, ("NOUN", "VERB", "ADJ")),
]


@functools.cache
def twins(name, max_seq_length, labels):
    """A task in Python, and in a graph with its model: of texts, and of words."""
    plain, spans = tokenizers(name)
    task, config = Tagging(max_seq_length), BertConfig(vocab_size=plain.vocab_size, labels=labels)
    twin = InGraphTagging(task, config, plain, spans)

    def answer(rows):
        columns = [fake_model.in_graph(rows, column) for column in range(len(labels))]
        return rows.ids, rows.owner, twin.decode(rows, {"logits": tf.stack(columns, axis=-1)})

    of_texts = tf.function(
        lambda text: answer(twin.encode(text)), input_signature=[*twin.signature.values()]
    )
    of_words = tf.function(
        lambda words: answer(twin.encode_words(words)),
        input_signature=[*twin.signature_of_words.values()],
    )
    return task, config, plain, of_texts, of_words


def logits(examples: EncodedExamples, labels):
    rows = examples.tokens["input_ids"]
    columns = [fake_model.in_python(rows, column) for column in range(len(labels))]
    return [np.stack(of_row, axis=-1) for of_row in zip(*columns, strict=True)]


def in_python(task, config, plain, inputs):
    encoded = task.encode(inputs, plain)
    outputs = {"logits": logits(encoded.examples, config.labels)}
    return encoded, task.decode(encoded, outputs, config)


def answers(found) -> list[Tagged]:
    """What tensors say, without the padding."""
    found = {name: values.numpy() for name, values in found.items()}

    def part(kind, names, num, row):
        columns = [found[name][row, : found[num][row]].tolist() for name in names]
        for name, column in zip(names, columns, strict=True):
            assert not any(found[name][row, len(column) :])  # padding
        decoded_columns = (
            [value.decode() if isinstance(value, bytes) else value for value in column]
            for column in columns
        )
        return [kind(*fields) for fields in zip(*decoded_columns, strict=True)]

    words = ("words", "word_start", "word_end", "word_label", "word_score")
    entities = [f"entity_{name}" for name in Entity._fields]
    return [
        Tagged(
            part(TaggedWord, words, "num_words", row),
            part(Entity, entities, "num_entities", row),
        )
        for row in range(len(found["num_words"]))
    ]


def assert_alike(found: list[Tagged], expected: list[Tagged]) -> None:
    def without_scores(tagged):
        return [[one._replace(score=0) for one in part] for of_text in tagged for part in of_text]

    def scores(tagged):
        return [one.score for of_text in tagged for part in of_text for one in part]

    assert without_scores(found) == without_scores(expected)
    np.testing.assert_allclose(scores(found), scores(expected), atol=1e-6)


@pytest.mark.parametrize("setting", TASKS)
@given(batch=st.lists(texts, max_size=4))
def test_texts_get_the_windows_and_answers_of_python(setting, batch):
    *python, of_texts, _ = twins(*setting)
    encoded, expected = in_python(*python, [*map(decoded, batch)])
    ids, _, found = of_texts(tf.constant(batch, tf.string))
    assert ids.to_list() == [row.tolist() for row in encoded.examples.tokens["input_ids"]]
    assert_alike(answers(found), expected)


@pytest.mark.parametrize("setting", TASKS)
@given(batch=st.lists(st.lists(texts, max_size=8), max_size=4))
def test_given_words_get_the_windows_and_answers_of_python(setting, batch):
    *python, _, of_words = twins(*setting)
    for row in batch:
        while row and row[-1] == b"":
            row.pop()
    sentences = [[*map(decoded, row)] for row in batch]
    encoded, expected = in_python(*python, sentences)
    ids, _, found = of_words(padded(batch))
    assert ids.to_list() == [row.tolist() for row in encoded.examples.tokens["input_ids"]]
    assert_alike(answers(found), expected)


def padded(batch):
    return tf.ragged.constant(batch, tf.string, ragged_rank=1).to_tensor(shape=[len(batch), None])


def test_given_words_get_the_labels_that_the_program_writes():
    task, config, plain, _, of_words = twins(*TASKS[0])
    sentences = [text.split() for text in SENTENCES] + [["\u200b", "a b", "U.S."]]
    encoded = encode_sentences(sentences, plain, task.max_seq_length)
    expected = predicted_labels(encoded, logits(encoded.examples, config.labels), config.labels)
    _, _, found = of_words(padded(sentences))
    assert [[word.label for word in row.words] for row in answers(found)] == expected


@pytest.mark.parametrize("setting", TASKS)
def test_a_batch_equals_its_rows_one_by_one(setting):
    *_, of_texts, of_words = twins(*setting)
    batch = [*SENTENCES, "", b"\xff", " ".join(SENTENCES) * 3]
    for signature, inputs in ((of_texts, batch), (of_words, [text.split() for text in SENTENCES])):
        tensor = tf.constant(batch) if signature is of_texts else padded(inputs)
        _, owner, found = signature(tensor)
        assert sorted(owner.numpy().tolist()) == owner.numpy().tolist()
        one_by_one = [signature(tensor[row : row + 1])[2] for row in range(len(inputs))]
        assert answers(found) == [answer for row in one_by_one for answer in answers(row)]


def test_a_text_of_many_windows():
    *python, of_texts, _ = twins(*TASKS[0])
    text = " ".join(SENTENCES) * 40
    encoded, expected = in_python(*python, [text, "", text[:99]])
    ids, owner, found = of_texts(tf.constant([text, "", text[:99]]))
    assert len(owner) > 1000
    assert ids.to_list() == [row.tolist() for row in encoded.examples.tokens["input_ids"]]
    assert_alike(answers(found), expected)


def test_no_text_and_no_words_have_no_answers():
    _, _, _, of_texts, of_words = twins(*TASKS[0])
    for found in (of_texts(tf.zeros([0], tf.string)), of_words(tf.zeros([0, 3], tf.string))):
        assert found[2]["words"].shape == found[2]["entity_text"].shape == (0, 0)
    found = of_words(tf.zeros([2, 0], tf.string))[2]
    assert found["words"].shape == (2, 0)
    assert found["num_words"].numpy().tolist() == [0, 0]


def test_an_empty_word_before_others_is_a_word():
    _, _, _, _, of_words = twins(*TASKS[0])
    (found,) = answers(of_words(tf.constant([["", "port", "", "ship", ""]]))[2])
    assert [word.word for word in found.words] == ["", "port", "", "ship"]
    assert [word.start for word in found.words] == [0, 1, 6, 7]
    assert [word.label for word in found.words[::2]] == ["O", "O"]
