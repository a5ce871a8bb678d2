"""Variables that a rule of an optimizer passes over, named by regular expressions."""

import re
from collections.abc import Sequence

from bert_keras.errors import InputError
from bert_keras.notices import notify_once

# The original's list. It names LayerNorm twice; the second pattern is idle there as well.
EXCLUDE_FROM_WEIGHT_DECAY = ("LayerNorm", "layer_norm", "bias")
IDLE_IN_THE_ORIGINAL = "layer_norm"


class Exclusions:
    """The variables in whose path one of the patterns is found.

    Args:
        option: what the user calls the list.
        patterns: regular expressions.

    Raises:
        InputError: `patterns` is one string, or holds what is no regular expression.
    """

    def __init__(self, option: str, patterns: Sequence[str]):
        if isinstance(patterns, str):
            raise InputError(f"{option} must be a list of patterns. Received: {patterns!r}")
        self.option = option
        self.patterns = tuple(patterns)
        for pattern in self.patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                raise InputError(
                    f"{option} holds regular expressions. Received: {pattern!r} ({error})"
                ) from error

    def cover(self, path: str) -> bool:
        """Whether the variable of this path is passed over."""
        return any(re.search(pattern, path) for pattern in self.patterns)

    def check(self, paths: Sequence[str]) -> None:
        """Gives notice of the original's patterns that match none of the paths, but match there.

        Raises:
            InputError: a pattern of another list matches none.
        """
        for pattern in self.patterns:
            if any(re.search(pattern, path) for path in paths):
                continue
            if self.patterns != EXCLUDE_FROM_WEIGHT_DECAY:
                raise InputError(
                    f"Every pattern of {self.option} must match a variable. "
                    f"Received: {pattern!r}, with the variables {', '.join(paths[:5])} …"
                )
            if pattern != IDLE_IN_THE_ORIGINAL:
                notify_once(
                    f"{self.option}: {pattern!r} matches no variable; a list of your own can leave "
                    "it out"
                )
