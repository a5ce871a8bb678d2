"""The program against the original's records, the plain version, and what users get wrong."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import tensorflow as tf

from bert_keras import flags
from bert_keras.backend import NVIDIA_DRIVER
from bert_keras.files import unfinished_name
from experiments import plain_data_creation
from tfrecord_tools import create_pretraining_data
from tfrecord_tools.create_pretraining_data import Settings
from tfrecord_tools.records import deserialize, read_records

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
RECORDS = GOLDEN / "create_pretraining_data"
UNCASED = GOLDEN / "vocab" / "bert-base-uncased-vocab.txt"
CASED = GOLDEN / "vocab" / "bert-base-cased-vocab.txt"
TOKENS = (
    "[PAD] [UNK] [CLS] [SEP] [MASK] the ship sail ##s ##ed port hotel river a b c d e ##x ##y . ,"
)

GOLDEN_FLAGS = {
    "s64_uncased": [
        f"--input_file={RECORDS / 'input_a.txt'},{RECORDS / 'input_b.txt'}",
        f"--vocab_file={UNCASED}",
        *["--max_seq_length=64", "--max_predictions_per_seq=10"],
        *["--dupe_factor=2", "--random_seed=12345"],
    ],
    "s128_wwm": [
        f"--input_file={RECORDS / 'input_a.txt'}",
        f"--vocab_file={UNCASED}",
        *["--max_seq_length=128", "--max_predictions_per_seq=20"],
        *["--dupe_factor=2", "--random_seed=34", "--do_whole_word_mask"],
    ],
    "s96_cased": [
        f"--input_file={RECORDS / 'input_b.txt'}",
        f"--vocab_file={CASED}",
        "--do_lower_case=False",
        *["--max_seq_length=96", "--max_predictions_per_seq=14"],
        *["--dupe_factor=3", "--random_seed=7", "--short_seq_prob=0.5", "--masked_lm_prob=0.2"],
    ],
}


@pytest.fixture
def vocab_file(tmp_path):
    path = tmp_path / "vocab.txt"
    path.write_text("\n".join(TOKENS.split()) + "\n")
    return path


def run(*command_line):
    """Runs the program in this process; returns its exit status."""
    with pytest.raises(SystemExit) as exit_:
        flags.run(create_pretraining_data.main, Settings, command_line=[*map(str, command_line)])
    return exit_.value.code


def examples(path):
    return [tf.train.Example.FromString(record) for record in read_records(str(path))]


def write_corpus(path, num_documents, seed=0):
    rng = random.Random(seed)
    words = [
        "the",
        "ship",
        "sails,",
        "sailed.",
        "port",
        "hotelx",
        "river",
        "a",
        "b",
        "cy",
        "d",
        "e",
        "東",
        "ŝip",
    ]
    documents = [
        "\n".join(
            " ".join(rng.choices(words, k=rng.randint(1, 30))) for _ in range(rng.randint(1, 9))
        )
        for _ in range(num_documents)
    ]
    path.write_text("\n\n".join(documents) + "\n", encoding="utf-8")


@pytest.mark.parametrize("name", GOLDEN_FLAGS)
def test_records_are_those_of_the_original(name, tmp_path):
    output = tmp_path / "records.tfrecord"
    assert run(*GOLDEN_FLAGS[name], f"--output_file={output}") == 0
    assert examples(output) == examples(RECORDS / f"{name}.tfrecord")


@pytest.mark.parametrize("seed", range(6))
def test_records_are_those_of_the_plain_version(seed, tmp_path, vocab_file):
    write_corpus(tmp_path / "corpus.txt", num_documents=4 + seed * 3, seed=seed)
    settings = {
        "input_file": [str(tmp_path / "corpus.txt")],
        "vocab_file": str(vocab_file),
        "do_whole_word_mask": seed % 2 == 1,
        "max_seq_length": (5, 12, 33, 64, 128, 200)[seed],
        "max_predictions_per_seq": (1, 3, 5, 20, 7, 40)[seed],
        "random_seed": seed,
        "dupe_factor": 3,
        "masked_lm_prob": 0.2,
        "short_seq_prob": seed / 5,
    }
    fast, plain = tmp_path / "fast", tmp_path / "plain"
    create_pretraining_data.create_pretraining_data(Settings(output_file=[str(fast)], **settings))
    plain_data_creation.create_pretraining_data(Settings(output_file=[str(plain)], **settings))
    assert examples(fast) == examples(plain)


def test_several_outputs_get_the_records_in_turn(tmp_path, vocab_file):
    write_corpus(tmp_path / "corpus.txt", num_documents=9)
    common = [f"--input_file={tmp_path}/corpus.txt", f"--vocab_file={vocab_file}"]
    assert run(*common, f"--output_file={tmp_path}/all") == 0
    parts = [str(tmp_path / name) for name in "abc"]
    assert run(*common, f"--output_file={','.join(parts)}") == 0
    records = list(read_records(str(tmp_path / "all")))
    assert len(records) > 50
    for number, part in enumerate(parts):
        assert list(read_records(part)) == records[number::3]


def test_each_output_has_a_summary_of_its_own(tmp_path, vocab_file):
    write_corpus(tmp_path / "corpus.txt", num_documents=5)
    given = [f"--input_file={tmp_path}/corpus.txt", f"--vocab_file={vocab_file}"]
    for name in ("wiki.train", "wiki.eval", "wiki.tfrecord"):
        assert run(*given, f"--output_file={tmp_path / name}") == 0
    summaries = {path.name for path in tmp_path.glob("*.json")}
    assert summaries == {f"{name}.summary.json" for name in ("wiki.train", "wiki.eval", "wiki")}


def test_a_document_without_a_word_changes_no_byte(tmp_path, vocab_file):
    (tmp_path / "with.txt").write_text("the ship\nport\n\n\u200b\n\na hotel\nriver\n", "utf-8")
    (tmp_path / "without.txt").write_text("the ship\nport\n\na hotel\nriver\n", "utf-8")
    for name in ("with", "without"):
        common = [f"--vocab_file={vocab_file}", f"--output_file={tmp_path / name}"]
        assert run(f"--input_file={tmp_path / name}.txt", *common) == 0
    assert (tmp_path / "with").read_bytes() == (tmp_path / "without").read_bytes()


def test_summary_is_printed_and_written(tmp_path, vocab_file, capsys):
    (tmp_path / "corpus.txt").write_text("the " * 100 + "\n\nthe port\nthe ship\n")
    common = [f"--vocab_file={vocab_file}", "--max_seq_length=16", "--short_seq_prob=0"]
    output = tmp_path / "train.tfrecord"
    assert run(f"--input_file={tmp_path}/corpus.txt", f"--output_file={output}", *common) == 0
    printed = capsys.readouterr().out
    summary = json.loads((tmp_path / "train.summary.json").read_text())
    features = [deserialize(record) for record in read_records(str(output))]
    num_tokens = sum(sum(f["input_mask"]) for f in features)
    labels = [f["next_sentence_labels"][0] for f in features]
    shares = summary["mask_share"] + summary["kept_share"] + summary["random_share"]
    assert summary["num_documents"] == 2
    assert summary["num_sentences"] == 3
    assert summary["num_tokens"] == 104
    assert summary["num_over_long_sentences"] == 1
    assert summary["num_records"] == len(features)
    assert summary["random_next_share"] == pytest.approx(sum(labels) / len(labels))
    assert summary["num_masked_tokens"] == sum(sum(f["masked_lm_weights"]) for f in features)
    assert shares == pytest.approx(1)
    assert summary["padding_share"] == pytest.approx(1 - num_tokens / (16 * len(features)))
    assert summary["num_dropped_tokens"] > 10 * 87
    assert summary["settings"]["max_seq_length"] == 16
    assert f"{summary['num_dropped_tokens']:,} cut off" in printed
    assert str(output) in printed


@pytest.mark.parametrize("corpus", ["the port\nthe ship\nthe hotel\n", "the ship\n"])
def test_one_document_is_refused(corpus, tmp_path, vocab_file, capsys):
    """Every random text would be its own (NVIDIA/DeepLearningExamples#421)."""
    (tmp_path / "corpus.txt").write_text(corpus)
    common = [f"--vocab_file={vocab_file}", f"--output_file={tmp_path}/out", "--dupe_factor=200"]
    assert run(f"--input_file={tmp_path}/corpus.txt", *common) == 1
    assert "needs two documents or more" in capsys.readouterr().err
    assert not list(tmp_path.glob("*out*"))
    assert run(f"--input_file={tmp_path}/corpus.txt", *common, "--pairs=none") == 0


def test_a_sound_corpus_brings_no_warning(tmp_path, vocab_file, capsys):
    write_corpus(tmp_path / "corpus.txt", num_documents=5)
    common = [f"--vocab_file={vocab_file}", f"--output_file={tmp_path}/out"]
    assert run(f"--input_file={tmp_path}/corpus.txt", *common) == 0
    assert "notice" not in capsys.readouterr().err


def test_commas_and_blanks_in_paths(tmp_path, vocab_file):
    folder = tmp_path / "my, own folder"
    folder.mkdir()
    write_corpus(folder / "one, two.txt", num_documents=3)
    write_corpus(folder / "three.txt", num_documents=3, seed=1)
    inputs = f"--input_file={folder}/one, two.txt,{folder}/three.txt"  # run into each other
    assert run(inputs, f"--vocab_file={vocab_file}", f"--output_file={folder}/out put") == 0
    assert json.loads((folder / "out put.summary.json").read_text())["num_documents"] == 5


WRONG = {
    "glob without match": (["--input_file={folder}/no such folder/*.txt"], "no such folder"),
    "one pattern good, one not": (["--input_file={folder}/corpus.txt,{folder}/x*"], "x\\*"),
    "blank corpus": (["--input_file={folder}/blank.txt"], "must hold text.*blank.txt"),
    "empty corpus": (["--input_file={folder}/empty.txt"], "must hold text.*empty.txt"),
    "folder as corpus": (["--input_file={folder}"], "is a folder"),
    "bytes": (["--input_file={folder}/latin.txt"], "latin.txt, line 2.*--encoding_errors"),
    "missing vocabulary": (["--vocab_file={folder}/missing"], "missing"),
    "folder as vocabulary": (["--vocab_file={folder}"], "cannot be read: Is a directory"),
    "no mask": (["--vocab_file={folder}/no_mask.txt"], "no_mask.txt.*\\[MASK\\]"),
    "no such output folder": (["--output_file={folder}/none/out"], "folder .* must exist"),
    "folder as output": (["--output_file={folder}"], "named as files"),
    "output is input": (["--output_file={folder}/corpus.txt"], "file of its own"),
    "output is vocabulary": (["--output_file={folder}/vocab.txt"], "file of its own"),
    "output twice": (["--output_file={folder}/out,{folder}/out"], "file of its own"),
    "short": (["--max_seq_length=4"], "at least 5 and at most 1048576. Received: 4"),
    "no predictions": (
        ["--max_predictions_per_seq=0"],
        "per_seq must be at least 1",
    ),
    "no round": (["--dupe_factor=0"], "dupe_factor must be at least 1"),
    "share above 1": (["--masked_lm_prob=15"], "masked_lm_prob must .*at most 1. Received: 15"),
    "share below 0": (
        ["--short_seq_prob=-0.1"],
        "short_seq_prob must be at least 0 .*: -0.1",
    ),
    "case": (["--do_lower_case=False", f"--vocab_file={UNCASED}"], "do_lower_case"),
}


@pytest.mark.parametrize("case", WRONG)
def test_bad_input_says_so_and_leaves_nothing(case, tmp_path, vocab_file, capsys):
    write_corpus(tmp_path / "corpus.txt", num_documents=5)
    (tmp_path / "blank.txt").write_text("\n \n\n")
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "latin.txt").write_bytes(b"the port\nthe caf\xe9\n")
    (tmp_path / "no_mask.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\nport\n")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    words, message = WRONG[case]
    given = [
        f"--input_file={tmp_path}/corpus.txt",
        f"--vocab_file={vocab_file}",
        f"--output_file={tmp_path}/out",
        *(word.format(folder=tmp_path) for word in words),  # the last of equal flags counts
    ]
    assert run(*given) == 1
    error = capsys.readouterr().err
    assert error.splitlines()[-1].startswith("error: ")
    assert re.search(message, error), error
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_dropped_bytes_on_request(tmp_path, vocab_file):
    (tmp_path / "latin.txt").write_bytes(b"the port\n\nthe \xe9ship\n\na\n\nb\n")
    (tmp_path / "clean.txt").write_bytes(b"the port\n\nthe ship\n\na\n\nb\n")
    common = [f"--vocab_file={vocab_file}", "--encoding_errors=replace"]
    for name in ("latin", "clean"):
        assert (
            run(f"--input_file={tmp_path / name}.txt", f"--output_file={tmp_path / name}", *common)
            == 0
        )
    assert (tmp_path / "latin").read_bytes() == (tmp_path / "clean").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_process_that_is_ended_leaves_nothing_under_a_final_name(number, tmp_path, vocab_file):
    output = tmp_path / "out"
    write_corpus(tmp_path / "corpus.txt", num_documents=50)
    given = [f"--vocab_file={vocab_file}", f"--input_file={tmp_path}/corpus.txt"]
    given += [f"--output_file={output}", "--dupe_factor=1000000"]
    command = [sys.executable, "-m", "tfrecord_tools.create_pretraining_data", *given]
    before = set(tmp_path.iterdir())
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
        while not os.path.exists(unfinished_name(output)) and process.poll() is None:
            time.sleep(0.05)
        time.sleep(0.3)  # into the records
        process.send_signal(number)
        _, error = process.communicate(timeout=30)
    left = set(tmp_path.iterdir()) - before
    if number == signal.SIGKILL:
        assert process.returncode == -number
        assert left == {Path(unfinished_name(output))}
    else:
        assert process.returncode == 128 + number
        assert error.splitlines()[-1] in ("terminated", "interrupted")
        assert "Traceback" not in error
        assert left == set()


@pytest.mark.parametrize("program", ["create_pretraining_data", "show_records"])
def test_help_needs_no_tensorflow(program):
    code = (
        f"from tfrecord_tools import {program}; import sys; assert 'tensorflow' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


@pytest.mark.slow
def test_the_commands_say_nothing_but_what_they_do(tmp_path, vocab_file):
    write_corpus(tmp_path / "corpus.txt", num_documents=5)
    given = [f"--vocab_file={vocab_file}", f"--input_file={tmp_path}/corpus.txt"]
    made = run_command("create_pretraining_data", *given, f"--output_file={tmp_path}/out")
    assert "records" in made.stdout
    num_records = len(examples(tmp_path / "out"))
    assert num_records > 50
    counted = run_command("show_records", f"{tmp_path}/out", "--count")
    assert counted.stdout.split()[0] == str(num_records)
    if not os.path.exists(NVIDIA_DRIVER):  # where there is one TensorFlow may say why it has no GPU
        said = [line.partition(":")[0] for line in made.stderr.splitlines()]
        assert said == ["reading", "masking"]
        assert counted.stderr == ""


def run_command(program, *given):
    command = [sys.executable, "-m", f"tfrecord_tools.{program}", *given]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
