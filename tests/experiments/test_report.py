"""The pages hold the tables that the kept results give."""

import json

import pytest

from experiments import fine_tuning, report

RESULT = {
    "row": "MRPC",
    "data": "3,668 pairs",
    "metric": "f1",
    "expected": "0.863",
    "mean": {"f1": 0.8712, "accuracy": 0.8},
    "sd": {"f1": 0.0123, "accuracy": 0.1},
    "examples_per_second": 20.4,
    "training_minutes_of_a_seed": 9.1,
    "machine": {"num_cores": 2, "processor": "Xeon"},
}


@pytest.mark.parametrize("page", report.PAGES)
def test_the_pages_hold_the_tables_as_they_are_made(page):
    text = (report.ROOT / page).read_text(encoding="utf-8")
    assert report.with_tables(text, report.PAGES[page]) == text


def test_every_kept_result_is_a_row_that_is_still_run_so():
    results = report.fine_tuning_results()
    assert results
    for result in results:
        row = fine_tuning.ROWS[result["row"]]
        assert result["command"] == fine_tuning.command(row)
        assert result["expected"] == row.expected
        assert len(result["seeds"]) == row.num_seeds
        # What a sentence encoder knows of STS-B is lost: so it is by PyTorch, see the page.
        reached = result["mean"][result["metric"]] >= (row.least or 0)
        assert reached != (result["row"] == "STS-B")


def test_scores_have_mean_deviation_and_what_to_compare(monkeypatch):
    squad = RESULT | {"row": "SQuAD 1.1", "mean": {"f1": 41.26}, "sd": None}
    monkeypatch.setattr(report, "fine_tuning_results", lambda: [RESULT, squad])
    assert report.scores_table() == (
        "| task | data | score | reached | to compare |\n"
        "| --- | --- | --- | --- | --- |\n"
        "| MRPC | 3,668 pairs | F1 | 0.871 ± 0.012 | 0.863 |\n"
        "| SQuAD 1.1 | 3,668 pairs | F1 | 41.3 | 0.863 |\n"
    )
    assert "| 20 | 9 | 2 x Xeon |" in report.runs_table()


def test_starts_stand_beside_each_other(tmp_path, monkeypatch):
    starts = {"random": {"mean": 0.1, "sd": 0.01}, "pretrained": {"mean": 0.7, "sd": 0.02}}
    path = tmp_path / "starts.json"
    path.write_text(json.dumps({"tasks": {"STS-B": {"metric": "spearman"} | starts}}))
    monkeypatch.setattr(report, "RESULT_FILE", path)
    assert report.starts_table().splitlines()[0] == "| task | score | random | pretrained |"
    assert "| STS-B | Spearman | 0.100 ± 0.010 | 0.700 ± 0.020 |" in report.starts_table()


def test_without_results_there_is_no_table(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "RESULTS", tmp_path)
    assert report.scores_table() == ""


def test_only_what_stands_between_the_marks_is_replaced(monkeypatch):
    monkeypatch.setattr(report, "TABLES", {"scores": lambda: "| new |\n"})
    begin, end = report.marks("scores")
    page = report.with_tables(f"before\n{begin}| old |\n{end}after\n", ["scores"])
    assert page == f"before\n{begin}\n| new |\n\n{end}after\n"
