"""Examples as ids: a sequence each, `[CLS] a [SEP]` or `[CLS] a [SEP] b [SEP]`."""

from collections.abc import Sequence

import numpy as np

from bert_keras.data.encoded import EncodedExamples
from bert_keras.tasks.classification.reading import Example
from bert_keras.tasks.sequences import encode_sequences, examples_of
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


def encode(
    examples: Sequence[Example],
    tokenizer: WordPieceTokenizer,
    max_seq_length: int,
    values: dict[str, np.ndarray],
    name: str,
) -> EncodedExamples:
    """Encodes texts for the model `classifier`.

    Args:
        examples: N texts or pairs.
        tokenizer: that of the model.
        max_seq_length: the most tokens of an example.
        values: what else the batches are to hold, arrays of N rows.
        name: what the examples are called in messages.
    """
    pairs = (
        (tokenizer.tokenize(example.text_a), tokenizer.tokenize(example.text_b or ""))
        for example in examples
    )
    sequences = encode_sequences(pairs, len(examples), tokenizer, max_seq_length, name)
    return examples_of(sequences, values)
