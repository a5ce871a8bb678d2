"""The tokenizer with offsets inside a graph: ids and spans of the plain one, without extra ops."""

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
from bert_keras.tokenizers.in_graph_spans import SpanTokenizer
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tests.tokenizers.texts import DIFFICULT, LATER_BLOCKS, SENTENCES, VOCABULARIES

# Without the two planes for private use: a hundred thousand with the properties of those before.
CHARACTERS = [c for c in unicode_14.assigned_characters() if ord(c) < 0xF0000]


def plain_spans(plain: WordPieceTokenizer, texts) -> list[list[tuple[int, int, int]]]:
    """(id, start, end) of each piece of each text."""
    return [
        [(plain.vocab[token.piece], token.start, token.end) for token in tokens]
        for tokens in map(plain.tokenize_with_offsets, texts)
    ]


def graph_spans(spans, texts) -> list[list[tuple[int, int, int]]]:
    fields = (field.to_list() for field in spans(tf.constant(texts, tf.string)))
    return [list(zip(*row, strict=True)) for row in zip(*fields, strict=True)]


def spelling_vocabulary(texts) -> dict[str, int]:
    """A piece for every character, so that no [UNK] hides how a text is normalized."""
    characters = sorted({c for text in texts for c in text} | {"σ", "ς", "\u0307", "a", "b"})
    pieces = ["[UNK]", *characters, *(f"##{character}" for character in characters)]
    return {piece: index for index, piece in enumerate(pieces)}


def spelling_tokenizers(texts, lower: bool, strip_accents: bool):
    words = WordPieceTokenizer({"[UNK]": 0}, lower, strip_accents).basic
    vocabulary = spelling_vocabulary("".join(words.split(text)) for text in texts)
    plain = WordPieceTokenizer(vocabulary, lower, strip_accents)
    return plain, traced(SpanTokenizer(plain))


def traced(spans: SpanTokenizer):
    return tf.function(spans, input_signature=[tf.TensorSpec([None], tf.string)])


@pytest.fixture(scope="module")
def engines(golden):
    """(vocabulary, do_lower_case) -> the plain tokenizer and a graph's, each made once."""
    made = {}

    def get(name: str, lower: bool):
        if (name, lower) not in made:
            path = golden / "vocab" / f"bert-base-{name}-vocab.txt"
            plain = WordPieceTokenizer(path, lower)
            made[name, lower] = plain, traced(SpanTokenizer(plain))
        return made[name, lower]

    return get


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("name", ["hand", "fuzz"])
def test_ids_are_those_of_the_original(engines, golden_rows, name, lower):
    texts, ids = golden_rows(name, lower)
    plain, spans = engines("uncased", lower)
    assert spans(tf.constant(texts)).ids.to_list() == ids
    assert graph_spans(spans, texts) == plain_spans(plain, texts)


@pytest.mark.slow
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("name", VOCABULARIES)
def test_engines_agree_on_every_assigned_character(engines, name, lower):
    plain, spans = engines(name, lower)
    lines = [" a".join(CHARACTERS[first::1024]) for first in range(1024)]
    assert graph_spans(spans, lines) == plain_spans(plain, lines)


@pytest.mark.slow
@pytest.mark.parametrize("strip_accents", [True, False])
@pytest.mark.parametrize("lower", [True, False])
def test_engines_normalize_every_assigned_character_alike(lower, strip_accents):
    texts = [f"A{c}Σ{c}b" for c in CHARACTERS]
    plain, spans = spelling_tokenizers(texts, lower, strip_accents)
    assert graph_spans(spans, texts) == plain_spans(plain, texts)


def test_engines_decompose_nothing_that_was_assigned_later():
    texts = [
        f"A{chr(code)}Σ{chr(code)}b"
        for first, last in LATER_BLOCKS
        for code in range(first, min(last, first + 99) + 1)
    ]
    plain, spans = spelling_tokenizers(texts, True, True)
    assert graph_spans(spans, texts) == plain_spans(plain, texts)


