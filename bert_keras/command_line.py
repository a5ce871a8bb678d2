"""Settings back to the command that is typed, for pages that say how something was made."""

import shlex
import sys
from typing import Any

from bert_keras import flags


def command(settings: Any) -> str:
    """Returns the program of these settings and the flags that differ from their defaults."""
    return f"python -m {_program(settings)} {flags_of(settings)}".rstrip()


def flags_of(settings: Any) -> str:
    """Returns the flags that differ from their defaults, as they are typed."""
    words = []
    for field in flags.flag_fields(type(settings)):
        value = getattr(settings, field.name)
        default = field.default
        if isinstance(value, list):
            value, default = ",".join(value), ""
        if value == default:
            continue
        is_switch = isinstance(value, bool)
        switch = f"--{field.name}" if value else f"--no{field.name}"
        words.append(switch if is_switch else f"--{field.name}={shlex.quote(str(value))}")
    return " \\\n        ".join(words)


def _program(settings: Any) -> str:
    """The module that a settings class belongs to; Python calls the one that it runs __main__."""
    module = sys.modules[type(settings).__module__]
    return module.__spec__.name if module.__spec__ else module.__name__
