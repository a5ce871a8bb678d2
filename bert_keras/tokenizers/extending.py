"""Words of a field -> a vocabulary that exists already. Loads no TensorFlow, reads no files."""

import re
from collections.abc import Collection, Mapping, Sequence

from bert_keras.errors import InputError
from bert_keras.tokenizers.learning import is_too_long
from bert_keras.tokenizers.vocabulary import UNKNOWN, vocabulary_size
from bert_keras.tokenizers.wordpiece import MAX_CHARACTERS_PER_WORD, LongestMatch

_UNUSED = re.compile(r"\[unused\d+\]")


def rank_new_words(
    word_counts: Mapping[str, float], vocab: Collection[str], min_count: float
) -> list[str]:
    """Whole words that the vocabulary lacks, those first that save the most tokens.

    A word holds a letter or a digit: slots are too few for punctuation and symbols.
    A word that is split saves all its pieces but one, as often as it comes. An unknown word is
    taken for as many pieces and one more as it has characters: it saves no token, but its meaning.
    """
    longest_match = LongestMatch(vocab)
    savings = {}
    for word, count in word_counts.items():
        if word in vocab or count < min_count or not any(map(str.isalnum, word)):
            continue
        if len(word) > MAX_CHARACTERS_PER_WORD or is_too_long(word):
            continue
        pieces = longest_match.pieces(word)
        is_unknown = pieces[0][0] == UNKNOWN
        savings[word] = count * (len(word) if is_unknown else len(pieces) - 1)
    return sorted(savings, key=lambda word: (-savings[word], word))


def unused_slots(vocab: Mapping[str, int]) -> list[str]:
    """The `[unused...]` tokens, by their ids."""
    return sorted(filter(_UNUSED.fullmatch, vocab), key=vocab.__getitem__)


def put_into_slots(vocab: Mapping[str, int], words: Sequence[str]) -> dict[str, int]:
    """The vocabulary with words in the place of its first `[unused...]` tokens.

    Raises:
        InputError: more words than slots.
    """
    slots = unused_slots(vocab)
    if len(words) > len(slots):
        raise InputError(
            f"Each new word must have an [unused...] token; there are {len(slots)}. "
            f"Received: {len(words)} words. put_at_end makes the vocabulary longer instead."
        )
    word_of_slot = dict(zip(slots, words, strict=False))  # slots may be left over
    return {word_of_slot.get(token, token): index for token, index in vocab.items()}


def put_at_end(vocab: Mapping[str, int], words: Sequence[str]) -> dict[str, int]:
    """The vocabulary with words behind its last token."""
    size = vocabulary_size(vocab)
    return {**vocab, **{word: index for index, word in enumerate(words, start=size)}}
