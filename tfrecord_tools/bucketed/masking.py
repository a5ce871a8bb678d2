"""Static masks, made for many rows at a time, by the rules of `bert_keras.data.masking_settings`.

`bert_keras.data.masking` is the same in a graph: from the same draws both make the same masks.

Letters of shapes: N rows, T positions, P predictions, K predictions of all rows together, A rows
that are not full yet.
"""

import functools
from typing import NamedTuple

import numpy as np

from bert_keras.data.masking_settings import RUN_LENGTH_SHARES, Masking, unit_of_decision

LAST_KEY = np.iinfo(np.int64).max
NOT_CHOSEN = -1


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
    return hide(rows, masking, draw(*rows.tokens.shape, masking, rng))


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
    settings, tokens = masking.settings, rows.tokens
    begins_word = _begins_word(rows.starts_word, rows.is_candidate)
    limit = _limit(rows.num_tokens, settings)
    runs = CHOOSERS[settings.masking](rows.is_candidate, begins_word, limit, draws)
    row, position = np.nonzero(runs != NOT_CHOSEN)  # both [K]
    num_predictions = np.count_nonzero(runs != NOT_CHOSEN, axis=1)  # [N]
    begins = np.cumsum(num_predictions) - num_predictions
    column = np.arange(len(row)) - begins[row]
    labels = tokens[row, position]
    dice_of = DICE_OF[unit_of_decision(settings)](begins_word, runs)[row, position]
    dice, random_ids = draws.dice[row, dice_of], draws.random_ids[row, column]
    shown = tokens.copy()
    shown[row, position] = _shown(labels, dice, random_ids, masking)
    padded = np.zeros((2, *draws.random_ids.shape), np.int32)  # [2, N, P]
    padded[:, row, column] = position, labels
    return MaskedRows(shown, *padded, num_predictions.astype(np.int32))


def _begins_word(starts_word, is_candidate):
    """bool [N, T]: candidates that begin a word, or stand right after a token that is none."""
    follows = np.pad(is_candidate[:, :-1], [[0, 0], [1, 0]])
    return is_candidate & (starts_word | ~follows)


def _limit(num_tokens, settings):
    """int32 [N]: the most predictions; in 64 bits, where it rounds as Python does."""
    limit = np.rint(num_tokens * settings.masked_lm_prob).astype(np.int32)
    return np.clip(limit, 1, settings.max_predictions_per_seq)


def _shown(labels, dice, random_ids, masking):
    """int32 [K]: what stands in the place of the predicted tokens."""
    settings = masking.settings
    is_mask = dice < settings.mask_share
    is_kept = dice < settings.mask_share + settings.keep_share
    return np.where(is_mask, masking.mask_id, np.where(is_kept, labels, random_ids))


def _keys(is_wanted, draws):
    """int64 [N, T], to sort by: random for what is wanted, last for the rest.

    The lowest bits are the position, so that no two keys are equal, and a key tells its position.
    """
    length = is_wanted.shape[1]
    high = np.where(is_wanted, draws.order, LAST_KEY) & ~_low_bits(length)
    return high | np.arange(length, dtype=np.int64)


def _low_bits(length):
    return (1 << (length - 1).bit_length()) - 1


def _choose_tokens(is_candidate, begins_word, limit, draws):
    keys = _keys(is_candidate, draws)
    last = np.minimum(limit, is_candidate.shape[1]) - 1
    last_key = np.take_along_axis(np.sort(keys, axis=1), last[:, None], axis=1)  # [N, 1]
    return np.where(is_candidate & (keys <= last_key), 0, NOT_CHOSEN)


def _choose_runs(is_candidate, begins_word, limit, draws, shares, cut):
    """int32 [N, T]: in which round a piece was chosen, or NOT_CHOSEN.

    In each round the next word, in random order, begins a run. Words are numbered from left to
    right, and the number leaps at what is no candidate, so that no run reaches beyond that.
    """
    steps = np.where(is_candidate, begins_word, len(shares))
    number = np.cumsum(steps, axis=1, dtype=np.int32)
    order = np.sort(_keys(begins_word, draws), axis=1) & _low_bits(is_candidate.shape[1])
    num_words = np.count_nonzero(begins_word, axis=1)
    most_words = np.cumsum(shares, dtype=np.float32)[:-1]
    runs, left = np.full_like(number, NOT_CHOSEN), limit.copy()
    for index in range(num_words.max(initial=0)):
        active = np.flatnonzero((left > 0) & (index < num_words))  # [A]
        if not len(active):
            break
        lengths = 1 + np.searchsorted(most_words, draws.lengths[active, index], side="right")
        start = order[active, index, None]  # [A, 1]
        first = number[active[:, None], start]
        end = first + lengths[:, None]
        chosen = runs[active]  # [A, T]
        run = cut(number[active], chosen != NOT_CHOSEN, first, end, start + left[active, None])
        runs[active] = np.where(run, index, chosen)
        left[active] -= np.count_nonzero(run, axis=1)
    return runs


def _whole_words(number, is_chosen, first, end, stop):
    """bool [A, T]: the words from `first` to before `end` that lie before position `stop`.

    None of them if one was chosen before.
    """
    length = number.shape[1]
    at_stop = np.take_along_axis(number, np.minimum(stop, length - 1), axis=1)
    end = np.where(stop < length, np.minimum(end, at_stop), end)
    run = (number >= first) & (number < end)
    return run & ~np.any(run & is_chosen, axis=1, keepdims=True)


def _cut_words(number, is_chosen, first, end, stop):
    """bool [A, T]: the pieces of the words from `first` to before `end`, before position `stop`.

    They end where a piece was chosen before.
    """
    length = number.shape[1]
    position = np.arange(length, dtype=np.int32)
    run = (number >= first) & (number < end)
    meets = np.min(np.where(run & is_chosen, position, length), axis=1, keepdims=True)
    return run & (position < np.minimum(meets, stop))


CHOOSERS = {
    "token": _choose_tokens,
    "whole_word": functools.partial(
        _choose_runs, shares=RUN_LENGTH_SHARES["whole_word"], cut=_whole_words
    ),
    "ngram": functools.partial(_choose_runs, shares=RUN_LENGTH_SHARES["ngram"], cut=_whole_words),
    "span": functools.partial(_choose_runs, shares=RUN_LENGTH_SHARES["span"], cut=_cut_words),
}
# What shares one decision -> which of the dice [N, T] each chosen piece looks at.
DICE_OF = {
    "piece": lambda begins_word, runs: np.broadcast_to(np.arange(runs.shape[1]), runs.shape),
    "word": lambda begins_word, runs: np.cumsum(begins_word, axis=1) - 1,
    "run": lambda begins_word, runs: runs,
}
