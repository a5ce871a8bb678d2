import pytest

from bert_keras.errors import InputError
from bert_keras.tasks.classification.description import find_files


def test_files_are_found_by_any_ending_of_a_table(tmp_path, capsys):
    (tmp_path / "dev_matched.jsonl").touch()

    found = find_files(str(tmp_path), ("dev_matched", "dev_mismatched"))

    assert found == {"dev_matched": f"{tmp_path}/dev_matched.jsonl"}
    assert "has no dev_mismatched.tsv: it is left out" in capsys.readouterr().err


def test_the_first_ending_counts(tmp_path):
    for ending in ("jsonl", "csv", "tsv"):
        (tmp_path / f"dev.{ending}").touch()
    assert find_files(str(tmp_path), ("dev",)) == {"dev": f"{tmp_path}/dev.tsv"}


def test_a_folder_without_the_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="must hold test, as .tsv, .*--data_dir.*--test_file"):
        find_files(str(tmp_path), ("test",))
