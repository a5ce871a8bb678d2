import csv
import io

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.tasks.multiple_choice.example import Example
from bert_keras.tasks.multiple_choice.scoring import accuracy, probabilities, table


def example(num_choices, label=0, name="x"):
    return Example(name, "a", ("b",) * num_choices, label)


def logits(*values):
    return np.array(values, np.float32)


def test_missing_choices_can_never_win():
    examples = [example(2, label=1), example(4, label=3)]
    outputs = [logits(0, 1, 99, 99), logits(0, 1, 2, 3)]
    assert accuracy(examples, outputs) == 1.0
    two, four = probabilities([2, 4], outputs)
    np.testing.assert_allclose(two, [1 / (1 + np.e), np.e / (1 + np.e)])
    assert len(four) == 4


def test_accuracy_is_the_share_of_right_choices():
    examples = [example(3, label) for label in (0, 1, 2, 1)]
    outputs = [logits(5, 1, 1), logits(5, 1, 1), logits(1, 1, 5), logits(1, 5, 1)]
    assert accuracy(examples, outputs) == 0.75


def test_a_row_for_each_example_in_their_order():
    examples = [example(2, name="one"), example(3, name="two")]
    text = table(examples, [logits(0, 0, 7), logits(1e4, 0, -1e4)])
    rows = list(csv.DictReader(io.StringIO(text), delimiter="\t"))
    columns = ["id", "probability_0", "probability_1", "probability_2", "predicted_choice"]
    assert [list(row) for row in rows] == [columns, columns]
    assert list(rows[0].values()) == ["one", "0.5", "0.5", "", "0"]
    assert list(rows[1].values()) == ["two", "1", "0", "0", "0"]


@given(st.lists(st.floats(-50, 50, width=32), min_size=2, max_size=6), st.randoms())
def test_probabilities_sum_to_1_and_follow_the_order_of_the_choices(values, random):
    order = random.sample(range(len(values)), len(values))
    (probs,) = probabilities([len(values)], [logits(*values)])
    (permuted,) = probabilities([len(values)], [logits(*values)[order]])
    np.testing.assert_allclose(probs.sum(), 1)
    np.testing.assert_allclose(permuted, probs[order], rtol=1e-12)
