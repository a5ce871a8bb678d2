"""The texts of a set as examples, with a word on how many did not fit."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bert_keras.notices import notify
from bert_keras.progress import tracked
from bert_keras.tasks.task import Encoded, Task
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


def encode_set(
    task: Task, inputs: Sequence[Any], tokenizer: WordPieceTokenizer, name: str
) -> Encoded:
    """Encodes all inputs of a set, shows how far it is, and says how many were cut.

    Args:
        task: knows their form.
        inputs: N of them.
        tokenizer: that of the model.
        name: what the set is called in messages.
    """
    encoded = task.encode(tracked(inputs, f"tokenizing {name}", " texts"), tokenizer)
    masks = encoded.examples.tokens["input_mask"]
    num_sequences = sum(int(np.sum(np.any(mask, axis=-1))) for mask in masks)
    notify(
        f"{name}: {num_sequences} sequences, {sum(int(np.sum(mask)) for mask in masks)} tokens in "
        f"all; {encoded.num_cut} sequences were cut to --max_seq_length={task.max_seq_length}"
    )
    return encoded
