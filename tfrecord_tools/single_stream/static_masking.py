"""Masks that are drawn once, when a record is made (Devlin et al. 2018, section 3.1, task 1).

Same choices and same random draws as create_masked_lm_predictions in google-research/bert.
"""

import dataclasses
import random
from collections.abc import Sequence
from typing import NamedTuple

from tfrecord_tools.single_stream.shuffling import shuffle


@dataclasses.dataclass(frozen=True)
class StaticMasking:
    """How tokens are chosen and hidden."""

    mask_id: int
    vocabulary_ids: Sequence[int]  # what a random token is drawn from, in the order of the file
    masked_lm_prob: float
    max_predictions_per_seq: int
    continuation_ids: frozenset[int] = frozenset()  # "##..." pieces, for whole-word masking only


class MaskedTokens(NamedTuple):
    """Tokens with masks in place, and what was there."""

    tokens: list[int]
    positions: list[int]  # ascending
    labels: list[int]  # the token that stood at each position


def mask_tokens(
    tokens: list[int], segment_b_start: int, masking: StaticMasking, rng: random.Random
) -> MaskedTokens:
    """Hides some of `[CLS] a [SEP] b [SEP]`: 80 % become [MASK], 10 % stay, 10 % a random token.

    With whole-word masking a word's pieces are predicted together, but each piece throws its own
    dice, as in the original: of one word a piece may become [MASK] and the next a random token. A
    word with more pieces than predictions are left is passed over.
    """
    limit = max(1, round(len(tokens) * masking.masked_lm_prob))
    limit = min(limit, masking.max_predictions_per_seq)
    candidates = [*range(1, segment_b_start - 1), *range(segment_b_start, len(tokens) - 1)]
    if masking.continuation_ids:
        chosen = _choose_words(tokens, candidates, masking.continuation_ids, limit, rng)
    else:
        shuffle(candidates, rng)
        chosen = candidates[:limit]
    masked = tokens.copy()
    for position in chosen:
        if rng.random() < 0.8:
            masked[position] = masking.mask_id
        elif rng.random() >= 0.5:
            drawn = rng.randint(0, len(masking.vocabulary_ids) - 1)
            masked[position] = masking.vocabulary_ids[drawn]
    chosen.sort()
    return MaskedTokens(masked, chosen, [tokens[position] for position in chosen])


def _choose_words(tokens, candidates, continuation_ids, limit, rng) -> list[int]:
    words: list[list[int]] = []
    for position in candidates:
        # Truncation may leave a continuation at the front of b. It then counts as a piece of the
        # last word of a, as in the original.
        if words and tokens[position] in continuation_ids:
            words[-1].append(position)
        else:
            words.append([position])
    shuffle(words, rng)
    chosen: list[int] = []
    for word in words:
        if len(chosen) + len(word) <= limit:
            chosen += word
    return chosen
