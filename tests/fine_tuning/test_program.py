"""What the fine-tuning programs share: they say who they are without loading TensorFlow."""

import importlib
import subprocess
import sys

import pytest

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
    assert f"`{name}.Settings`" in module.read_task.__doc__
