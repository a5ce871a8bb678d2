"""The whole bucketed builder: the same records however it runs, whatever interrupts it."""

import collections
import errno
import glob
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from bert_keras.errors import InputError
from tests.deadly_work import kill_worker
from tfrecord_tools.bucketed import creation, reading
from tfrecord_tools.bucketed.documents import write_documents
from tfrecord_tools.bucketed.tokenization import segmenter_version
from tfrecord_tools.bucketed.work_folder import WorkFolder
from tfrecord_tools.corpus import blocks
from tfrecord_tools.create_pretraining_data import Settings, create_pretraining_data
from tfrecord_tools.records import deserialize, read_records

ROOT = Path(__file__).parents[3]
SAMPLE = ROOT / "bert_keras" / "sample"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
FIRST_WORD = len(SPECIAL)
WORDS_A_SENTENCE = 4


def write_numbered_corpus(folder, sentences_of_documents):
    """A corpus in which every token occurs once: the ids are FIRST_WORD, FIRST_WORD + 1, ..."""
    word = 0
    lines, documents = [], []
    for num_sentences in sentences_of_documents:
        documents.append([])
        for _ in range(num_sentences):
            words = [f"w{number}" for number in range(word, word + WORDS_A_SENTENCE)]
            documents[-1].append([FIRST_WORD + int(name[1:]) for name in words])
            lines.append(" ".join(words))
            word += WORDS_A_SENTENCE
        lines.append("")
    (folder / "corpus.txt").write_text("\n".join(lines) + "\n")
    vocabulary = [*SPECIAL, *(f"w{number}" for number in range(word))]
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
    return documents


def settings(folder, output="out", **changes):
    return Settings(
        **{
            "input_file": [str(folder / "corpus.txt")],
            "output_file": [str(folder / output)],
            "vocab_file": str(folder / "vocab.txt"),
            "max_seq_length": 24,
            "num_workers": 1,
            "dupe_factor": 2,
            **changes,
        }
    )


def features(summary):
    return [deserialize(record) for path in summary.output_files for record in read_records(path)]


def restored(of_record):
    """The pieces of a record, as lists of ids without masks."""
    ids = list(of_record["input_ids"][: sum(of_record["input_mask"])])
    predictions = zip(
        of_record["masked_lm_positions"],
        of_record["masked_lm_ids"],
        of_record["masked_lm_weights"],
        strict=True,
    )
    for position, label, weight in predictions:
        if weight:
            ids[position] = label
    texts = [[]]
    for id_ in ids[1:]:
        if id_ == SPECIAL.index("[SEP]"):
            texts.append([])
        else:
            texts[-1].append(id_)
    return texts[:-1]


@pytest.mark.parametrize("tokens_per_bucket", [10, 100, 4000])
def test_random_texts_are_of_other_documents_at_bucket_borders_too(tmp_path, tokens_per_bucket):
    documents = write_numbered_corpus(tmp_path, [1, 2, 3, 7, 12] * 12)
    document_of = {
        id_: number for number, document in enumerate(documents) for ids in document for id_ in ids
    }
    summary = create_pretraining_data(
        settings(tmp_path, num_shards=3, tokens_per_bucket=tokens_per_bucket)
    )
    records = features(summary)
    for record in records:
        a, b = restored(record)
        assert a == list(range(a[0], a[-1] + 1))
        assert b == list(range(b[0], b[-1] + 1))
        is_same_document = document_of[a[0]] == document_of[b[0]]
        assert is_same_document == (record["next_sentence_labels"] == [0])
        if is_same_document:
            assert b[0] > a[-1]
    assert summary.num_records == len(records)
    assert summary.num_documents == 60
    assert (summary.num_left_out_tokens > 0) == (tokens_per_bucket == 10)


