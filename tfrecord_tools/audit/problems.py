"""Broken rules: how often, and where first."""

import dataclasses
from collections.abc import Callable

import numpy as np

MAX_EXAMPLES = 5  # shown of each broken rule


@dataclasses.dataclass
class Problem:
    """One rule that is broken."""

    rule: str  # as it should be
    count: int = 0
    examples: list[str] = dataclasses.field(default_factory=list)  # where, and what is there


class Problems:
    """Collects broken rules in the order in which they are met."""

    def __init__(self):
        self._problems: dict[str, Problem] = {}

    def __iter__(self):
        return iter(self._problems.values())

    def __len__(self) -> int:
        return len(self._problems)

    def add(self, rule: str, example: str) -> None:
        self._add(rule, 1, [example])

    def add_records(self, rule: str, batch, is_broken: np.ndarray, received: Callable) -> None:
        """Adds the records of a batch that break a rule.

        Args:
          rule: as it should be.
          batch: a `parsing.Batch`.
          is_broken: bool [B].
          received: index in the batch -> what is wrong there.
        """
        rows = np.flatnonzero(is_broken)
        examples = (f"{batch.file}, record {batch.numbers[row]}: {received(row)}" for row in rows)
        if rows.size:
            self._add(rule, rows.size, examples)

    def extend(self, problems: "Problems") -> None:
        """Adds what others collected."""
        for problem in problems:
            self._add(problem.rule, problem.count, problem.examples)

    def _add(self, rule, count, examples) -> None:
        problem = self._problems.setdefault(rule, Problem(rule))
        problem.count += count
        room = MAX_EXAMPLES - len(problem.examples)
        problem.examples += [example for _, example in zip(range(room), examples, strict=False)]
