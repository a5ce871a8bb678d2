"""Static masks, made for many rows at a time; `bert_keras.data.masking` is the same in a graph.

Which tokens are predicted, of `limit = min(P, max(1, round(number of tokens * share)))`:

- token: single pieces at random (Devlin et al. 2018, arXiv:1810.04805, section 3.1).
- whole_word: words in random order; one that does not fit what is left of the limit is passed over
  (`create_masked_lm_predictions` of google-research/bert).
- ngram: runs of 1 to 3 words, n words with a share as 1 / n (Lan et al. 2019, arXiv:1909.11942,
  section 4.1). As in their code every word begins one run at most, in random order; a run is
  shortened until it fits, and passed over if it overlaps one chosen before.
- span: runs of 1 to 10 words, geometric with p = 0.2 (Joshi et al. 2019, arXiv:1907.10529,
  section 3.1). The last one is cut so that the limit is met exactly. Where a span meets one chosen
  before it ends; in the authors' code it goes on behind, and both become one.

A run does not go past a token that is no candidate, such as [SEP]. A piece right after one begins a
word, also if truncation left it without its beginning.

Letters of shapes: N rows, T positions, P predictions, A rows that are not full yet.
"""

import functools
from typing import NamedTuple

import numpy as np

from bert_keras.data.masking_settings import (
    RUN_LENGTH_SHARES,
    Masking,
    decided_together,
)

LAST_KEY = np.iinfo(np.int64).max
NOT_CHOSEN = -1
NUM_ROWS_AT_A_TIME = 1024  # so many stay in the cache of a processor


class UnmaskedRows(NamedTuple):
    """What is to be masked."""

    tokens: np.ndarray  # int32 [N, T]
    num_tokens: np.ndarray  # int [N], special tokens included, padding not
    starts_word: np.ndarray  # bool [N, T], the first piece of a word
    is_candidate: np.ndarray  # bool [N, T], may be predicted: no [CLS], [SEP] or padding


class Draws(NamedTuple):
    """The random numbers that masks are a function of."""

    order: np.ndarray  # int64 [N, T], of all values
    lengths: np.ndarray  # float32 [N, T] in [0, 1)
    dice: np.ndarray  # float32 [N, T] in [0, 1)
    random_ids: np.ndarray  # int32 [N, P], of the vocabulary


class MaskedRows(NamedTuple):
    """Rows with masks in place, and what was there."""

    tokens: np.ndarray  # int32 [N, T]
    positions: np.ndarray  # int32 [N, P], ascending, then zeros
    labels: np.ndarray  # int32 [N, P], the tokens that stood there, then zeros
    num_predictions: np.ndarray  # int32 [N]


def mask_rows(rows: UnmaskedRows, masking: Masking, rng: np.random.Generator) -> MaskedRows:
    """Hides some of the candidates of each row, by any of the settings but `none`."""
    num_rows = len(rows.tokens)
    parts = []
    for begin in range(0, max(num_rows, 1), NUM_ROWS_AT_A_TIME):
        part = UnmaskedRows(*(values[begin : begin + NUM_ROWS_AT_A_TIME] for values in rows))
        parts.append(hide(part, masking, draw(*part.tokens.shape, masking, rng)))
    return MaskedRows(*(np.concatenate(values) for values in zip(*parts, strict=True)))


def draw(num_rows: int, length: int, masking: Masking, rng: np.random.Generator) -> Draws:
    """Draws for rows of `length` positions."""
    shape = (num_rows, length)
    limits = np.iinfo(np.int64)
    num_predictions = masking.settings.max_predictions_per_seq
    return Draws(
        rng.integers(limits.min, limits.max, shape, np.int64, endpoint=True),
        rng.random(shape, np.float32),
        rng.random(shape, np.float32),
        rng.integers(masking.vocab_size, size=(num_rows, num_predictions), dtype=np.int32),
    )


def hide(rows: UnmaskedRows, masking: Masking, draws: Draws) -> MaskedRows:
    """Chooses by the draws what is predicted, and puts [MASK] or a random token in its place."""
    settings = masking.settings
    limit = np.rint(rows.num_tokens * settings.masked_lm_prob).astype(np.int32)
    limit = np.minimum(np.maximum(limit, 1), settings.max_predictions_per_seq)
    begins_word = _begins_word(rows)
    runs = CHOOSERS[settings.masking](rows.is_candidate, begins_word, limit, draws)
    together = TOGETHER[decided_together(settings)](begins_word, runs)
    row, position = np.nonzero(runs != NOT_CHOSEN)
    num_predictions = np.bincount(row, minlength=len(limit)).astype(np.int32)
    ends = np.cumsum(num_predictions)
    column = np.arange(len(row)) - np.repeat(ends - num_predictions, num_predictions)
    labels = rows.tokens[row, position]
    shown = _shown(labels, draws.dice[row, together[row, position]], draws, row, column, masking)
    tokens = rows.tokens.copy()
    tokens[row, position] = shown
    padded = np.zeros((2, *draws.random_ids.shape), np.int32)  # [2, N, P]
    padded[:, row, column] = position, labels
    return MaskedRows(tokens, *padded, num_predictions)


