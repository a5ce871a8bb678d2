"""Documents of sentences -> documents of tokens, with a flag for every token that starts a word."""

import importlib
import itertools
from collections.abc import Callable

import numpy as np

from bert_keras.errors import InputError
from bert_keras.tokenizers.vocabulary import CONTINUATION
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tfrecord_tools.bucketed.documents import Documents, concatenate, one_document

Segmenter = Callable[[str], list[str]]  # a text -> its words, which joined are the text again


class DocumentTokenizer:
    """Tokenizes documents.

    Args:
      tokenizer: of the vocabulary.
      segmenter: says what a word is, for languages that do not write spaces. Without it words are
        those of the tokenizer, where every Chinese character is one.
    """

    def __init__(self, tokenizer: WordPieceTokenizer, segmenter: Segmenter | None = None):
        self._tokenizer = tokenizer
        self._segmenter = segmenter
        self._starts_word = np.ones(tokenizer.vocab_size, bool)
        for token, id_ in tokenizer.vocab.items():
            self._starts_word[id_] = not token.startswith(CONTINUATION)

    def __call__(self, sentences: list[str], origin: str) -> Documents:
        """One document, or none if it has no token; sentences without a token are left out."""
        tokenize = self._by_vocabulary if self._segmenter is None else self._by_segmenter
        pairs = [(ids, flags) for ids, flags in map(tokenize, sentences) if len(ids)]
        if not pairs:
            return concatenate([])
        lengths = [len(ids) for ids, _ in pairs]
        tokens = np.fromiter(itertools.chain.from_iterable(ids for ids, _ in pairs), np.int32)
        return one_document(lengths, tokens, np.concatenate([flags for _, flags in pairs]), origin)

    def _by_vocabulary(self, sentence: str) -> tuple[list[int], np.ndarray]:
        ids = self._tokenizer.convert_tokens_to_ids(self._tokenizer.tokenize(sentence))
        return ids, self._starts_word[ids]

    def _by_segmenter(self, sentence: str) -> tuple[list[int], np.ndarray]:
        words = self._segmenter(sentence)
        if "".join(words) != sentence:
            raise InputError(
                "The words of a --segmenter, joined, must be the text that it was given. "
                f"Received: {words[:20]} for {sentence[:80]!r}"
            )
        starts = {0, *itertools.accumulate(map(len, words))}
        tokens = self._tokenizer.tokenize_with_offsets(sentence)
        ids = self._tokenizer.convert_tokens_to_ids(token.piece for token in tokens)
        flags = [
            token.start in starts and not token.piece.startswith(CONTINUATION) for token in tokens
        ]
        return ids, np.array(flags, bool)


def load_segmenter(name: str) -> Segmenter:
    """The function that `module:function` names, such as `jieba:lcut`."""
    module_name, _, function_name = name.partition(":")
    try:
        segmenter = getattr(importlib.import_module(module_name), function_name)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(
            "--segmenter must be module:function, of a module that can be imported here. "
            f"Received: {name!r} ({error})"
        ) from error
    return segmenter
