"""Command-line flags made from a frozen dataclass, once for every program.

The dataclass at the top of a program is its manual: a field is a flag of the same name, with its
default and help text. absl parses, as in the original programs, so `--flag value`, `--flag=value`,
`--flag`, `--noflag` and `--flagfile=FILE` mean what they have meant for years.

    @dataclasses.dataclass(frozen=True)
    class Settings:
        output_dir: str = flags.required("Folder for the results.")
        input_file: list[str] = flags.setting((), "Files, comma-separated; globs are expanded.")

    if __name__ == "__main__":
        flags.run(main, Settings)
"""

import dataclasses
import difflib
import errno
import os
import signal
import sys
import textwrap
import types
import typing
from collections.abc import Callable, Mapping, Sequence

from absl import flags as absl_flags

from bert_keras import streams
from bert_keras.errors import InputError
from bert_keras.notices import notify
from bert_keras.parsers import PARSERS, PLACEHOLDERS

HELP_FLAGS = ("--help", "-help", "-h", "--helpshort", "--helpfull")
INTERRUPTED = 130  # 128 + SIGINT, what a shell reports
TERMINATED = 143  # 128 + SIGTERM
BROKEN_PIPE = 141  # 128 + SIGPIPE


def setting(default, help_text: str, minimum: float | None = None, maximum: float | None = None):
    """A field with a default. A list's default may be written as a tuple.

    `minimum` and `maximum` are the least and the greatest number that the flag takes.
    """
    metadata = {"help": help_text, "minimum": minimum, "maximum": maximum}
    if isinstance(default, (list, tuple)):
        return dataclasses.field(default_factory=lambda: list(default), metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def required(help_text: str):
    """A field without a default: the program stops if its flag is missing."""
    return dataclasses.field(metadata={"help": help_text})


def arguments(name: str, help_text: str):
    """A `list[str]` field for the words that belong to no flag, shown as `NAME...` in the help."""
    return dataclasses.field(default_factory=list, metadata={"help": help_text, "argument": name})


def run(
    main: Callable,
    settings_class: type,
    replaced: Mapping[str, str] | None = None,
    command_line: Sequence[str] | None = None,
) -> typing.NoReturn:
    """Runs a program and exits with its status.

    Args:
      main: takes the settings, returns None or an exit status.
      settings_class: the dataclass to fill from the command line.
      replaced: flags of the original that are accepted without effect -> what took their place.
      command_line: the words after the program's name; those of this process by default.
    """
    sys.exit(_status(main, settings_class, replaced or {}, command_line))


def parse(settings_class: type, command_line: Sequence[str]):
    """Returns the settings that a command line gives; raises InputError if it makes no sense."""
    flag_values = define(settings_class)
    try:
        words = flag_values(["", *command_line])[1:]
    except absl_flags.UnrecognizedFlagError as error:
        raise InputError(_unknown_flag(error.flagname, list(flag_values))) from error
    except absl_flags.Error as error:
        message = str(error).removeprefix("ERROR:: ")
        raise InputError(f"{message}. --help lists the flags.") from error
    fields = flag_fields(settings_class)
    values = {field.name: flag_values[field.name].value for field in fields}
    # An empty word is what an unset variable of a shell leaves.
    missing = [f"--{f.name}" for f in fields if _is_required(f) and values[f.name] in (None, "")]
    if missing:
        raise InputError(f"Missing: {', '.join(missing)}. --help says what they mean.")
    argument_field = _argument_field(settings_class)
    if argument_field:
        values[argument_field.name] = words
    elif words:
        raise InputError(
            f"Every value belongs to a flag; received {words[0]!r} on its own. "
            "Write --flag=value, with quotation marks around a glob."
        )
    settings = settings_class(**values)
    check_numbers(settings)
    return settings


def check_numbers(settings) -> None:
    """Raises InputError for a number outside the range of its field; `parse` checks by this."""
    for field in dataclasses.fields(settings):
        value = getattr(settings, field.name)
        minimum, maximum = field.metadata.get("minimum"), field.metadata.get("maximum")
        is_below = None not in (value, minimum) and not value >= minimum  # so that NaN is refused
        is_above = None not in (value, maximum) and not value <= maximum
        if is_below or is_above:
            limits = _range(minimum, maximum)
            raise InputError(f"--{field.name} must be {limits}. Received: {value}")


def define(settings_class: type) -> absl_flags.FlagValues:
    """Returns absl flags for a settings class, a set of its own: a process may import programs."""
    flag_values = absl_flags.FlagValues()
    flag_values.set_gnu_getopt(True)  # words that are no flags may stand anywhere
    hints = typing.get_type_hints(settings_class)
    for field in flag_fields(settings_class):
        kind = _plain_type(hints[field.name])
        absl_flags.DEFINE(
            PARSERS[kind](),
            field.name,
            None if _is_required(field) else _default(field),
            field.metadata["help"],
            flag_values=flag_values,
            boolean=kind is bool,
        )
    return flag_values


def flag_fields(settings_class: type) -> list[dataclasses.Field]:
    """Returns the flags without a default, then the program's own, then those that it inherits."""
    fields = [f for f in dataclasses.fields(settings_class) if "argument" not in f.metadata]
    own = list(settings_class.__annotations__)

    def place(field: dataclasses.Field) -> tuple[bool, int]:
        is_own = field.name in own
        return not _is_required(field), own.index(field.name) if is_own else len(own)

    return sorted(fields, key=place)


def manual(settings_class: type, description: str, program: str) -> str:
    """Returns the text of `--help`: what the program is, then the flags in the fields' order."""
    hints = typing.get_type_hints(settings_class)
    lines = [f"usage: {program} [--flag=value ...]", "", description.strip(), ""]
    argument_field = _argument_field(settings_class)
    if argument_field:
        word = f"{argument_field.metadata['argument']}..."
        lines[0] += f" {word}"
        lines += [f"  {word}", *_indented(argument_field.metadata["help"])]
    for field in flag_fields(settings_class):
        kind = _plain_type(hints[field.name])
        name = f"--[no]{field.name}" if kind is bool else f"--{field.name}={PLACEHOLDERS[kind]}"
        lines += [f"  {name}", *_indented(f"{field.metadata['help']} ({_shown_default(field)})")]
    return "\n".join(lines)


class _Terminated(BaseException):
    """SIGTERM came: like Ctrl-C it unwinds, so that files begun are removed."""


def _terminate(*_):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one shall not stop the cleaning up
    raise _Terminated


def _status(main, settings_class, replaced, command_line) -> int:
    command_line = sys.argv[1:] if command_line is None else list(command_line)
    streams.prepare()
    previous = signal.signal(signal.SIGTERM, _terminate)
    try:
        if any(word in HELP_FLAGS for word in command_line):
            description = sys.modules[main.__module__].__doc__ or ""
            print(manual(settings_class, description, _program_name()))
            status = 0
        else:
            command_line, notices = _without_replaced(command_line, replaced)
            for notice in notices:
                notify(notice)
            status = main(parse(settings_class, command_line)) or 0
        sys.stdout.flush()  # a closed pipe shall show here, not while Python shuts down
        return status
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except UnicodeEncodeError as error:
        rule = "error: A name must be UTF-8 text, in a UTF-8 locale."
        way_out = "Set LC_ALL=C.UTF-8, or rename the file."
        print(rule, f"Received: {error.object!a:.200}.", way_out, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except _Terminated:
        print("terminated", file=sys.stderr)
        return TERMINATED
    except BrokenPipeError:
        if not streams.silence_closed():
            raise
        return BROKEN_PIPE
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        print(f"error: No more can be written: {error.strerror}.", file=sys.stderr)
        streams.silence(sys.stdout)  # what is left in it would be tried again at the end of Python
        return 1
    finally:
        signal.signal(signal.SIGTERM, previous)


def _without_replaced(
    command_line: list[str], replaced: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """Takes replaced flags and their values out; returns the other words and the notices."""
    kept, notices = [], []
    value_may_follow = False
    for word in command_line:
        name, equals, _ = word.lstrip("-").partition("=")
        name = name if name in replaced else name.removeprefix("no")
        if word.startswith("-") and name in replaced:
            notices.append(f"--{name} has no effect: {replaced[name]}")
            value_may_follow = not equals
        elif word.startswith("-") or not value_may_follow:
            kept.append(word)
            value_may_follow = False
    return kept, notices


def _unknown_flag(name: str, names: list[str]) -> str:
    nearest = difflib.get_close_matches(name.removeprefix("no"), names, n=3, cutoff=0.5)
    hint = f" The nearest: {', '.join('--' + n for n in nearest)}." if nearest else ""
    return f"There is no flag --{name}.{hint} --help lists all."


def _argument_field(settings_class: type) -> dataclasses.Field | None:
    return next((f for f in dataclasses.fields(settings_class) if "argument" in f.metadata), None)


def _is_required(field: dataclasses.Field) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _default(field: dataclasses.Field):
    has_factory = field.default_factory is not dataclasses.MISSING
    return field.default_factory() if has_factory else field.default


def _shown_default(field: dataclasses.Field) -> str:
    if _is_required(field):
        return "required"
    value = _default(field)
    shown = ",".join(value) if isinstance(value, list) else "" if value is None else str(value)
    limits = _range(field.metadata.get("minimum"), field.metadata.get("maximum"))
    return f"default: {shown or 'none'}" + (f"; {limits}" if limits else "")


def _range(minimum: float | None, maximum: float | None) -> str:
    lowest = "" if minimum is None else f"at least {minimum}"
    highest = "" if maximum is None else f"at most {maximum}"
    return " and ".join(filter(None, (lowest, highest)))


def _plain_type(hint):
    """`int | None` -> `int`: a flag that is not given is None anyway."""
    if isinstance(hint, types.UnionType):
        return next(kind for kind in typing.get_args(hint) if kind is not type(None))
    return hint


def _indented(text: str) -> list[str]:
    return textwrap.wrap(text, width=96, initial_indent="      ", subsequent_indent="      ")


def _program_name() -> str:
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    return f"python -m {spec.name}" if spec else os.path.basename(sys.argv[0])
