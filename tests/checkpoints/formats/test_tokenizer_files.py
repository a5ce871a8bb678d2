"""The tokenizer of a folder, whoever wrote it. Whole folders: `test_pretrained.py`."""

import json
import string

import pytest

from bert_keras.checkpoints.formats.tokenizer_files import (
    read_tokenizer,
    write_hugging_face_tokenizer,
    write_tokenizer,
)
from bert_keras.errors import InputError
from bert_keras.tokenizers.vocabulary import SPECIAL_TOKENS
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

WRITERS = {
    "ours": write_tokenizer,
    "hugging_face": lambda *arguments: write_hugging_face_tokenizer(*arguments, 512),
}
SETTINGS = ("do_lower_case", "strip_accents", "special_tokens_in_text")


def vocabulary(*tokens: str) -> dict[str, int]:
    return {token: index for index, token in enumerate([*SPECIAL_TOKENS, *tokens])}


def read(folder, **settings) -> WordPieceTokenizer:
    return read_tokenizer(str(folder), f"{folder}/model.safetensors", **settings)


def settings_of(tokenizer: WordPieceTokenizer) -> tuple:
    return tuple(getattr(tokenizer, name) for name in SETTINGS)


@pytest.fixture
def folder(tmp_path):
    """A folder of Hugging Face's, of a vocabulary that tells no case."""
    WRITERS["hugging_face"](WordPieceTokenizer(vocabulary("port", "##s")), str(tmp_path))
    return tmp_path


def change(path, **values):
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | values))


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("settings", [(True, False, True), (False, True, False)])
def test_there_and_back_again(tmp_path, writer, settings):
    tokenizer = WordPieceTokenizer(vocabulary("port", "café"), *settings)
    WRITERS[writer](tokenizer, str(tmp_path))
    again = read(tmp_path)
    assert again.vocab == tokenizer.vocab
    assert settings_of(again) == settings


@pytest.mark.parametrize("writer", WRITERS)
def test_ids_stay_where_a_line_is_blank_or_repeated(tmp_path, writer):
    (tmp_path / "words.txt").write_text("[UNK]\nport\n\n\nship\nport\nsail\n")
    tokenizer = WordPieceTokenizer(tmp_path / "words.txt")
    WRITERS[writer](tokenizer, str(tmp_path))
    again = read(tmp_path)
    assert again.vocab == tokenizer.vocab
    assert again.convert_tokens_to_ids(["[UNK]", "ship", "port", "sail"]) == [0, 4, 5, 6]


def test_a_folder_without_vocabulary_has_no_tokenizer(tmp_path):
    (tmp_path / "tokenizer_config.json").write_text("{}")
    assert read(tmp_path) is None


@pytest.mark.parametrize("missing", ["vocab.txt", "tokenizer.json"])
def test_either_file_is_enough(folder, missing):
    (folder / missing).unlink()
    assert read(folder).vocab == vocabulary("port", "##s")


def test_files_that_disagree_are_found_by_the_first_token(folder):
    lines = [*SPECIAL_TOKENS, "sail", "##s"]
    (folder / "vocab.txt").write_text("\n".join(lines))
    with pytest.raises(InputError, match="'port' with the id none in the one and 5 in the other"):
        read(folder)


def test_vocab_txt_may_lack_what_was_added_later(folder):
    content = json.loads((folder / "tokenizer.json").read_text())
    content["added_tokens"].append({"id": 7, "content": "sail"})
    (folder / "tokenizer.json").write_text(json.dumps(content))
    assert read(folder).vocab == vocabulary("port", "##s", "sail")


def test_the_caller_knows_best_then_the_settings_then_tokenizer_json(folder):
    change(folder / "tokenizer_config.json", do_lower_case=False, strip_accents=None)
    assert settings_of(read(folder))[:2] == (False, False)
    assert settings_of(read(folder, do_lower_case=True))[:2] == (True, True)
    (folder / "tokenizer_config.json").write_text("{}")
    assert settings_of(read(folder))[:2] == (True, True)


def test_without_settings_the_letters_tell_the_case_then_the_name(tmp_path):
    for name, letters, lower in (
        ("bert-base-cased", "", False),
        ("bert-base-cased", string.ascii_lowercase, True),
        ("bert", string.ascii_letters, False),
        ("bert", "", True),
    ):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "vocab.txt").write_text("\n".join([*SPECIAL_TOKENS, *letters]))
        assert read(folder).do_lower_case is lower


def test_a_case_that_the_letters_contradict_is_found(tmp_path):
    (tmp_path / "vocab.txt").write_text("\n".join([*SPECIAL_TOKENS, *string.ascii_letters]))
    with pytest.raises(InputError, match="do_lower_case=False"):
        read(tmp_path, do_lower_case=True)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"tokenizer_class": "BertJapaneseTokenizer"}, "tokenizer_class.*BertJapaneseTokenizer"),
        ({"tokenize_chinese_chars": False}, "tokenize_chinese_chars must be True.*False"),
        ({"do_basic_tokenize": False}, "do_basic_tokenize must be True"),
        ({"unk_token": "<unk>"}, "unk_token.*'<unk>'"),
        ({"unk_token": {"content": "<unk>"}}, "unk_token.*'<unk>'"),
        ({"strip_accents": "no"}, "true or false for.*strip_accents"),
    ],
)
def test_settings_of_another_tokenizer_are_refused_by_name(folder, values, message):
    change(folder / "tokenizer_config.json", **values)
    with pytest.raises(InputError, match=f"tokenizer_config.json.*{message}"):
        read(folder)


def test_unk_token_may_be_described(folder):
    change(folder / "tokenizer_config.json", unk_token={"content": "[UNK]", "lstrip": False})
    assert read(folder).vocab == vocabulary("port", "##s")


def test_lower_casing_before_a_tokenizer_that_keeps_case_is_refused(folder):
    (folder / "sentence_bert_config.json").write_text('{"do_lower_case": true}')
    assert read(folder).do_lower_case
    change(folder / "tokenizer_config.json", do_lower_case=False)
    with pytest.raises(InputError, match="sentence_bert_config.json lower-cases them first"):
        read(folder)


def test_a_path_with_a_scheme(tmp_path):
    tokenizer = WordPieceTokenizer(vocabulary("port"))
    for write in WRITERS.values():
        write(tokenizer, f"file://{tmp_path}")
        assert read_tokenizer(f"file://{tmp_path}", "").vocab == tokenizer.vocab
