import numpy as np

from bert_keras.data.encoded import EncodedExamples
from bert_keras.progress import unseen
from bert_keras.serving.token_batches import outputs_of

EXAMPLES = EncodedExamples.of_sequences(
    [np.arange(1, length + 1, dtype=np.int32) for length in (2, 5, 1, 4, 4)],
    values={"masked_lm_positions": np.arange(5, dtype=np.int32)[:, np.newaxis]},
)
NAMES = ("input_ids", "masked_lm_positions")


def sums(inputs):
    """Of each row the sum of its ids, its position, and how long it was made."""
    ids = inputs["input_ids"]
    return {
        "sum": ids.sum(axis=1),
        "position": inputs["masked_lm_positions"][:, 0],
        "length": np.full(len(ids), ids.shape[1]),
    }


def run(examples=EXAMPLES, batch_size=2, advance=unseen, padded_length=None):
    outputs = ("sum", "position", "length")
    return outputs_of(sums, NAMES, outputs, examples, batch_size, advance, padded_length)


def test_outputs_are_in_the_order_of_the_examples():
    found = run()
    assert found["sum"] == [3, 15, 1, 10, 10]
    assert found["position"] == [0, 1, 2, 3, 4]


def test_the_longest_come_first_and_share_a_batch():
    lengths = []
    run(advance=lambda num: lengths.append(num))
    assert lengths == [2, 2, 1]
    assert run()["length"] == [4, 5, 1, 5, 4]


def test_batches_may_be_of_one_length():
    assert run(padded_length=7)["length"] == [7] * 5


def test_no_examples_have_no_outputs():
    none = EncodedExamples.of_sequences([], values={"masked_lm_positions": np.zeros([0, 1])})
    assert run(none) == {"sum": [], "position": [], "length": []}
