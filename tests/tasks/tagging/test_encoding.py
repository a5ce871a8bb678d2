import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.tasks.tagging.encoding import encode_sentences, with_targets
from bert_keras.tasks.tagging.task import predicted_labels
from bert_keras.tokenizers.vocabulary import SPECIAL_TOKENS
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

VOCABULARY = [*SPECIAL_TOKENS, "the", "port", "ship", "sail", "##s", "##ed", "a", "##a"]
TOKENIZER = WordPieceTokenizer({token: index for index, token in enumerate(VOCABULARY)})
LABELS = ("O", "B-LOC", "I-LOC")


def encoded(words, max_seq_length=16):
    return encode_sentences(words, TOKENIZER, max_seq_length)


def pieces(found):
    return [TOKENIZER.convert_ids_to_tokens(ids) for ids in found.examples.tokens["input_ids"]]


def one_hot_logits(examples, num_labels, num_padding=0):
    """Logits of a model that has learned all: the targets, with padding after them."""
    targets = examples.tokens["label_ids"]
    padded = [np.pad(row, (0, num_padding), constant_values=1) for row in targets]
    return [np.eye(num_labels, dtype=np.float32)[row] for row in padded]


def test_the_first_piece_of_each_word_counts():
    found = encoded([["sails", "the", "sailed"], ["port"]])
    examples = with_targets(found, np.array([1, 0, 2, 1]))
    assert pieces(found) == [
        ["[CLS]", "sail", "##s", "the", "sail", "##ed", "[SEP]"],
        ["[CLS]", "port", "[SEP]"],
    ]
    first, second = examples.tokens["label_weights"]
    assert (first.tolist(), second.tolist()) == ([0, 1, 0, 1, 1, 0, 0], [0, 1, 0])
    assert examples.tokens["label_ids"][0].tolist() == [0, 1, 0, 0, 2, 0, 0]
    assert [row.tolist() for row in examples.tokens["input_mask"]] == [[1] * 7, [1] * 3]
    assert [row.tolist() for row in examples.tokens["segment_ids"]] == [[0] * 7, [0] * 3]
    assert {row.dtype for name in examples.tokens for row in examples.tokens[name]} == {
        np.dtype(np.int32),
        np.dtype(np.float32),
    }


def test_words_without_a_piece_shift_no_others():
    """lonePatient/BERT-NER-Pytorch#48, dmis-lab/biobert#107."""
    found = encoded([["the", "\u200b", "port", "\u0097", "\ufe0f", "ship"]])
    assert pieces(found) == [["[CLS]", "the", "port", "ship", "[SEP]"]]
    examples = with_targets(found, np.array([0, 2, 1, 2, 2, 0]))
    assert examples.tokens["label_ids"][0].tolist() == [0, 0, 1, 0, 0]
    assert examples.tokens["label_weights"][0].tolist() == [0, 1, 1, 1, 0]
    logits = one_hot_logits(examples, len(LABELS))
    assert predicted_labels(found, logits, LABELS) == [["O", "O", "B-LOC", "O", "O", "O"]]


def test_a_private_use_character_is_a_word():
    found = encoded([["the", "\ue000", "port"]])
    assert pieces(found) == [["[CLS]", "the", "[UNK]", "port", "[SEP]"]]
    assert found.places.positions[0].tolist() == [1, 2, 3]


def test_a_sentence_of_nothing_has_its_labels():
    found = encoded([["\u200b", "\ufe0f"], ["port"], ["\x01"]])
    assert pieces(found) == [["[CLS]", "[SEP]"], ["[CLS]", "port", "[SEP]"], ["[CLS]", "[SEP]"]]
    logits = [np.array([[0.0, 0.0, 1.0]] * 3)] * 3
    labels = predicted_labels(found, logits, LABELS)
    assert labels == [["O", "O"], ["I-LOC"], ["O"]]


def test_white_space_in_a_word_parts_pieces_and_not_words():
    found = encoded([["the port", "ship\u00a0sails"]])
    assert pieces(found) == [["[CLS]", "the", "port", "ship", "sail", "##s", "[SEP]"]]
    assert found.places.positions[0].tolist() == [1, 3]


def test_special_tokens_are_no_text():
    found = encoded([["[SEP]"]])
    assert pieces(found)[0].count("[SEP]") == 1


def test_a_long_sentence_is_cut_into_windows_and_decided_where_context_is():
    """Room for 4 pieces, windows 2 apart: 0-3, 2-5, 4-6; by hand as run_squad.py decides."""
    found = encoded([["the"] * 7], max_seq_length=6)
    assert [len(row) for row in found.examples.tokens["input_ids"]] == [6, 6, 5]
    assert [row.tolist() for row in found.places.words] == [[0, 1, 2], [3, 4], [5, 6]]
    assert [row.tolist() for row in found.places.positions] == [[1, 2, 3], [2, 3], [2, 3]]


def test_a_word_of_very_many_pieces_is_decided_once():
    found = encoded([["port", "a" * 150, "ship"]], max_seq_length=10)
    examples = with_targets(found, np.array([1, 2, 1]))
    assert sum(row.sum() for row in examples.tokens["label_weights"]) == 3
    assert max(map(len, examples.tokens["input_ids"])) == 10
    labels = predicted_labels(found, one_hot_logits(examples, 3), LABELS)
    assert labels == [["B-LOC", "I-LOC", "B-LOC"]]
    assert len(found.places.words) <= 3  # parts of the long word alone are no examples


def test_a_file_without_blank_lines_is_one_long_sentence():
    found = encoded([["the"] * 20_000], max_seq_length=128)
    examples = with_targets(found, np.arange(20_000) % 3)
    labels = predicted_labels(found, one_hot_logits(examples, 3), LABELS)
    assert labels == [[LABELS[index % 3] for index in range(20_000)]]


WORDS = st.sampled_from(["the", "sails", "aaaaa", "a" * 30, "\u200b", "\ue000", "a port", ""])


@given(
    st.lists(st.lists(WORDS, min_size=1, max_size=30), min_size=1, max_size=4),
    st.integers(3, 24),
    st.integers(0, 3),
    st.randoms(use_true_random=False),
)
def test_every_word_gets_its_label_back(words, max_seq_length, num_padding, random):
    """For each length of windows and each padding of a batch; and each word counts once at most."""
    found = encoded(words, max_seq_length)
    ids = np.array([random.randrange(1, 3) for row in words for _ in row])
    examples = with_targets(found, ids)
    logits = one_hot_logits(examples, len(LABELS), num_padding)
    labels = predicted_labels(found, logits, LABELS)
    assert [len(row) for row in labels] == [len(row) for row in words]
    flat = [word for row in words for word in row]
    has_piece = [bool(TOKENIZER.tokenize(word)) for word in flat]
    expected = [LABELS[i] if has else "O" for i, has in zip(ids, has_piece, strict=True)]
    assert [label for row in labels for label in row] == expected
    assert sum(row.sum() for row in examples.tokens["label_weights"]) == sum(has_piece)
    assert max(map(len, examples.tokens["input_ids"])) <= max_seq_length


def test_words_are_counted_through_all_sentences():
    found = encoded([["the", "port"], ["\u200b"], ["ship"]])
    assert [row.tolist() for row in found.places.words] == [[0, 1], [], [3]]
    with pytest.raises(IndexError):
        with_targets(found, np.array([0, 1, 2]))


def test_a_sentence_without_words_is_a_window_without_any():
    found = encoded([[], ["the"]])
    assert [len(ids) for ids in found.examples.tokens["input_ids"]] == [2, 3]
    assert found.places.num_words == [0, 1]