def test_records_do_not_depend_on_the_number_of_workers(tmp_path):
    write_numbered_corpus(tmp_path, [random.Random(1).randint(1, 9) for _ in range(300)])
    contents = []
    for num_workers in (1, 2):
        create_pretraining_data(
            settings(tmp_path, str(num_workers), num_workers=num_workers, num_shards=2)
        )
        files = sorted(glob.glob(f"{tmp_path}/{num_workers}-*"))
        contents.append([Path(file).read_bytes() for file in files])
    assert contents[0] == contents[1]
    assert len(contents[0]) == 2


def test_records_do_not_depend_on_the_order_of_the_files(tmp_path):
    write_numbered_corpus(tmp_path, [5] * 200)
    documents = (tmp_path / "corpus.txt").read_text().split("\n\n")
    random.Random(0).shuffle(documents)
    for number in range(4):
        text = "\n\n".join(documents[number::4])
        (tmp_path / f"part{number}.txt").write_text(text)
    create_pretraining_data(settings(tmp_path, "whole"))
    parts = [f"{tmp_path}/part{number}.txt" for number in (2, 0, 3, 1)]
    create_pretraining_data(settings(tmp_path, "parts", input_file=parts))
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "parts").read_bytes()


def test_many_small_files_are_read_together(tmp_path):
    write_numbered_corpus(tmp_path, [5] * 300)
    create_pretraining_data(settings(tmp_path, "whole"))
    folder = tmp_path / "caf\udce9"  # not UTF-8
    folder.mkdir()
    for number, text in enumerate((tmp_path / "corpus.txt").read_text().split("\n\n")):
        (folder / f"{number}.txt").write_text(text)
    create_pretraining_data(settings(tmp_path, "small", input_file=[f"{folder}/*.txt"]))
    assert (tmp_path / "small").read_bytes() == (tmp_path / "whole").read_bytes()
    assert "caf\\udce9" in (tmp_path / "small.summary.json").read_text()


def test_shards_are_named_balanced_and_all_of_the_records(tmp_path):
    write_numbered_corpus(tmp_path, [6] * 100)
    summary = create_pretraining_data(settings(tmp_path, "o.tfrecord", num_shards=4))
    names = [f"{tmp_path}/o.tfrecord-0000{number}-of-00004" for number in range(4)]
    assert summary.output_files == names
    counts = [sum(1 for _ in read_records(name)) for name in names]
    assert max(counts) - min(counts) <= 1
    assert sum(counts) == summary.num_records
    visible = ["corpus.txt", *map(os.path.basename, names), "o.summary.json", "vocab.txt"]
    assert sorted(os.listdir(tmp_path)) == sorted(visible)
    assert json.loads((tmp_path / "o.summary.json").read_text())["num_records"] == sum(counts)


def test_shards_are_shuffled_across_documents_and_rounds(tmp_path):
    write_numbered_corpus(tmp_path, [3] * 400)
    summary = create_pretraining_data(
        settings(tmp_path, num_shards=2, dupe_factor=4, pairs="none", packing="doc_sentences")
    )
    places = collections.defaultdict(list)  # document -> shard and place of its four records
    for shard, path in enumerate(summary.output_files):
        for place, record in enumerate(map(deserialize, read_records(path))):
            places[restored(record)[0][0]].append((shard, place))
    assert len(places) == 400
    firsts = [min(four) for _, four in sorted(places.items())]  # in the order of the corpus
    in_first_shard = [place for shard, place in firsts if shard == 0]
    assert abs(np.corrcoef(in_first_shard, range(len(in_first_shard)))[0, 1]) < 0.15
    num_in_first = [sum(shard == 0 for shard, _ in four) for four in places.values()]
    assert np.mean(np.array(num_in_first) == 2) == pytest.approx(6 / 16, abs=0.1)


def test_one_name_without_shards_is_taken_as_it_is(tmp_path):
    write_numbered_corpus(tmp_path, [3] * 5)
    assert create_pretraining_data(settings(tmp_path)).output_files == [f"{tmp_path}/out"]
    assert create_pretraining_data(settings(tmp_path, num_shards=1)).output_files == [
        f"{tmp_path}/out"
    ]


