"""Bytes of a corpus -> text, and what to do about bytes that are not UTF-8."""

import re
from collections.abc import Callable

from bert_keras.errors import InputError
from bert_keras.notices import notify

POLICIES = ("fail", "replace", "skip")  # --encoding_errors
# Stands for a line that is left out. Not an empty line, which would end a document; the tokenizer
# finds no token in it.
LEFT_OUT = "\ufffd"
# English in UTF-16 is valid UTF-8: a NUL beside each letter. But its empty lines are not empty.
_UTF_16 = re.compile(rb"(?:[\x01-\x7f]\x00){8}|(?:\x00[\x01-\x7f]){8}")


def decode(
    data: bytes,
    source: str,
    first_line: int,
    encoding_errors: str,
    report_invalid_lines: Callable[[int], None],
) -> str:
    """Returns the text of UTF-8 lines, as many lines as there were.

    Args:
      data: whole lines.
      source: the file, for the message.
      first_line: its number of the first of the lines.
      encoding_errors: of POLICIES.
      report_invalid_lines: is told how many lines were replaced in part or left out, if any.

    Raises:
      InputError: other bytes under "fail"; the message names file, line and byte.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        if encoding_errors != "fail":
            return _decode_lines(data, encoding_errors, report_invalid_lines)
        raise InputError(_where(data, error.start, source, first_line)) from error
    if encoding_errors == "fail" and b"\x00" in data and (found := _UTF_16.search(data)):
        start = data.index(b"\x00", found.start())
        raise InputError(_where(data, start, source, first_line) + " It looks like UTF-16.")
    return text


def _decode_lines(
    data: bytes, encoding_errors: str, report_invalid_lines: Callable[[int], None]
) -> str:
    lines = []
    num_invalid = 0
    for raw_line in data.split(b"\n"):
        try:
            lines.append(raw_line.decode("utf-8"))
        except UnicodeDecodeError:
            num_invalid += 1
            is_kept = encoding_errors == "replace"
            lines.append(raw_line.decode("utf-8", "replace") if is_kept else LEFT_OUT)
    report_invalid_lines(num_invalid)
    return "\n".join(lines)


def _where(data: bytes, position: int, source: str, first_line: int) -> str:
    number = first_line + data.count(b"\n", 0, position)
    column = position - data.rfind(b"\n", 0, position)
    return (
        f"Input must be UTF-8; {source}, line {number}, holds the byte 0x{data[position]:02x} "
        f"(number {column} of the line). Convert the file, for instance with iconv, or give "
        "--encoding_errors=replace or skip."
    )


def notify_of_invalid_lines(num_lines: int, encoding_errors: str) -> None:
    """Says at the end of a run how many lines were not UTF-8, if any."""
    if num_lines:
        done = {"replace": "had bytes replaced by U+FFFD", "skip": "were left out"}[encoding_errors]
        notify(f"{num_lines:,} lines that are not UTF-8 {done} (--encoding_errors)")
