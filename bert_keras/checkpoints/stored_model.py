"""A pretrained model as files hold it, in the terms of the original whatever the format."""

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

from bert_keras.checkpoints.weights import Weights
from bert_keras.config import BertConfig
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


class Pooling(NamedTuple):
    """How token vectors become the vector of a sentence (Sentence-BERT, arXiv:1908.10084, 3).

    `modes`, each of "cls", "mean", "max", "mean_sqrt_len", are concatenated in their order;
    `normalize` scales the result to length 1. `max_seq_length` is the number of tokens, [CLS] and
    [SEP] included, beyond which Sentence-Transformers cuts a text; None: as many as positions.
    """

    modes: tuple[str, ...]
    normalize: bool
    max_seq_length: int | None = None


@dataclasses.dataclass(frozen=True)
class StoredModel:
    """Config, tokenizer (None: the files hold no vocabulary) and weights by the original's names.

    `weights` is None where they are to be drawn at random. `model` is the function of
    `bert_keras.models` that they were made for, by its name, such as "classifier"; None where the
    files do not say it. `pooling` is set where a sentence encoder was stored. `task` is what is to
    be known of its texts and answers, the content of `task.json`; nothing where it is not said.
    `made_by` says for its card how it was made.
    """

    config: BertConfig
    tokenizer: WordPieceTokenizer | None
    weights: Weights | None
    model: str | None = None
    pooling: Pooling | None = None
    task: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    made_by: str = ""
