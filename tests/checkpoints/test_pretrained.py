"""Whatever lies at a path becomes a model and its tokenizer, or a clear error."""

import json
import shutil
import string

import numpy as np
import pytest

import bert_keras
from bert_keras.checkpoints.conversion.writing import WRITERS
from bert_keras.checkpoints.files import bundle
from bert_keras.checkpoints.formats.config_files import read_config_file
from bert_keras.checkpoints.loading import named_variables
from bert_keras.checkpoints.pretrained import (
    from_pretrained,
    save_pretrained,
)
from bert_keras.errors import InputError
from bert_keras.models.pretrainer import pretrainer
from bert_keras.tokenizers.vocabulary import SPECIAL_TOKENS
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tests import golden_model
from tests.checkpoints import stored_models
from tests.checkpoints.stored_models import write


def test_encoder_is_one_line(tmp_path, vocab_file):
    save_pretrained(golden_model.model(), WordPieceTokenizer(vocab_file), str(tmp_path))
    encoder, _ = bert_keras.from_pretrained(str(tmp_path))
    inputs = golden_model.inputs(("input_ids", "input_mask", "segment_ids"))
    np.testing.assert_allclose(
        encoder(inputs)["pooled_output"],
        golden_model.arrays("forward.npz")["pooled_output"],
        atol=1e-5,
    )


def release(folder, tokens=()):
    """A folder as Google releases them; `tokens` take the place of as many words."""
    folder.mkdir()
    for file in golden_model.FOLDER.glob("bert_*"):
        shutil.copy(file, folder)
    words = [f"word{i}" for i in range(155 - len(tokens))]
    (folder / "vocab.txt").write_text("\n".join([*SPECIAL_TOKENS, *tokens, *words]) + "\n")
    return folder


@pytest.mark.parametrize(
    ("name", "lower"),
    [
        ("cased_L-3_H-32", False),
        ("uncased_L-3", True),
        ("bert-base-cased", False),
        ("bert-base-uncased", True),
        ("bert-base-multilingual-cased", False),
        ("multi_cased_L-12_H-768_A-12", False),
        ("chinese_L-12_H-768_A-12", True),
        ("mine", True),
    ],
)
def test_release_of_googles_is_read_by_its_layout(tmp_path, name, lower):
    _, tokenizer = from_pretrained(release(tmp_path / name))
    assert tokenizer.do_lower_case is lower
    assert tokenizer.strip_accents is lower


@pytest.mark.parametrize(
    ("letters", "lower"), [(string.ascii_letters, False), (string.ascii_lowercase, True)]
)
def test_letters_of_the_vocabulary_tell_the_case_whatever_the_name(tmp_path, letters, lower):
    _, tokenizer = from_pretrained(release(tmp_path / "mine", letters))
    assert tokenizer.do_lower_case is lower


@pytest.mark.parametrize(
    ("content", "lower"),
    [('{"do_lower_case": false}', False), ('{"model_max_length": 512}', True), ("{}", True)],
)
def test_tokenizer_config_of_hugging_face_may_say_less(tmp_path, content, lower):
    folder = release(tmp_path / "mine")
    (folder / "tokenizer_config.json").write_text(content)
    _, tokenizer = from_pretrained(folder)
    assert (tokenizer.do_lower_case, tokenizer.strip_accents) == (lower, lower)


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"do_lower_case": "no"}', b"\xff"])
def test_broken_tokenizer_config_is_named(tmp_path, content):
    folder = release(tmp_path / "mine")
    content = content if isinstance(content, bytes) else content.encode()
    (folder / "tokenizer_config.json").write_bytes(content)
    with pytest.raises(InputError, match="tokenizer_config.json"):
        from_pretrained(folder)


def test_case_setting_that_the_vocabulary_contradicts_is_found(tmp_path):
    folder = release(tmp_path / "mine", string.ascii_letters)
    (folder / "tokenizer_config.json").write_text('{"do_lower_case": true}')
    with pytest.raises(InputError, match="do_lower_case=False"):
        from_pretrained(folder)


def test_encoder_leaves_the_heads_of_the_file_without_a_word(tmp_path, capsys):
    from_pretrained(release(tmp_path / "mine"))
    assert "cls/" not in capsys.readouterr().err


