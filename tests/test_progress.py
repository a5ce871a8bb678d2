"""What a log shows of a long step, with a total and without."""

import pytest

from bert_keras import progress


@pytest.mark.parametrize(
    ("total", "lines"),
    [
        (2000, ["reading: 25%, ", "reading: 100%, ", "reading: 2.00kB in "]),
        (None, ["reading: 500B, ", "reading: 2.00kB, ", "reading: 2.00kB in "]),
        (0, ["reading: 500B, ", "reading: 2.00kB, ", "reading: 2.00kB in "]),
    ],
    ids=["total", "stream", "named pipe"],
)
def test_lines_say_how_far_it_is(total, lines, monkeypatch, capsys):
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0)
    with progress.Progress("reading", total, "B") as reading:
        reading.advance(500)
        reading.advance(1500)
    said = capsys.readouterr().err.splitlines()
    assert len(said) == len(lines)
    assert all(line.startswith(begin) for line, begin in zip(said, lines, strict=True))
    assert [" left" in line for line in said] == [bool(total)] * 2 + [False]
