"""Flags: a settings dataclass becomes the command line that users of the original know."""

import dataclasses
import os
import re
import shlex
import signal
import subprocess
import sys
import textwrap
from subprocess import PIPE

import pytest

from bert_keras import flags
from bert_keras.errors import InputError


@dataclasses.dataclass(frozen=True)
class Settings:
    output_dir: str = flags.required("Folder for the results.")
    vocab_file: str = flags.required("Vocabulary.")
    input_file: list[str] = flags.setting((), "Files, comma-separated.")
    do_train: bool = flags.setting(False, "Whether to train.")
    do_lower_case: bool = flags.setting(True, "Whether to lower-case.")
    learning_rate: float = flags.setting(5e-5, "Peak learning rate.")
    num_train_steps: int = flags.setting(100, "Steps.")
    max_eval_steps: int | None = flags.setting(None, "Evaluation steps.")
    init_checkpoint: str | None = flags.setting(None, "Where to start from.")


@dataclasses.dataclass(frozen=True)
class ShowSettings:
    files: list[str] = flags.arguments("FILE", "Files to show.")
    count: bool = flags.setting(False, "Count only.")


REQUIRED = ["--output_dir=o", "--vocab_file=v"]


def parse(*words):
    return flags.parse(Settings, [*REQUIRED, *words])


def test_defaults_and_types():
    settings = parse()
    assert settings == Settings(output_dir="o", vocab_file="v")
    assert settings.input_file == [] and settings.max_eval_steps is None
    settings = parse("--learning_rate", "1e-4", "--num_train_steps=7", "--max_eval_steps=3")
    assert settings.learning_rate == 1e-4
    assert (settings.num_train_steps, settings.max_eval_steps) == (7, 3)


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("--do_train", True),
        ("--do_train=True", True),
        ("--do_train=true", True),
        ("-do_train=1", True),
        ("--nodo_train", False),
        ("--do_train=False", False),
    ],
)
def test_boolean_forms(word, value):
    assert parse(word).do_train is value


def test_lists_split_at_commas_without_quoting():
    assert parse('--input_file=a,b "c",d').input_file == ["a", 'b "c"', "d"]
    assert parse("--input_file=").input_file == []


def test_all_missing_flags_are_named_in_one_error():
    with pytest.raises(InputError, match="--output_dir, --vocab_file"):
        flags.parse(Settings, [])


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("--learnin_rate=1", r"no flag --learnin_rate\. The nearest: --learning_rate"),
        ("--nodo_trian", r"no flag --nodo_trian\. The nearest: --do_train"),
        ("--num_train_steps=1e6", "--num_train_steps=1e6: expected a whole number"),
        ("--num_train_steps=", "expected a whole number"),
        ("--learning_rate=fast", "--learning_rate=fast: expected a number"),
        ("--learning_rate=nan", "expected a number"),
        ("--do_train=maybe", "--do_train=maybe: expected true or false"),
        ("--num_train_steps", "--help"),
        ("data.tfrecord", "'data.tfrecord' on its own"),
        ("--flagfile=does_not_exist", "does_not_exist"),
    ],
)
def test_bad_words_give_one_line(word, message):
    with pytest.raises(InputError, match=message) as caught:
        parse(word)
    assert "\n" not in str(caught.value)


def test_flagfile(tmp_path):
    path = tmp_path / "flags.txt"
    path.write_text("--num_train_steps=12\n--do_train\n")
    settings = parse(f"--flagfile={path}")
    assert settings.num_train_steps == 12 and settings.do_train


def test_arguments_take_the_words_that_are_no_flags():
    settings = flags.parse(ShowSettings, ["a", "--count", "b"])
    assert settings == ShowSettings(files=["a", "b"], count=True)


def test_two_programs_in_one_process_do_not_share_flags():
    flags.define(Settings), flags.define(Settings)
    assert parse("--do_train").do_train and not parse().do_train


def run(main, *words, replaced=None, settings_class=Settings):
    with pytest.raises(SystemExit) as exit_:
        flags.run(main, settings_class, replaced, [*REQUIRED, *words])
    return exit_.value.code


def test_run_hands_over_the_settings_and_the_status():
    seen = []
    assert run(seen.append, "--num_train_steps=3") == 0
    assert seen[0].num_train_steps == 3
    assert run(lambda settings: 4) == 4


def test_input_errors_have_no_traceback(capsys):
    def main(settings):
        raise InputError("The folder is full. Choose another --output_dir.")

    assert run(main) == 1
    assert capsys.readouterr().err == "error: The folder is full. Choose another --output_dir.\n"


def test_errors_of_ours_keep_their_traceback():
    with pytest.raises(ZeroDivisionError):
        flags.run(lambda settings: 1 // 0, Settings, command_line=REQUIRED)
    with pytest.raises(BrokenPipeError):
        flags.run(raise_broken_pipe, Settings, command_line=REQUIRED)


def raise_broken_pipe(settings):
    raise BrokenPipeError("a pipe between two processes of the program, not its output")


def test_interruption(capsys):
    def main(settings):
        raise KeyboardInterrupt

    assert run(main) == 130
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [["--iterations_per_loop=9"], ["--iterations_per_loop", "9"], ["--noiterations_per_loop"]],
)
def test_replaced_flags_are_accepted_with_a_notice(words, capsys):
    seen = []
    replaced = {"iterations_per_loop": "every step is reported."}
    assert run(seen.append, *words, "--num_train_steps=3", replaced=replaced) == 0
    assert seen[0].num_train_steps == 3
    notice = "notice: --iterations_per_loop has no effect: every step is reported.\n"
    assert capsys.readouterr().err == notice


