"""Text -> words and the spans of their characters in a TensorFlow graph: the twin of `basic`.

Core operations only. What becomes of a character is looked up in tables made of the functions of
`basic` and `unicode_14`, so that the engines share one definition. All characters of a batch lie in
one flat row, each with its place in its text.
"""

import functools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from bert_keras.tokenizers import unicode_14
from bert_keras.tokenizers.basic import IDEOGRAPHS, is_accent, is_deleted, is_punctuation
from bert_keras.tokenizers.paged_table import NUM_CODE_POINTS, PagedTable

# Bits of a character as it comes; what is above them is the way to its normalized code point.
_SPACE, _DELETED, _IDEOGRAPH, _CASED, _IGNORABLE = 1, 2, 4, 8, 16
_BITS = 5
# Bits of a normalized character; above them stands its combining class.
_PUNCTUATION, _ACCENT = 1, 2
_CLASS_BITS = 2

_CAPITAL_SIGMA, _FINAL_SIGMA = map(ord, "Σς")


class Characters(NamedTuple):
    """Characters on their way to pieces: int32 [N] each, in the order of texts and places."""

    values: tf.Tensor  # code points; those that stand for several are -1 minus their row in a pool
    starts: tf.Tensor  # spans in the text
    ends: tf.Tensor
    parts: tf.Tensor  # rises from part to part: what stands between spaces and ideographs
    rows: tf.Tensor  # of the text

    def gather(self, index: tf.Tensor) -> "Characters":
        return Characters(*(tf.gather(field, index) for field in self))

    def starts_part(self) -> tf.Tensor:
        return tf.concat([tf.ones_like(self.parts[:1]), self.parts[1:] - self.parts[:-1]], 0) > 0


class InGraphBasicTokenizer:
    """Code points of texts -> `Characters`, and which of them start a word.

    The arguments are those of `basic.BasicTokenizer`.
    """

    def __init__(self, do_lower_case: bool, strip_accents: bool):
        self.do_lower_case = do_lower_case
        self.strip_accents = strip_accents
        entries, pool = _normalization(do_lower_case, strip_accents)
        self._entries = PagedTable(entries)
        self._pool = tf.ragged.constant(pool, tf.int32, inner_shape=())
        self._properties = PagedTable(_properties())

    def __call__(self, codes: tf.RaggedTensor) -> tuple[Characters, tf.Tensor]:
        """Normalized characters of all words of texts [B, (C)], and whether each starts a word."""
        characters = self._read(codes)
        characters = _when(tf.reduce_any(characters.values < 0), self._expand, characters)
        if self.strip_accents:
            characters = self._sort_marks(characters)
            accent = self._properties.lookup(characters.values) & _ACCENT > 0
            characters = _when(tf.reduce_any(accent), functools.partial(_strip, accent), characters)
        alone = self._properties.lookup(characters.values) & _PUNCTUATION > 0
        return characters, characters.starts_part() | alone | _after(alone)

    def _read(self, codes: tf.RaggedTensor) -> Characters:
        """Cleans, cuts into parts and normalizes each character."""
        values, rows = codes.values, tf.cast(codes.value_rowids(), tf.int32)
        starts = tf.range(tf.size(values)) - tf.gather(tf.cast(codes.row_starts(), tf.int32), rows)
        entries = self._entries.lookup(values)
        ideograph = entries & _IDEOGRAPH > 0
        cut = (entries & _SPACE > 0) | ideograph | _after(ideograph)
        normalized = values + tf.bitwise.right_shift(entries, _BITS)
        if self.do_lower_case:
            sigma = values == _CAPITAL_SIGMA
            normalized = tf.cond(
                tf.reduce_any(sigma),
                lambda: tf.where(sigma & _is_final(entries, rows), _FINAL_SIGMA, normalized),
                lambda: normalized,
            )
        parts = tf.cumsum(tf.cast(cut, tf.int32)) + rows
        characters = Characters(normalized, starts, starts + 1, parts, rows)
        return characters.gather(tf.where(entries & (_SPACE | _DELETED) == 0)[:, 0])

    def _expand(self, characters: Characters) -> Characters:
        """Puts the code points of the pool in the place of what stands for several."""
        several = characters.values < 0
        row = tf.where(several, -1 - characters.values, 0)
        lengths = tf.cast(tf.gather(self._pool.row_lengths(), row), tf.int32)
        lengths = tf.where(several, lengths, 1)
        expanded = characters.gather(tf.repeat(tf.range(tf.size(row)), lengths))
        within = tf.range(tf.size(expanded.values)) - tf.repeat(
            tf.cumsum(lengths, exclusive=True), lengths
        )
        first = tf.gather(self._pool.row_starts(), tf.maximum(-1 - expanded.values, 0))
        in_pool = tf.where(expanded.values < 0, tf.cast(first, tf.int32) + within, 0)
        values = tf.gather(self._pool.values, in_pool)
        return expanded._replace(values=tf.where(expanded.values < 0, values, expanded.values))

    def _sort_marks(self, characters: Characters) -> Characters:
        """Sorts each run of marks of a part by combining class, as NFD does."""
        properties = self._properties.lookup(characters.values)
        combining_class = tf.cast(tf.bitwise.right_shift(properties, _CLASS_BITS), tf.int64)
        starts_run = (combining_class == 0) | characters.starts_part()
        place = tf.cumsum(tf.cast(starts_run, tf.int64)) * 256 + combining_class
        return _when(
            tf.reduce_any(place[1:] < place[:-1]),
            lambda characters: characters.gather(tf.argsort(place, stable=True)),
            characters,
        )


