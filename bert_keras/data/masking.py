"""Dynamic masks: records without masks get fresh ones in every epoch, in the graph of the pipeline.

The rules are those of `bert_keras.data.masking_settings`. Liu et al. 2019 (arXiv:1907.11692,
section 4.1) compare masks that are drawn anew with those of the original, which stay.

The masks of record p of the endless stream are a function of (seed, p) alone: whole blocks are
masked, with random numbers that (seed, number of the block) choose.

Letters of shapes: N rows, T positions, P predictions, K predictions of all rows together.
"""

import functools
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from bert_keras.data.masking_settings import RUN_LENGTH_SHARES, Masking, unit_of_decision

NUM_ROWS_OF_BLOCK = 1024  # a part of what the masks depend on, so it does not follow the machine
LAST_KEY = tf.int64.max
NO_EPOCH = -1  # keeps the seeds apart from those that shuffle the records, (seed, epoch)
NOT_CHOSEN = -1


class Draws(NamedTuple):
    """The random numbers that masks are a function of."""

    order: tf.Tensor  # int64 [N, T], of all values
    lengths: tf.Tensor  # float32 [N, T] in [0, 1)
    dice: tf.Tensor  # float32 [N, T] in [0, 1)
    random_ids: tf.Tensor  # int32 [N, P], of the vocabulary


def mask_block(
    features: dict[str, tf.Tensor],
    masking: Masking,
    seed: int,
    number: tf.Tensor,
    first_row: tf.Tensor | int = 0,
) -> dict[str, tf.Tensor]:
    """Returns the features of masked records, for rows of block `number` from `first_row` on.

    `features` are those of `unmasked_features`, int32.
    """
    num_rows, length = tf.shape(features["input_ids"])[0], features["input_ids"].shape[1]
    draws = draw(length, masking, seed, number)
    rows = slice(first_row, first_row + num_rows)
    return hide(features, masking, Draws(*(values[rows] for values in draws)))


def draw(length: int, masking: Masking, seed: int, number: tf.Tensor) -> Draws:
    """Draws for the rows of block `number`, of `length` positions."""
    seed = tf.stack([tf.cast(seed, tf.int64), NO_EPOCH])
    seed = tf.random.experimental.stateless_fold_in(seed, number, alg="philox")
    seeds = tf.unstack(tf.random.split(seed, len(Draws._fields), alg="philox"))
    uniform = functools.partial(tf.random.stateless_uniform, alg="philox")
    shape = [NUM_ROWS_OF_BLOCK, length]
    return Draws(
        uniform(shape, seeds[0], minval=None, maxval=None, dtype=tf.int64),
        uniform(shape, seeds[1]),
        uniform(shape, seeds[2]),
        uniform(
            [NUM_ROWS_OF_BLOCK, masking.settings.max_predictions_per_seq],
            seeds[3],
            maxval=masking.vocab_size,
            dtype=tf.int32,
        ),
    )


def hide(features: dict[str, tf.Tensor], masking: Masking, draws: Draws) -> dict[str, tf.Tensor]:
    """Chooses by the draws what is predicted, and puts [MASK] or a random token in its place."""
    settings, tokens = masking.settings, features["input_ids"]
    is_candidate = _is_candidate(features, masking)
    begins_word = _begins_word(features["starts_word"] == 1, is_candidate)
    limit = _limit(tf.reduce_sum(features["input_mask"], axis=1), settings)
    runs = CHOOSERS[settings.masking](is_candidate, begins_word, limit, draws)
    chosen = tf.where(runs != NOT_CHOSEN)  # [K, 2], row and position
    num_predictions = tf.math.count_nonzero(runs != NOT_CHOSEN, axis=1)  # [N]
    begins = tf.gather(tf.cumsum(num_predictions, exclusive=True), chosen[:, 0])
    column = tf.range(tf.shape(chosen, tf.int64)[0]) - begins
    predictions = tf.stack([chosen[:, 0], column], axis=1)  # [K, 2]
    labels = tf.gather_nd(tokens, chosen)
    dice_of = tf.gather_nd(DICE_OF[unit_of_decision(settings)](begins_word, runs), chosen)
    dice_of = tf.stack([chosen[:, 0], tf.cast(dice_of, tf.int64)], axis=1)  # [K, 2]
    dice = tf.gather_nd(draws.dice, dice_of)
    random_ids = tf.gather_nd(draws.random_ids, predictions)
    shown = _shown(labels, dice, random_ids, masking)
    shape = tf.shape(draws.random_ids, tf.int64)
    positions = tf.cast(chosen[:, 1], tf.int32)
    weights = tf.sequence_mask(num_predictions, settings.max_predictions_per_seq, tf.float32)
    return {
        "input_ids": tf.tensor_scatter_nd_update(tokens, chosen, shown),
        "input_mask": features["input_mask"],
        "segment_ids": features["segment_ids"],
        "masked_lm_positions": tf.scatter_nd(predictions, positions, shape),
        "masked_lm_ids": tf.scatter_nd(predictions, labels, shape),
        "masked_lm_weights": weights,
        "next_sentence_labels": features["next_sentence_labels"],
    }


