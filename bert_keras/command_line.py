"""Settings back to the flags that are typed, for pages that say how something was made."""

import shlex
from typing import Any

from bert_keras import flags


def command(settings: Any) -> str:
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
