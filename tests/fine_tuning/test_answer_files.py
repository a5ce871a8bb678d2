"""Predictions are never replaced, or left beside another model, without a word."""

import os

import pytest

from bert_keras.errors import InputError
from bert_keras.fine_tuning import answer_files

FILES = {"test_results.tsv": "id\n1\n", "RTE.tsv": "index\n"}


def test_other_predictions_are_replaced_with_a_word(tmp_path, capsys):
    for _ in range(2):  # the same again is nothing to tell
        answer_files.write(FILES, str(tmp_path), 3)
        assert not capsys.readouterr().err
    answer_files.write(FILES | {"RTE.tsv": "ü\n"}, str(tmp_path), 3)
    assert (tmp_path / "RTE.tsv").read_text("utf-8") == "ü\n"
    assert capsys.readouterr().err == (
        f"notice: other predictions in {tmp_path} were replaced: RTE.tsv\n"
    )


def test_predictions_of_an_earlier_model_are_named(tmp_path, capsys):
    answer_files.write(FILES, str(tmp_path), 3)
    answer_files.write({"RTE.tsv": "index\n"}, str(tmp_path), 5)
    answer_files.notify_of_others(str(tmp_path), 5)
    assert capsys.readouterr().err == (
        f"notice: {tmp_path} still holds predictions of an earlier model: test_results.tsv (step 3)"
        "\n"
    )
    (tmp_path / "test_results.tsv").unlink()
    answer_files.notify_of_others(str(tmp_path), 5)
    answer_files.notify_of_others(str(tmp_path / "another"), 5)
    assert not capsys.readouterr().err


def test_what_no_file_can_replace_is_refused_before_anything_is_read_or_written(tmp_path):
    os.mkfifo(tmp_path / "RTE.tsv")  # to read it would wait for ever
    with pytest.raises(InputError, match="RTE.tsv cannot be written: it is no file that can be"):
        answer_files.write(FILES, str(tmp_path), 3)
    (tmp_path / "RTE.tsv").unlink()
    (tmp_path / "RTE.tsv").mkdir()
    with pytest.raises(InputError, match="RTE.tsv cannot be written: it is a folder"):
        answer_files.write(FILES, str(tmp_path), 3)
    assert [path.name for path in tmp_path.iterdir()] == ["RTE.tsv"]


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot be written"):
        answer_files.write({"a.tsv": ""}, str(tmp_path / "no" / "folder"), 3)