@pytest.mark.parametrize("strip_accents", [True, False])
@pytest.mark.parametrize("lower", [True, False])
def test_engines_normalize_difficult_mixtures_alike(lower, strip_accents):
    draw = random.Random(14)
    texts = ["".join(draw.choices(DIFFICULT, k=draw.randint(1, 20))) for _ in range(10000)]
    plain, spans = spelling_tokenizers(texts, lower, strip_accents)
    assert graph_spans(spans, texts) == plain_spans(plain, texts)


@pytest.mark.parametrize("lower", [True, False])
@given(
    texts=st.lists(
        st.text(st.one_of(st.sampled_from(DIFFICULT), st.characters(exclude_categories=["Cs"])))
    )
)
def test_engines_agree_on_any_text(engines, lower, texts):
    plain, spans = engines("multilingual-cased", lower)
    assert graph_spans(spans, texts) == plain_spans(plain, texts)


@pytest.fixture(scope="module")
def word_spans(small_vocabulary):
    """do_lower_case -> the words of the plain tokenizer and of a graph's."""
    made = {}

    def get(lower: bool):
        if lower not in made:
            plain = WordPieceTokenizer(small_vocabulary, lower)
            in_graph = traced(SpanTokenizer(plain).word_spans)
            made[lower] = plain.basic.word_spans, in_graph
        return made[lower]

    return get


@pytest.mark.parametrize("lower", [True, False])
@given(
    texts=st.lists(
        st.text(st.one_of(st.sampled_from(DIFFICULT), st.characters(exclude_categories=["Cs"])))
    )
)
def test_engines_agree_on_where_words_stand(word_spans, lower, texts):
    plain, in_graph = word_spans(lower)
    found = (places.to_list() for places in in_graph(tf.constant([*texts, ""])))
    rows = [[*zip(*row, strict=True)] for row in zip(*found, strict=True)]
    assert rows == [plain(text) for text in [*texts, ""]]


@given(texts=st.lists(st.binary()))
def test_engines_agree_on_any_bytes(engines, texts):
    plain, spans = engines("uncased", True)
    assert graph_spans(spans, texts) == plain_spans(plain, texts)


def test_engines_agree_on_damaged_utf8(engines):
    plain, spans = engines("uncased", True)
    draw = random.Random(8)
    whole = " ".join(SENTENCES).encode()
    texts = [whole[draw.randrange(600) :][: draw.randrange(9)] for _ in range(5000)]
    between = [b"", b"\x00", b"\x0b", b"\xff", b" "]
    texts = [a + draw.choice(between) + b for a, b in itertools.pairwise(texts)]
    assert graph_spans(spans, texts) == plain_spans(plain, texts)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("name", VOCABULARIES)
def test_engines_agree_on_sentences_of_many_languages(engines, name, lower):
    plain, spans = engines(name, lower)
    assert graph_spans(spans, SENTENCES) == plain_spans(plain, SENTENCES)


@pytest.mark.parametrize("length", [199, 200, 201, 801])
def test_the_cap_of_a_word_counts_characters(engines, length):
    plain, spans = engines("multilingual-cased", True)
    texts = [letter * length for letter in ("a", "é", "e\u0301", "я", "한", "𐀀")]
    assert graph_spans(spans, texts) == plain_spans(plain, texts)


def test_a_batch_equals_its_rows_one_by_one(engines):
    _, spans = engines("uncased", True)
    texts = [*SENTENCES, "", " ".join(SENTENCES) * 3]
    assert graph_spans(spans, texts) == [graph_spans(spans, [text])[0] for text in texts]


def test_marks_that_change_places_keep_the_span_of_their_letter():
    plain = WordPieceTokenizer({"[UNK]": 0, "a": 1, "##\u1b44": 2, "b": 3})
    text = "a\u0301\u1b44b"  # the stroke that takes space goes before the accent
    assert graph_spans(SpanTokenizer(plain), [text]) == plain_spans(plain, [text])


