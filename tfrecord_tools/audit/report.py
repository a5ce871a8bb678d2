"""What an audit found: for people, for programs, and as an exit status."""

import dataclasses
import json
from collections.abc import Iterable, Sequence

import numpy as np

from bert_keras.progress import Progress
from tfrecord_tools.audit.problems import Problem

NAME_WIDTH = 16


@dataclasses.dataclass(frozen=True)
class Report:
    """The result of an audit."""

    lines: list[tuple[str, str]]  # name, sentence
    findings: list[str]  # worth a look, though no rule is broken
    problems: list[Problem]  # broken rules
    values: dict  # name -> number, text or histogram (list: how often each value occurs)

    @property
    def status(self) -> int:
        """The exit status: 1 if a rule is broken."""
        return int(bool(self.problems))

    def __str__(self) -> str:
        lines = [f"{name:<{NAME_WIDTH}} {text}" for name, text in self.lines]
        if self.findings:
            lines += ["", f"findings: {len(self.findings)}"]
            lines += [f"  - {finding}." for finding in self.findings]
        lines += ["", f"broken rules: {len(self.problems) or 'none'}"]
        for problem in self.problems:
            lines.append(f"  - {problem.rule}. Broken {problem.count:,} times:")
            lines += [f"      {example}" for example in problem.examples]
            if problem.count > len(problem.examples):
                lines.append(f"      and {problem.count - len(problem.examples):,} more")
        return "\n".join(lines)

    def to_json(self) -> str:
        of_report = {
            "values": self.values,
            "findings": self.findings,
            "problems": [dataclasses.asdict(problem) for problem in self.problems],
        }
        return json.dumps(of_report, indent=2) + "\n"


def report(measures: Sequence, problems: Iterable[Problem]) -> Report:
    """Asks the measures for their numbers and sentences; see `tfrecord_tools.audit`."""
    lines, findings, all_values = [], [], {}
    with Progress("comparing", len(measures), " measures") as progress:
        for measure in measures:
            values = {name: _plain(value) for name, value in measure.values().items()}
            lines += measure.lines(values)
            findings += measure.findings(values)
            all_values |= values
            progress.advance()
    return Report(lines, findings, list(problems), all_values)


def _plain(value):
    """NumPy's numbers and arrays as Python's."""
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else value
