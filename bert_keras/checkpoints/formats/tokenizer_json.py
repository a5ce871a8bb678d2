"""`tokenizer.json`: the file in which Hugging Face's `tokenizers` keeps a whole tokenizer.

Read and written as the JSON that it is. Of all that the format can describe, only BERT's own
tokenizer is read; whatever would give other ids is refused by name. One difference is let pass: a
word of more than `max_input_chars_per_word` characters is [UNK] there, by default beyond 100, as
against the original's 200 here. Such words are rare, and few of their pieces mean anything.
"""

from typing import Any

from bert_keras.checkpoints.files.json_files import read_json, require_values
from bert_keras.errors import InputError
from bert_keras.notices import notify
from bert_keras.tokenizers.vocabulary import (
    CLASSIFICATION,
    CONTINUATION,
    SEPARATOR,
    SPECIAL_TOKENS,
    UNKNOWN,
    check_vocabulary,
)
from bert_keras.tokenizers.wordpiece import MAX_CHARACTERS_PER_WORD, WordPieceTokenizer

# What a part of the file may say where it does not matter which, or be silent (None) about.
_MODEL = {
    "type": (None, "WordPiece"),  # early versions of the library wrote none
    "unk_token": (UNKNOWN,),
    "continuing_subword_prefix": (None, CONTINUATION),
}
_NORMALIZER = {
    "type": ("BertNormalizer",),
    "clean_text": (None, True),
    "handle_chinese_chars": (None, True),
    "lowercase": (None, False, True),
    "strip_accents": (None, False, True),
}
_PRE_TOKENIZER = {"type": ("BertPreTokenizer",)}
OTHER_TOKENIZER = (
    "This is not the tokenizer that BERT was trained with; ids of another one are made by the "
    "library that it belongs to."
)


def read(path: str) -> tuple[dict[str, int], dict[str, bool | None]]:
    """Reads a `tokenizer.json`.

    Returns:
        The vocabulary with the added tokens, token -> id, and the case setting: `do_lower_case` and
        `strip_accents`. `tokenizers` finds added tokens anywhere in a text; here they are pieces as
        others are, of which a notice tells.

    Raises:
        InputError: the file is damaged, or describes a tokenizer that is not BERT's.
    """
    stored = read_json(path, dict)
    model, normalizer, pre_tokenizer = (
        stored[part] if isinstance(stored.get(part), dict) else {}
        for part in ("model", "normalizer", "pre_tokenizer")
    )
    require_values(path, "model.", model, _MODEL, OTHER_TOKENIZER)
    require_values(path, "normalizer.", normalizer, _NORMALIZER, OTHER_TOKENIZER)
    require_values(path, "pre_tokenizer.", pre_tokenizer, _PRE_TOKENIZER, OTHER_TOKENIZER)
    case_setting = {
        "do_lower_case": normalizer.get("lowercase", True),
        "strip_accents": normalizer.get("strip_accents"),
    }
    return _vocabulary(path, model.get("vocab"), stored.get("added_tokens") or []), case_setting


def _vocabulary(path: str, vocab: Any, added_tokens: Any) -> dict[str, int]:
    """The model's vocabulary and what was added to it."""
    if not isinstance(vocab, dict):
        raise InputError(f"{path}: model.vocab must be an object. Received: {repr(vocab)[:200]}")
    try:
        added = {token["content"]: token["id"] for token in added_tokens}
    except (TypeError, KeyError) as error:
        raise InputError(
            f"{path}: each of added_tokens must have content and id. "
            f"Received: {repr(added_tokens)[:200]}"
        ) from error
    for token, index in added.items():
        if vocab.get(token, index) != index:
            raise InputError(
                f"{path}: an added token must keep its id of model.vocab. "
                f"Received: {index!r} for {token!r}, which is {vocab[token]!r} there."
            )
    found_in_text = [token for token in added if token not in SPECIAL_TOKENS]
    if found_in_text:
        notify(
            f"{path}: {len(found_in_text)} added tokens are words of the vocabulary here, not "
            f"looked for before a text is split: {', '.join(map(repr, found_in_text[:10]))}"
        )
    return check_vocabulary(vocab | added, path)


def content(tokenizer: WordPieceTokenizer) -> dict[str, Any]:
    """What `tokenizer.json` holds for a tokenizer: `tokenizers` gives its ids, between [CLS] and
    [SEP] where the vocabulary has both, and takes special tokens typed in a text for them.
    """
    vocab = tokenizer.vocab
    specials = sorted((token for token in SPECIAL_TOKENS if token in vocab), key=vocab.get)
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": vocab[token],
                "content": token,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for token in specials
        ],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": tokenizer.strip_accents,
            "lowercase": tokenizer.do_lower_case,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": _post_processor(vocab),
        "decoder": {"type": "WordPiece", "prefix": CONTINUATION, "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": UNKNOWN,
            "continuing_subword_prefix": CONTINUATION,
            "max_input_chars_per_word": MAX_CHARACTERS_PER_WORD,
            "vocab": vocab,
        },
    }


def _post_processor(vocab: dict[str, int]) -> dict[str, Any] | None:
    """[CLS] A [SEP] B [SEP], in segments 0 0 0 1 1 (paper, section 3)."""
    ends = (CLASSIFICATION, SEPARATOR)
    if not all(token in vocab for token in ends):
        return None
    start, separator, end = (
        {"SpecialToken": {"id": token, "type_id": segment}}
        for token, segment in ((CLASSIFICATION, 0), (SEPARATOR, 0), (SEPARATOR, 1))
    )
    first, second = ({"Sequence": {"id": name, "type_id": i}} for i, name in enumerate("AB"))
    return {
        "type": "TemplateProcessing",
        "single": [start, first, separator],
        "pair": [start, first, separator, second, end],
        "special_tokens": {
            token: {"id": token, "ids": [vocab[token]], "tokens": [token]} for token in ends
        },
    }