def test_termination_unwinds_and_is_quiet(capsys):
    unwound = []

    def main(settings):
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            unwound.append(True)

    before = signal.getsignal(signal.SIGTERM)
    assert run(main) == 143
    assert capsys.readouterr().err == "terminated\n"
    assert unwound == [True]
    assert signal.getsignal(signal.SIGTERM) is before


@dataclasses.dataclass(frozen=True)
class Ranges:
    steps: int = flags.setting(4, "Steps.", minimum=1)
    share: float = flags.setting(0.5, "A share.", minimum=0, maximum=1)
    limit: int | None = flags.setting(None, "A limit.", minimum=1)


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("--steps=0", "--steps must be at least 1. Received: 0"),
        ("--share=-0.1", "--share must be at least 0 and at most 1. Received: -0.1"),
        ("--share=1.1", "--share must be at least 0 and at most 1. Received: 1.1"),
        ("--limit=0", "--limit must be at least 1. Received: 0"),
    ],
)
def test_numbers_outside_their_range(word, message):
    with pytest.raises(InputError, match=re.escape(message)):
        flags.parse(Ranges, [word])


def test_ranges_hold_their_ends_and_stand_in_the_help():
    assert flags.parse(Ranges, ["--share=1"]).share == 1
    assert flags.parse(Ranges, []).limit is None
    text = flags.manual(Ranges, "", "program")
    assert "(default: 4; at least 1)" in text
    assert "(default: 0.5; at least 0 and at most 1)" in text
    with pytest.raises(InputError, match="--steps must be at least 1"):
        flags.check_numbers(Ranges(steps=0))


def test_help_is_a_manual_in_the_order_of_the_fields(capsys):
    assert run(raise_broken_pipe, "--help") == 0
    text = capsys.readouterr().out
    assert "a settings dataclass becomes the command line" in text
    fields = dataclasses.fields(Settings)
    places = [text.index(f"--[no]{f.name}" if f.type is bool else f"--{f.name}=") for f in fields]
    assert places == sorted(places)
    assert "(required)" in text and "(default: 5e-05)" in text and "(default: none)" in text
    assert max(map(len, text.splitlines())) <= 120


def test_closed_output_is_quiet(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent(
            """
            import dataclasses
            from bert_keras import flags

            @dataclasses.dataclass(frozen=True)
            class Settings:
                number: int = flags.setting(1_000_000, "Lines.")

            def main(settings):
                for line in range(settings.number):
                    print(line)

            if __name__ == "__main__":
                flags.run(main, Settings)
            """
        )
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(program)]
    with subprocess.Popen(command, stdout=PIPE, stderr=PIPE, env=environment) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == flags.BROKEN_PIPE


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_program_without_output_works(closed):
    code = (
        "import dataclasses, sys; from bert_keras import flags, notices\n"
        "@dataclasses.dataclass\nclass Settings: pass\n"
        "def main(_): print('out'); notices.notify('err'); sys.stderr.isatty(); return 7\n"
        "flags.run(main, Settings, command_line=[])"
    )
    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(code)} {closed}"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run(command, shell=True, env=environment).returncode == 7


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device")
def test_output_that_does_not_fit_is_an_error_of_one_line():
    code = (
        "import dataclasses; from bert_keras import flags\n"
        "@dataclasses.dataclass\nclass Settings: pass\n"
        "flags.run(lambda _: print('out'), Settings, command_line=[])"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-c", code]
        result = subprocess.run(command, stdout=full, stderr=PIPE, env=environment)
    assert result.returncode == 1
    assert result.stderr == b"error: No more can be written: No space left on device.\n"


def test_output_without_the_characters_is_readable():
    code = (
        "import dataclasses; from bert_keras import flags\n"
        "@dataclasses.dataclass\nclass Settings: pass\n"
        "flags.run(lambda _: print('a\u2192b'), Settings, command_line=[])"
    )
    path = os.pathsep.join(sys.path)
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-c", code]
    assert subprocess.check_output(command, env=environment) == rb"a\u2192b" + b"\n"


@pytest.mark.parametrize(
    ("name", "locale"),
    [
        (b"a\xff", {"LC_ALL": "C.UTF-8"}),
        ("\u043f".encode(), {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}),
    ],
)
def test_a_name_that_the_encoding_cannot_hold(name, locale):
    """TensorFlow takes paths as UTF-8: `tensorflow.python.util.compat.path_to_bytes`."""
    code = (
        "import dataclasses; from bert_keras import flags\n"
        "@dataclasses.dataclass\nclass Settings: files: list[str] = flags.arguments('FILE', '')\n"
        "flags.run(lambda settings: print(settings.files[0].encode()), Settings)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **locale}
    command = [sys.executable, "-c", code, name]
    result = subprocess.run(command, capture_output=True, env=environment)
    assert (result.returncode, result.stdout, result.stderr.count(b"\n")) == (1, b"", 1)
    assert re.match(rb"error: .*UTF-8 locale.*Received: '.*\\udc.*LC_ALL=C.UTF-8", result.stderr)


def test_flags_load_no_tensorflow():
    code = "import sys, bert_keras.flags; sys.exit(bool({'tensorflow', 'keras'} & {*sys.modules}))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_own_flags_come_first_and_in_their_order():
    """Also one that a base class has, at another place."""

    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Base:
        shared: int = flags.setting(1, "Of several programs.")
        changed: int = flags.setting(1, "Of several programs.")

    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Program(Base):
        first: int = flags.setting(1, "Of this program.")
        changed: int = flags.setting(2, "Of this program.")

    names = [field.name for field in flags.flag_fields(Program)]
    assert names == ["first", "changed", "shared"]
