"""The program: the same file in each run, of use to the other programs, and what it refuses."""

import itertools
import json
import os
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from tokenizers import BertWordPieceTokenizer

from bert_keras import flags
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tfrecord_tools import create_pretraining_data, learn_vocabulary

ROOT = Path(__file__).parents[2]
SAMPLE = str(files("bert_keras") / "sample" / "corpus.txt")
SAMPLE_VOCAB = str(files("bert_keras") / "sample" / "vocab.txt")
GOLDEN_VOCAB = ROOT / "tests" / "golden" / "vocab"
VOCAB_SIZE = 4000


def run(*command_line, program=learn_vocabulary):
    """Runs a program in this process; returns its exit status."""
    with pytest.raises(SystemExit) as exit_:
        flags.run(program.main, program.Settings, command_line=[*map(str, command_line)])
    return exit_.value.code


def lines_of(path):
    return path.read_text(encoding="utf-8").split("\n")[:-1]


@pytest.fixture(scope="module")
def sample_vocabulary(tmp_path_factory):
    path = tmp_path_factory.mktemp("sample") / "vocab.txt"
    command = [f"--input_file={SAMPLE}", f"--output_file={path}", f"--vocab_size={VOCAB_SIZE}"]
    assert run(*command, "--num_workers=1") == 0
    return path


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("The ship sails.\nThe ships sailed to port.\n\nA ship, a port!\n" * 3)
    return path


def test_lines_are_as_many_as_asked_for_in_the_released_order(sample_vocabulary):
    lines = lines_of(sample_vocabulary)
    assert len(lines) == len(set(lines)) == VOCAB_SIZE
    assert lines[0] == "[PAD]"
    assert lines[100:104] == ["[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    assert {"the", "elinor", "##ing"} < set(lines)


def test_each_run_gives_the_same_file(tmp_path):
    # Words of equal counts: every choice is a tie. Two blocks, so that both workers count.
    words = ["".join(word) for word in itertools.permutations("abcdefg", 5)]
    (tmp_path / "corpus.txt").write_text("\n".join([" ".join(words)] * 70))
    assert (tmp_path / "corpus.txt").stat().st_size > 1 << 20
    outputs = []
    for num_workers, seed in ((1, "1"), (2, "2"), (2, "3")):
        path = tmp_path / f"vocab_{seed}.txt"
        subprocess.run(
            [
                *[sys.executable, "-m", "tfrecord_tools.learn_vocabulary"],
                *[f"--input_file={tmp_path / 'corpus.txt'}", f"--output_file={path}"],
                *["--vocab_size=400", f"--num_workers={num_workers}"],
            ],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
        )
        outputs.append(path.read_bytes())
    assert outputs[0] == outputs[1] == outputs[2]


def test_tokens_a_word_are_those_of_the_rust_trainer(sample_vocabulary):
    text = Path(SAMPLE).read_text(encoding="utf-8")
    rust = BertWordPieceTokenizer(lowercase=True)
    room = VOCAB_SIZE - 99  # for the slots, which it does not have
    rust.train([SAMPLE], vocab_size=room, min_frequency=2, show_progress=False)
    num_rust_tokens = len(rust.encode(text, add_special_tokens=False))
    tokenizer = WordPieceTokenizer(sample_vocabulary)
    tokens = tokenizer.tokenize(text)
    assert len(tokens) == pytest.approx(num_rust_tokens, rel=0.02)
    summary = json.loads(sample_vocabulary.with_name("vocab.summary.json").read_text())["text"]
    num_words = len(tokenizer.basic.split(text))
    assert summary["num_words"] == num_words
    assert summary["tokens_per_word"] == pytest.approx(len(tokens) / num_words)
    assert summary["unknown_share"] == tokens.count("[UNK]") / num_words


def test_engines_agree_on_a_learned_vocabulary(sample_vocabulary):
    from bert_keras.tokenizers.in_graph import InGraphTokenizer

    texts = Path(SAMPLE).read_text(encoding="utf-8").split("\n")[:500]
    plain, in_graph = WordPieceTokenizer(sample_vocabulary), InGraphTokenizer(sample_vocabulary)
    expected = [plain.convert_tokens_to_ids(plain.tokenize(text)) for text in texts]
    assert in_graph(texts).to_list() == expected


def test_records_are_made_with_a_learned_vocabulary(sample_vocabulary, tmp_path):
    command = [f"--input_file={SAMPLE}", f"--vocab_file={sample_vocabulary}", "--dupe_factor=1"]
    output = tmp_path / "a.tfrecord"
    assert run(*command, f"--output_file={output}", program=create_pretraining_data) == 0
    assert output.stat().st_size > 0


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("人は京都の寺へ行く。\n" * 9, {"京", "寺", "は", "##は", "。"}),
        ("인간은 모두 자유롭다.\n" * 9, {"인간은", "모두"}),
        ("كل الناس أحرار\n" * 9, {"كل", "الناس"}),
        ("सब मनुष्य स्वतंत्र हैं।\n" * 9, {"सब", "।"}),
        ("มนุษย์ทั้งหลาย\n" * 9, {"ม", "##น"}),
    ],
)
def test_text_of_any_script_is_covered(tmp_path, text, pieces):
    (tmp_path / "corpus.txt").write_text(text, encoding="utf-8")
    vocab = tmp_path / "vocab.txt"
    command = [f"--input_file={tmp_path / 'corpus.txt'}", f"--output_file={vocab}"]
    assert run(*command, "--vocab_size=300", "--do_lower_case=False", "--num_workers=1") == 0
    tokenizer = WordPieceTokenizer(vocab, do_lower_case=False)
    assert pieces < tokenizer.vocab.keys()
    assert "[UNK]" not in tokenizer.tokenize(text)
    assert not any(f"##{mark}" in tokenizer.vocab for mark in "京寺。।")


