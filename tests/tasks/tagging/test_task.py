import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.tasks.tagging.task import Tagging
from bert_keras.tokenizers.vocabulary import SPECIAL_TOKENS
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

VOCABULARY = [*SPECIAL_TOKENS, *"abcd", "##b", "."]
TOKENIZER = WordPieceTokenizer({token: index for index, token in enumerate(VOCABULARY)})
LABELS = ("O", "B-X", "I-X")
CONFIG = dataclasses.replace(BertConfig.named("tiny", len(VOCABULARY)), labels=LABELS)
LABEL_OF = {"a": 1, "b": 2}  # a model that knows two words


def answers(inputs, config=CONFIG, max_seq_length=128):
    task = Tagging(max_seq_length)
    encoded = task.encode(inputs, TOKENIZER)
    logits = []
    for ids in encoded.examples.tokens["input_ids"]:
        tokens = TOKENIZER.convert_ids_to_tokens(ids)
        labels = [LABEL_OF.get(token, 0) for token in tokens]
        logits.append(np.log(3) * np.eye(3, dtype=np.float32)[labels])
    return task.decode(encoded, {"logits": logits}, config)


def test_a_text_is_cut_into_words_with_their_places():
    [found] = answers([" A b,c\u200b."])
    assert [word[:3] for word in found.words] == [
        ("A", 1, 2),
        ("b", 3, 4),
        (",", 4, 5),
        ("c", 5, 6),
        (".", 7, 8),
    ]
    assert [word.label for word in found.words] == ["B-X", "I-X", "O", "O", "O"]
    assert [word.score for word in found.words] == pytest.approx([0.6] * 5)
    [entity] = found.entities
    assert entity[:4] == ("A b", 1, 4, "X") and entity.score == pytest.approx(0.6)


def test_words_stay_what_they_are_and_count_in_their_text():
    [found] = answers([["a.b", "\u200b", "b"]])
    assert [word[:4] for word in found.words] == [
        ("a.b", 0, 3, "B-X"),
        ("\u200b", 4, 5, "O"),
        ("b", 6, 7, "I-X"),
    ]
    assert found.words[1].score == 1  # decided by rule


def test_labels_that_name_no_entities_give_none():
    config = dataclasses.replace(CONFIG, labels=("NOUN", "VERB", "ADJ"))
    [found] = answers(["a b"], config)
    assert [word.label for word in found.words] == ["VERB", "ADJ"]
    assert found.entities == []


def test_an_empty_text_has_no_words():
    assert [(one.words, one.entities) for one in answers(["", [], "\u200b"])] == [([], [])] * 3
    assert answers([]) == []


@given(st.lists(st.text(st.sampled_from("abz. ,\u200b\u0301\u4eac"), max_size=20), max_size=3))
def test_words_are_parts_of_their_text_and_windows_change_no_label_of_this_model(texts):
    for text, found, windowed in zip(texts, answers(texts), answers(texts, CONFIG, 5), strict=True):
        assert all(text[word.start : word.end] == word.word for word in found.words)
        assert all(text[one.start : one.end] == one.text for one in found.entities)
        assert [word.word for word in found.words if TOKENIZER.tokenize(word.word)] == [
            word.word for word in found.words
        ]
        assert found == windowed


@pytest.mark.parametrize("one", [None, 3, ["a", None], "\udc00"])
def test_what_is_neither_text_nor_words_is_refused(one):
    with pytest.raises(InputError, match="input 0 must be a text or a list of words"):
        Tagging().encode([one], TOKENIZER)
