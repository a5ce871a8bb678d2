"""Looks at the model in the middle of a training, after which it may end early."""

from typing import Protocol


class Visits(Protocol):
    """What is done between steps.

    Attributes:
        every_steps: the steps between two visits; 0: there is none.
        is_over: whether the training is to end, though steps are left.
    """

    every_steps: int

    @property
    def is_over(self) -> bool: ...

    def begin(self, start_step: int) -> None:
        """Is told the step that the training goes on from."""

    def visit(self, step: int) -> None:
        """Looks at the model after `step` steps, which a checkpoint holds.

        May be called again after a stop.
        """


class NoVisits:
    """The training goes to its last step."""

    every_steps = 0
    is_over = False

    def begin(self, start_step: int) -> None:
        pass

    def visit(self, step: int) -> None:
        pass