def test_slots_fill_a_vocabulary_that_the_corpus_does_not(corpus, tmp_path, capsys):
    command = [f"--input_file={corpus}", f"--output_file={tmp_path / 'v.txt'}", "--num_workers=1"]
    assert run(*command, "--vocab_size=250") == 0
    error = capsys.readouterr().err
    lines = lines_of(tmp_path / "v.txt")
    assert len(lines) == 250
    smallest = 250 - sum(line.startswith("[unused") for line in lines) + 99
    assert f"--vocab_size={smallest} would do without" in error
    assert run(*command, f"--vocab_size={smallest}") == 0
    assert lines_of(tmp_path / "v.txt") == lines[:smallest]


def test_all_characters_left_out_are_kept_with_their_counts(tmp_path, capsys):
    rare = [chr(code) for code in range(0x4E00, 0x4E00 + 30)]
    (tmp_path / "corpus.txt").write_text("ship\n" * 1000 + "".join(rare) + "鰻" * 3, "utf-8")
    command = [f"--input_file={tmp_path / 'corpus.txt'}", f"--output_file={tmp_path / 'v.txt'}"]
    assert run(*command, "--vocab_size=200", "--num_workers=1", "--character_coverage=0.99") == 0
    summary = json.loads((tmp_path / "v.summary.json").read_text())["text"]
    assert summary["uncovered_characters"] == [["鰻", 3], *([character, 1] for character in rare)]
    shown = " ".join(["鰻", *rare[:19]])
    out = capsys.readouterr().out
    assert f"characters       35 different, 31 not covered (20 of them: {shown})\n" in out
    assert " 30 of these come less than 2 times: --min_count leaves them out" in out
    assert run(*command, "--vocab_size=200", "--num_workers=1", "--min_count=1") == 0
    assert "35 different, 0 not covered\n" in capsys.readouterr().out


def test_languages_share_the_vocabulary_by_their_smoothed_sizes(tmp_path):
    (tmp_path / "en.txt").write_text("ship sail port\n" * 600)
    (tmp_path / "de.txt").write_text("schiff\nmeer\n" * 100)
    command = [
        f"--input_file={tmp_path / 'en.txt'},{tmp_path / 'de.txt'}",
        *[f"--output_file={tmp_path / 'v.txt'}", "--vocab_size=200", "--num_workers=1"],
    ]
    assert run(*command, "--language_smoothing=0") == 0
    words = [line for line in lines_of(tmp_path / "v.txt") if line in ("ship", "port", "meer")]
    assert words.index("meer") < words.index("port")  # 500 times of 2000 each, 333 each
    assert run(*command) == 0
    words = [line for line in lines_of(tmp_path / "v.txt") if line in ("ship", "port", "meer")]
    assert words.index("meer") > words.index("port")


