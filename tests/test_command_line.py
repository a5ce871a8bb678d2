"""Commands that are printed, given back to the programs that print them."""

import dataclasses
import shlex
import sys

import pytest

from bert_keras import command_line, flags, run_squad


def words_of(settings):
    return shlex.split(command_line.command(settings).replace("\\\n", ""))


def test_a_command_gives_back_its_settings():
    settings = run_squad.Settings(
        output_dir="a folder/it's", do_train=True, keep_windows_without_answer=False, doc_stride=64
    )
    python, of_module, program, *words = words_of(settings)
    assert [python, of_module, program] == ["python", "-m", "bert_keras.run_squad"]
    received = []
    with pytest.raises(SystemExit):
        flags.run(received.append, run_squad.Settings, command_line=words)
    assert received == [settings]


def test_lists_are_joined_by_commas():
    @dataclasses.dataclass(frozen=True)
    class Settings:
        input_file: list[str] = flags.setting((), "Files.")

    assert command_line.flags_of(Settings(["a.txt", "b c.txt"])) == "--input_file='a.txt,b c.txt'"
    assert command_line.flags_of(Settings()) == ""


def test_the_program_that_python_runs_has_its_name(monkeypatch):
    class Settings(run_squad.Settings):
        __module__ = "__main__"

    monkeypatch.setitem(sys.modules, "__main__", run_squad)
    assert words_of(Settings())[2] == "bert_keras.run_squad"
