"""`tokenizer.json`, as the library that defines it reads and writes it."""

import json

import pytest
from tokenizers import BertWordPieceTokenizer, Tokenizer

from bert_keras.checkpoints.formats import tokenizer_json
from bert_keras.errors import InputError
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

VOCABULARY = {
    token: index
    for index, token in enumerate(
        ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "port", "Port", "##s", "cafe", "café", "京"]
    )
}
TEXTS = ["Ports café cafés", "port\u200bs 京京 [MASK]", "Café", "", "x" * 150]


def file_of(content: dict, folder) -> str:
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return str(path)


def theirs(**settings) -> dict:
    """What `tokenizers` itself saves."""
    return json.loads(BertWordPieceTokenizer(VOCABULARY, **settings).to_str())


@pytest.mark.parametrize("strip", [True, False, None])
@pytest.mark.parametrize("lower", [True, False])
def test_what_tokenizers_saves_is_read(tmp_path, lower, strip):
    content = theirs(lowercase=lower, strip_accents=strip)
    vocabulary, setting = tokenizer_json.read(file_of(content, tmp_path))
    assert vocabulary == VOCABULARY
    assert setting == {"do_lower_case": lower, "strip_accents": strip}


@pytest.mark.parametrize("strip", [True, False])
@pytest.mark.parametrize("lower", [True, False])
def test_tokenizers_finds_the_same_ids(lower, strip):
    ours = WordPieceTokenizer(VOCABULARY, lower, strip, special_tokens_in_text=True)
    other = Tokenizer.from_str(json.dumps(tokenizer_json.content(ours)))
    for text in TEXTS:
        ids = ours.convert_tokens_to_ids(ours.tokenize(text))
        assert other.encode(text).ids == [2, *ids, 3]
        assert other.encode(text, add_special_tokens=False).ids == ids
    assert other.encode("port", "ports").type_ids == [0, 0, 0, 1, 1, 1]


def test_a_vocabulary_without_ends_gets_none():
    tokenizer = WordPieceTokenizer({"[UNK]": 0, "[SEP]": 1, "port": 5})
    other = Tokenizer.from_str(json.dumps(tokenizer_json.content(tokenizer)))
    assert other.encode("port sail").ids == [5, 0]


def test_an_added_token_has_its_id_and_a_notice_says_what_it_is_here(tmp_path, capsys):
    other = BertWordPieceTokenizer(VOCABULARY)
    other.add_tokens(["sail"])
    vocabulary, _ = tokenizer_json.read(file_of(json.loads(other.to_str()), tmp_path))
    assert vocabulary == {**VOCABULARY, "sail": 11}
    assert "1 added tokens are words of the vocabulary here" in capsys.readouterr().err


def test_a_file_of_an_early_version_names_no_type_of_model(tmp_path):
    content = theirs()
    del content["model"]["type"]
    assert tokenizer_json.read(file_of(content, tmp_path))[0] == VOCABULARY


@pytest.mark.parametrize(
    ("part", "change", "message"),
    [
        ("model", {"type": "BPE"}, "model.type must be 'WordPiece'.*Received: 'BPE'"),
        ("model", {"type": "Unigram"}, "model.type.*'Unigram'"),
        ("model", {"unk_token": "<unk>"}, "model.unk_token.*'<unk>'"),
        ("model", {"continuing_subword_prefix": "@@"}, "continuing_subword_prefix.*'@@'"),
        ("model", {"vocab": [["port", -1.0]]}, "model.vocab must be an object"),
        ("model", {"vocab": {"[UNK]": 1, "port": 1}}, "an id of its own"),
        ("model", {"vocab": {**VOCABULARY, "x": 2**31 - 1}}, "from 0 to 1120.*2147483647 for 'x'"),
        ("model", {"vocab": {**VOCABULARY, "[SEP]": 50}}, "3 for '.SEP.', which is 50 there"),
        ("normalizer", {"type": "Lowercase"}, "normalizer.type must be 'BertNormalizer'"),
        ("normalizer", {"clean_text": False}, "normalizer.clean_text must be True"),
        ("normalizer", {"handle_chinese_chars": False}, "handle_chinese_chars must be True"),
        ("normalizer", {"lowercase": "no"}, "lowercase must be False or True.*'no'"),
        ("pre_tokenizer", {"type": "Whitespace"}, "pre_tokenizer.type.*'Whitespace'"),
    ],
)
def test_another_tokenizer_is_refused_by_name(tmp_path, part, change, message):
    content = theirs()
    content[part] |= change
    with pytest.raises(InputError, match=message):
        tokenizer_json.read(file_of(content, tmp_path))


@pytest.mark.parametrize("part", ["model", "normalizer", "pre_tokenizer"])
def test_a_missing_part_is_refused_by_name(tmp_path, part):
    with pytest.raises(InputError, match=f"tokenizer.json: {part}."):
        tokenizer_json.read(file_of(theirs() | {part: None}, tmp_path))


@pytest.mark.parametrize("added", [7, [7], [{"id": 3}], [{"id": 0, "content": []}]])
def test_damaged_added_tokens_are_refused(tmp_path, added):
    with pytest.raises(InputError, match="added_tokens must have content and id"):
        tokenizer_json.read(file_of(theirs() | {"added_tokens": added}, tmp_path))
