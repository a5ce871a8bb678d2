"""Tokenized documents, many at a time: columns of numbers, in memory and in files.

A document is known by a hash of its tokens alone, so that where it goes does not depend on the
order of files or on the number of workers. Files hold documents in the order of their keys: those
of a bucket, which is a range of keys, stand together.

Letters of shapes: D documents, S sentences, N tokens, all of them one after another.
"""

import hashlib
import os
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from bert_keras.files import named_errors
from tfrecord_tools.bucketed.ranges import ranges, starts_of

KEY_SIZE = 8  # bytes of a hash
NUM_HEADER_NUMBERS = 3  # D, S, N


class Documents(NamedTuple):
    """Documents of sentences of tokens."""

    keys: np.ndarray  # uint64 [D], the hash of each document's tokens
    origins: np.ndarray  # uint64 [D]; parts of a document that was cut share a value
    first_sentences: np.ndarray  # int64 [D + 1], index of each document's first sentence
    first_tokens: np.ndarray  # int64 [S + 1], index of each sentence's first token
    tokens: np.ndarray  # int32 [N]
    starts_word: np.ndarray  # bool [N], whether a token is the first piece of a word

    @property
    def num_documents(self) -> int:
        return len(self.keys)

    @property
    def num_sentences(self) -> int:
        return len(self.first_tokens) - 1

    @property
    def num_tokens(self) -> int:
        return len(self.tokens)


def from_sentences(
    sentences_per_document: np.ndarray,
    tokens_per_sentence: np.ndarray,
    tokens: np.ndarray,
    starts_word: np.ndarray,
    origins: list[str],
) -> Documents:
    """Makes documents of sentences.

    Args:
      sentences_per_document: int [D], at least one.
      tokens_per_sentence: int64 [S], at least one.
      tokens: int32 [N].
      starts_word: bool [N].
      origins: where each document stands, [D]; parts of a longer one have one origin.
    """
    first_sentences = starts_of(sentences_per_document)
    first_tokens = starts_of(tokens_per_sentence)
    keys = [
        _hash(tokens_per_sentence[sentence:end].tobytes() + tokens[token:end_token].tobytes())
        for sentence, end, token, end_token in zip(
            first_sentences[:-1],
            first_sentences[1:],
            first_tokens[first_sentences[:-1]],
            first_tokens[first_sentences[1:]],
            strict=True,
        )
    ]
    return Documents(
        keys=np.array(keys, np.uint64),
        origins=np.array([_hash(os.fsencode(origin)) for origin in origins], np.uint64),
        first_sentences=first_sentences,
        first_tokens=first_tokens,
        tokens=tokens,
        starts_word=starts_word,
    )


def concatenate(parts: Iterable[Documents]) -> Documents:
    """All documents of the parts, in order."""
    parts = [_NO_DOCUMENTS, *parts]
    return Documents(
        keys=np.concatenate([part.keys for part in parts]),
        origins=np.concatenate([part.origins for part in parts]),
        first_sentences=_join_starts([part.first_sentences for part in parts]),
        first_tokens=_join_starts([part.first_tokens for part in parts]),
        tokens=np.concatenate([part.tokens for part in parts]),
        starts_word=np.concatenate([part.starts_word for part in parts]),
    )


def sort_by_key(documents: Documents) -> Documents:
    """The documents by key; of those with one key, which hold the same text, by origin."""
    return take(documents, np.lexsort((documents.origins, documents.keys)))


def take(documents: Documents, order: np.ndarray) -> Documents:
    """The documents of these indices, in this order."""
    num_sentences = np.diff(documents.first_sentences)[order]
    sentences = ranges(documents.first_sentences[order], num_sentences)
    num_tokens = np.diff(documents.first_tokens)[sentences]
    tokens = ranges(documents.first_tokens[sentences], num_tokens)
    return Documents(
        keys=documents.keys[order],
        origins=documents.origins[order],
        first_sentences=starts_of(num_sentences),
        first_tokens=starts_of(num_tokens),
        tokens=documents.tokens[tokens],
        starts_word=documents.starts_word[tokens],
    )


def write_documents(documents: Documents, path: str) -> None:
    """Writes documents, which must be in the order of their keys."""
    header = np.array(
        [documents.num_documents, documents.num_sentences, documents.num_tokens], np.int64
    )
    with named_errors(path, "written"), open(path, "wb") as file:
        for column in (header, *documents):
            file.write(column.tobytes())  # tofile does not tell what is wrong with a disk


def read_documents(path: str, first_key: int, last_key: int) -> Documents:
    """Reads the documents with first_key <= key <= last_key, and little more."""
    with named_errors(path, "read"), open(path, "rb") as file:
        num_documents, num_sentences, num_tokens = _read(file, np.int64, 0, 0, NUM_HEADER_NUMBERS)
        keys_at = NUM_HEADER_NUMBERS * 8
        origins_at = keys_at + 8 * num_documents
        first_sentences_at = origins_at + 8 * num_documents
        first_tokens_at = first_sentences_at + 8 * (num_documents + 1)
        tokens_at = first_tokens_at + 8 * (num_sentences + 1)
        starts_word_at = tokens_at + 4 * num_tokens

        start, end = 0, 0
        if num_documents:  # an empty file cannot be mapped
            keys = np.memmap(path, np.uint64, "r", keys_at, (num_documents,))
            start = np.searchsorted(keys, np.uint64(first_key), side="left")
            end = np.searchsorted(keys, np.uint64(last_key), side="right")
        first_sentences = _read(file, np.int64, first_sentences_at, start, end + 1)
        first_sentence, end_sentence = first_sentences[0], first_sentences[-1]
        first_tokens = _read(file, np.int64, first_tokens_at, first_sentence, end_sentence + 1)
        first_token, end_token = first_tokens[0], first_tokens[-1]
        return Documents(
            keys=_read(file, np.uint64, keys_at, start, end),
            origins=_read(file, np.uint64, origins_at, start, end),
            first_sentences=first_sentences - first_sentence,
            first_tokens=first_tokens - first_token,
            tokens=_read(file, np.int32, tokens_at, first_token, end_token),
            starts_word=_read(file, bool, starts_word_at, first_token, end_token),
        )


def _read(file, dtype, column_at: int, start: int, end: int) -> np.ndarray:
    """The values start..end of a column that begins at a byte of the file."""
    file.seek(column_at + start * np.dtype(dtype).itemsize)
    return np.fromfile(file, dtype, end - start)


def _hash(data: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(data, digest_size=KEY_SIZE).digest())


def _join_starts(parts: list[np.ndarray]) -> np.ndarray:
    return starts_of(np.concatenate([np.diff(part) for part in parts]))


_NO_DOCUMENTS = Documents(
    keys=np.zeros(0, np.uint64),
    origins=np.zeros(0, np.uint64),
    first_sentences=np.zeros(1, np.int64),
    first_tokens=np.zeros(1, np.int64),
    tokens=np.zeros(0, np.int32),
    starts_word=np.zeros(0, bool),
)