def _shown(labels, dice, draws, row, column, masking):
    """What stands in the place of the predicted tokens, one after the other."""
    settings = masking.settings
    is_mask = dice < settings.mask_share
    is_kept = dice < settings.mask_share + settings.keep_share
    shown = np.where(is_kept, labels, draws.random_ids[row, column])
    return np.where(is_mask, masking.mask_id, shown)


def _begins_word(rows):
    """[N, T]: candidates that begin a word, or stand right after a token that is none."""
    follows = np.zeros_like(rows.is_candidate)
    follows[:, 1:] = rows.is_candidate[:, :-1]
    return rows.is_candidate & (rows.starts_word | ~follows)


def _keys(is_wanted, draws):
    """int64 [N, T], to sort by: random for what is wanted, last for the rest.

    The lowest bits are the position, so that no two keys are equal, and a key tells its position.
    """
    low = _low_bits(is_wanted.shape[1])
    return np.where(is_wanted, draws.order, LAST_KEY) & ~low | np.arange(is_wanted.shape[1])


def _low_bits(length):
    return (1 << (length - 1).bit_length()) - 1


def _choose_tokens(is_candidate, begins_word, limit, draws):
    keys = _keys(is_candidate, draws)
    last = np.minimum(limit, is_candidate.shape[1]) - 1
    last_key = np.take_along_axis(np.sort(keys, axis=1), last[:, None], axis=1)  # [N, 1]
    return np.where(is_candidate & (keys <= last_key), 0, NOT_CHOSEN)


def _choose_runs(is_candidate, begins_word, limit, draws, shares, cut):
    """[N, T]: in which round a piece was chosen, or NOT_CHOSEN.

    In each round the next word, in random order, begins a run. Words are numbered from left to
    right, and the number leaps at what is no candidate, so that no run reaches beyond that.
    """
    length = is_candidate.shape[1]
    number = np.cumsum(np.where(is_candidate, begins_word, len(shares)), axis=1, dtype=np.int32)
    order = np.sort(_keys(begins_word, draws), axis=1) & _low_bits(length)
    most_words = np.cumsum(shares, dtype=np.float32)[:-1]
    num_words = np.count_nonzero(begins_word, axis=1)
    runs = np.full(is_candidate.shape, NOT_CHOSEN, np.int32)
    left = limit.copy()
    for index in range(num_words.max(initial=0)):
        active = np.flatnonzero((left > 0) & (index < num_words))  # [A]
        if not len(active):
            break
        start = order[active, index]
        first = number[active, start]
        end = first + 1 + np.searchsorted(most_words, draws.lengths[active, index], side="right")
        chosen = runs[active]  # [A, T]
        run = cut(number[active], chosen != NOT_CHOSEN, first, end, start + left[active])
        chosen[run] = index
        runs[active] = chosen
        left[active] -= np.count_nonzero(run, axis=1)
    return runs


def _whole_words(number, is_chosen, first, end, stop):
    """bool [A, T]: the words from `first` to before `end` that lie before position `stop`.

    None of them if one was chosen before.
    """
    length = number.shape[1]
    at_stop = number[np.arange(len(number)), np.minimum(stop, length - 1)]
    end = np.where(stop < length, np.minimum(end, at_stop), end)
    run = (number >= first[:, None]) & (number < end[:, None])
    return run & ~np.any(run & is_chosen, axis=1, keepdims=True)


def _cut_words(number, is_chosen, first, end, stop):
    """bool [A, T]: the pieces of the words from `first` to before `end`, before position `stop`.

    They end where a piece was chosen before.
    """
    position = np.arange(number.shape[1], dtype=np.int32)
    run = (number >= first[:, None]) & (number < end[:, None])
    meets = np.min(np.where(run & is_chosen, position, len(position)), axis=1)
    return run & (position < np.minimum(meets, stop)[:, None])


CHOOSERS = {
    "token": _choose_tokens,
    "whole_word": functools.partial(
        _choose_runs, shares=RUN_LENGTH_SHARES["whole_word"], cut=_whole_words
    ),
    "ngram": functools.partial(_choose_runs, shares=RUN_LENGTH_SHARES["ngram"], cut=_whole_words),
    "span": functools.partial(_choose_runs, shares=RUN_LENGTH_SHARES["span"], cut=_cut_words),
}
# What shares a decision -> which of the dice [N, T] each piece looks at.
TOGETHER = {
    "piece": lambda begins_word, runs: np.broadcast_to(np.arange(runs.shape[1]), runs.shape),
    "word": lambda begins_word, runs: np.cumsum(begins_word, axis=1) - 1,
    "run": lambda begins_word, runs: runs,
}
