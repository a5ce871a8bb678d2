"""Documents -> masked pairs of texts for the next-sentence task.

Same pairs, same order and same random draws as create_training_instances in google-research/bert
(Devlin et al. 2018, section 3.1, task 2, and appendix A.2). A document is a list of sentences, a
sentence a list of token ids.
"""

import dataclasses
import random
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from tfrecord_tools.single_stream.shuffling import shuffle
from tfrecord_tools.single_stream.static_masking import StaticMasking, mask_tokens

Document = list[list[int]]
NUM_SPECIAL_TOKENS = 3  # [CLS] a [SEP] b [SEP]
MAX_DRAWS = 10  # of another document


@dataclasses.dataclass(frozen=True)
class Pairing:
    """How documents are cut into pairs."""

    max_seq_length: int
    short_seq_prob: float
    cls_id: int
    sep_id: int


class Instance(NamedTuple):
    """One masked pair, unpadded."""

    tokens: list[int]  # [CLS] a [SEP] b [SEP], masks in place
    segment_b_start: int  # position of the first token of b
    masked_lm_positions: list[int]
    masked_lm_ids: list[int]
    is_random_next: bool
    num_dropped_tokens: int


def create_instances(
    documents: list[Document],
    dupe_factor: int,
    pairing: Pairing,
    masking: StaticMasking,
    rng: random.Random,
) -> Iterator[list[Instance]]:
    """Yields the instances of one document after another, `dupe_factor` times all of them.

    Shuffles a copy of `documents` first; there must be two at least, none of them empty.
    """
    documents = documents.copy()
    shuffle(documents, rng)
    for _ in range(dupe_factor):
        for index in range(len(documents)):
            yield document_instances(documents, index, pairing, masking, rng)


def document_instances(
    documents: list[Document],
    document_index: int,
    pairing: Pairing,
    masking: StaticMasking,
    rng: random.Random,
) -> list[Instance]:
    """Cuts one document into pairs: runs of sentences that fill the target length, split in two.

    The target is the maximum or, with `short_seq_prob`, a shorter length drawn once for the
    document. As in the original it says when a run is long enough; the pair is truncated to the
    maximum only.
    """
    document = documents[document_index]
    max_num_tokens = pairing.max_seq_length - NUM_SPECIAL_TOKENS
    target = max_num_tokens
    if rng.random() < pairing.short_seq_prob:
        target = rng.randint(2, max_num_tokens)
    instances = []
    start, end, num_tokens = 0, 0, 0  # sentences start..end make the run
    while end < len(document):
        num_tokens += len(document[end])
        end += 1
        if num_tokens < target and end < len(document):
            continue
        num_sentences = end - start
        split = start + (rng.randint(1, num_sentences - 1) if num_sentences > 1 else 1)
        tokens_a = list(chain.from_iterable(document[start:split]))
        is_random_next = num_sentences == 1 or rng.random() < 0.5
        if is_random_next:
            other_index = _draw_document(len(documents), document_index, rng)
            tokens_b = _random_text(documents[other_index], target - len(tokens_a), rng)
            end = split  # the sentences that were not used begin the next run
        else:
            tokens_b = list(chain.from_iterable(document[split:end]))
        instances.append(_instance(tokens_a, tokens_b, is_random_next, pairing, masking, rng))
        start, num_tokens = end, 0
    return instances


def truncate_pair(
    tokens_a: list[int], tokens_b: list[int], max_num_tokens: int, rng: random.Random
) -> tuple[list[int], list[int]]:
    """Takes tokens off the longer text until both fit, each from the front or the back by chance.

    The two ends, so that the texts are not biased to beginnings: of two neighboring texts the
    inner ends get lost too. Each keeps at least one token if `max_num_tokens` is at least 2.
    """
    start_a, end_a = 0, len(tokens_a)
    start_b, end_b = 0, len(tokens_b)
    while (length_a := end_a - start_a) + (length_b := end_b - start_b) > max_num_tokens:
        at_front = rng.random() < 0.5
        if length_a > length_b:
            start_a, end_a = (start_a + 1, end_a) if at_front else (start_a, end_a - 1)
        else:
            start_b, end_b = (start_b + 1, end_b) if at_front else (start_b, end_b - 1)
    return tokens_a[start_a:end_a], tokens_b[start_b:end_b]


def _draw_document(num_documents: int, own_index: int, rng: random.Random) -> int:
    """Another document, or after ten draws of the own one the document after it.

    The original then takes the own one, and may label the true continuation as random
    (huggingface/transformers#452).
    """
    for _ in range(MAX_DRAWS):
        index = rng.randint(0, num_documents - 1)
        if index != own_index:
            return index
    return (own_index + 1) % num_documents


def _random_text(document: Document, target: int, rng: random.Random) -> list[int]:
    """Sentences from a random one on, until `target` tokens are reached; at least one sentence."""
    tokens: list[int] = []
    for index in range(rng.randint(0, len(document) - 1), len(document)):
        tokens += document[index]
        if len(tokens) >= target:
            break
    return tokens


def _instance(tokens_a, tokens_b, is_random_next, pairing, masking, rng) -> Instance:
    max_num_tokens = pairing.max_seq_length - NUM_SPECIAL_TOKENS
    num_dropped = max(0, len(tokens_a) + len(tokens_b) - max_num_tokens)
    tokens_a, tokens_b = truncate_pair(tokens_a, tokens_b, max_num_tokens, rng)
    tokens = [pairing.cls_id, *tokens_a, pairing.sep_id, *tokens_b, pairing.sep_id]
    segment_b_start = len(tokens_a) + 2
    masked = mask_tokens(tokens, segment_b_start, masking, rng)
    return Instance(
        masked.tokens,
        segment_b_start,
        masked.positions,
        masked.labels,
        is_random_next,
        num_dropped,
    )