def _when(condition: tf.Tensor, change, characters: Characters) -> Characters:
    """Spares the usual text what few characters need."""
    return Characters(
        *tf.cond(condition, lambda: tuple(change(characters)), lambda: (*characters,))
    )


def _after(flags: tf.Tensor) -> tf.Tensor:
    """Whether the flag of the character before is set."""
    return tf.concat([tf.zeros_like(flags[:1]), flags[:-1]], 0)


def _is_final(entries: tf.Tensor, rows: tf.Tensor) -> tf.Tensor:
    """Whether a sigma there ends a word: a letter before it, none after; some signs do not count.

    All that may not be looked beyond, such as white space, is neither letter nor such a sign.
    """
    counts = entries & _IGNORABLE == 0
    kept = tf.where(counts)[:, 0]
    cased = tf.gather(entries & _CASED > 0, kept)
    rows_kept = tf.gather(rows, kept)
    cased = tf.concat([[False], cased, [False]], 0)
    rows_kept = tf.concat([[-1], rows_kept, [-1]], 0)
    place = tf.cumsum(tf.cast(counts, tf.int32))  # of a counting character in the padded lists
    place = tf.maximum(place, 1)  # the others are not asked for

    def letter_at(index):
        return tf.gather(cased, index) & (tf.gather(rows_kept, index) == rows)

    return letter_at(place - 1) & ~letter_at(tf.minimum(place + 1, tf.size(cased) - 1))


def _strip(accent: tf.Tensor, characters: Characters) -> Characters:
    """Drops the accents, which lengthen the span of the character before them in their part."""
    kept = characters.gather(tf.where(~accent)[:, 0])
    place = tf.cumsum(tf.cast(~accent, tf.int32)) - 1
    part_before = tf.gather(tf.concat([[-1], kept.parts], 0), place + 1)
    ends = tf.where(part_before == characters.parts, characters.ends, 0)
    ends = tf.math.unsorted_segment_max(ends, place, tf.size(kept.ends))
    return kept._replace(ends=ends)


@functools.cache
def _normalization(do_lower_case: bool, strip_accents: bool) -> tuple[np.ndarray, list[list[int]]]:
    """Entry of each code point, and the pool of those that become several."""
    entries = np.zeros([NUM_CODE_POINTS], np.int32)
    pool: dict[tuple[int, ...], int] = {(0,): 0}
    for character in _characters():
        code = ord(character)
        becomes = _normalize(character, do_lower_case, strip_accents)
        several = len(becomes) > 1
        target = -1 - pool.setdefault(becomes, len(pool)) if several else becomes[0]
        entries[code] = (target - code) << _BITS | _flags(character)
    for first, last in IDEOGRAPHS:  # unassigned ones too
        entries[first : last + 1] |= _IDEOGRAPH
    return entries, list(map(list, pool))


def _normalize(character: str, do_lower_case: bool, strip_accents: bool) -> tuple[int, ...]:
    """Its code points, without accents that lengthen no other character's span."""
    if do_lower_case:
        character = unicode_14.lower(character)
    if not strip_accents:
        return tuple(map(ord, character))
    first, *others = "".join(map(unicode_14.decompose, character))
    if unicode_14.combining_class(first) == 0:  # so that these marks stay behind it
        others = [other for other in others if not is_accent(other)]
    return tuple(map(ord, [first, *others]))


def _flags(character: str) -> int:
    deleted = is_deleted(character)
    cased = is_cased_letter(character)
    flags = _DELETED if deleted else _SPACE if character.isspace() else 0
    return flags | (_CASED if cased else _IGNORABLE if deleted or is_ignorable(character) else 0)


def is_cased_letter(character: str) -> bool:
    """Whether a sigma after it ends a word."""
    return f"{character}Σ".lower().endswith("ς")


def is_ignorable(character: str) -> bool:
    """Whether a sigma looks beyond it, to the next letter."""
    return not is_cased_letter(character) and f"A{character}Σ".lower().endswith("ς")


@functools.cache
def _properties() -> np.ndarray:
    """Properties of each code point, once normalized."""
    properties = np.zeros([NUM_CODE_POINTS], np.int32)
    for character in _characters():
        flags = _PUNCTUATION if is_punctuation(character) else 0
        flags |= _ACCENT if is_accent(character) else 0
        properties[ord(character)] = unicode_14.combining_class(character) << _CLASS_BITS | flags
    return properties


def _characters() -> Iterator[str]:
    """Those that may have a property: assigned, and not of the planes for private use."""
    for character in unicode_14.assigned_characters():
        if ord(character) >= 0xF0000:
            return
        yield character
