"""WordPiece tokenization in a TensorFlow graph: the ids of `wordpiece`, for tf.data and SavedModel.

The BertTokenizer and FastBertTokenizer of TensorFlow Text give other ids than BERT was trained on:
they fold case (ß -> ss, ½ -> 1⁄2) and count a word's cap in bytes. Only its greedy matcher and NFD
are used here. All else is made of the functions of `basic` and `unicode_14`, as tables and RE2
classes: the engines share one definition, whatever Unicode versions RE2 and `tf.strings` have.
"""

import functools
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import tensorflow as tf
import tensorflow_text

from bert_keras.errors import InputError
from bert_keras.tokenizers import unicode_14
from bert_keras.tokenizers.basic import IDEOGRAPHS, is_accent, is_deleted, is_punctuation
from bert_keras.tokenizers.in_graph_basic import is_cased_letter, is_ignorable
from bert_keras.tokenizers.vocabulary import (
    SPECIAL_TOKENS,
    UNKNOWN,
    read_vocabulary,
    require_tokens,
    source_name,
    vocabulary_size,
)
from bert_keras.tokenizers.wordpiece import MAX_CHARACTERS_PER_WORD

_MAX_BYTES_PER_WORD = 4 * MAX_CHARACTERS_PER_WORD  # UTF-8 takes four at most
_TOO_LONG = "x" * (_MAX_BYTES_PER_WORD + 1)  # any word that the matcher is sure to call unknown

# Starts what stands for a special token typed in text: a control, so that text itself has none.
_STAND_IN = "\x01"
_CUT = "\x02"  # another such control


class InGraphTokenizer(tf.Module):
    """String tensor -> ragged int32 ids, equal to those of `wordpiece.WordPieceTokenizer`.

    The arguments are those of `WordPieceTokenizer`. Works eagerly, in `tf.function` and `tf.data`,
    and in a SavedModel that tracks it; who loads one must import `tensorflow_text` first.
    Large batches are fastest (a thousand lines): a word that comes twice is worked on once.
    """

    def __init__(
        self,
        vocab_file: str | os.PathLike | Mapping[str, int],
        do_lower_case: bool = True,
        strip_accents: bool | None = None,
        special_tokens_in_text: bool = False,
    ):
        super().__init__(name="in_graph_tokenizer")
        vocabulary = read_vocabulary(vocab_file)
        self.do_lower_case = do_lower_case
        self.strip_accents = do_lower_case if strip_accents is None else strip_accents
        self.special_tokens_in_text = special_tokens_in_text
        self.vocab_size = vocabulary_size(vocabulary)
        if special_tokens_in_text:
            require_tokens(vocabulary, SPECIAL_TOKENS, source_name(vocab_file))
        self._matcher = _matcher(vocabulary, source_name(vocab_file))

    def __call__(self, text: tf.Tensor) -> tf.RaggedTensor | tf.Tensor:
        """Ids of each text.

        Args:
            text: UTF-8 strings [B], or one string []; bad bytes are dropped.

        Returns:
            int32 ids [B, (T)] without [CLS] and [SEP]; for one string a tensor [T].

        Raises:
            InputError: `text` is not a string tensor of rank 0 or 1.
        """
        text = tf.convert_to_tensor(text)
        if text.dtype != tf.string or text.shape.rank not in (0, 1):
            raise InputError(
                f"The tokenizer takes strings of shape [] or [batch]; reshape others first. "
                f"Received: dtype {text.dtype.name}, shape {text.shape}."
            )
        if text.shape.rank == 0:
            return self(text[tf.newaxis]).values
        if self.special_tokens_in_text:
            text = _replace_special_tokens(text)
        chunks = tf.strings.split(text, sep=" ")  # [B, (C)]
        distinct, index = tf.unique(chunks.values)  # [D], [number of chunks]
        ids = tf.gather(self._tokenize_chunks(distinct), index)  # [number of chunks, (T)]
        return chunks.with_values(ids).merge_dims(1, 2)  # [B, (T)]

    def _tokenize_chunks(self, chunks: tf.Tensor) -> tf.RaggedTensor:
        """Strings without a space [D] -> ids [D, (T)]."""
        words = self._split_into_words(chunks)  # [D, (W)]
        too_long = tf.strings.length(words.values, unit="UTF8_CHAR") > MAX_CHARACTERS_PER_WORD
        pieces = self._matcher.tokenize(tf.where(too_long, _TOO_LONG, words.values))
        return words.with_values(pieces).merge_dims(1, 2)

    def _split_into_words(self, chunks: tf.Tensor) -> tf.RaggedTensor:
        """Strings without a space [D] -> words as the vocabulary has them [D, (W)]."""
        # Most chunks are printable ASCII, of which normalization lowers the case and no more.
        lowered = tf.strings.lower(chunks) if self.do_lower_case else chunks
        unusual = tf.logical_not(tf.strings.regex_full_match(chunks, "[!-~]*"))
        normalized = tf.tensor_scatter_nd_update(
            lowered, tf.where(unusual), self._normalize(tf.boolean_mask(chunks, unusual))
        )
        spaced = tf.strings.regex_replace(normalized, _class(is_punctuation), r" \0 ")
        return tf.strings.split(spaced)

    def _normalize(self, chunks: tf.Tensor) -> tf.Tensor:
        """Cleans, cuts around Chinese characters, lower-cases and strips: [N] -> [N]."""
        text = tf.strings.unicode_transcode(chunks, "UTF-8", "UTF-8", errors="ignore")
        text = tf.strings.regex_replace(text, _class(_is_space), " ")
        deleted = _is_deleted_but_stand_in if self.special_tokens_in_text else is_deleted
        text = tf.strings.regex_replace(text, _class(deleted), "")
        text = tf.strings.regex_replace(text, _ranges_class(IDEOGRAPHS), r" \0 ")
        if self.do_lower_case:
            text = _lower(text)
        if self.strip_accents:
            text = _decompose(text)
            text = tf.strings.regex_replace(text, _class(is_accent), "")
        return text


