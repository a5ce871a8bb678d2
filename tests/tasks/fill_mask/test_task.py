import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.config import BertConfig
from bert_keras.errors import InputError
from bert_keras.tasks.fill_mask.task import FillMask
from bert_keras.tokenizers.vocabulary import SPECIAL_TOKENS
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

VOCABULARY = [*SPECIAL_TOKENS, *"abcdef"]
TOKENIZER = WordPieceTokenizer({token: index for index, token in enumerate(VOCABULARY)})
CONFIG = BertConfig.named("tiny", len(VOCABULARY) + 3)  # rows of no token


def pieces(encoded):
    ids = encoded.examples.tokens["input_ids"]
    return [" ".join(TOKENIZER.convert_ids_to_tokens(row)) for row in ids]


def positions(encoded):
    return encoded.examples.values["masked_lm_positions"].tolist()


def test_marks_become_tokens_wherever_they_stand_and_nothing_else_does():
    encoded = FillMask().encode(["a [MASK] b.[MASK]c", "[mask] [SEP]", ""], TOKENIZER)
    first, second, third = pieces(encoded)
    assert first == "[CLS] a [MASK] b [UNK] [MASK] c [SEP]"
    assert "[MASK]" not in second and second.count("[SEP]") == 1
    assert third == "[CLS] [SEP]"
    assert positions(encoded) == [[2, 5], [0, 0], [0, 0]]
    assert encoded.places[0] == [2, 0, 0]


def test_a_mark_that_is_cut_off_is_not_filled():
    encoded = FillMask(max_seq_length=5).encode(["a b c d [MASK]", "[MASK]"], TOKENIZER)
    assert (encoded.places[0], encoded.num_cut) == ([0, 1], 1)


def test_the_likeliest_pieces_of_each_mark_best_first_the_first_of_equals():
    task = FillMask(top_k=3)
    encoded = task.encode(["[MASK] a [MASK]", "b"], TOKENIZER)
    logits = np.zeros([2, 2, CONFIG.vocab_size], np.float32)
    logits[0, 0, [6, 8]] = np.log(2)
    logits[0, 1, 5] = 100
    logits[:, :, len(VOCABULARY) :] = 1000  # cannot win
    filled, nothing = task.decode(encoded, {"masked_lm_logits": list(logits)}, CONFIG)
    first, second = filled.masks
    share = 1 / (len(VOCABULARY) + 2)
    assert [(one.token, one.id) for one in first] == [("b", 6), ("d", 8), ("[PAD]", 0)]
    assert [one.score for one in first] == pytest.approx([2 * share, 2 * share, share])
    assert second[0].token == "a" and second[0].score == pytest.approx(1)
    assert nothing.masks == []


@given(st.lists(st.sampled_from(["a", "b", "[MASK]", "x", " "]), max_size=12).map("".join))
def test_there_are_as_many_masks_as_marks(text):
    encoded = FillMask().encode([text], TOKENIZER)
    assert encoded.places[0] == [text.count("[MASK]")]
    [ids] = encoded.examples.tokens["input_ids"]
    marked = np.flatnonzero(ids == TOKENIZER.vocab["[MASK]"]).tolist()
    assert positions(encoded)[0][: len(marked)] == marked


def test_what_is_no_text_is_refused():
    with pytest.raises(InputError, match=r"input 0 must be a text, with \[MASK\]"):
        FillMask().encode([("a", "b")], TOKENIZER)
