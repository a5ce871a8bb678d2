"""The learner, by hand, against a naive one and against the Rust trainer."""

import itertools
import os
import random
import subprocess
import sys
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from bert_keras.tokenizers import learning
from bert_keras.tokenizers.basic import BasicTokenizer
from bert_keras.tokenizers.in_graph import InGraphTokenizer
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

ROOT = Path(__file__).parents[2]
HUGS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


@pytest.fixture(scope="module")
def sample_counts():
    text = (files("bert_keras") / "sample" / "corpus.txt").read_text(encoding="utf-8")
    return Counter(BasicTokenizer().split(text))


def learn(word_counts, min_count=1, num_pieces=None):
    alphabet = sorted(set("".join(word_counts)))
    learned = learning.learn_pieces(word_counts, alphabet, min_count)
    return list(itertools.islice(learned, num_pieces))


def naive_pieces(word_counts, alphabet, min_count):
    """The same by its definition: all pairs are counted anew for each piece."""
    age = {piece: index for index, piece in enumerate(learning.alphabet_pieces(alphabet))}
    words = {word: [word[0], *("##" + character for character in word[1:])] for word in word_counts}
    pieces = []
    while True:
        pairs = Counter()
        for word, split in words.items():
            for pair in itertools.pairwise(split):
                pairs[pair] += word_counts[word]
        ranked = sorted(pairs, key=lambda pair: (-pairs[pair], age[pair[0]], age[pair[1]]))
        if not ranked or pairs[ranked[0]] < min_count:
            return pieces
        first, second = ranked[0]
        piece = first + second.removeprefix("##")
        if piece not in age:
            age[piece] = len(age)
            pieces.append(piece)
        for split in words.values():
            for index in range(len(split)):
                if split[index : index + 2] == [first, second]:
                    split[index : index + 2] = [piece]


def rust_pieces(word_counts, num_pieces, min_count):
    """The Rust trainer, whose ties are the same in each run if all its first ids are given."""
    alphabet = learning.alphabet_pieces(sorted(set("".join(word_counts))))
    initial = ["[UNK]", *alphabet]
    trainer = trainers.WordPieceTrainer(
        vocab_size=len(initial) + num_pieces,
        min_frequency=min_count,
        special_tokens=initial,
        show_progress=False,
    )
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    texts = (f"{word} " * count for word, count in word_counts.items())
    tokenizer.train_from_iterator(texts, trainer)
    vocab = tokenizer.get_vocab()
    return sorted(vocab, key=vocab.get)[len(initial) :]


def test_pieces_by_hand():
    # ##u ##g comes 20 times, ##u ##n 16, h ##ug 15, p ##un 12; then two come 5 times: "pug" of
    # older pieces, "hugs" of a younger one.
    assert learn(HUGS) == ["##ug", "##un", "hug", "pun", "pug", "hugs", "bun"]


def test_rare_pieces_are_left_out():
    assert learn(HUGS, min_count=5) == ["##ug", "##un", "hug", "pun", "pug", "hugs"]


def test_pieces_are_those_of_the_rust_trainer(sample_counts):
    assert learn(sample_counts, 2, 4000) == rust_pieces(sample_counts, 4000, 2)


@given(
    st.dictionaries(
        st.text("ab", min_size=1, max_size=9) | st.text("abcde", min_size=1, max_size=9),
        st.integers(1, 3),
        max_size=12,
    ),
    st.integers(1, 3),
)
def test_pieces_are_those_of_a_naive_learner(word_counts, min_count):
    alphabet = sorted(set("".join(word_counts)))
    learned = list(learning.learn_pieces(word_counts, alphabet, min_count))
    assert learned == naive_pieces(word_counts, alphabet, min_count)


def test_the_order_of_the_words_does_not_matter(sample_counts):
    shuffled = list(sample_counts.items())
    random.Random(1).shuffle(shuffled)
    assert learn(dict(shuffled), 2, 1000) == learn(sample_counts, 2, 1000)


def test_ties_do_not_depend_on_the_hash_seed():
    code = """if True:
        import itertools
        from bert_keras.tokenizers.learning import learn_pieces
        words = {"".join(word): 2 for word in itertools.permutations("abcdef", 4)}
        print(list(learn_pieces(words, "abcdef", 1)))
    """
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in "123"
    }
    assert len(outputs) == 1