def test_a_path_with_a_scheme(tmp_path):
    folder = release(tmp_path / "mine")
    _, tokenizer = from_pretrained(f"file://{folder}")
    assert tokenizer.vocab_size == 160
    save_pretrained(golden_model.model(), tokenizer, f"file://{tmp_path}/saved")
    assert (tmp_path / "saved" / "vocab.txt").read_text() == (folder / "vocab.txt").read_text()


@pytest.mark.parametrize("missing", ["config.json", "vocab.txt", "bert_model.ckpt.index"])
def test_missing_file_is_named(tmp_path, vocab_file, missing):
    save_pretrained(golden_model.model(), WordPieceTokenizer(vocab_file), str(tmp_path))
    (tmp_path / missing).unlink()
    with pytest.raises(InputError, match=missing.removesuffix(".index")):
        from_pretrained(str(tmp_path))


def test_file_of_no_weights_is_no_model(vocab_file):
    with pytest.raises(InputError, match="Weights are the .index file of a checkpoint or"):
        from_pretrained(vocab_file)


@pytest.mark.parametrize("format_name", WRITERS)
def test_every_format_is_told_by_its_content(format_name, tmp_path):
    original = stored_models.stored("pretrainer")
    write(original, f"{tmp_path}/model", format_name)
    model, tokenizer = from_pretrained(tmp_path / "model", pretrainer)
    for name, variable in named_variables(model).items():
        np.testing.assert_array_equal(variable.value, original.weights.read(name))
    assert tokenizer.vocab == stored_models.vocabulary()
    encoder, _ = from_pretrained(tmp_path / "model")
    assert encoder.output.keys() == {"sequence_output", "pooled_output"}


def test_weights_may_be_named_themselves(tmp_path):
    write(stored_models.stored(), f"{tmp_path}/tf1", "tf1")
    write(stored_models.stored(), f"{tmp_path}/hf", "hugging_face")
    for file in ("tf1/bert_model.ckpt", "tf1/bert_model.ckpt.index", "hf/model.safetensors"):
        model, _ = from_pretrained(tmp_path / file)
        assert "pooled_output" in model.output


def test_two_models_in_one_folder_have_to_be_told_apart(tmp_path):
    write(stored_models.stored(), f"{tmp_path}/model", "tf1")
    write(stored_models.stored(), f"{tmp_path}/other", "hugging_face")
    shutil.copy(tmp_path / "other" / "model.safetensors", tmp_path / "model")
    with pytest.raises(InputError, match="bert_model.ckpt and safetensors"):
        from_pretrained(tmp_path / "model")


def test_newest_checkpoint_of_a_run_is_taken_where_there_is_no_finished_model(tmp_path):
    for step in (9, 10):
        values = stored_models.values(stored_models.stored(with_state=True))
        values["bert/pooler/dense/bias"][:] = step
        bundle.write(f"{tmp_path}/model.ckpt-{step}", values)
    (tmp_path / "bert_config.json").write_text(stored_models.stored().config.to_json_string())
    (tmp_path / "vocab.txt").write_text("\n".join(stored_models.VOCABULARY) + "\n")
    model, _ = from_pretrained(tmp_path)
    assert model.get_layer("pooler").dense.bias.numpy()[0] == 10


def test_encoder_has_a_pooler_if_the_files_have_one(tmp_path):
    write(stored_models.stored("masked_lm"), f"{tmp_path}/model", "hugging_face")
    model, _ = from_pretrained(tmp_path / "model")
    assert model.output.keys() == {"sequence_output"}


def test_new_labels_get_a_new_head_and_the_old_one_is_named(tmp_path, capsys):
    write(stored_models.stored("classifier"), f"{tmp_path}/model", "bert_keras")
    capsys.readouterr()
    same, _ = from_pretrained(tmp_path / "model", bert_keras.classifier)
    assert same.output["logits"].shape == (None, 3)
    assert capsys.readouterr().err == ""
    new, _ = from_pretrained(tmp_path / "model", bert_keras.classifier, labels=["good", "bad"])
    assert new.output["logits"].shape == (None, 2)
    notices = capsys.readouterr().err
    assert "its head is for the labels no, maybe, yes and not used; without labels it is" in notices
    assert "new, to be learned: output_weights, output_bias" in notices


