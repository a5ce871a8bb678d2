"""A saved model comes back, and takes the place of nothing else."""

import dataclasses

import keras
import numpy as np
import pytest
import tensorflow as tf

import bert_keras
from bert_keras.checkpoints.files import bundle
from bert_keras.checkpoints.pretrained import (
    from_pretrained,
    save_pretrained,
)
from bert_keras.errors import InputError
from bert_keras.models.pretrainer import pretrainer
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tests import golden_model
from tests.checkpoints import stored_models
from tests.checkpoints.stored_models import write


@pytest.mark.parametrize("do_lower_case", [True, False])
def test_there_and_back_again(tmp_path, vocab_file, do_lower_case):
    model = golden_model.model()
    tokenizer = WordPieceTokenizer(vocab_file, do_lower_case=do_lower_case)
    folder = str(tmp_path / "model")
    save_pretrained(model, tokenizer, folder)
    loaded, loaded_tokenizer = from_pretrained(folder, build=pretrainer)
    for ours, theirs in zip(model.weights, loaded.weights, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert loaded_tokenizer.vocab == tokenizer.vocab
    assert loaded_tokenizer.do_lower_case == do_lower_case


def test_ids_stay_where_a_line_of_the_vocabulary_is_blank_or_repeated(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("[PAD]\n[UNK]\nport\n\n\nship\nport\nsail\n")
    tokenizer = WordPieceTokenizer(path)
    save_pretrained(golden_model.model(), tokenizer, tmp_path / "model")
    _, loaded = from_pretrained(tmp_path / "model")
    assert loaded.vocab == tokenizer.vocab
    assert loaded.convert_tokens_to_ids(["ship", "port", "sail"]) == [5, 6, 7]


def test_sentence_encoder_comes_back_with_its_pooling(tmp_path):
    encoder, tokenizer = golden_model.model(bert_keras.bert), WordPieceTokenizer({"[UNK]": 0})
    model = bert_keras.sentence_encoder(encoder, ("max", "mean"), normalize=False)
    save_pretrained(model, tokenizer, tmp_path / "model")
    loaded, _ = from_pretrained(tmp_path / "model")
    inputs = golden_model.inputs(("input_ids", "input_mask", "segment_ids"))
    np.testing.assert_array_equal(
        loaded(inputs)["sentence_embedding"], model(inputs)["sentence_embedding"]
    )


def test_card_says_what_it_is_and_leaves_a_readme_of_yours(tmp_path, vocab_file):
    model, tokenizer = golden_model.model(), WordPieceTokenizer(vocab_file)
    save_pretrained(model, tokenizer, tmp_path / "model", made_by="Trained on my novels.")
    card = (tmp_path / "model" / "README.md").read_text()
    for fact in ("Trained on my novels.", "3 layers, 32 wide", "bert_keras.pretrainer"):
        assert fact in card
    save_pretrained(model, tokenizer, tmp_path / "model", made_by="Trained on my essays.")
    assert "my essays" in (tmp_path / "model" / "README.md").read_text()
    (tmp_path / "model" / "README.md").write_text("My notes.")
    save_pretrained(model, tokenizer, tmp_path / "model")
    assert (tmp_path / "model" / "README.md").read_text() == "My notes."


def test_a_model_takes_the_place_of_another_with_nothing_left_of_that(tmp_path):
    encoder = golden_model.model(bert_keras.bert)
    sentences = bert_keras.sentence_encoder(encoder, ("mean",), normalize=True)
    tokenizer = WordPieceTokenizer({"[UNK]": 0})
    save_pretrained(sentences, tokenizer, tmp_path / "model")
    (tmp_path / "model" / "notes.txt").write_text("mine")
    save_pretrained(encoder, tokenizer, tmp_path / "model")
    loaded, _ = from_pretrained(tmp_path / "model")
    assert loaded.output.keys() == {"sequence_output", "pooled_output"}
    assert (tmp_path / "model" / "notes.txt").read_text() == "mine"


def test_a_save_that_fails_leaves_the_older_model(tmp_path, monkeypatch):
    """Else new labels would stand beside the old head."""
    tokenizer = WordPieceTokenizer({"[UNK]": 0})
    for labels in (("a", "b"), ("b", "a")):
        config = dataclasses.replace(stored_models.CONFIG, labels=labels)
        save_pretrained(bert_keras.classifier(config), tokenizer, tmp_path / "model")

        def refuse(*_):
            raise tf.errors.ResourceExhaustedError(None, None, "no space left")

        monkeypatch.setattr(bundle, "write", refuse)
        with pytest.raises(InputError, match="no space left"):
            other = dataclasses.replace(config, labels=("c", "d"))
            save_pretrained(bert_keras.classifier(other), tokenizer, tmp_path / "model")
        monkeypatch.undo()
        loaded, _ = from_pretrained(tmp_path / "model", bert_keras.classifier)
        assert loaded.get_layer("embeddings").config.labels == labels


@pytest.mark.parametrize("format_name", ["tf1", "hugging_face"])
def test_the_model_of_someone_else_is_never_overwritten(format_name, tmp_path):
    write(stored_models.stored("bert"), f"{tmp_path}/model", format_name)
    before = {path.name: path.read_bytes() for path in (tmp_path / "model").iterdir()}
    loaded = from_pretrained(tmp_path / "model")
    with pytest.raises(InputError, match="A folder holds one model"):
        save_pretrained(*loaded, tmp_path / "model")
    assert {path.name: path.read_bytes() for path in (tmp_path / "model").iterdir()} == before


@pytest.mark.parametrize("content", ['{"lr": 1}', "[]", "not JSON"])
def test_a_config_of_something_else_is_never_overwritten(content, tmp_path):
    (tmp_path / "config.json").write_text(content)
    write(stored_models.stored("bert"), f"{tmp_path}/model", "bert_keras")
    with pytest.raises(InputError, match="config.json is that of something else"):
        save_pretrained(*from_pretrained(tmp_path / "model"), tmp_path)
    assert (tmp_path / "config.json").read_text() == content


def test_only_our_models_are_saved(tmp_path):
    inputs = keras.Input((4,))
    model = keras.Model(inputs, keras.layers.Dense(2)(inputs))
    with pytest.raises(InputError, match="that a function of bert_keras.models made"):
        save_pretrained(model, None, tmp_path / "model")


@pytest.mark.parametrize("num_moved", range(5))
def test_a_save_that_is_cut_off_never_leaves_a_mixture(num_moved, tmp_path, monkeypatch):
    """A run's folder also has checkpoints, which stand in for a finished model."""
    tokenizer = WordPieceTokenizer({"[UNK]": 0})
    config = dataclasses.replace(stored_models.CONFIG, labels=("a", "b"))
    save_pretrained(bert_keras.classifier(config), tokenizer, tmp_path)
    values = stored_models.values(stored_models.stored("classifier"))
    bundle.write(f"{tmp_path}/model.ckpt-8", values)
    rename, moved = tf.io.gfile.rename, []

    def cut_off(source, target, overwrite=False):
        if ".unfinished/" in source and "/.unfinished/" not in target:
            moved.append(target)
            if len(moved) > num_moved:
                raise tf.errors.AbortedError(None, None, "cut off")
        rename(source, target, overwrite)

    monkeypatch.setattr(tf.io.gfile, "rename", cut_off)
    other = dataclasses.replace(config, labels=("c", "d"))
    with pytest.raises(InputError, match="cut off"):
        save_pretrained(bert_keras.classifier(other), tokenizer, tmp_path)
    with pytest.raises(InputError, match="needs config.json"):
        from_pretrained(tmp_path)
