"""What a program takes, its own processes counted too."""

import sys

import pytest

from experiments import machine

PARENT = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]], check=True)"


def command(code):
    """Runs code in a process of a process."""
    return [sys.executable, "-c", PARENT, code]


def run(code):
    return machine.run(command(code))


def test_memory_is_that_of_all_processes():
    code = "import time; kept = b'1' * 2**28; time.sleep(0.2)"
    assert machine.peak_memory_gb(command(code)) > 0.25


def test_processor_seconds_are_those_of_all_processes():
    code = "import time\nwhile time.process_time() < 0.5: pass"
    found = run(code)
    assert found.seconds > 0.4
    assert found.processor_seconds > 0.5


def test_the_words_of_a_program_that_fails_are_told():
    with pytest.raises(RuntimeError, match="no more ships"):
        run("import sys; sys.exit('no more ships')")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_program_that_says_much_comes_to_its_end(stream):
    """A pipe that nobody reads holds 64 KB."""
    run(f"import sys; sys.{stream}.write('x' * 2**20)")
