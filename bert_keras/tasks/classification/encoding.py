"""Examples as ids: `convert_examples_to_features` of the original's run_classifier.py."""

import time
from collections.abc import Sequence

import numpy as np

from bert_keras.data.encoded import EncodedExamples
from bert_keras.notices import notify
from bert_keras.progress import Progress
from bert_keras.tasks.classification.reading import Example
from bert_keras.tokenizers.packing import pack
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer


def encode(
    examples: Sequence[Example],
    tokenizer: WordPieceTokenizer,
    max_seq_length: int,
    values: dict[str, np.ndarray],
    name: str,
) -> EncodedExamples:
    """Encodes texts for the model `classifier`, and says how fast and how many were cut.

    Args:
        examples: N texts or pairs.
        tokenizer: that of the model.
        max_seq_length: the most tokens of an example.
        values: what else the batches are to hold, arrays of N rows.
        name: what the examples are called in messages.
    """
    tokens = {"input_ids": [], "input_mask": [], "segment_ids": []}
    ones = np.ones(max_seq_length, np.int32)
    num_tokens = num_cut = 0
    begin = time.monotonic()
    with Progress(f"tokenizing {name}", total=len(examples), unit=" examples") as progress:
        for example in examples:
            pieces_a = tokenizer.tokenize(example.text_a)
            pieces_b = tokenizer.tokenize(example.text_b or "")
            pieces, segment_ids = pack(pieces_a, pieces_b, max_seq_length)
            num_special = 3 if pieces_b else 2
            num_cut += len(pieces_a) + len(pieces_b) + num_special > len(pieces)
            num_tokens += len(pieces)
            tokens["input_ids"].append(np.array(tokenizer.convert_tokens_to_ids(pieces), np.int32))
            tokens["input_mask"].append(ones[: len(pieces)])
            tokens["segment_ids"].append(np.array(segment_ids, np.int32))
            progress.advance()
    rate = num_tokens / max(time.monotonic() - begin, 1e-9)
    notify(
        f"{name}: {len(examples)} examples of {num_tokens} tokens, {rate:.0f} tokens/s; "
        f"{num_cut} were cut to --max_seq_length={max_seq_length}"
    )
    return EncodedExamples(tokens, values)