@pytest.mark.parametrize("format_name", WRITERS)
def test_the_head_of_a_tagger_is_none_for_a_classifier(format_name, tmp_path, capsys):
    write(stored_models.stored("token_classifier"), f"{tmp_path}/model", format_name)
    with pytest.raises(InputError, match="needs the names of its classes"):
        from_pretrained(tmp_path / "model", bert_keras.classifier)
    from_pretrained(tmp_path / "model", bert_keras.classifier, labels=("no", "maybe", "yes"))
    notices = capsys.readouterr().err
    assert "its head is that of a token_classifier and not used" in notices
    assert "output_weights, output_bias" in notices


def test_classifier_of_a_release_has_as_many_labels_as_outputs(tmp_path):
    write(stored_models.stored("classifier"), f"{tmp_path}/model", "tf1")
    config = json.loads((tmp_path / "model" / "bert_config.json").read_text())
    del config["labels"], config["model"]  # as run_classifier.py leaves it
    (tmp_path / "model" / "bert_config.json").write_text(json.dumps(config))
    model, _ = from_pretrained(tmp_path / "model", bert_keras.classifier)
    assert model.get_layer("embeddings").config.labels == ("LABEL_0", "LABEL_1", "LABEL_2")


@pytest.mark.parametrize("format_name", WRITERS)
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("vocab_size", 10**12),
        ("hidden_size", 10**9),
        ("num_hidden_layers", 10**9),
        ("max_position_embeddings", 21),
        ("max_position_embeddings", 19),
        ("intermediate_size", 10**12),
        ("type_vocab_size", 10**12),
    ],
)
def test_config_of_other_sizes_is_refused_before_a_model_of_them_is_built(
    format_name, key, value, tmp_path
):
    write(stored_models.stored("bert"), f"{tmp_path}/model", format_name)
    file = next(
        path for path in (tmp_path / "model").glob("*config.json") if "token" not in path.name
    )
    config = json.loads(file.read_text())
    file.write_text(json.dumps(config | {key: value}))
    with pytest.raises(InputError, match=f"Checkpoint and config must agree.*{key}"):
        from_pretrained(tmp_path / "model")


@pytest.mark.parametrize("name", ["pytorch_model.bin", "tf_model.h5", "uncased.zip"])
def test_other_formats_are_refused_with_the_way_out(name, tmp_path):
    shutil.copy(golden_model.FOLDER / "bert_config.json", tmp_path / "config.json")
    (tmp_path / name).write_bytes(b"\x80\x02")
    for path in (tmp_path, tmp_path / name):
        with pytest.raises(InputError, match=f"{name}, .*(safetensors|Unpack)"):
            from_pretrained(path)


def test_labels_are_a_list_of_names(tmp_path):
    write(stored_models.stored("bert"), f"{tmp_path}/model", "tf1")
    for labels in ("ab", 3, ["a", 1]):
        with pytest.raises(InputError, match="labels must be a list of names"):
            from_pretrained(tmp_path / "model", bert_keras.classifier, labels=labels)
    with pytest.raises(InputError, match="labels are for bert_keras.classifier or"):
        from_pretrained(tmp_path / "model", labels=["a", "b"])
    with pytest.raises(InputError, match="build must be a function"):
        from_pretrained(tmp_path / "model", "classifier")


def test_number_alone_does_not_decide_how_much_memory_is_taken(tmp_path):
    values = stored_models.values(stored_models.stored("bert"))
    values["output_weights"] = np.zeros((2**33, 0), np.float32)
    with pytest.raises(InputError, match="classes|damaged"):
        bundle.write(f"{tmp_path}/bert_model.ckpt", values)
        (tmp_path / "bert_config.json").write_text(stored_models.stored().config.to_json_string())
        from_pretrained(tmp_path)


def test_config_of_hugging_face_is_translated_and_not_misread(tmp_path):
    """Their "gelu" is not the original's."""
    write(stored_models.stored("bert", hidden_act="gelu_erf"), f"{tmp_path}/model", "hugging_face")
    file = tmp_path / "model" / "config.json"
    assert read_config_file(str(file))[0].hidden_act == "gelu_erf"
    with pytest.raises(InputError, match="a config of Hugging Face's"):
        bert_keras.BertConfig.from_json_file(file)