def test_words_that_no_tokenizer_splits_teach_nothing():
    assert list(learning.learn_pieces({"abx": 9, "ab" * 101: 9}, "ab", 1)) == []
    assert next(learning.learn_pieces({"ab" * 100: 9}, "ab", 1)) == "##ab"


@pytest.mark.parametrize("character", ["x", "ก"])  # 200 bytes and 600
def test_pieces_are_no_longer_than_tensorflow_text_takes(tmp_path, character):
    word = character * 200
    pieces = list(learning.learn_pieces({word: 9}, character, 1))
    longest = max(len(piece.removeprefix("##").encode()) for piece in pieces)
    assert 200 <= longest <= 256
    path = tmp_path / "vocab.txt"
    path.write_text("\n".join(["[UNK]", *learning.alphabet_pieces(character), *pieces]))
    plain = WordPieceTokenizer(path)
    ids = plain.convert_tokens_to_ids(plain.tokenize(word))
    assert InGraphTokenizer(path)([word]).to_list() == [ids]


def test_the_alphabet_covers_a_share_of_the_text():
    characters = {"e": 60, "b": 20, "a": 20, "東": 3, "x": 1}
    assert learning.choose_alphabet(characters, 1.0, 1) == ["a", "b", "e", "x", "東"]
    assert learning.choose_alphabet(characters, 1.0, 2) == ["a", "b", "e", "東"]
    assert learning.choose_alphabet(characters, 80 / 104, 1) == ["a", "e"]  # a tie: by code point
    assert learning.choose_alphabet(characters, 81 / 104, 1) == ["a", "b", "e"]
    assert learning.choose_alphabet(characters, 0, 1) == []


def test_what_stands_alone_has_no_piece_within_words():
    assert learning.alphabet_pieces("'aカ東") == ["'", "a", "カ", "東", "##a", "##カ"]


def test_lines_are_laid_out_as_in_the_released_files(golden):
    path = golden / "vocab" / "bert-base-cased-vocab.txt"
    released = path.read_text(encoding="utf-8").split("\n")
    lines = learning.lay_out(["a", "##a"], vocab_size=106, num_unused=99)
    assert lines[:104] == released[:104]
    assert lines[104:] == ["a", "##a"]


@pytest.mark.parametrize(
    ("vocab_size", "num_unused", "lines"),
    [
        (6, 0, "[PAD] [UNK] [CLS] [SEP] [MASK] a"),
        (7, 1, "[PAD] [unused1] [UNK] [CLS] [SEP] [MASK] a"),
        (8, 1, "[PAD] [unused1] [UNK] [CLS] [SEP] [MASK] a [unused2]"),
    ],
)
def test_slots_keep_room_and_fill_up(vocab_size, num_unused, lines):
    assert learning.lay_out(["a"], vocab_size, num_unused) == lines.split()


def test_more_slots_than_the_released_files_have_stand_behind_mask():
    lines = learning.lay_out(["a"], vocab_size=107, num_unused=101)
    assert " ".join(lines[99:104]) == "[unused99] [UNK] [CLS] [SEP] [MASK]"
    assert lines[104:] == ["[unused100]", "[unused101]", "a"]
    assert learning.room_for_pieces(107, 101) == 1


def test_smoothing_by_hand():
    # Shares 0.9 and 0.1; to the power of 0.7: 0.9289 and 0.1995, of which the sum is 1.1284.
    smoothed = learning.smooth([{"a": 600, "b": 300}, {"b": 60, "c": 40}], 0.7)
    assert smoothed["a"] == pytest.approx(600 / 900 * 0.8232 * 1000, rel=1e-4)
    assert smoothed["c"] == pytest.approx(40 / 100 * 0.1768 * 1000, rel=1e-3)
    assert smoothed["b"] == pytest.approx(1000 - smoothed["a"] - smoothed["c"])


def test_smoothing_by_one_and_by_zero():
    languages = [{"a": 90}, {"b": 10}]
    assert learning.smooth(languages, 1) == pytest.approx({"a": 90, "b": 10})
    assert learning.smooth(languages, 0) == pytest.approx({"a": 50, "b": 50})
