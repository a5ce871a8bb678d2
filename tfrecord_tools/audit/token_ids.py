"""What an audit needs of a vocabulary, as numbers."""

from typing import NamedTuple

import numpy as np

from bert_keras.tokenizers.vocabulary import (
    CLASSIFICATION,
    CONTINUATION,
    MASK,
    PADDING,
    SEPARATOR,
    SPECIAL_TOKENS,
    UNKNOWN,
    load_vocabulary,
    require_tokens,
    vocabulary_size,
)

NONE = -1  # an id that no token has


class TokenIds(NamedTuple):
    """The ids of a vocabulary that mean something to the audit; V is its size."""

    tokens: dict[int, str]
    size: int
    pad: int
    unknown: int
    cls: int
    sep: int
    mask: int
    is_continuation: np.ndarray  # bool [V], "##..."
    is_ordinary: np.ndarray  # bool [V], neither special, "[unused...]" nor blank

    def named(self, id_: int) -> str:
        """An id as a message shows it."""
        return f"{self.tokens[id_]} ({id_})" if id_ in self.tokens else str(id_)


def load_token_ids(path: str) -> TokenIds:
    """Reads a vocabulary; raises InputError if it lacks a token that records are made with."""
    vocabulary = load_vocabulary(path)
    require_tokens(vocabulary, (CLASSIFICATION, SEPARATOR, MASK), path)
    size = vocabulary_size(vocabulary)
    is_continuation, is_ordinary = np.zeros(size, bool), np.zeros(size, bool)
    for token, id_ in vocabulary.items():
        is_continuation[id_] = token.startswith(CONTINUATION)
        is_ordinary[id_] = not (token.startswith("[unused") or token in ("", *SPECIAL_TOKENS))
    return TokenIds(
        tokens={id_: token for token, id_ in vocabulary.items()},
        size=size,
        pad=vocabulary.get(PADDING, NONE),
        unknown=vocabulary[UNKNOWN],
        cls=vocabulary[CLASSIFICATION],
        sep=vocabulary[SEPARATOR],
        mask=vocabulary[MASK],
        is_continuation=is_continuation,
        is_ordinary=is_ordinary,
    )