def _is_candidate(features, masking):
    is_special = tf.reduce_any(features["input_ids"][..., None] == masking.special_ids, axis=-1)
    return (features["input_mask"] == 1) & ~is_special


def _begins_word(starts_word, is_candidate):
    """bool [N, T]: candidates that begin a word, or stand right after a token that is none."""
    follows = tf.pad(is_candidate[:, :-1], [[0, 0], [1, 0]])
    return is_candidate & (starts_word | ~follows)


def _limit(num_tokens, settings):
    """int32 [N]: the most predictions; in 64 bits, where it rounds as Python does."""
    limit = tf.round(tf.cast(num_tokens, tf.float64) * settings.masked_lm_prob)
    limit = tf.cast(limit, tf.int32)
    return tf.clip_by_value(limit, 1, settings.max_predictions_per_seq)


def _shown(labels, dice, random_ids, masking):
    """int32 [K]: what stands in the place of the predicted tokens."""
    settings = masking.settings
    is_mask = dice < settings.mask_share
    is_kept = dice < settings.mask_share + settings.keep_share
    return tf.where(is_mask, masking.mask_id, tf.where(is_kept, labels, random_ids))


def _keys(is_wanted, draws):
    """int64 [N, T], to sort by: random for what is wanted, last for the rest.

    The lowest bits are the position, so that no two keys are equal, and a key tells its position.
    """
    length = is_wanted.shape[1]
    high = tf.where(is_wanted, draws.order, LAST_KEY) & ~_low_bits(length)
    return high | tf.range(length, dtype=tf.int64)


def _low_bits(length):
    return tf.constant((1 << (length - 1).bit_length()) - 1, tf.int64)


def _choose_tokens(is_candidate, begins_word, limit, draws):
    keys = _keys(is_candidate, draws)
    last = tf.minimum(limit, is_candidate.shape[1]) - 1
    last_key = tf.gather(tf.sort(keys, axis=1), last[:, None], batch_dims=1)  # [N, 1]
    return tf.where(is_candidate & (keys <= last_key), 0, NOT_CHOSEN)


def _choose_runs(is_candidate, begins_word, limit, draws, shares, cut):
    """int32 [N, T]: in which round a piece was chosen, or NOT_CHOSEN.

    In each round the next word, in random order, begins a run. Words are numbered from left to
    right, and the number leaps at what is no candidate, so that no run reaches beyond that.
    """
    steps = tf.where(is_candidate, tf.cast(begins_word, tf.int32), len(shares))
    number = tf.cumsum(steps, axis=1)
    order = tf.sort(_keys(begins_word, draws), axis=1) & _low_bits(is_candidate.shape[1])
    order = tf.cast(order, tf.int32)
    num_words = tf.math.count_nonzero(begins_word, axis=1, keepdims=True, dtype=tf.int32)
    most_words = np.cumsum(shares, dtype=np.float32)[:-1].tolist()
    lengths = 1 + tf.raw_ops.Bucketize(input=draws.lengths, boundaries=most_words)

    def is_open(index, runs, left):
        return tf.reduce_any((left > 0) & (index < num_words))

    def choose(index, runs, left):
        start = order[:, index, None]  # [N, 1]
        first = tf.gather(number, start, batch_dims=1)
        end = first + tf.where(index < num_words, lengths[:, index, None], 0)
        run = cut(number, runs != NOT_CHOSEN, first, end, start + left)
        count = tf.math.count_nonzero(run, axis=1, keepdims=True, dtype=tf.int32)
        return index + 1, tf.where(run, index, runs), left - count

    start = (0, tf.fill(tf.shape(number), NOT_CHOSEN), limit[:, None])
    return tf.while_loop(is_open, choose, start)[1]


def _whole_words(number, is_chosen, first, end, stop):
    """bool [N, T]: the words from `first` to before `end` that lie before position `stop`.

    None of them if one was chosen before.
    """
    length = number.shape[1]
    at_stop = tf.gather(number, tf.minimum(stop, length - 1), batch_dims=1)
    end = tf.where(stop < length, tf.minimum(end, at_stop), end)
    run = (number >= first) & (number < end)
    return run & ~tf.reduce_any(run & is_chosen, axis=1, keepdims=True)


def _cut_words(number, is_chosen, first, end, stop):
    """bool [N, T]: the pieces of the words from `first` to before `end`, before position `stop`.

    They end where a piece was chosen before.
    """
    length = number.shape[1]
    position = tf.range(length)
    run = (number >= first) & (number < end)
    meets = tf.reduce_min(tf.where(run & is_chosen, position, length), axis=1, keepdims=True)
    return run & (position < tf.minimum(meets, stop))


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
    "piece": lambda begins_word, runs: tf.broadcast_to(tf.range(runs.shape[1]), tf.shape(runs)),
    "word": lambda begins_word, runs: tf.cumsum(tf.cast(begins_word, tf.int32), axis=1) - 1,
    "run": lambda begins_word, runs: runs,
}