@pytest.mark.parametrize(
    ("pairs", "packing", "num_texts"),
    [("sentence_order", "full_sentences", {2}), ("none", "doc_sentences", {1})],
)
def test_other_pairs(tmp_path, pairs, packing, num_texts):
    write_numbered_corpus(tmp_path, [5] * 50)
    summary = create_pretraining_data(settings(tmp_path, pairs=pairs, packing=packing))
    records = features(summary)
    assert {len(restored(record)) for record in records} == num_texts
    for record in records:
        first, *rest = restored(record)
        if rest:
            is_swapped = first[0] > rest[0][0]
            assert record["next_sentence_labels"] == [int(is_swapped)]


def test_records_without_masks_hold_text_and_words(tmp_path):
    (tmp_path / "vocab.txt").write_text("\n".join([*SPECIAL, "sail", "##s", "port"]) + "\n")
    (tmp_path / "corpus.txt").write_text("sails port\n\nport sails sails\n")
    summary = create_pretraining_data(
        settings(tmp_path, pairs="none", packing="doc_sentences", masking="none", dupe_factor=1)
    )
    [path] = summary.output_files
    stored = [tf.train.Example.FromString(record).features.feature for record in read_records(path)]
    rows = sorted(
        (
            list(values["input_ids"].int64_list.value)[:7],
            list(values["starts_word"].int64_list.value)[:7],
        )
        for values in stored
    )
    assert rows == [
        ([2, 5, 6, 7, 3, 0, 0], [0, 1, 0, 1, 0, 0, 0]),
        ([2, 7, 5, 6, 5, 6, 3], [0, 1, 1, 0, 1, 0, 0]),
    ]
    assert set(stored[0]) == {
        "input_ids",
        "input_mask",
        "segment_ids",
        "starts_word",
        "next_sentence_labels",
    }
    assert summary.num_masked_tokens == 0


def program(folder, *arguments, **environment):
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "tfrecord_tools.create_pretraining_data"),
            *(f"--input_file={SAMPLE / 'corpus.txt'}", f"--vocab_file={SAMPLE / 'vocab.txt'}"),
            *(f"--output_file={folder}/out", "--num_shards=3", "--dupe_factor=8", *arguments),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, **environment},
    )


def wait_for(condition, process):
    while not condition():
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.005)


def shards_of(folder):
    return [path.read_bytes() for path in sorted(folder.glob("out-*"))]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("uninterrupted")
    process = program(folder, "--num_workers=1")
    assert process.wait() == 0, process.communicate()[1]
    return shards_of(folder)


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_build_that_was_stopped_goes_on_to_the_same_shards(tmp_path, ending, uninterrupted):
    process = program(tmp_path, "--num_workers=2")
    made = tmp_path / ".out.build"
    wait_for(lambda: len(list(made.glob("round-*.json"))) >= 2, process)
    process.send_signal(ending)
    assert process.wait(timeout=30) != 0
    assert [path.name for path in tmp_path.iterdir()] == [".out.build"]
    finished = {path.name: path.stat().st_mtime_ns for path in made.glob("round-*.json")}
    process = program(tmp_path, "--num_workers=1", "--tokens_per_bucket=4194304")
    wait_for(lambda: len(list(made.glob("round-*.json"))) > len(finished), process)
    for name, changed in finished.items():
        assert (made / name).stat().st_mtime_ns == changed  # it was not made again
    assert process.wait() == 0
    assert "going on with the build that was stopped" in process.communicate()[1]
    assert shards_of(tmp_path) == uninterrupted
    assert not made.exists()


def test_a_stopped_build_of_other_settings_begins_anew(tmp_path):
    write_numbered_corpus(tmp_path, [5] * 30)
    work = tmp_path / ".out.build"
    work.mkdir()
    (work / "plan.json").write_text(json.dumps({"format": 0}))
    (work / "documents.json").write_text("{}")
    create_pretraining_data(settings(tmp_path))
    create_pretraining_data(settings(tmp_path, "clean"))
    assert (tmp_path / "out").read_bytes() == (tmp_path / "clean").read_bytes()


