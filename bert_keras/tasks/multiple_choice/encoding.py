"""Examples as ids: a sequence for each choice, `[CLS] context [SEP] continuation [SEP]`."""

from collections.abc import Sequence

import numpy as np

from bert_keras.data.encoded import EncodedExamples
from bert_keras.notices import notify
from bert_keras.progress import Progress
from bert_keras.tasks.multiple_choice.example import Example
from bert_keras.tokenizers.packing import Packed, pack
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


def encode(
    examples: Sequence[Example], tokenizer: WordPieceTokenizer, max_seq_length: int, name: str
) -> EncodedExamples:
    """Encodes examples for the model `multiple_choice`, and says how many sequences were cut.

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
    num_choices = max(len(example.continuations) for example in examples)
    tokens = {"input_ids": [], "input_mask": [], "segment_ids": []}
    num_cut = 0
    with Progress(f"tokenizing {name}", total=len(examples), unit=" examples") as progress:
        for example in examples:
            sequences, num_cut_of_example = _sequences(example, tokenizer, max_seq_length)
            num_cut += num_cut_of_example
            for feature, array in _arrays(sequences, tokenizer, num_choices).items():
                tokens[feature].append(array)
            progress.advance()
    if num_cut:
        num_sequences = sum(len(example.continuations) for example in examples)
        notify(
            f"{name}: {num_cut} of {num_sequences} sequences were cut to "
            f"--max_seq_length={max_seq_length}"
        )
    labels = [example.label for example in examples]
    values = {} if None in labels else {"label_ids": np.array(labels, np.int32)}
    return EncodedExamples(tokens, values)


def _sequences(
    example: Example, tokenizer: WordPieceTokenizer, max_seq_length: int
) -> tuple[list[Packed], int]:
    """The sequence of each choice, and how many of them were cut."""
    context = tokenizer.tokenize(example.context)
    sequences, num_cut = [], 0
    for text in example.continuations:
        continuation = tokenizer.tokenize(text)
        sequences.append(pack(context, continuation, max_seq_length))
        num_special = 3 if continuation else 2
        num_cut += len(context) + len(continuation) + num_special > max_seq_length
    return sequences, num_cut


def _arrays(
    sequences: Sequence[Packed], tokenizer: WordPieceTokenizer, num_choices: int
) -> dict[str, np.ndarray]:
    """The sequences of one example: name -> int32 [C, T]."""
    length = max(len(sequence.pieces) for sequence in sequences)
    ids, mask, segments = np.zeros([3, num_choices, length], np.int32)
    for choice, (pieces, segment_ids) in enumerate(sequences):
        ids[choice, : len(pieces)] = tokenizer.convert_tokens_to_ids(pieces)
        mask[choice, : len(pieces)] = 1
        segments[choice, : len(pieces)] = segment_ids
    return {"input_ids": ids, "input_mask": mask, "segment_ids": segments}
