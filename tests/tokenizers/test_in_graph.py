"""The tokenizer inside a TensorFlow graph: the ids of the plain one, wherever graphs run."""

import itertools
import random
import subprocess
import sys

import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.errors import InputError
from bert_keras.tokenizers import unicode_14
from bert_keras.tokenizers.in_graph import InGraphTokenizer
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tests.tokenizers.texts import DIFFICULT, LATER_BLOCKS, SENTENCES, VOCABULARIES


def plain_ids(tokenizer: WordPieceTokenizer, texts) -> list[list[int]]:
    return [tokenizer.convert_tokens_to_ids(tokenizer.tokenize(text)) for text in texts]


@pytest.fixture(scope="module")
def engines(golden):
    """(vocabulary, do_lower_case) -> the plain tokenizer and a graph's, each made once."""
    made = {}

    def get(name: str, lower: bool):
        if (name, lower) not in made:
            path = golden / "vocab" / f"bert-base-{name}-vocab.txt"
            in_graph = InGraphTokenizer(path, lower)
            traced = tf.function(in_graph, input_signature=[tf.TensorSpec([None], tf.string)])
            made[name, lower] = WordPieceTokenizer(path, lower), traced
        return made[name, lower]

    return get


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("name", ["hand", "fuzz"])
def test_ids_are_those_of_the_original(engines, golden_rows, name, lower):
    texts, ids = golden_rows(name, lower)
    _, in_graph = engines("uncased", lower)
    assert in_graph(tf.constant(texts)).to_list() == ids


@pytest.mark.slow
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("name", VOCABULARIES)
def test_engines_agree_on_every_assigned_character(engines, name, lower):
    plain, in_graph = engines(name, lower)
    characters = list(unicode_14.assigned_characters())
    lines = [" a".join(characters[first::1024]) for first in range(1024)]
    assert in_graph(tf.constant(lines)).to_list() == plain_ids(plain, lines)


@pytest.mark.parametrize(
    ("lower", "strip_accents"),
    [
        (True, True),
        pytest.param(True, False, marks=pytest.mark.slow),
        pytest.param(False, True, marks=pytest.mark.slow),
        pytest.param(False, False, marks=pytest.mark.slow),
    ],
)
def test_engines_normalize_every_assigned_character_alike(small_vocabulary, lower, strip_accents):
    # Words, not ids: [UNK] would hide differences. Planes of private use are in the test above.
    plain = WordPieceTokenizer(small_vocabulary, lower, strip_accents)
    in_graph = InGraphTokenizer(small_vocabulary, lower, strip_accents)
    texts = [f"A{c}Σ{c}b" for c in unicode_14.assigned_characters() if ord(c) < 0xF0000]
    words = in_graph._split_into_words(tf.constant(texts)).to_list()
    expected = [plain.basic.split(text) for text in texts]
    assert [[word.decode() for word in line] for line in words] == expected


def test_engines_decompose_nothing_that_was_assigned_later(small_vocabulary):
    characters = [
        chr(code)
        for first, last in LATER_BLOCKS
        for code in range(first, min(last, first + 99) + 1)
    ]
    texts = [f"A{c}Σ{c}b" for c in characters]
    plain, in_graph = WordPieceTokenizer(small_vocabulary), InGraphTokenizer(small_vocabulary)
    words = in_graph._split_into_words(tf.constant(texts)).to_list()
    expected = [plain.basic.split(text) for text in texts]
    assert [[word.decode() for word in line] for line in words] == expected


@pytest.mark.parametrize("strip_accents", [True, False])
@pytest.mark.parametrize("lower", [True, False])
def test_engines_normalize_difficult_mixtures_alike(small_vocabulary, lower, strip_accents):
    plain = WordPieceTokenizer(small_vocabulary, lower, strip_accents)
    in_graph = InGraphTokenizer(small_vocabulary, lower, strip_accents)
    draw = random.Random(14)
    texts = ["".join(draw.choices(DIFFICULT, k=draw.randint(1, 20))) for _ in range(10000)]
    words = in_graph._split_into_words(tf.constant(texts)).to_list()
    expected = [plain.basic.split(text) for text in texts]
    assert [[word.decode() for word in line] for line in words] == expected


@pytest.mark.parametrize("lower", [True, False])
@given(
    texts=st.lists(
        st.text(st.one_of(st.sampled_from(DIFFICULT), st.characters(exclude_categories=["Cs"])))
    )
)
def test_engines_agree_on_any_text(engines, lower, texts):
    plain, in_graph = engines("multilingual-cased", lower)
    assert in_graph(tf.constant(texts, tf.string)).to_list() == plain_ids(plain, texts)


@given(texts=st.lists(st.binary()))
def test_engines_agree_on_any_bytes(engines, texts):
    plain, in_graph = engines("uncased", True)
    assert in_graph(tf.constant(texts, tf.string)).to_list() == plain_ids(plain, texts)


def test_engines_agree_on_damaged_utf8(engines):
    plain, in_graph = engines("uncased", True)
    draw = random.Random(8)
    whole = " ".join(SENTENCES).encode()
    texts = [whole[draw.randrange(600) :][: draw.randrange(9)] for _ in range(5000)]
    between = [b"", b"\x00", b"\x0b", b"\xff", b" "]
    texts = [a + draw.choice(between) + b for a, b in itertools.pairwise(texts)]
    assert in_graph(tf.constant(texts)).to_list() == plain_ids(plain, texts)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("name", VOCABULARIES)
