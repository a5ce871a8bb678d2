"""What the fine-tuning programs share: they say who they are without loading TensorFlow."""

import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bert_keras import flags, tasks
from bert_keras.run_sweep import PROGRAMS


def test_the_manuals_load_no_tensorflow():
    code = (
        f"import sys, importlib; [importlib.import_module(f'bert_keras.{{name}}') "
        f"for name in {[*PROGRAMS, 'run_sweep']}]; "
        "sys.exit(bool({'tensorflow', 'keras', 'sklearn', 'scipy'} & {*sys.modules}))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_names_the_module_that_reads_its_task(name):
    module = importlib.import_module(f"bert_keras.fine_tuning.{PROGRAMS[name].module}")
    assert f"`{name}`" in module.__doc__
    assert f"`{name}.Settings`" in module.read_assignment.__doc__


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_flag_that_a_message_names_is_one_of_the_program(name):
    module = importlib.import_module(f"bert_keras.fine_tuning.{PROGRAMS[name].module}")
    source = Path(module.__file__).read_text()
    rooms = [room.name for room in pkgutil.iter_modules(tasks.__path__) if room.ispkg]
    [room] = [room for room in rooms if f"bert_keras.tasks.{room}" in source]
    source += "".join(path.read_text() for path in Path(tasks.__path__[0], room).glob("*.py"))
    known = {field.name for field in flags.flag_fields(PROGRAMS[name].settings_class)}
    known |= {f"no{flag}" for flag in known}
    named = set(re.findall(r"--(\w+)", source))
    assert named and named <= known