def test_a_second_build_of_one_output_is_refused(tmp_path, uninterrupted):
    with WorkFolder(str(tmp_path / "out"), None).opened({"another": "plan"}):
        process = program(tmp_path, "--num_workers=1")
        assert "another one is at work in" in process.communicate()[1]
        assert process.returncode == 1
    assert program(tmp_path, "--num_workers=1").wait() == 0
    assert shards_of(tmp_path) == uninterrupted


def test_a_worker_that_dies_ends_the_build_without_output(tmp_path, monkeypatch):
    write_numbered_corpus(tmp_path, [5] * 30)
    before = sorted(os.listdir(tmp_path))
    with monkeypatch.context() as patched:
        patched.setattr(creation, "round_writer", kill_worker)
        with pytest.raises(InputError, match="worker process was ended by SIGKILL"):
            create_pretraining_data(settings(tmp_path, num_workers=2))
    assert sorted(os.listdir(tmp_path)) == [".out.build", *before]
    create_pretraining_data(settings(tmp_path, num_workers=2))
    assert sorted(os.listdir(tmp_path)) == sorted([*before, "out", "out.summary.json"])


def test_no_space_is_an_error_and_what_is_finished_is_kept(tmp_path, uninterrupted):
    def limit_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_200_000, 1_200_000))

    process = subprocess.run(
        [
            *(sys.executable, "-m", "tfrecord_tools.create_pretraining_data"),
            *(f"--input_file={SAMPLE / 'corpus.txt'}", f"--vocab_file={SAMPLE / 'vocab.txt'}"),
            *(f"--output_file={tmp_path}/out", "--num_shards=3", "--dupe_factor=8"),
            "--num_workers=1",
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
        preexec_fn=limit_files,
    )
    assert process.returncode == 1
    assert process.stderr.splitlines()[-1].startswith("error: ")
    assert "have room" in process.stderr
    assert not list(tmp_path.glob("out*"))
    assert program(tmp_path, "--num_workers=1").wait() == 0
    assert shards_of(tmp_path) == uninterrupted


def test_what_was_read_is_kept_when_the_disk_is_full(tmp_path, monkeypatch):
    write_numbered_corpus(tmp_path, [5] * 30)
    create_pretraining_data(settings(tmp_path, "expected"))
    monkeypatch.setattr(reading, "TOKENS_A_FILE", 1)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 500)
    monkeypatch.setattr(reading, "BLOCK_BYTES", 500)
    written = []

    def write(documents, path):
        if len(written) == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written.append(path)
        write_documents(documents, path)

    with monkeypatch.context() as patched, pytest.raises(InputError, match="have room"):
        patched.setattr(reading, "write_documents", write)
        create_pretraining_data(settings(tmp_path))
    kept = [tmp_path / ".out.build" / f"documents-0000{number}" for number in range(2)]
    times = [path.stat().st_mtime_ns for path in kept]
    with monkeypatch.context() as patched:
        patched.setattr(WorkFolder, "remove", lambda work: None)
        create_pretraining_data(settings(tmp_path))
    assert [path.stat().st_mtime_ns for path in kept] == times
    assert (tmp_path / "out").read_bytes() == (tmp_path / "expected").read_bytes()


def test_a_corpus_may_lie_in_another_file_system(tmp_path):
    write_numbered_corpus(tmp_path, [5] * 30)
    create_pretraining_data(settings(tmp_path, "local"))
    tf.io.gfile.copy(str(tmp_path / "corpus.txt"), "ram://corpus.txt", overwrite=True)
    create_pretraining_data(settings(tmp_path, "remote", input_file=["ram://corpus.txt"]))
    assert (tmp_path / "remote").read_bytes() == (tmp_path / "local").read_bytes()


def test_shards_may_go_to_another_file_system(tmp_path):
    write_numbered_corpus(tmp_path, [5] * 30)
    create_pretraining_data(settings(tmp_path, "local"))
    remote = settings(tmp_path, output_file=["ram://shard"], work_dir=str(tmp_path))
    create_pretraining_data(remote)
    with tf.io.gfile.GFile("ram://shard", "rb") as file:
        assert file.read() == (tmp_path / "local").read_bytes()


