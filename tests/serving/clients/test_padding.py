import numpy as np
import pytest

from bert_keras.errors import InputError
from bert_keras.serving.clients.padding import padded


def test_rows_are_filled_up_and_marked():
    found = padded({"input_ids": [[2, 3], [2, 5, 3]], "segment_ids": [[0, 1], [0, 1, 1]]})
    assert found == {
        "input_ids": [[2, 3, 0], [2, 5, 3]],
        "input_mask": [[1, 1, 0], [1, 1, 1]],
        "segment_ids": [[0, 1, 0], [0, 1, 1]],
    }


def test_a_mask_that_is_given_stays():
    found = padded({"input_ids": [[2, 4, 3], [2]], "input_mask": [[1, 0, 1], [1]]})
    assert found["input_mask"] == [[1, 0, 1], [1, 0, 0]]


def test_one_value_for_all_is_one_for_each_token():
    found = padded({"input_ids": [[2, 4, 3], [2]], "input_mask": [[1]], "segment_ids": [[0]]})
    assert found["input_mask"] == [[1, 1, 1], [1, 0, 0]]
    assert found["segment_ids"] == [[0, 0, 0], [0, 0, 0]]


def test_rows_of_one_length_and_texts_stay_as_they_are():
    for inputs in ({"input_ids": [[2, 3], [2, 4]]}, {"text": ["a", "bc"]}, {"input_ids": []}):
        assert padded(inputs) == inputs
    choices = {"input_ids": [[[2, 3], [2, 4]], [[2, 3], [2, 4]]]}
    assert padded(choices) == choices
    arrays = {"input_ids": np.ones([2, 3], np.int32)}
    assert padded(arrays)["input_ids"] is arrays["input_ids"]


def test_words_are_filled_up_with_none():
    found = padded({"words": [["Ann", "went"], ["Bob"], []]}, "words")
    assert found == {"words": [["Ann", "went"], ["Bob", ""], ["", ""]]}


@pytest.mark.parametrize(
    ("others", "name"),
    [
        ({"input_mask": [1, 1]}, "input_mask"),
        ({"input_mask": 1}, "input_mask"),
        ({"input_mask": [[1], [1, 1]]}, "input_mask"),
        ({"segment_ids": [[0, 0]]}, "segment_ids"),
        ({"input_ids": [[1, 2], [3], 4]}, "input_ids"),
        ({"input_ids": [[[1, 2]], [[3], [4]]]}, "input_ids"),
        ({"words": [["a"], "b"]}, "words"),
    ],
)
def test_what_cannot_be_filled_up_is_refused_by_its_name(others, name):
    with pytest.raises(InputError, match=f"{name} must .* Received: "):
        padded({"input_ids": [[1, 2], [3]]} | others)


def test_rows_that_need_a_mask_are_refused_where_there_is_none():
    assert padded({"input_ids": [[2, 3]]}, "token_ids") == {"input_ids": [[2, 3]]}
    with pytest.raises(InputError, match="ask the signature tokens. Received: token_ids"):
        padded({"input_ids": [[2, 3], [2, 5, 3]]}, "token_ids")
