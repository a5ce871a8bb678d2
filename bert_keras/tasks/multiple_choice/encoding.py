"""Examples as ids: a sequence for each choice, `[CLS] context [SEP] continuation [SEP]`."""

from collections.abc import Sequence

import numpy as np

from bert_keras.data.encoded import EncodedExamples
from bert_keras.progress import Progress
from bert_keras.tasks.multiple_choice.example import Example
from bert_keras.tokenizers.packing import pack
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


def encode(
    examples: Sequence[Example], tokenizer: WordPieceTokenizer, max_seq_length: int
) -> EncodedExamples:
    """Encodes examples for the model `multiple_choice`.

    The sequences of an example have the length T of its longest. C is the largest number of
    choices: an example with fewer has zeros for the others, and an `input_mask` of zeros alone is
    what says that a choice is missing. Of one text `segment_ids` are zeros; they are always there,
    as a Keras model takes no dict without one of its inputs.

    Returns:
        Tokens `input_ids`, `input_mask` and `segment_ids`, [C, T] each; as values `label_ids`,
        int32 [N], if the examples have labels.
    """
    num_choices = max(len(example.continuations) for example in examples)
    tokens = {"input_ids": [], "input_mask": [], "segment_ids": []}
    with Progress("tokenizing", total=len(examples), unit=" examples") as progress:
        for example in examples:
            arrays = _arrays(example, tokenizer, max_seq_length, num_choices)
            for name, array in arrays.items():
                tokens[name].append(array)
            progress.advance()
    labels = [example.label for example in examples]
    values = {} if None in labels else {"label_ids": np.array(labels, np.int32)}
    return EncodedExamples(tokens, values)


def _arrays(
    example: Example, tokenizer: WordPieceTokenizer, max_seq_length: int, num_choices: int
) -> dict[str, np.ndarray]:
    """One example: name -> int32 [C, T]."""
    context = tokenizer.tokenize(example.context)
    sequences = [
        pack(context, tokenizer.tokenize(continuation), max_seq_length)
        for continuation in example.continuations
    ]
    length = max(len(sequence.pieces) for sequence in sequences)
    arrays = {
        name: np.zeros([num_choices, length], np.int32)
        for name in ("input_ids", "input_mask", "segment_ids")
    }
    for choice, (pieces, segment_ids) in enumerate(sequences):
        arrays["input_ids"][choice, : len(pieces)] = tokenizer.convert_tokens_to_ids(pieces)
        arrays["input_mask"][choice, : len(pieces)] = 1
        arrays["segment_ids"][choice, : len(pieces)] = segment_ids
    return arrays
