"""The plain Python tokenizer, on ids of the original and on faults that users of BERT reported."""

import pickle
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_keras.errors import InputError
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

TEXTS_AND_IDS = [
    ("the ship\U0001f6a2 sails", [14, 1, 16, 17]),  # google-research/bert#1158
    ("the \U0001f6a2 sails", [14, 1, 16, 17]),
    ("alpha\tbeta\nport\rship", [39, 40, 19, 15]),  # huggingface/tokenizers#1077
    ("alpha\u200bbeta", [41]),
    ("alpha\u00adbeta", [41]),
    ("\ufeffthe port", [14, 19]),
    ("alpha\x00\ufffdbeta", [41]),
    ("alpha\x0bbeta", [41]),
    ("alpha\u2028beta", [39, 40]),
    ("\u0130STANBUL ISPARTA \u0131", [24, 25, 1]),  # huggingface/transformers#6680
    ("МОЙ", [43, 44]),
    ("a\U0002b820b", [29, 1, 30]),  # huggingface/tokenizers#2395
    ("a\U0002b91fb", [29, 1, 30]),
    ("a\U0002ceafb", [29, 1, 30]),
    ("a\U0002ceb0b", [1]),
    ("\u6771\u4eac\u30bf\u30ef\u30fc", [35, 36, 1]),
    ("the [MASK] ship [SEP]", [14, 5, 26, 6, 15, 5, 27, 6]),  # keras-team/keras-hub#1395
    ("", []),
    (" \t ", []),
    ("\u200b\x01", []),
    ("\u0301", []),
    (b"caf\xe9 port", [1, 19]),  # the bad byte is dropped
    (b"cafe\xe9 port", [22, 19]),
    ("Caf\u00e9", [22]),
    ("x" * 200, [37] + [38] * 199),
    ("x" * 201, [1]),
    ("x" * 199 + "\u00e9" + " x", [1, 37]),
    ("x" * 200 + "\u0301", [37] + [38] * 199),  # the cap counts what is left after stripping
]


def ids_of(tokenizer: WordPieceTokenizer, text) -> list[int]:
    return tokenizer.convert_tokens_to_ids(tokenizer.tokenize(text))


@pytest.fixture(scope="module")
def tokenizer(small_vocabulary):
    return WordPieceTokenizer(small_vocabulary)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("name", ["hand", "fuzz"])
def test_ids_are_those_of_the_original(golden, golden_rows, name, lower):
    texts, ids = golden_rows(name, lower)
    tokenizer = WordPieceTokenizer(golden / "vocab" / "bert-base-uncased-vocab.txt", lower)
    assert [ids_of(tokenizer, text) for text in texts] == ids


@pytest.mark.parametrize(("text", "ids"), TEXTS_AND_IDS)
def test_ids_of_texts_that_others_get_wrong(tokenizer, text, ids):
    assert ids_of(tokenizer, text) == ids


def test_accents_are_kept_apart_from_case(small_vocabulary):
    tokenizer = WordPieceTokenizer(small_vocabulary, do_lower_case=True, strip_accents=False)
    assert ids_of(tokenizer, "МОЙ") == [43, 45]


def test_accents_are_kept_by_default_without_lower_case(small_vocabulary):
    assert not WordPieceTokenizer(small_vocabulary, do_lower_case=False).strip_accents


def test_accents_are_stripped_apart_from_case(small_vocabulary):
    tokenizer = WordPieceTokenizer(small_vocabulary, do_lower_case=False, strip_accents=True)
    assert tokenizer.tokenize("café мой Port") == ["cafe", "мо", "##и", "[UNK]"]


@pytest.mark.parametrize("lower", [True, False])
def test_special_tokens_in_text_are_opt_in(small_vocabulary, lower):
    tokenizer = WordPieceTokenizer(small_vocabulary, lower, special_tokens_in_text=True)
    assert ids_of(tokenizer, "the [MASK] ship [SEP]") == [14, 4, 15, 3]
    assert ids_of(tokenizer, "ship[MASK][MASK]s") == [15, 4, 4, 1]


def test_a_mapping_stands_for_a_file(tokenizer):
    again = WordPieceTokenizer(tokenizer.vocab)
    assert again.vocab == tokenizer.vocab
    for text, ids in TEXTS_AND_IDS:
        assert ids_of(again, text) == ids