def _matcher(vocabulary: dict[str, int], source: str) -> tensorflow_text.FastWordpieceTokenizer:
    """Greedy matcher of whole words, in which only stand-ins match special tokens."""
    tokens = [f"{_STAND_IN} no token {index}" for index in range(vocabulary_size(vocabulary))]
    for token, index in vocabulary.items():
        # No text reaches a token with deleted characters, and the matcher refuses some of them.
        if token and not any(map(is_deleted, token)):
            tokens[index] = token
    for number, token in enumerate(SPECIAL_TOKENS):
        if token in vocabulary and token != UNKNOWN:  # the stand-in of [UNK] is unknown as it is
            tokens[vocabulary[token]] = f"{_STAND_IN}{number}"
    try:
        return tensorflow_text.FastWordpieceTokenizer(
            tokens,
            token_out_type=tf.int32,
            unknown_token=UNKNOWN,
            no_pretokenization=True,
            max_bytes_per_word=_MAX_BYTES_PER_WORD,
        )
    except RuntimeError as error:  # such as a token of more than 256 bytes
        raise InputError(f"{source}: TensorFlow Text refuses the vocabulary: {error}") from error


def _replace_special_tokens(text: tf.Tensor) -> tf.Tensor:
    """Puts a word that survives normalization in the place of every special token typed."""
    text = tf.strings.unicode_transcode(text, "UTF-8", "UTF-8", errors="ignore")
    text = tf.strings.regex_replace(text, _STAND_IN, _CUT)  # both are deleted later
    for number, token in enumerate(SPECIAL_TOKENS):
        text = tf.strings.regex_replace(text, re.escape(token), f" {_STAND_IN}{number} ")
    return text


def _lower(text: tf.Tensor) -> tf.Tensor:
    """`str.lower` of Unicode 14; `tf.strings.lower` differs from it on 41 characters."""
    table = tf.constant(_lower_case_table())
    codes = tf.strings.unicode_decode(text, "UTF-8")
    lowered = tf.gather(table, tf.minimum(codes.values, len(_lower_case_table()) - 1))
    lowered = tf.where(codes.values < len(_lower_case_table()), lowered, codes.values)
    text = tf.strings.unicode_encode(codes.with_values(lowered), "UTF-8")
    text = tf.strings.regex_replace(text, "İ", "İ".lower())
    # A sigma is final (ς) after a letter, unless a letter follows; marks between do not count.
    letter, ignorable = _class(is_cased_letter), _class(is_ignorable)
    for _ in range(2):  # of two sigmas in a row a pass sees the first only
        text = tf.strings.regex_replace(text, f"Σ({ignorable}*{letter})", r"σ\1")
    text = tf.strings.regex_replace(text, f"({letter}{ignorable}*)Σ", r"\1ς")
    return tf.strings.regex_replace(text, "Σ", "σ")


def _decompose(text: tf.Tensor) -> tf.Tensor:
    """NFD of Unicode 14: ICU's is of a later version, so what came since is spared."""
    later = _ranges_class(unicode_14.UNASSIGNED)
    cut = tf.strings.regex_replace(text, f"{later}+", rf"{_CUT}\0{_CUT}")
    parts = tf.strings.split(cut, sep=_CUT)  # [N, (P)]
    spared = tf.strings.regex_full_match(parts.values, f"{later}+")
    decomposed = tensorflow_text.normalize_utf8(parts.values, "NFD")
    return tf.strings.reduce_join(
        parts.with_values(tf.where(spared, parts.values, decomposed)), axis=1
    )


@functools.cache
def _lower_case_table() -> list[int]:
    """Lower-case code point of each code point, up to the last with case; Σ and İ stay."""
    pairs = [
        (ord(character), ord(lowered))
        for character in unicode_14.assigned_characters()
        if len(lowered := character.lower()) == 1 and lowered != character != "Σ"
    ]
    table = list(range(pairs[-1][0] + 2))
    for code, lowered in pairs:
        table[code] = lowered
    return table


def _is_space(character: str) -> bool:
    return character.isspace() and not is_deleted(character)


def _is_deleted_but_stand_in(character: str) -> bool:
    return is_deleted(character) and character != _STAND_IN


@functools.cache
def _class(has_property: Callable[[str], bool]) -> str:
    """RE2 class of the characters assigned in Unicode 14 that have the property."""
    ranges: list[list[int]] = []
    for code in map(ord, filter(has_property, unicode_14.assigned_characters())):
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return _ranges_class(ranges)


def _ranges_class(ranges: Iterable[Sequence[int]]) -> str:
    """RE2 class of the code points first to last of each range."""
    return "[" + "".join(rf"\x{{{first:X}}}-\x{{{last:X}}}" for first, last in ranges) + "]"
