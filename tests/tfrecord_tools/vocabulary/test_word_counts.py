"""Counts of words against a plain Counter; the table that drops rare ones, by hand."""

import dataclasses
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from bert_keras.tokenizers.basic import BasicTokenizer
from tfrecord_tools.corpus.settings import CorpusSettings
from tfrecord_tools.vocabulary.word_counts import WordTable, count_words

ROOT = Path(__file__).parents[3]
TEXT = "The Ship's port,\n東京 Café\n\nthe\u200b SHIP\x0bs; the port\n"


def corpus(path):
    return CorpusSettings(input_file=[str(path)], keep_lines=True)


@pytest.mark.parametrize("lower", [True, False])
def test_words_are_those_of_the_tokenizer(tmp_path, lower):
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
    counted = count_words([corpus(tmp_path / "a.txt")], lower, num_workers=1)
    words = BasicTokenizer(lower).split(TEXT)
    assert counted.word_counts == Counter(words)
    assert counted.tables[str(tmp_path / "a.txt")].num_words == len(words)
    assert counted.num_documents == 2


def test_workers_load_no_tensorflow():
    code = (
        "import sys, tfrecord_tools.learn_vocabulary; "
        "sys.exit(any(name.startswith(('tensorflow', 'keras')) for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_each_corpus_has_its_own_table(tmp_path):
    (tmp_path / "a.txt").write_text("the ship\n")
    (tmp_path / "b.txt").write_text("das Ship\n")
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    counted = count_words([corpus(path) for path in paths], True, num_workers=1)
    assert counted.tables[str(paths[0])].counts == {"the": 1, "ship": 1}
    assert counted.tables[str(paths[1])].counts == {"das": 1, "ship": 1}
    assert counted.word_counts == {"the": 1, "das": 1, "ship": 2}


@pytest.mark.parametrize("num_workers", [1, 2])
def test_lines_that_are_not_utf_8_are_counted_and_said_once(tmp_path, capsys, num_workers):
    paths = [tmp_path / name for name in ("a.txt", "b.txt")]
    for path in paths:
        path.write_bytes(b"the ship\ncaf\xe9\n\n\xe9\n")
    corpora = [dataclasses.replace(corpus(path), encoding_errors="skip") for path in paths]
    counted = count_words(corpora, True, num_workers)
    assert counted.num_invalid_lines == 4
    assert counted.word_counts == {"the": 2, "ship": 2}
    assert capsys.readouterr().err.count("4 lines that are not UTF-8 were left out") == 1


def test_the_rarest_words_are_dropped():
    table = WordTable(max_words=4)
    table.add({"a": 9, "b": 5, "c": 2, "d": 1})
    assert table.max_missing == 0
    table.add({"a": 1, "e": 1})
    assert table.counts == {"a": 10, "b": 5}  # half of 4 is left: "c" goes with those of less
    assert (table.num_words, table.max_missing) == (19, 2)
    table.add({"c": 7, "f": 1})
    table.add({"g": 6})
    assert table.counts == {"a": 10, "c": 7}
    assert table.max_missing == 2 + 6


def test_no_word_misses_more_than_is_said():
    words = random.Random(1).choices(
        range(1000), weights=[1 / (n + 1) for n in range(1000)], k=9999
    )
    table = WordTable(max_words=100)
    for start in range(0, len(words), 50):
        table.add(Counter(map(str, words[start : start + 50])))
        assert len(table.counts) <= 100
    for word, count in Counter(map(str, words)).items():
        assert count - table.max_missing <= table.counts[word] <= count


def test_the_table_holds_no_more_words_for_eight_times_the_text(tmp_path):
    sizes = []
    for num_words in (20_000, 160_000):
        lines = (" ".join(f"word{n + i}" for i in range(10)) for n in range(0, num_words, 10))
        (tmp_path / "a.txt").write_text("\n".join(lines))
        counted = count_words([corpus(tmp_path / "a.txt")], True, num_workers=1, max_words=1000)
        sizes.append(len(counted.word_counts))
    assert max(sizes) <= 1000
