"""Lines in, JSON objects out, one for each, in their order."""

import io
import json
import os
import subprocess
import sys

import pytest

from bert_keras.errors import InputError
from bert_keras.run_predict import Settings, inputs_of, main
from tests.checkpoints import stored_models


@pytest.mark.parametrize(
    ("line", "task", "expected"),
    [
        ("a text", "classification", "a text"),
        ("", "classification", ""),
        ("a ||| b", "classification", ("a", "b")),
        ("a ||| b ||| c", "classification", ("a", "b ||| c")),
        ("a|||b", "classification", "a|||b"),
        ('{"text": "a"}', "fill_mask", "a"),
        ('{"text_a": "a", "text_b": "b"}', "embedding", ("a", "b")),
        ('{"question": "q", "context": "c"}', "question_answering", ("q", "c")),
        ('{"context": "c", "choices": ["a", "b"]}', "multiple_choice", ("c", ["a", "b"])),
        ('{"words": ["a", "b"]}', "tagging", ["a", "b"]),
    ],
)
def test_a_line_is_an_input(line, task, expected):
    assert [*inputs_of(io.StringIO(f"{line}\r\n"), task)] == [expected]


@pytest.mark.parametrize("line", ["{", '{"txt": "a"}', "{}"])
def test_a_line_that_is_none_is_refused_by_its_number(line):
    with pytest.raises(InputError, match=r"Line 2.* Received: \{"):
        [*inputs_of(io.StringIO(f"a\n{line}\n"), "classification")]


@pytest.fixture
def folder(tmp_path):
    stored_models.write(stored_models.stored("classifier"), tmp_path / "model", "bert_keras")
    return str(tmp_path / "model")


def test_there_are_as_many_answers_as_lines(folder, monkeypatch, capsys):
    lines = [f"{'abc'[number % 3]} b\n" for number in range(1030)]
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(lines)))
    main(Settings(model=folder))
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(answers) == len(lines)
    assert [answer["label"] for answer in answers[:3]] == [a["label"] for a in answers[1026:1029]]


def test_an_input_of_another_task_is_named_by_its_line_and_those_before_answered(
    folder, monkeypatch, capsys
):
    lines = ["a b\n"] * 1030 + ['{"text": 5}\n', "a\n"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(lines)))
    with pytest.raises(
        InputError, match="^Line 1031 must be a text or a pair of texts. Received: 5"
    ):
        main(Settings(model=folder))
    assert len(capsys.readouterr().out.splitlines()) == 1030


def test_what_comes_before_a_line_that_is_none_is_answered(folder, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("a\nb\n{bad\nc\n"))
    with pytest.raises(InputError, match="^Line 3 begins with { .* Received: {bad"):
        main(Settings(model=folder))
    assert len(capsys.readouterr().out.splitlines()) == 2


@pytest.mark.slow
def test_a_terminal_is_answered_line_by_line(folder):
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "bert_keras.run_predict", f"--model={folder}"]
    with subprocess.Popen(
        command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        for _ in range(2):
            os.write(ours, b"a b\n")
            assert json.loads(process.stdout.readline())["label"]
        os.write(ours, b"\x04")  # Ctrl-D
        assert process.stdout.read() == b""
    os.close(ours)
    os.close(theirs)
    assert process.returncode == 0


def test_lines_are_utf8_whatever_stands_before_them(folder, monkeypatch, capsys):
    """A byte order mark and bad bytes are dropped; a lone \\r ends no line."""
    lines = b'\xef\xbb\xbf{"text": "a b"}\na\xff b\na\rb\r\n'
    stream = io.TextIOWrapper(io.BytesIO(lines), encoding="latin-1")
    monkeypatch.setattr(sys, "stdin", stream)
    main(Settings(model=folder))
    answers = map(json.loads, capsys.readouterr().out.splitlines())
    first, *others = (answer["probabilities"] for answer in answers)
    assert others == [pytest.approx(first, abs=1e-6)] * 2


@pytest.mark.slow
def test_the_program_reads_utf8_in_every_locale_and_writes_answers_alone(folder):
    command = [sys.executable, "-m", "bert_keras.run_predict", f"--model={folder}"]
    environment = {"LC_ALL": "C", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        command, input="a\u4eac\nb\n".encode(), capture_output=True, env=environment, check=True
    )
    assert [*map(json.loads, done.stdout.decode().splitlines())][1]["label"]
    assert b"Traceback" not in done.stderr