def test_a_mapping_needs_its_special_tokens_too():
    with pytest.raises(InputError, match=r"a mapping: the vocabulary lacks \[PAD\]"):
        WordPieceTokenizer({"[UNK]": 0}, special_tokens_in_text=True)


def test_special_tokens_in_text_need_all_of_them(tmp_path):
    (tmp_path / "vocab.txt").write_text("[UNK]\nport\n")
    with pytest.raises(InputError, match=r"lacks \[PAD\], \[CLS\], \[SEP\], \[MASK\]"):
        WordPieceTokenizer(tmp_path / "vocab.txt", special_tokens_in_text=True)


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("Caf\u00e9 port", [(0, 4), (5, 9)]),
        ("\U0001f6a2 port", [(0, 1), (2, 6)]),
        ("Cafe\u0301 port", [(0, 5), (6, 10)]),
        ("al\u200bpha  beta", [(0, 6), (8, 12)]),
        ("\u0130stanbul.", [(0, 8), (8, 9)]),
        ("ships", [(0, 4), (4, 5)]),
        ("\u0301ship", [(1, 5)]),
    ],
)
def test_spans_count_characters_of_the_text_as_it_came(tokenizer, text, spans):
    assert [(start, end) for _, start, end in tokenizer.tokenize_with_offsets(text)] == spans


def test_spans_of_special_tokens_in_text(small_vocabulary):
    tokenizer = WordPieceTokenizer(small_vocabulary, special_tokens_in_text=True)
    assert tokenizer.tokenize_with_offsets("a [MASK]b") == [
        ("a", 0, 1),
        ("[MASK]", 2, 8),
        ("b", 8, 9),
    ]


def test_tokens_with_spans_are_the_tokens(golden, golden_rows):
    texts, _ = golden_rows("hand", True)
    tokenizer = WordPieceTokenizer(golden / "vocab" / "bert-base-uncased-vocab.txt")
    spanned = [[t.piece for t in tokenizer.tokenize_with_offsets(text)] for text in texts]
    assert spanned == [tokenizer.tokenize(text) for text in texts]


def test_spans_of_a_word_that_comes_again(tokenizer):
    spans = [token[1:] for token in tokenizer.tokenize_with_offsets("ships, caf\u00e9 ships,")]
    assert spans == [(0, 4), (4, 5), (5, 6), (7, 11), (12, 16), (16, 17), (17, 18)]


@pytest.mark.parametrize(
    ("text", "received"),
    [(None, "None"), (float("nan"), "nan of type float"), (7, "7 of type int")],
)
def test_what_is_no_text_is_shown(tokenizer, text, received):
    with pytest.raises(InputError, match=f"Text must be str or UTF-8 bytes.*{received}"):
        tokenizer.tokenize(text)


@given(st.text(st.characters(max_codepoint=0x7F)) | st.from_regex(r"[A-Za-z',.-]+"))
def test_ascii_is_split_as_any_text(tokenizer, text):
    spanned = [token.piece for token in tokenizer.tokenize_with_offsets(text)]
    assert tokenizer.tokenize(text) == spanned


def test_ids_and_tokens_convert_both_ways(tokenizer):
    assert tokenizer.convert_ids_to_tokens([14, 15, 17]) == ["the", "ship", "##s"]
    assert tokenizer.convert_tokens_to_ids(["the", "ship", "##s"]) == [14, 15, 17]
    assert tokenizer.vocab_size == 47


def test_a_token_outside_the_vocabulary_is_named(tokenizer):
    with pytest.raises(InputError, match="'boat'"):
        tokenizer.convert_tokens_to_ids(["boat"])


@pytest.mark.parametrize("index", [-1, 47])
def test_an_id_outside_the_vocabulary_is_named(tokenizer, index):
    with pytest.raises(InputError, match=f"0 to 46.*Received: {index}"):
        tokenizer.convert_ids_to_tokens([index])


def test_a_process_can_be_sent_a_tokenizer(tokenizer):
    assert pickle.loads(pickle.dumps(tokenizer)).tokenize("ships") == ["ship", "##s"]


def test_importing_it_loads_no_tensorflow():
    code = (
        "import sys, bert_keras.tokenizers.wordpiece; "
        "sys.exit(any(name.startswith(('tensorflow', 'keras')) for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
