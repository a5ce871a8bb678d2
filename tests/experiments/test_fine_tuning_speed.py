"""The rows of the experiment train on the same examples, padded as their names say."""

import numpy as np
import pytest

from bert_keras.errors import InputError
from experiments import fine_tuning_speed


@pytest.fixture
def settings(tmp_path):
    words = ["the", "ship", "port", "river", "sail"]
    lines = ["sentence\tlabel", *(" ".join(words * count) + "\t1" for count in range(1, 21))]
    (tmp_path / "train.tsv").write_text("\n".join(lines) + "\n")
    vocab = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    (tmp_path / "vocab.txt").write_text("\n".join(vocab) + "\n")
    return fine_tuning_speed.Settings(
        model=str(tmp_path), input_file=str(tmp_path / "train.tsv"), batch_size=4, num_steps=5
    )


def test_every_row_trains_on_every_example_once(settings):
    examples = fine_tuning_speed.read_examples(settings)
    expected = sorted(map(tuple, examples.tokens["input_ids"]))
    lengths = {}
    for row, (make_batches, _) in fine_tuning_speed.ROWS.items():
        batches = make_batches(examples, 4)
        assert len(batches) == 5
        found = [tuple(ids[ids > 0]) for batch in batches for ids in batch["input_ids"]]
        assert sorted(found) == expected, row
        lengths[row] = [batch["input_ids"].shape[1] for batch in batches]
    assert set(lengths["padded_to_128"]) == {128}
    assert np.mean(lengths["by_length"]) < np.mean(lengths["transformers"]) < 128


def test_unknown_row_is_an_error(settings):
    with pytest.raises(InputError, match="--row must be of by_length, .*Received: other"):
        fine_tuning_speed.main(fine_tuning_speed.Settings(settings.model, "", row=["other"]))
