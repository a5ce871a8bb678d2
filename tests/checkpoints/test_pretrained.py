import shutil
import string

import numpy as np
import pytest

import bert_keras
from bert_keras.checkpoints.pretrained import from_pretrained, save_pretrained
from bert_keras.errors import InputError
from bert_keras.models.pretrainer import pretrainer
from bert_keras.tokenizers.vocabulary import SPECIAL_TOKENS
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tests import golden_model


@pytest.fixture
def vocab_file(tmp_path):
    tokens = [*SPECIAL_TOKENS, *(f"word{i}" for i in range(155))]
    path = tmp_path / "words.txt"
    path.write_text("\n".join(tokens) + "\n")
    return str(path)


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


def test_file_is_no_folder(vocab_file):
    with pytest.raises(InputError, match="is a folder"):
        from_pretrained(vocab_file)