DAMAGES = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "empty": lambda path: path.write_bytes(b""),
    "gone": lambda path: path.unlink(),
    "other byte": lambda path: path.write_bytes(b"x" + path.read_bytes()[1:]),
}
PARTS = ["plan.json", "documents.json", "documents-00000", "documents-00000.json"]
PARTS += ["round-00000-00001", "round-00000-00001.starts.npy", "round-00000-00001.json"]
PARTS += ["shard-00001", "shard-00001.json"]


@pytest.mark.parametrize("part", PARTS)
def test_what_was_damaged_is_made_again(tmp_path, monkeypatch, part):
    write_numbered_corpus(tmp_path, [5] * 30)
    create_pretraining_data(settings(tmp_path, "expected", num_shards=2))
    expected = [path.read_bytes() for path in sorted(tmp_path.glob("expected-*"))]
    for damage in DAMAGES.values():
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(creation, "replace_files", interrupt)
            create_pretraining_data(settings(tmp_path, num_shards=2))
        damage(tmp_path / ".out.build" / part)
        summary = create_pretraining_data(settings(tmp_path, num_shards=2))
        assert [Path(path).read_bytes() for path in summary.output_files] == expected
        assert not (tmp_path / ".out.build").exists()


def interrupt(*arguments):
    raise KeyboardInterrupt


def test_an_interrupted_build_says_where_its_work_lies(tmp_path, monkeypatch, capsys):
    write_numbered_corpus(tmp_path, [5] * 30)
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(creation, "replace_files", interrupt)
        create_pretraining_data(settings(tmp_path))
    assert f"stays in {tmp_path}/.out.build; the same command goes on" in capsys.readouterr().err
    create_pretraining_data(settings(tmp_path, random_seed=1))
    assert "the unfinished build of other settings" in capsys.readouterr().err


def test_shards_of_another_number_are_not_joined(tmp_path):
    write_numbered_corpus(tmp_path, [5] * 30)
    create_pretraining_data(settings(tmp_path, num_shards=4))
    with pytest.raises(InputError, match="out-00000-of-00004. Remove the others"):
        create_pretraining_data(settings(tmp_path, num_shards=2))
    create_pretraining_data(settings(tmp_path, num_shards=4, random_seed=1))


def test_a_work_folder_serves_several_outputs_of_one_name(tmp_path):
    for folder in ("a", "b", "builds"):
        (tmp_path / folder).mkdir()
    paths = [WorkFolder(f"{tmp_path}/{name}/out", f"{tmp_path}/builds").folder for name in "ab"]
    assert len(set(paths)) == 2
    assert all(path.startswith(f"{tmp_path}/builds/") for path in paths)


