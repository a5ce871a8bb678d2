"""Vocabulary files as people have them."""

import re

import pytest

from bert_keras.errors import InputError
from bert_keras.tokenizers.vocabulary import (
    SPECIAL_TOKENS,
    check_case,
    known_case,
    load_vocabulary,
    read_vocabulary,
    require_tokens,
    save_vocabulary,
    vocabulary_size,
)


def load(tmp_path, content: bytes) -> dict[str, int]:
    path = tmp_path / "vocab.txt"
    path.write_bytes(content)
    return load_vocabulary(path)


@pytest.mark.parametrize(
    "content",
    [
        b"[PAD]\r\n[UNK]\r\nport\r\n",
        b"[PAD]\n[UNK]\nport",
        b"\xef\xbb\xbf[PAD]\n[UNK]\nport\n",
        b" [PAD]\t\n[UNK]  \nport\n",
    ],
    ids=["windows", "no final line end", "byte order mark", "spaces around"],
)
def test_line_ends_and_spaces_are_no_part_of_a_token(tmp_path, content):
    assert load(tmp_path, content) == {"[PAD]": 0, "[UNK]": 1, "port": 2}


def test_a_blank_line_uses_up_an_id_and_is_named(tmp_path, capsys):
    vocabulary = load(tmp_path, b"[PAD]\n[UNK]\n\nport\n")
    assert "blank line uses up an id: line 3" in capsys.readouterr().err
    assert vocabulary["port"] == 3


def test_of_a_repeated_token_the_last_line_counts(tmp_path, capsys):
    vocabulary = load(tmp_path, b"[PAD]\n[UNK]\nport\n[PAD]\n")
    assert "gets the later id: line 4" in capsys.readouterr().err
    assert vocabulary == {"[PAD]": 3, "[UNK]": 1, "port": 2}
    assert vocabulary_size(vocabulary) == 4


def test_a_line_separator_is_content_of_the_chinese_vocabulary(golden):
    vocabulary = load_vocabulary(golden / "vocab" / "bert-base-chinese-vocab.txt")
    assert (vocabulary_size(vocabulary), vocabulary["\u2028"], vocabulary["##\u2028"]) == (
        21128,
        343,
        13502,
    )


def test_saved_and_loaded_again_it_is_the_same(tmp_path, golden):
    original = golden / "vocab" / "bert-base-chinese-vocab.txt"
    save_vocabulary(load_vocabulary(original), tmp_path / "vocab.txt")
    assert (tmp_path / "vocab.txt").read_bytes() == original.read_bytes()


def test_ids_stay_where_a_line_is_blank_or_repeated(tmp_path):
    vocabulary = load(tmp_path, b"[UNK]\nport\n\n\nship\nport\nsail\n")
    save_vocabulary(vocabulary, tmp_path / "saved.txt")
    assert load_vocabulary(tmp_path / "saved.txt") == vocabulary


def test_a_path_with_a_scheme_is_read_and_written(tmp_path):
    path = f"file://{tmp_path}/vocab.txt"
    save_vocabulary({"[UNK]": 0, "port": 1}, path)
    assert load_vocabulary(path) == {"[UNK]": 0, "port": 1}
    with pytest.raises(InputError, match="nowhere cannot be read"):
        load_vocabulary(f"file://{tmp_path}/nowhere")


@pytest.mark.parametrize("token", ["a\nb", "a\rb", " a", "a\u3000"])
def test_a_token_that_could_not_be_read_back_is_not_saved(tmp_path, token):
    with pytest.raises(InputError, match="line end"):
        save_vocabulary({"[UNK]": 0, token: 1}, tmp_path / "vocab.txt")
    assert not (tmp_path / "vocab.txt").exists()


def test_a_folder_is_no_vocabulary(tmp_path):
    message = f"{tmp_path} cannot be read: Is a directory"
    with pytest.raises(InputError, match=re.escape(message)):
        load_vocabulary(tmp_path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match="nowhere.txt cannot be read: No such file"):
        load_vocabulary(tmp_path / "nowhere.txt")


def test_bytes_that_are_not_utf8_are_named_with_their_line(tmp_path):
    with pytest.raises(InputError, match="line 2 is not UTF-8"):
        load(tmp_path, b"[UNK]\ncaf\xe9\n")


def test_a_vocabulary_needs_the_unknown_token(tmp_path):
    with pytest.raises(InputError, match=r"lacks \[UNK\]"):
        load(tmp_path, b"the\nport\n")


def test_missing_special_tokens_are_all_named():
    with pytest.raises(InputError, match=r"vocab.txt: the vocabulary lacks \[PAD\], \[MASK\]"):
        require_tokens({"[UNK]": 0, "[CLS]": 1, "[SEP]": 2}, SPECIAL_TOKENS, "vocab.txt")


@pytest.mark.parametrize(
    ("name", "lower_cased"),
    [("uncased", True), ("cased", False), ("multilingual-cased", False), ("chinese", True)],
)
def test_a_case_setting_that_the_vocabulary_contradicts_is_found(golden, name, lower_cased):
    vocabulary = load_vocabulary(golden / "vocab" / f"bert-base-{name}-vocab.txt")
    check_case(lower_cased, vocabulary)
    assert known_case(vocabulary) is lower_cased
    with pytest.raises(InputError, match=f"Pass --do_lower_case={lower_cased}"):
        check_case(not lower_cased, vocabulary)


@pytest.mark.parametrize(
    ("folder", "lower_cased"),
    [("uncased_L-12_H-768_A-12", True), ("multi_cased_L-12_H-768_A-12", False)],
)
def test_a_case_setting_that_the_checkpoint_contradicts_is_found(folder, lower_cased):
    checkpoint = f"models/{folder}/bert_model.ckpt"
    check_case(lower_cased, {}, checkpoint)
    assert known_case({}, checkpoint) is lower_cased
    with pytest.raises(InputError, match=folder):
        check_case(not lower_cased, {}, checkpoint)


def test_nothing_is_said_of_a_small_vocabulary():
    check_case(False, {"[UNK]": 0, "a": 1, "port": 2}, "output/model.ckpt-20")
    check_case(True, {"[UNK]": 0, "A": 1, "Port": 2})
    assert known_case({"[UNK]": 0, "a": 1, "port": 2}) is None


def test_a_mapping_is_put_in_the_order_of_its_ids():
    vocabulary = {"port": 1020, "[UNK]": 0}
    assert list(read_vocabulary(vocabulary).items()) == [("[UNK]", 0), ("port", 1020)]


@pytest.mark.parametrize(
    ("vocabulary", "message"),
    [
        ({"port": 0}, r"a mapping: the vocabulary lacks \[UNK\]"),
        ({"[UNK]": 0, "port": 0}, r"0 for '\[UNK\]' and 'port'"),
        ({"[UNK]": -1}, "from 0 to 1010, as there are 1 tokens. Received: -1"),
        ({"[UNK]": 1011}, "Received: 1011"),
        ({"[UNK]": 0, "port": 2**31 - 1}, "from 0 to 1020.*Received: 2147483647 for 'port'"),
        ({"[UNK]": 0.0}, r"Received: 0.0 for '\[UNK\]'"),
        ({"[UNK]": True}, "Received: True"),
        ({"[UNK]": 0, 1: 1}, "Unicode text. Received: 1"),
        ({"[UNK]": 0, "\ud800": 1}, "Unicode text"),
    ],
)
def test_a_mapping_that_is_no_vocabulary_is_refused(vocabulary, message):
    with pytest.raises(InputError, match=message):
        read_vocabulary(vocabulary)
