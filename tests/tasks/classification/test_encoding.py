import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.tasks.classification.encoding import encode
from bert_keras.tasks.classification.reading import Example
from bert_keras.tokenizers.packing import pack
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "ship", "##s", "sail", "port", "."]
TOKENIZER = WordPieceTokenizer({word: index for index, word in enumerate(WORDS)})

texts = st.lists(st.sampled_from(["the", "Ships", "sail", "quay", "."]), max_size=8).map(" ".join)


def example(text_a, text_b=None):
    return Example("0", text_a, text_b, None, "train.tsv, line 2")


def test_texts_become_ids_masks_and_segments():
    examples = [example("The ships sail"), example("The port.", "Ships"), example("", None)]

    tokens, values = encode(examples, TOKENIZER, 16, {"label_ids": np.array([1, 0, 1])}, "train")

    assert [ids.tolist() for ids in tokens["input_ids"]] == [
        [2, 4, 5, 6, 7, 3],
        [2, 4, 8, 9, 3, 5, 6, 3],
        [2, 3],
    ]
    assert [ids.tolist() for ids in tokens["segment_ids"]] == [
        [0] * 6,
        [0] * 5 + [1] * 3,
        [0] * 2,
    ]
    assert [mask.tolist() for mask in tokens["input_mask"]] == [[1] * 6, [1] * 8, [1] * 2]
    assert {array.dtype for arrays in tokens.values() for array in arrays} == {np.dtype(np.int32)}
    assert values["label_ids"].tolist() == [1, 0, 1]


@given(st.lists(st.tuples(texts, st.none() | texts), min_size=1, max_size=4), st.integers(3, 12))
def test_every_row_is_encoded_and_fits(pairs, max_seq_length):
    tokens, _ = encode([example(*pair) for pair in pairs], TOKENIZER, max_seq_length, {}, "test")

    assert len(tokens["input_ids"]) == len(pairs)
    for (text_a, text_b), ids in zip(pairs, tokens["input_ids"], strict=True):
        pieces_b = TOKENIZER.tokenize(text_b or "")
        pieces, _ = pack(TOKENIZER.tokenize(text_a), pieces_b, max_seq_length)
        assert TOKENIZER.convert_ids_to_tokens(ids) == pieces
        assert len(ids) <= max_seq_length
