"""Tables that stand in columns."""

from bert_keras.fine_tuning import markdown


def test_columns_are_as_wide_as_their_longest_cell():
    assert markdown.table([{"seed": 12345, "f1": 0.5}, {"seed": "sd", "f1": 1 / 3}]) == (
        "| seed  | f1     |\n| ----- | ------ |\n| 12345 | 0.5    |\n| sd    | 0.3333 |\n"
    )
