import numpy as np
import pytest
import tensorflow as tf

from bert_keras.checkpoints.files import bundle
from bert_keras.checkpoints.formats.detection import read_weights
from bert_keras.checkpoints.formats.saved_model import (
    check_vocabulary,
    find_checkpoint,
    open_weights,
    weight_key,
    write_weight_names,
)
from bert_keras.errors import InputError


@pytest.fixture
def folder(tmp_path):
    """A SavedModel of two variables, of which one is a weight."""
    module = tf.Module()
    module.weights = [tf.Variable([1.5, 2.5]), tf.Variable(7.0)]
    vocabulary = tmp_path / "vocab.txt"
    vocabulary.write_text("[PAD]\na\n")
    module.vocabulary = tf.saved_model.Asset(str(vocabulary))
    tf.saved_model.save(module, str(tmp_path))
    write_weight_names({"output_bias": weight_key(0)}, str(tmp_path))
    return tmp_path


def test_weights_have_the_names_of_the_original(folder):
    weights = open_weights(find_checkpoint(str(folder)))
    assert weights.shapes == {"output_bias": (2,)}
    np.testing.assert_array_equal(weights.read("output_bias"), np.float32([1.5, 2.5]))


def test_other_saved_models_are_none_of_ours(folder):
    (folder / "weight_names.json").unlink()
    assert find_checkpoint(str(folder)) is None


def test_the_names_of_any_other_checkpoint_stay(tmp_path):
    bundle.write(str(tmp_path / "model"), {"a": tf.constant(1.0)})
    assert open_weights(str(tmp_path / "model")).shapes == {"a": ()}


@pytest.mark.parametrize("key", ['"weights/2/.ATTRIBUTES/VARIABLE_VALUE"', "3", '["a"]'])
def test_a_name_of_no_tensor_is_refused(folder, key):
    (folder / "weight_names.json").write_text(f'{{"output_bias": {key}}}')
    with pytest.raises(InputError, match="weight_names.json must name tensors of .*output_bias"):
        open_weights(find_checkpoint(str(folder)))


def test_a_vocabulary_that_is_not_that_of_the_graph_is_refused(folder):
    (folder / "vocab.txt").write_text("[PAD]\n")
    with pytest.raises(
        InputError, match="A model has one vocabulary. Received: .*vocab.txt, which"
    ):
        check_vocabulary(str(folder))


def test_weights_alone_need_no_vocabulary(folder):
    check_vocabulary(str(folder))
    (folder / "vocab.txt").unlink()
    assert read_weights(str(folder)).shapes == {"output_bias": (2,)}