def test_pieces_longer_than_tensorflow_text_takes():
    plain = WordPieceTokenizer({"[UNK]": 0, "é" * 150: 1, "##" + "é" * 50: 2}, False)
    texts = ["é" * 200, "é" * 199, "é" * 150]
    spans = graph_spans(SpanTokenizer(plain), texts)
    assert spans == [[(1, 0, 150), (2, 150, 200)], [(0, 0, 199)], [(1, 0, 150)]]


def test_a_mapping_with_gaps_gives_its_ids():
    vocabulary = {"port": 9, "[UNK]": 3, "ship": 0, "##s": 7, "": 5, "##": 8}
    spans = SpanTokenizer(WordPieceTokenizer(vocabulary))
    assert spans.vocab_size == 10
    assert spans(tf.constant(["ports ship the", "#"])).ids.to_list() == [[9, 7, 0, 3], [3]]


def test_special_tokens_in_text_are_not_special(small_vocabulary):
    plain = WordPieceTokenizer(small_vocabulary)
    texts = ["the [MASK] ship [SEP]", "[UNK]\x01"]
    assert graph_spans(SpanTokenizer(plain), texts) == plain_spans(plain, texts)


def test_a_tokenizer_that_takes_special_tokens_is_refused(small_vocabulary):
    with pytest.raises(InputError, match="Special tokens in text have no graph"):
        SpanTokenizer(WordPieceTokenizer(small_vocabulary, special_tokens_in_text=True))


def test_one_string_gives_one_row(small_vocabulary):
    ids, starts, ends = SpanTokenizer(WordPieceTokenizer(small_vocabulary))(
        tf.constant("the ships")
    )
    assert ids.dtype == starts.dtype == ends.dtype == tf.int32
    assert ids.numpy().tolist() == [14, 15, 17]
    assert starts.numpy().tolist() == [0, 4, 8]
    assert ends.numpy().tolist() == [3, 8, 9]


def test_an_empty_batch_and_empty_texts_give_nothing(small_vocabulary):
    spans = SpanTokenizer(WordPieceTokenizer(small_vocabulary))
    for engine in (spans, traced(spans)):
        assert graph_spans(engine, []) == []
        assert graph_spans(engine, ["", " \t ", "\u200b\x01", "\u0301"]) == [[], [], [], []]


@pytest.mark.parametrize("text", [tf.constant([7]), tf.constant([["a"]])])
def test_what_is_no_batch_of_strings_is_refused(small_vocabulary, text):
    with pytest.raises(InputError, match="strings of shape"):
        SpanTokenizer(WordPieceTokenizer(small_vocabulary))(text)


def test_it_maps_over_a_dataset(small_vocabulary):
    spans = SpanTokenizer(WordPieceTokenizer(small_vocabulary))
    dataset = tf.data.Dataset.from_tensor_slices(["the ship", "port"]).map(spans)
    assert [row.ids.tolist() for row in dataset.as_numpy_iterator()] == [[14, 15], [19]]


@pytest.mark.slow
def test_a_saved_model_needs_tensorflow_alone(small_vocabulary, tmp_path):
    module = tf.Module()
    module.tokenizer = SpanTokenizer(WordPieceTokenizer(small_vocabulary))

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def signature(text):
        ids, starts, ends = module.tokenizer(text)
        return {"spans": tf.stack([x.to_tensor() for x in (ids, starts, ends)])}

    tf.saved_model.save(module, str(tmp_path / "export"), {"serving_default": signature})
    code = (
        "import sys, tensorflow as tf; model = tf.saved_model.load(sys.argv[1]); "
        "print(model.signatures['serving_default'](tf.constant(['Café ports']))"
        "['spans'].numpy().tolist()); print('tensorflow_text' in sys.modules)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "export")]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.splitlines() == ["[[[22, 19, 17]], [[0, 5, 9]], [[4, 9, 10]]]", "False"]
