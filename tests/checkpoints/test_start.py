"""What a program starts from, by its flags."""

import pytest

from bert_keras.checkpoints.model_settings import ModelSettings
from bert_keras.checkpoints.start import check_fit, initialize, read_start
from bert_keras.errors import InputError
from bert_keras.models.bert import bert
from bert_keras.models.classifier import classifier
from bert_keras.models.token_classifier import token_classifier
from tests.checkpoints import stored_models


@pytest.fixture
def folders(tmp_path):
    """A function of the name of a model -> a folder with it."""

    def folder(model):
        path = tmp_path / model
        stored_models.write(stored_models.stored(model), path, "bert_keras")
        return path

    return folder


def test_a_folder_names_everything(folders):
    start = read_start(ModelSettings(init_checkpoint=str(folders("classifier"))))
    assert start.config.labels == ("no", "maybe", "yes")
    assert start.tokenizer.vocab == stored_models.vocabulary()
    assert start.weights.shapes["output_weights"] == (3, 16)


def test_the_originals_way_names_every_file(folders):
    folder = folders("bert")
    start = read_start(
        ModelSettings(
            init_checkpoint=str(folder / "bert_model.ckpt"),
            bert_config_file=str(folder / "config.json"),
            vocab_file=str(folder / "vocab.txt"),
        )
    )
    assert start.config.hidden_size == 16 and start.tokenizer.do_lower_case


@pytest.mark.parametrize(
    ("names", "message"), [((), "Received: none of them"), (("vocab.txt",), "without the other")]
)
def test_a_model_must_be_named(folders, names, message):
    folder = folders("bert")
    vocab_file = str(folder / names[0]) if names else None
    with pytest.raises(InputError, match=message):
        read_start(ModelSettings(vocab_file=vocab_file))


def test_examples_must_fit(folders):
    start = read_start(ModelSettings(init_checkpoint=str(folders("bert"))))
    check_fit(start, 20)
    with pytest.raises(InputError, match="max_position_embeddings=20 .* Received: 21"):
        check_fit(start, 21)


def test_a_head_that_is_not_there_has_to_be_learned(folders):
    start = read_start(ModelSettings(init_checkpoint=str(folders("bert"))))
    model = classifier(stored_models.CONFIG)
    initialize(model, start, stored_models.CONFIG, is_trained=True)
    with pytest.raises(InputError, match="before it is trained: .* lacks output_weights"):
        initialize(model, start, stored_models.CONFIG, is_trained=False)


def test_heads_of_other_tasks_are_passed_over_in_silence(folders, capsys):
    start = read_start(ModelSettings(init_checkpoint=str(folders("pretrainer"))))
    initialize(bert(stored_models.CONFIG), start, start.config, is_trained=False)
    assert "not used" not in capsys.readouterr().err


@pytest.mark.parametrize("stored", ["token_classifier", "classifier"])
def test_the_head_of_another_task_answers_nothing(folders, stored, capsys):
    """All heads of labels have one name in the original."""
    start = read_start(ModelSettings(init_checkpoint=str(folders(stored))))
    build = {"token_classifier": classifier, "classifier": token_classifier}[stored]
    model = build(stored_models.CONFIG)
    with pytest.raises(InputError, match="before it is trained"):
        initialize(model, start, stored_models.CONFIG, is_trained=False)
    assert f"its head is that of a {stored} and not used" in capsys.readouterr().err