def test_new_words_take_slots_and_all_old_tokens_keep_their_ids(corpus, tmp_path, capsys):
    old = GOLDEN_VOCAB / "bert-base-cased-vocab.txt"
    (tmp_path / "corpus.txt").write_text("Myocarditis is rare. The myocardium, myocarditis!\n" * 5)
    command = [
        *[f"--input_file={corpus}", f"--output_file={tmp_path / 'v.txt'}", "--num_workers=1"],
        *[f"--extend_vocab_file={old}", "--do_lower_case=False"],
    ]
    assert run(*command, "--num_new_words=2") == 0
    lines, old_lines = lines_of(tmp_path / "v.txt"), lines_of(old)
    assert lines[1:3] == ["Myocarditis", "myocarditis"]
    assert lines[0] == old_lines[0]
    assert lines[3:] == old_lines[3:]
    out = capsys.readouterr().out
    assert "new words        2, the first: Myocarditis myocarditis\n" in out
    assert "go on with pre-training" in out
    assert WordPieceTokenizer(tmp_path / "v.txt", False).tokenize("myocarditis") == ["myocarditis"]


def test_new_words_at_the_end_tell_how_many_rows_are_missing(corpus, tmp_path, capsys):
    (tmp_path / "corpus.txt").write_text("The hippodrome and the vestibule.\n" * 5)
    command = [
        *[f"--input_file={corpus}", f"--output_file={tmp_path / 'v.txt'}", "--num_workers=1"],
        *[f"--extend_vocab_file={SAMPLE_VOCAB}", "--extend_at=end", "--num_new_words=50"],
    ]
    assert run(*command) == 0
    captured = capsys.readouterr()
    assert lines_of(tmp_path / "v.txt") == [
        *lines_of(Path(SAMPLE_VOCAB)),
        *["hippodrome", "vestibule"],
    ]
    assert "grows from 4000 to 4002: word_embeddings and output_bias need 2 more" in captured.out
    assert "the corpus has 2 that come 2 times" in captured.err


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["--vocab_size=103"], r"--vocab_size must be at least 104"),
        (["--vocab_size=120"], r"at least 1\d\d: 5 special .* 99 .* and \d+ pieces of one char"),
        (["--vocab_size=0"], "--vocab_size must be at least 1"),
        ([], "Give --vocab_size .* to extend one. Received: none of them"),
        (
            ["--vocab_size=200", "--extend_vocab_file={sample}"],
            "Received: --vocab_size, --extend_vocab_file\n",
        ),
        (["--vocab_size=200", "--num_new_words=5"], "Received: --vocab_size, --num_new_words\n"),
        (["--extend_vocab_file=x.txt"], "--extend_vocab_file without --num_new_words\n"),
        (["--num_new_words=5"], "Received: --num_new_words without --extend_vocab_file\n"),
        (["--extend_vocab_file=none.txt", "--num_new_words=5"], "none.txt cannot be read"),
        (["--extend_vocab_file={sample}", "--num_new_words=5"], "at most 0.*--extend_at=end"),
        (["--vocab_size=200", "--extend_at=front"], "--extend_at must be one of unused, end"),
        (["--vocab_size=200", "--language_smoothing=0.7"], "separated by commas"),
        (["--vocab_size=200", "--character_coverage=1.5"], "at least 0 and at most 1"),
        (["--vocab_size=200", "--output_file={input}"], "is an input"),
        (["--vocab_size=200", "--input_file={empty}"], "holds no word"),
        (["--vocab_size=200", "--input_file=none*.txt"], r"match of a glob for 'none\*\.txt'"),
        (["--vocab_size=200", "--output_file={folder}/none/v.txt"], "Its folder must exist"),
    ],
)
def test_what_cannot_work_is_refused(corpus, tmp_path, capsys, command, message):
    (tmp_path / "empty.txt").write_text(" \n\u200b\n")
    names = {"sample": SAMPLE_VOCAB, "input": corpus, "empty": tmp_path / "empty.txt"}
    command = [word.format(folder=tmp_path, **names) for word in command]
    output = tmp_path / "v.txt"
    defaults = [f"--input_file={corpus}", f"--output_file={output}", "--num_workers=1"]
    assert run(*defaults, *command) == 1
    error = capsys.readouterr().err
    assert re.search(message, error), error
    assert not output.exists()
    assert corpus.read_text().startswith("The ship")
