"""Writes the tables of fine-tuning on the pages, from the results that are kept.

    python -m experiments.report

replaces what stands between the two marks of a table in README.md and in experiments/README.md.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from experiments.fine_tuning import RESULTS, file_name
from experiments.fine_tuning_rows import ROWS
from experiments.pretrained_or_random import RESULT_FILE, STARTS

ROOT = Path(__file__).parents[1]
NAMES = {
    "accuracy": "accuracy",
    "exact_match": "exact match",
    "exact": "exact match",
    "f1": "F1",
    "matthews_correlation": "Matthews correlation",
    "pearson": "Pearson",
    "spearman": "Spearman",
}


def scores_table() -> str:
    """What was reached, and what to compare it with."""
    header = ("task", "data", "score", "reached", "to compare")
    return markdown(header, [(*_what(one), one["expected"]) for one in fine_tuning_results()])


def runs_table() -> str:
    """What was reached, and what it took."""
    header = ("task", "data", "score", "reached", "examples/s", "minutes of a seed", "processor")
    rows = [
        (
            *_what(one),
            f"{one['examples_per_second']:.0f}",
            f"{one['training_minutes_of_a_seed']:.0f}",
            f"{one['machine']['num_cores']} x {one['machine']['processor']}",
        )
        for one in fine_tuning_results()
    ]
    return markdown(header, rows)


def starts_table() -> str:
    """The same encoder, pretrained and not."""
    if not RESULT_FILE.exists():
        return ""
    tasks = _read(RESULT_FILE)["tasks"]
    rows = [
        (name, NAMES[one["metric"]], *(_reached(one[start]) for start in STARTS))
        for name, one in tasks.items()
    ]
    return markdown(("task", "score", *STARTS), rows)


TABLES: dict[str, Callable[[], str]] = {
    "scores": scores_table,
    "runs": runs_table,
    "starts": starts_table,
}
PAGES = {"README.md": ("scores",), "experiments/README.md": ("runs", "starts")}


def fine_tuning_results() -> list[dict[str, Any]]:
    """The rows that were run, in the order of `ROWS`."""
    paths = [RESULTS / f"{file_name(name)}.json" for name in ROWS]
    return [_read(path) for path in paths if path.exists()]


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; nothing without rows."""
    lines = [header, ["---"] * len(header), *rows] if rows else []
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def marks(table: str) -> tuple[str, str]:
    """The lines around a table."""
    return f"<!-- {table}: python -m experiments.report -->\n", f"<!-- end of {table} -->\n"


def with_tables(page: str, names: Sequence[str]) -> str:
    """A page with its tables as they are to be."""
    for name in names:
        begin, end = marks(name)
        before, rest = page.split(begin)
        _, after = rest.split(end)
        page = f"{before}{begin}\n{TABLES[name]()}\n{end}{after}"
    return page


def main() -> None:
    for page, names in PAGES.items():
        path = ROOT / page
        text = with_tables(path.read_text(encoding="utf-8"), names)
        path.write_text(text, encoding="utf-8")


def _what(result: dict[str, Any]) -> tuple[str, str, str, str]:
    metric = result["metric"]
    sd = (result["sd"] or {}).get(metric)
    reached = _reached({"mean": result["mean"][metric], "sd": sd})
    return result["row"], result["data"], NAMES[metric], reached


def _reached(score: dict[str, Any]) -> str:
    """A score with its deviation over seeds; those of SQuAD's script are in percent."""
    digits = 1 if score["mean"] > 1 else 3
    shown = f"{score['mean']:.{digits}f}"
    return shown if score["sd"] is None else f"{shown} ± {score['sd']:.{digits}f}"


def _read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
