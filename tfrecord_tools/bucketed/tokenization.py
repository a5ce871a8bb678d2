"""Documents of sentences -> documents of tokens, with a flag for every token that starts a word."""

import hashlib
import importlib
import inspect
import itertools
from array import array
from collections.abc import Callable

import numpy as np

from bert_keras.errors import InputError
from bert_keras.files import read_bytes
from bert_keras.tokenizers.basic import chunks
from bert_keras.tokenizers.vocabulary import CONTINUATION
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer
from tfrecord_tools.bucketed.documents import Documents, from_sentences
from tfrecord_tools.bucketed.ranges import ranges, starts_of
from tfrecord_tools.corpus.documents import Document

Segmenter = Callable[[str], list[str]]  # a text -> its words, which joined are the text again
# Sentences -> number of tokens of each, ids of all, whether each starts a word.
Tokenize = Callable[[list[str]], tuple[np.ndarray, np.ndarray, np.ndarray]]
MAX_KNOWN_CHUNKS = 1 << 18  # about 50 MB


def tokenize_documents(tokenize: Tokenize, documents: list[Document]) -> Documents:
    """Tokenizes documents; sentences and documents that have no token are left out."""
    sentences = [sentence for document in documents for sentence in document.sentences]
    num_sentences = np.array([len(document.sentences) for document in documents], np.int64)
    num_tokens, tokens, starts_word = tokenize(sentences)
    document_of = np.repeat(np.arange(len(documents)), num_sentences)
    num_filled = np.bincount(document_of[num_tokens > 0], minlength=len(documents))
    origins = [
        f"{document.source}:{document.line}"
        for document, num in zip(documents, num_filled, strict=True)
        if num
    ]
    return from_sentences(
        num_filled[num_filled > 0], num_tokens[num_tokens > 0], tokens, starts_word, origins
    )


class ChunkTokenizer:
    """Tokenizes sentences by a table of what stands between white space: a look-up for each.

    Words are those of the tokenizer, where every Chinese character is one.
    """

    def __init__(self, tokenizer: WordPieceTokenizer):
        self._chunks = _KnownChunks(tokenizer)
        self._starts_word = np.ones(tokenizer.vocab_size, bool)
        for token, id_ in tokenizer.vocab.items():
            self._starts_word[id_] = not token.startswith(CONTINUATION)

    def __call__(self, sentences: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        if len(self._chunks) > MAX_KNOWN_CHUNKS:
            self._chunks.clear()
        rows = [list(map(self._chunks.__getitem__, chunks(sentence))) for sentence in sentences]
        first_chunks = starts_of(np.fromiter(map(len, rows), np.int64, len(rows)))
        numbers = np.fromiter(itertools.chain.from_iterable(rows), np.int64, first_chunks[-1])
        num_ids, ids = self._chunks.ids_of(numbers)
        first_tokens = starts_of(num_ids)[first_chunks]
        return np.diff(first_tokens), ids, self._starts_word[ids]


class _KnownChunks(dict):
    """Chunk -> its number. What is not known yet is tokenized when it is asked for."""

    def __init__(self, tokenizer: WordPieceTokenizer):
        super().__init__()
        self._split = tokenizer.basic.split_chunk
        self._ids_of_word = _KnownWords(tokenizer)
        self.clear()

    def __missing__(self, chunk: str) -> int:
        for word in self._split(chunk):
            self._ids.extend(self._ids_of_word[word])
        self._starts.append(len(self._ids))
        self[chunk] = number = len(self)
        return number

    def clear(self) -> None:
        super().clear()
        self._ids_of_word.clear()
        self._ids = array("i")  # of all chunks, one after another
        self._starts = array("q", [0])  # where those of each begin

    def ids_of(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How many ids the chunks of these numbers have, and all of them one after another."""
        starts = np.frombuffer(self._starts, np.int64)
        num_ids = starts[numbers + 1] - starts[numbers]
        ids = np.frombuffer(self._ids, np.int32) if self._ids else np.zeros(0, np.int32)
        return num_ids, ids[ranges(starts[numbers], num_ids)]


class _KnownWords(dict):
    """Word -> its ids."""

    def __init__(self, tokenizer: WordPieceTokenizer):
        super().__init__()
        self._tokenizer = tokenizer

    def __missing__(self, word: str) -> array:
        id_of = self._tokenizer.vocab
        self[word] = ids = array(
            "i", [id_of[token] for token in self._tokenizer.tokenize_word(word)]
        )
        return ids


class SegmentedTokenizer:
    """Tokenizes sentences whose words a segmenter tells, for languages without spaces.

    A token starts a word if it stands at the beginning of one of the segmenter's.
    """

    def __init__(self, tokenizer: WordPieceTokenizer, segmenter: Segmenter):
        self._tokenizer = tokenizer
        self._segmenter = segmenter

    def __call__(self, sentences: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rows = [self._tokenizer.tokenize_with_offsets(sentence) for sentence in sentences]
        flags = [
            token.start in starts and not token.piece.startswith(CONTINUATION)
            for tokens, starts in zip(rows, map(self._word_starts, sentences), strict=True)
            for token in tokens
        ]
        pieces = [token.piece for tokens in rows for token in tokens]
        ids = self._tokenizer.convert_tokens_to_ids(pieces)
        return (
            np.array(list(map(len, rows)), np.int64),
            np.array(ids, np.int32),
            np.array(flags, bool),
        )

    def _word_starts(self, sentence: str) -> set[int]:
        words = list(self._segmenter(sentence))
        if "".join(words) != sentence:
            raise InputError(
                "The words of a --segmenter, joined, must be the text that it was given. "
                f"Received: {words[:20]} for {sentence[:80]!r}"
            )
        return {0, *itertools.accumulate(map(len, words))}


def document_tokenizer(tokenizer: WordPieceTokenizer, segmenter: str | None) -> Tokenize:
    """The way to tokenize that `--segmenter` asks for.

    Raises:
      InputError: `module:function` names no function that can be imported here.
    """
    if segmenter is None:
        return ChunkTokenizer(tokenizer)
    return SegmentedTokenizer(tokenizer, _imported(segmenter))


def segmenter_version(segmenter: str) -> str | None:
    """What tells the module of a segmenter from other versions of it: a hash of its file."""
    path = getattr(inspect.getmodule(_imported(segmenter)), "__file__", None)
    return path and hashlib.sha256(read_bytes(path)).hexdigest()


def _imported(segmenter: str) -> Segmenter:
    module_name, _, function_name = segmenter.partition(":")
    try:
        return getattr(importlib.import_module(module_name), function_name)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(
            "--segmenter must be module:function, of a module that can be imported here. "
            f"Received: {segmenter!r} ({error})"
        ) from error
