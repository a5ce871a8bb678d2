"""Reports of a run, read back with TensorBoard's own reader."""

import json

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from bert_keras.errors import InputError
from bert_keras.training import logs


def report_steps(folder, start_step, steps, loss):
    log = logs.TrainLog(
        str(folder), start_step, num_train_steps=100, examples_per_step=4, tokens_per_step=64
    )
    with log:
        for step in steps:
            log.advance()
            log.advance()
            log.report(step, {"loss": loss(step), "learning_rate": 1e-4})


def points(folder, tag):
    reader = EventAccumulator(str(folder))
    reader.Reload()
    return [(event.step, event.value) for event in reader.Scalars(tag)]


def test_one_json_line_a_report(tmp_path):
    report_steps(tmp_path, 0, [10, 20], loss=float)
    lines = (tmp_path / "train_log.jsonl").read_text().splitlines()
    reports = [json.loads(line) for line in lines]
    assert [(report["step"], report["loss"]) for report in reports] == [(10, 10.0), (20, 20.0)]
    assert reports == logs.read_log(str(tmp_path))
    for report in reports:
        assert report["tokens_per_second"] == pytest.approx(16 * report["examples_per_second"])


def test_tensorboard_reads_the_events(tmp_path):
    report_steps(tmp_path, 0, [10, 20], loss=float)
    assert points(tmp_path, "loss") == [(10, 10.0), (20, 20.0)]
    assert [step for step, _ in points(tmp_path, "examples_per_second")] == [10, 20]


def test_a_resumed_run_takes_later_reports_back(tmp_path):
    report_steps(tmp_path, 0, [10, 20, 30], loss=float)
    with open(tmp_path / "train_log.jsonl", "a") as file:
        file.write('{"step": 40, "lo')  # a process killed while it wrote
    report_steps(tmp_path, 20, [30, 50], loss=lambda step: -step)
    expected = [(10, 10.0), (20, 20.0), (30, -30.0), (50, -50.0)]
    assert [(report["step"], report["loss"]) for report in logs.read_log(str(tmp_path))] == expected
    assert points(tmp_path, "loss") == expected


def test_damaged_lines_are_passed_over(tmp_path):
    good = '{"step": 10, "loss": 1.0}\n'
    content = good + 'garbage\n[]\n{}\n{"step": "x"}\n' + good.replace("10", "20")
    (tmp_path / "train_log.jsonl").write_bytes(b"\xff\n" + content.encode())
    assert [report["step"] for report in logs.read_log(str(tmp_path))] == [10, 20]
    report_steps(tmp_path, 20, [30], loss=float)
    assert [report["step"] for report in logs.read_log(str(tmp_path))] == [10, 20, 30]


def test_a_log_that_cannot_be_written(tmp_path):
    (tmp_path / "train_log.jsonl").mkdir()
    with pytest.raises(InputError, match="train_log.jsonl.* Make room or correct the rights"):
        report_steps(tmp_path, 0, [10], loss=float)


def test_events_in_the_place_of_a_file(tmp_path):
    (tmp_path / "eval").write_text("")
    with pytest.raises(InputError, match="TensorBoard file in .*eval could not be written"):
        logs.write_events(str(tmp_path / "eval"), 10, {"loss": 1.0})


def test_events_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="reports in .*file could not be written"):
        report_steps(tmp_path / "file", 0, [10], loss=float)


def test_plain_lines_without_a_terminal(tmp_path, capsys):
    report_steps(tmp_path, 0, [50], loss=float)
    line = capsys.readouterr().err
    assert line.startswith("step 50/100  loss 50")
    assert line.endswith("left\n") and line.count("\n") == 1


def test_a_bar_on_a_terminal(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(logs.sys.stderr, "isatty", lambda: True)
    report_steps(tmp_path, 0, [50], loss=float)
    shown = capsys.readouterr().err
    assert "step/s" in shown and "training" in shown and "step 50/100" not in shown


def test_no_log_takes_what_a_log_takes():
    def public(kind):
        return {name for name in vars(kind) if not name.startswith("_")}

    assert public(logs.NoLog) == public(logs.TrainLog)
