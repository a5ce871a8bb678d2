"""The pipeline writes the files of the process pool; Beam's DirectRunner really runs."""

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bert_keras.errors import InputError
from tfrecord_tools import create_pretraining_data as pool
from tfrecord_tools import create_pretraining_data_beam as beam

SAMPLE = Path(__file__).parents[2] / "bert_keras" / "sample"
COMMON = {
    "vocab_file": str(SAMPLE / "vocab.txt"),
    "dupe_factor": 2,
    "num_shards": 3,
    "tokens_per_bucket": 20_000,
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """The sample's chapters, dealt out to three files."""
    folder = tmp_path_factory.mktemp("corpus")
    chapters = (SAMPLE / "corpus.txt").read_text().split("\n\n")
    for number in range(3):
        (folder / f"{number}.txt").write_text("\n\n".join(chapters[number::3]))
    return f"{folder}/*.txt"


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"pairs": "none", "masking": "none", "max_seq_length": 64},
        {"pairs": "sentence_order", "do_whole_word_mask": True, "random_seed": -7},
    ],
    ids=["next sentence", "packed without masks", "sentence order"],
)
def test_the_files_are_those_of_the_pool(tmp_path, corpus, settings):
    settings = {**COMMON, **settings, "input_file": [corpus]}
    of_pool = pool.create_pretraining_data(
        pool.Settings(output_file=[f"{tmp_path}/pool"], num_workers=1, **settings)
    )
    of_beam = beam.create_pretraining_data(
        beam.Settings(output_file=[f"{tmp_path}/beam"], **settings)
    )
    for ours, theirs in zip(of_pool.output_files, of_beam.output_files, strict=True):
        assert Path(ours).read_bytes() == Path(theirs).read_bytes()
    names = [Path(path).name for path in (*of_beam.output_files, "beam.summary.json")]
    assert sorted(os.listdir(tmp_path))[: len(names)] == sorted(names)  # and nothing unfinished
    ours, theirs = dataclasses.asdict(of_pool), dataclasses.asdict(of_beam)
    assert {**ours, "output_files": None} == {**theirs, "output_files": None}
    assert json.loads((tmp_path / "beam.summary.json").read_text())["num_records"] > 500


@pytest.mark.parametrize(
    ("text", "changes", "message"),
    [
        ("one\ntwo\n", {}, "needs two documents"),
        ("\n\n", {}, "must hold text"),
        ("a\n\nb\n", {"num_shards": 50}, "Every shard must get a record"),
        ("a\n\nb\n", {"input_file": ["-"]}, "standard input"),
        ("a\n\nb\n", {"pairs": "x"}, "--pairs must be one of"),
        ("a\n\nb\n", {"input_file": ["{folder}/none"]}, "none"),
    ],
)
def test_what_cannot_work_is_an_error_without_output(tmp_path, text, changes, message):
    (tmp_path / "corpus").write_text(text)
    changes = {
        name: [path.format(folder=tmp_path) for path in value] if name == "input_file" else value
        for name, value in changes.items()
    }
    settings = {**COMMON, "input_file": [f"{tmp_path}/corpus"], **changes}
    with pytest.raises(InputError, match=message):
        beam.create_pretraining_data(beam.Settings(output_file=[f"{tmp_path}/out"], **settings))
    assert os.listdir(tmp_path) == ["corpus"]


def test_flags_of_beam_are_passed_on(capsys):
    line = "--input_file x --runner=DirectRunner --nodo_lower_case --project p --dupe_factor=2"
    assert beam.split_flags(line.split()) == [
        *("--input_file", "x", "--nodo_lower_case", "--dupe_factor=2"),
        *("--", "--runner=DirectRunner", "--project", "p"),
    ]
    assert "passed on to Beam: --runner=DirectRunner --project p" in capsys.readouterr().err
    with pytest.raises(InputError, match="no flag --num_shard. The nearest: --num_shards"):
        beam.split_flags(["--num_shard=3"])


def test_without_beam_one_sentence_tells_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "apache_beam", None)
    monkeypatch.delitem(sys.modules, "tfrecord_tools.bucketed.beam_pipeline", raising=False)
    monkeypatch.delattr("tfrecord_tools.bucketed.beam_pipeline", raising=False)
    with pytest.raises(InputError, match=r"pip install 'bert_keras\[beam\]'"):
        beam.create_pretraining_data(
            beam.Settings(input_file=["x"], output_file=["y"], vocab_file="z")
        )


def test_the_program_runs(tmp_path, corpus):
    words = [f"--{name}={value}" for name, value in COMMON.items()]
    program = [sys.executable, "-m", "tfrecord_tools.create_pretraining_data_beam"]
    flags = [f"--input_file={corpus}", f"--output_file={tmp_path}/o.tfrecord"]
    ran = subprocess.run(
        [*program, *words, *flags, "--runner=DirectRunner"],
        capture_output=True,
        text=True,
        cwd=SAMPLE.parents[1],
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == "notice: passed on to Beam: --runner=DirectRunner\n"
    assert "o.tfrecord-00002-of-00003" in ran.stdout
