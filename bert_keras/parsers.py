"""What a flag of each type takes, with messages for people."""

import math
import re

from absl import flags as absl_flags


class _BooleanParser(absl_flags.BooleanParser):
    """absl's true/t/1/yes and false/f/0/no, with a message for people."""

    def parse(self, argument):
        try:
            return super().parse(argument)
        except ValueError as error:
            raise ValueError("expected true or false") from error


class _IntegerParser(absl_flags.ArgumentParser):
    """Whole numbers, with a message for people."""

    def parse(self, argument):
        if isinstance(argument, int):
            return argument
        if not re.fullmatch(r"\s*[+-]?\d+\s*", argument):
            raise ValueError("expected a whole number")
        return int(argument)


class _FloatParser(absl_flags.ArgumentParser):
    """Finite numbers, with a message for people."""

    def parse(self, argument):
        try:
            number = float(argument)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise ValueError("expected a number")
        return number


class _ListParser(absl_flags.ArgumentParser):
    """Comma-separated words, split as the original does: no quoting."""

    def parse(self, argument):
        if isinstance(argument, list):
            return argument
        return argument.split(",") if argument else []


PARSERS = {
    bool: _BooleanParser,
    int: _IntegerParser,
    float: _FloatParser,
    str: absl_flags.ArgumentParser,
    list[str]: _ListParser,
}
PLACEHOLDERS = {int: "NUMBER", float: "NUMBER", str: "TEXT", list[str]: "A,B,..."}
