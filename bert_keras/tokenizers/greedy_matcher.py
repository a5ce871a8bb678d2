"""Words -> pieces of a vocabulary in core TensorFlow operations: the graph's `LongestMatch`.

Servers without TensorFlow Text can run it. All words of a batch are matched at once: first the
longest piece at each character, then the words are walked from piece to piece.
"""

from collections.abc import Mapping
from typing import NamedTuple

import tensorflow as tf

from bert_keras.tokenizers.vocabulary import CONTINUATION, UNKNOWN
from bert_keras.tokenizers.wordpiece import MAX_CHARACTERS_PER_WORD

_NONE = -1
_START, _INSIDE = 0, 1  # states of the trie before the first character of a word, of a later piece
_CODE_BITS = 21


class Pieces(NamedTuple):
    """Pieces of words, ragged [W, (P)]: ids and numbers of characters. They leave no gaps."""

    ids: tf.RaggedTensor
    lengths: tf.RaggedTensor


class GreedyMatcher(tf.Module):
    """Ragged code points of words -> `Pieces`, longest piece first; [UNK] for a whole word.

    Args:
        vocabulary: token -> id.
    """

    def __init__(self, vocabulary: Mapping[str, int]):
        super().__init__(name="greedy_matcher")
        self._unknown_id = vocabulary[UNKNOWN]
        steps, ids = _trie(vocabulary)
        self._id_of_word = _table(dict(vocabulary), tf.string)
        self._next_state = _table(steps, tf.int64)  # (state, character) -> state
        self._id_of_state = tf.constant(ids, tf.int32)

    def __call__(self, words: tf.RaggedTensor) -> Pieces:
        """Pieces of words [W, (C)], int32 code points of one character at least."""
        texts = tf.strings.unicode_encode(words, "UTF-8")
        distinct, index = tf.unique(texts)  # [D], [W]
        num_distinct = tf.size(distinct)
        first = tf.math.unsorted_segment_min(tf.range(tf.size(texts)), index, num_distinct)
        num_characters = tf.gather(tf.cast(words.row_lengths(), tf.int32), first)  # [D]
        ids = tf.cast(self._id_of_word.lookup(distinct), tf.int32)
        ids = tf.where(num_characters > MAX_CHARACTERS_PER_WORD, self._unknown_id, ids)
        whole = ids != _NONE
        cut = self._cut(tf.gather(words, tf.boolean_mask(first, ~whole)))
        row = tf.where(whole, _rank(whole), tf.reduce_sum(tf.cast(whole, tf.int32)) + _rank(~whole))
        row = tf.gather(row, index)  # of each word in the pieces of whole ones, then of cut ones
        of_whole = (_one_a_row(tf.boolean_mask(x, whole)) for x in (ids, num_characters))
        return Pieces(
            *(tf.gather(tf.concat(pair, 0), row) for pair in zip(of_whole, cut, strict=True))
        )

    def _cut(self, words: tf.RaggedTensor) -> Pieces:
        """Pieces of words [W, (C)] by walking each."""
        lengths, ids = self._longest_at_each_character(words)
        word_starts = tf.cast(words.row_starts(), tf.int32)
        starts_piece, known = _walk(word_starts, tf.cast(words.row_limits(), tf.int32), lengths)
        word_of = tf.cast(words.value_rowids(), tf.int32)
        known = tf.gather(known, word_of)  # [M]
        starts_word = tf.range(tf.size(word_of)) == tf.gather(word_starts, word_of)
        starts = tf.cast(tf.where(tf.where(known, starts_piece, starts_word))[:, 0], tf.int32)
        ids = tf.gather(tf.where(known, ids, self._unknown_id), starts)
        limits = tf.concat([starts[1:], [tf.size(word_of)]], 0)[: tf.size(starts)]
        rows = tf.gather(words.value_rowids(), starts)
        num_words = words.nrows()
        return Pieces(
            tf.RaggedTensor.from_value_rowids(ids, rows, num_words, validate=False),
            tf.RaggedTensor.from_value_rowids(limits - starts, rows, num_words, validate=False),
        )

    def _longest_at_each_character(self, words: tf.RaggedTensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Length and id of the longest piece from each character on, 0 and -1 for none: [M]."""
        codes = tf.cast(words.values, tf.int64)
        word_of = words.value_rowids()
        limit = tf.cast(tf.gather(words.row_limits(), word_of), tf.int32)
        start = tf.range(tf.size(codes))
        at_word_start = start == tf.cast(tf.gather(words.row_starts(), word_of), tf.int32)
        state = tf.cast(tf.where(at_word_start, _START, _INSIDE), tf.int64)
        lengths, ids = tf.zeros_like(start), tf.fill(tf.shape(start), _NONE)

        def step(depth, start, state, lengths, ids):
            """One character further, from every start that is still within some piece."""
            code = tf.gather(codes, start + depth)
            state = self._next_state.lookup(state * (1 << _CODE_BITS) + code)
            alive = tf.where(state != _NONE)[:, 0]
            start, state = tf.gather(start, alive), tf.gather(state, alive)
            found_id = tf.gather(self._id_of_state, state)
            found = tf.where(found_id != _NONE)[:, 0]
            where = tf.gather(start, found)[:, tf.newaxis]
            ids = tf.tensor_scatter_nd_update(ids, where, tf.gather(found_id, found))
            depth += 1
            lengths = tf.tensor_scatter_nd_update(lengths, where, tf.fill([tf.size(found)], depth))
            inside = tf.where(start + depth < tf.gather(limit, start))[:, 0]
            return depth, tf.gather(start, inside), tf.gather(state, inside), lengths, ids

        free = tf.TensorShape([None])
        *_, lengths, ids = tf.while_loop(
            lambda depth, start, *_: tf.size(start) > 0,
            step,
            (0, start, state, lengths, ids),
            (tf.TensorShape([]), free, free, free, free),
        )
        return lengths, ids


def _walk(
    word_starts: tf.Tensor, word_limits: tf.Tensor, lengths: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor]:
    """From piece to piece: whether one starts at each character [M], and each word is known [W]."""

    def step(word, place, starts_piece, known):
        length = tf.gather(lengths, place)
        stuck = tf.boolean_mask(word, length == 0)[:, tf.newaxis]
        known = tf.tensor_scatter_nd_update(known, stuck, tf.zeros_like(stuck[:, 0], tf.bool))
        starts_piece = tf.tensor_scatter_nd_update(
            starts_piece, place[:, tf.newaxis], tf.ones_like(place, tf.bool)
        )
        going_on = (length > 0) & (place + length < tf.gather(word_limits, word))
        going_on = tf.where(going_on)[:, 0]
        return (
            tf.gather(word, going_on),
            tf.gather(place + length, going_on),
            starts_piece,
            known,
        )

    free = tf.TensorShape([None])
    *_, starts_piece, known = tf.while_loop(
        lambda word, *_: tf.size(word) > 0,
        step,
        (
            tf.range(tf.size(word_starts)),
            word_starts,
            tf.zeros_like(lengths, tf.bool),
            tf.ones_like(word_starts, tf.bool),
        ),
        (free, free, free, free),
    )
    return starts_piece, known


def _rank(mask: tf.Tensor) -> tf.Tensor:
    """How many are true before each."""
    return tf.cumsum(tf.cast(mask, tf.int32), exclusive=True)


def _one_a_row(values: tf.Tensor) -> tf.RaggedTensor:
    return tf.RaggedTensor.from_uniform_row_length(values, 1)


def _trie(vocabulary: Mapping[str, int]) -> tuple[dict[int, int], list[int]]:
    """(state, character) in one number -> next state; and the id of each state's piece, or -1."""
    steps: dict[int, int] = {}
    ids = [_NONE, _NONE]
    for token, index in vocabulary.items():
        roots = [(_START, token)]
        if token.startswith(CONTINUATION):
            roots.append((_INSIDE, token.removeprefix(CONTINUATION)))
        for state, piece in roots:
            for character in piece:
                step = state << _CODE_BITS | ord(character)
                state = steps.setdefault(step, len(ids))
                if state == len(ids):
                    ids.append(_NONE)
            if piece:
                ids[state] = index
    return steps, ids


def _table(numbers: Mapping, key_type: tf.DType) -> tf.lookup.StaticHashTable:
    """Table of a mapping's numbers; -1 for what is not in it."""
    keys, values = (
        tf.constant(list(numbers), key_type),
        tf.constant(list(numbers.values()), tf.int64),
    )
    initializer = tf.lookup.KeyValueTensorInitializer(keys, values)
    return tf.lookup.StaticHashTable(initializer, default_value=_NONE)
