"""JSON files beside the weights, which strangers wrote."""

import json
from typing import Any

from bert_keras.errors import InputError
from bert_keras.files import read_text, write_text


def read_json(path: str, kind: type[dict] | type[list]) -> Any:
    """What a file holds; raises InputError if that is no JSON, or not of the kind."""
    text = read_text(path)
    try:
        content = json.loads(text)
        json.dumps(content, ensure_ascii=False).encode()  # "\\ud800" alone is no character
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} must be a JSON file. Received: {error}") from error
    if not isinstance(content, kind):
        name = {dict: "object", list: "array"}[kind]
        raise InputError(f"{path} must be a JSON {name}. Received: {text[:200]}")
    return content


def write_json(path: str, content: Any) -> None:
    """Writes a file that is never seen half-written; raises InputError if it cannot be written."""
    write_text(path, json.dumps(content, ensure_ascii=False, indent=2) + "\n")


def require_values(
    path: str, part: str, stored: dict[str, Any], allowed: dict[str, tuple], reason: str
) -> None:
    """Raises InputError where a value is none of the allowed; it names path, part, key, reason."""
    for key, values in allowed.items():
        if stored.get(key) not in values:
            choices = " or ".join(repr(value) for value in values if value is not None)
            raise InputError(
                f"{path}: {part}{key} must be {choices}. Received: {stored.get(key)!r}. {reason}"
            )
