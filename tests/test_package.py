"""The package as a whole: its public names, what importing it loads, and what a wheel holds."""

import importlib
import os
import pkgutil
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import bert_keras
import tfrecord_tools
from bert_keras.backend import check_backend
from bert_keras.errors import InputError

ROOT = Path(__file__).parents[1]


def test_import_loads_no_tensorflow():
    code = (
        "import sys, bert_keras; bert_keras.WordPieceTokenizer, bert_keras.BertConfig; "
        "sys.exit(bool({'tensorflow', 'keras'} & {*sys.modules}))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize("name", bert_keras.__all__)
def test_public_names(name):
    value = getattr(bert_keras, name)
    assert getattr(importlib.import_module(value.__module__), name) is value
    assert name in dir(bert_keras)


def test_the_map_of_the_tools_shows_every_module():
    modules = {module.name for module in pkgutil.iter_modules(tfrecord_tools.__path__)}
    assert modules <= set(re.findall(r"\w+", tfrecord_tools.__doc__))


def test_unknown_names():
    with pytest.raises(AttributeError, match="'bert_keras' has no attribute 'Bert'"):
        bert_keras.Bert  # noqa: B018


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("KERAS_BACKEND", "jax", "backend is 'jax'.*Unset KERAS_BACKEND"),
        ("TF_USE_LEGACY_KERAS", "1", "TF_USE_LEGACY_KERAS=1 asks for Keras 2"),
        ("TF_USE_LEGACY_KERAS", "True", "TF_USE_LEGACY_KERAS=True asks"),
    ],
)
def test_another_keras_is_one_clear_error(variable, value, message, monkeypatch):
    monkeypatch.setenv(variable, value)
    with pytest.raises(InputError, match=message):
        check_backend()
    code = "import bert_keras\ntry: bert_keras.bert\nexcept bert_keras.InputError: print('clear')"
    environment = {**os.environ, variable: value}
    command = [sys.executable, "-c", code]
    assert subprocess.check_output(command, env=environment, text=True) == "clear\n"


@pytest.mark.slow
def test_keras_runs_on_tensorflow_whatever_its_settings_file_says(tmp_path):
    (tmp_path / "keras.json").write_text('{"backend": "torch"}')
    environment = {**os.environ, "KERAS_HOME": str(tmp_path)}
    environment.pop("KERAS_BACKEND", None)
    code = "import bert_keras, keras; print(keras.config.backend())"
    command = [sys.executable, "-c", code]
    assert subprocess.check_output(command, env=environment, text=True) == "tensorflow\n"


@pytest.mark.slow
@pytest.mark.parametrize("start", ["backend.import_tensorflow_quietly()", "bert_keras.bert"])
def test_tensorflow_starts_without_a_word(start):
    code = (
        "import bert_keras; from bert_keras import backend; "
        f"backend.NVIDIA_DRIVER = '/no/such/driver'; {start}; "
        "import os, keras, tensorflow_text; keras.ops.sum([1.0]); os.write(2, b'said')"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert process.stderr == b"said"


def test_a_failing_start_shows_what_was_said(tmp_path):
    (tmp_path / "tensorflow.py").write_text("import os\nos.write(2, b'cause')\nraise ImportError")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    code = "from bert_keras import backend; backend.import_tensorflow_quietly()"
    command = [sys.executable, "-P", "-c", code]
    process = subprocess.run(command, capture_output=True, env=environment)
    assert process.stderr.startswith(b"cause") and b"ImportError" in process.stderr


def test_every_folder_of_code_is_a_package():
    """`find:` in setup.cfg takes folders with an `__init__.py` only."""
    sources = [*ROOT.glob("bert_keras/**/*.py"), *ROOT.glob("tfrecord_tools/**/*.py")]
    assert {path.parent for path in sources if not (path.parent / "__init__.py").exists()} == set()


@pytest.mark.slow
def test_wheel_and_sdist_are_complete(tmp_path):
    sources = tmp_path / "sources"
    files = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0")[:-1]
    for file in filter(lambda file: (ROOT / file).exists(), files):
        (sources / file).parent.mkdir(parents=True, exist_ok=True)
        (sources / file).write_bytes((ROOT / file).read_bytes())
    subprocess.check_call(  # the wheel is built from the sdist
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path), str(sources)]
    )
    (wheel,) = tmp_path.glob("*.whl")
    (sdist,) = tmp_path.glob("*.tar.gz")
    packaged = {file for file in files if file.split("/")[0] in ("bert_keras", "tfrecord_tools")}
    with zipfile.ZipFile(wheel) as archive:
        in_wheel = set(archive.namelist())
    with tarfile.open(sdist) as archive:
        in_sdist = {name.partition("/")[2] for name in archive.getnames()}
    assert {file for file in in_wheel if ".dist-info/" not in file} == packaged
    assert any(file.endswith("licenses/LICENSE") for file in in_wheel)
    assert set(files) - {".gitignore"} <= in_sdist
