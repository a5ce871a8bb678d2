"""Predictions are never replaced without a word."""

import pytest

from bert_keras.errors import InputError
from bert_keras.fine_tuning import answer_files


def test_other_predictions_are_replaced_with_a_word(tmp_path, capsys):
    files = {"test_results.tsv": "id\n1\n", "RTE.tsv": "index\n"}
    for _ in range(2):  # the same again is nothing to tell
        answer_files.write(files, str(tmp_path))
        assert not capsys.readouterr().err
    answer_files.write(files | {"RTE.tsv": "ü\n"}, str(tmp_path))
    assert (tmp_path / "RTE.tsv").read_text("utf-8") == "ü\n"
    assert capsys.readouterr().err == (
        f"notice: other predictions in {tmp_path} were replaced: RTE.tsv\n"
    )


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot be written"):
        answer_files.write({"a.tsv": ""}, str(tmp_path / "no" / "folder"))
