"""Examples as ids: a sequence for each choice, `[CLS] context [SEP] continuation [SEP]`."""

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from bert_keras.data.encoded import EncodedExamples
from bert_keras.tasks.multiple_choice.example import Example
from bert_keras.tasks.sequences import EncodedSequence, encode_sequences
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


def encode(
    examples: Sequence[Example], tokenizer: WordPieceTokenizer, max_seq_length: int, name: str
) -> EncodedExamples:
    """Encodes examples for the model `multiple_choice`.

    The sequences of an example have the length T of its longest. C is the largest number of
    choices: an example with fewer has zeros for the others, and an `input_mask` of zeros alone is
    what says that a choice is missing. Of one text `segment_ids` are zeros; they are always there,
    as a Keras model takes no dict without one of its inputs.

    Args:
        examples: N contexts with their continuations.
        tokenizer: that of the model.
        max_seq_length: the most tokens of a sequence.
        name: what the examples are called in messages.

    Returns:
        Tokens `input_ids`, `input_mask` and `segment_ids`, [C, T] each; as values `label_ids`,
        int32 [N], if the examples have labels.
    """
    nums_choices = [len(example.continuations) for example in examples]
    sequences = iter(
        encode_sequences(
            _pairs(examples, tokenizer), sum(nums_choices), tokenizer, max_seq_length, name
        )
    )
    tokens = {"input_ids": [], "input_mask": [], "segment_ids": []}
    for num_choices in nums_choices:
        of_example = list(itertools.islice(sequences, num_choices))
        for feature, array in _arrays(of_example, max(nums_choices)).items():
            tokens[feature].append(array)
    labels = [example.label for example in examples]
    values = {} if None in labels else {"label_ids": np.array(labels, np.int32)}
    return EncodedExamples(tokens, values)


def _pairs(
    examples: Sequence[Example], tokenizer: WordPieceTokenizer
) -> Iterator[tuple[list[str], list[str]]]:
    """The word pieces of every context with each of its continuations."""
    for example in examples:
        context = tokenizer.tokenize(example.context)
        for text in example.continuations:
            yield context, tokenizer.tokenize(text)


def _arrays(sequences: Sequence[EncodedSequence], num_choices: int) -> dict[str, np.ndarray]:
    """The sequences of one example: name -> int32 [C, T]."""
    length = max(len(sequence.ids) for sequence in sequences)
    ids, mask, segments = np.zeros([3, num_choices, length], np.int32)
    for choice, sequence in enumerate(sequences):
        ids[choice, : len(sequence.ids)] = sequence.ids
        mask[choice, : len(sequence.ids)] = 1
        segments[choice, : len(sequence.ids)] = sequence.segment_ids
    return {"input_ids": ids, "input_mask": mask, "segment_ids": segments}