def test_engines_agree_on_sentences_of_many_languages(engines, name, lower):
    plain, in_graph = engines(name, lower)
    assert in_graph(tf.constant(SENTENCES)).to_list() == plain_ids(plain, SENTENCES)


@pytest.mark.parametrize("length", [199, 200, 201, 400, 801])
def test_the_cap_of_a_word_counts_characters(engines, length):
    plain, in_graph = engines("multilingual-cased", True)
    texts = [letter * length for letter in ("a", "é", "e\u0301", "я", "한", "𐀀")]
    assert in_graph(tf.constant(texts)).to_list() == plain_ids(plain, texts)


@pytest.mark.parametrize("lower", [True, False])
def test_special_tokens_in_text_are_opt_in(small_vocabulary, lower):
    in_graph = InGraphTokenizer(small_vocabulary, lower, special_tokens_in_text=True)
    ids = in_graph(tf.constant(["the [MASK] ship [SEP]", "[MASK][mask]\x014[UNK] \x01"]))
    assert ids.to_list() == [[14, 4, 15, 3], [4, 5, 26, 6, 1, 1]]


def test_without_the_option_no_text_reaches_a_special_token(small_vocabulary):
    in_graph = InGraphTokenizer(small_vocabulary)
    assert in_graph(tf.constant(["[MASK] \x014"])).to_list() == [[5, 26, 6, 1]]


def test_special_tokens_in_random_text_agree(small_vocabulary):
    plain = WordPieceTokenizer(small_vocabulary, special_tokens_in_text=True)
    in_graph = InGraphTokenizer(small_vocabulary, special_tokens_in_text=True)
    draw = random.Random(3)
    parts = ["[MASK]", "[SEP]", "[UNK]", "[mask]", "[", "]", "MASK", "ship", "\x01", "4", "\u200b"]
    texts = ["".join(draw.choices(parts, k=6)).encode() for _ in range(2000)]
    texts += [text[:7] + b"\xff" + text[7:] for text in texts]
    assert in_graph(tf.constant(texts)).to_list() == plain_ids(plain, texts)


def test_a_repeated_token_and_a_blank_line_keep_their_ids(tmp_path):
    path = tmp_path / "vocab.txt"
    path.write_text("[UNK]\nport\n\nship\nport\n")
    in_graph = InGraphTokenizer(path)
    assert in_graph(tf.constant(["port ship the"])).to_list() == [[4, 3, 0]]


def test_a_mapping_with_gaps_gives_the_ids_of_the_plain_tokenizer():
    vocabulary = {"port": 9, "[UNK]": 3, "ship": 0, "##s": 7, "": 5}
    texts = ["ports ship the", "ships"]
    in_graph = InGraphTokenizer(vocabulary)
    assert in_graph.vocab_size == 10
    assert in_graph(tf.constant(texts)).to_list() == [[9, 7, 0, 3], [0, 7]]
    assert plain_ids(WordPieceTokenizer(vocabulary), texts) == [[9, 7, 0, 3], [0, 7]]


def test_a_token_too_long_for_the_graph_is_refused(tmp_path):
    (tmp_path / "vocab.txt").write_text("[UNK]\n" + "a" * 300)
    with pytest.raises(InputError, match="TensorFlow Text refuses the vocabulary"):
        InGraphTokenizer(tmp_path / "vocab.txt")
    with pytest.raises(InputError, match="a mapping: TensorFlow Text refuses"):
        InGraphTokenizer({"[UNK]": 0, "a" * 300: 1})


def test_one_string_gives_one_row(small_vocabulary):
    ids = InGraphTokenizer(small_vocabulary)(tf.constant("the ships"))
    assert ids.dtype == tf.int32
    assert ids.numpy().tolist() == [14, 15, 17]


def test_an_empty_batch_and_empty_texts_give_no_ids(small_vocabulary):
    in_graph = InGraphTokenizer(small_vocabulary)
    assert in_graph(tf.constant([], tf.string)).to_list() == []
    assert in_graph(tf.constant(["", " \t ", "\u200b\x01"])).to_list() == [[], [], []]


@pytest.mark.parametrize("text", [tf.constant([7]), tf.constant([["a"]])])
def test_what_is_no_batch_of_strings_is_refused(small_vocabulary, text):
    with pytest.raises(InputError, match="strings of shape"):
        InGraphTokenizer(small_vocabulary)(text)


def test_it_maps_over_a_dataset(small_vocabulary):
    dataset = tf.data.Dataset.from_tensor_slices(["the ship", "port"])
    ids = dataset.map(InGraphTokenizer(small_vocabulary))
    assert [row.tolist() for row in ids.as_numpy_iterator()] == [[14, 15], [19]]


@pytest.mark.slow
def test_a_saved_model_gives_the_same_ids_in_a_fresh_process(small_vocabulary, tmp_path):
    module = tf.Module()
    module.tokenizer = InGraphTokenizer(small_vocabulary, special_tokens_in_text=True)
    module.ids = tf.function(
        lambda text: module.tokenizer(text).to_tensor(),
        input_signature=[tf.TensorSpec([None], tf.string)],
    )
    tf.saved_model.save(module, str(tmp_path / "export"))
    code = (
        "import sys, tensorflow as tf, tensorflow_text; "
        "print(tf.saved_model.load(sys.argv[1]).ids(['Café ports [MASK]']).numpy().tolist())"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "export")]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[[22, 19, 17, 4]]"
