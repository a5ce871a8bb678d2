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