def test_a_changed_segmenter_begins_anew(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    versions = []
    for name in ("one", "two"):
        (tmp_path / f"words_{name}.py").write_text(f"def cut(text):  # {name}\n    return [text]\n")
        versions.append(segmenter_version(f"words_{name}:cut"))
    assert len(set(versions)) == 2
    assert segmenter_version("builtins:list") is None


@pytest.mark.parametrize(
    "documents",
    [["a b", "a b"], ["a\nb", "a\nb", "a\nb"]],
    ids=["two copies", "copies of sentences"],
)
def test_copies_alone_make_no_pairs(tmp_path, documents):
    (tmp_path / "vocab.txt").write_text("\n".join([*SPECIAL, "a", "b"]) + "\n")
    (tmp_path / "corpus.txt").write_text("\n\n".join(documents) + "\n")
    with pytest.raises(InputError, match="copies or parts of one"):
        create_pretraining_data(settings(tmp_path))
    assert sorted(os.listdir(tmp_path)) == ["corpus.txt", "vocab.txt"]


def test_buckets_of_one_document_are_noticed(tmp_path, capsys):
    write_numbered_corpus(tmp_path, [2, 3] * 30)
    create_pretraining_data(settings(tmp_path, tokens_per_bucket=10))
    assert "should be random found no other document" in capsys.readouterr().err


@pytest.mark.parametrize("random_seed", range(8))
def test_a_small_corpus_may_have_no_random_text_by_chance(tmp_path, random_seed, capsys):
    write_numbered_corpus(tmp_path, [2, 2])
    summary = create_pretraining_data(settings(tmp_path, dupe_factor=1, random_seed=random_seed))
    assert 2 <= summary.num_records <= 4
    assert "notice" not in capsys.readouterr().err


def test_a_vocabulary_of_another_language_is_asked_about(tmp_path, capsys):
    write_numbered_corpus(tmp_path, [5] * 30)
    assert "[UNK]" not in capsys.readouterr().err
    (tmp_path / "vocab.txt").write_text("\n".join([*SPECIAL, "w1", "w2"]) + "\n")
    summary = create_pretraining_data(settings(tmp_path))
    assert "100% of the tokens are [UNK]; is it the vocabulary" in capsys.readouterr().err
    assert 0.99 < summary.unknown_share < 1


def test_rounds_that_would_be_equal_are_noticed(tmp_path, capsys):
    write_numbered_corpus(tmp_path, [5] * 30)
    plain = {"pairs": "none", "masking": "none"}
    create_pretraining_data(settings(tmp_path, **plain))
    assert "--dupe_factor=1 makes each once" in capsys.readouterr().err
    create_pretraining_data(settings(tmp_path, **plain, dupe_factor=1))
    assert "notice" not in capsys.readouterr().err


WRONG = {
    "fewer records than shards": ({"num_shards": 1000}, "Every shard must get a record"),
    "names and shards": ({"num_shards": 3, "output_file": ["a", "b"]}, "3 shards and 2 names"),
    "pairs": ({"pairs": "nsp"}, "--pairs must be one of next_sentence, sentence_order, none"),
    "packing": ({"pairs": "none", "packing": "x"}, "--packing must be one of"),
    "packing of pairs": ({"packing": "doc_sentences"}, "--packing goes with --pairs=none"),
    "masking": ({"masking": "x"}, "--masking must be one of"),
    "shares": ({"mask_share": 0.9}, "must sum to 1"),
    "two maskings": ({"do_whole_word_mask": True, "masking": "span"}, "Give one of them"),
    "segmenter": ({"segmenter": "jieba"}, "module:function"),
    "one document": ({"input_file": ["{folder}/one.txt"]}, "needs two documents"),
    "blank": ({"input_file": ["{folder}/blank.txt"]}, "must hold text"),
    "not UTF-8": ({"input_file": ["{folder}/latin.txt"]}, "latin.txt, line 2"),
    "remote output": ({"output_file": ["gs://bucket/out"]}, "--work_dir"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_settings_leave_nothing(tmp_path, name):
    write_numbered_corpus(tmp_path, [2] * 5)
    (tmp_path / "one.txt").write_text("w1 w2\nw3\n")
    (tmp_path / "blank.txt").write_text("\n \n\n")
    (tmp_path / "latin.txt").write_bytes(b"w1\nw\xe9\n")
    before = sorted(os.listdir(tmp_path))
    changes, message = WRONG[name]
    changes = {
        key: [path.format(folder=tmp_path) for path in value] if isinstance(value, list) else value
        for key, value in changes.items()
    }
    with pytest.raises(InputError, match=message):
        create_pretraining_data(settings(tmp_path, **changes))
    assert sorted(os.listdir(tmp_path)) == before


def test_a_document_without_a_token_leaves_no_trace(tmp_path):
    """Not even if it stands between others (huggingface/transformers#7161)."""
    write_numbered_corpus(tmp_path, [4] * 9)
    create_pretraining_data(settings(tmp_path, "without"))
    text = (tmp_path / "corpus.txt").read_text().replace("\n\n", "\n\n\u200b\n\n \u0001\n\n", 3)
    (tmp_path / "corpus.txt").write_text(text)
    create_pretraining_data(settings(tmp_path, "with"))
    assert (tmp_path / "with").read_bytes() == (tmp_path / "without").read_bytes()
