"""How well a vocabulary covers the words of a text, counted. Loads no TensorFlow."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import NamedTuple

from bert_keras.tokenizers.vocabulary import CONTINUATION, UNKNOWN
from bert_keras.tokenizers.wordpiece import LongestMatch


class Coverage(NamedTuple):
    """Shares lie between 0 and 1."""

    tokens_per_word: float  # an unknown word is one token
    unknown_share: float  # of the words, counted as often as they come


def measure_coverage(word_counts: Mapping[str, float], vocab: Collection[str]) -> Coverage:
    """Tokenizes each word once; needs at least one."""
    longest_match = LongestMatch(vocab)
    num_tokens = num_unknown = 0
    for word, count in word_counts.items():
        pieces = longest_match.pieces(word)
        num_tokens += count * len(pieces)
        num_unknown += count * (pieces[0][0] == UNKNOWN)
    num_words = sum(word_counts.values())
    return Coverage(num_tokens / num_words, num_unknown / num_words)


def count_characters(word_counts: Mapping[str, float]) -> Counter[str]:
    """How often each character comes."""
    characters: Counter[str] = Counter()
    for word, count in word_counts.items():
        for character in word:
            characters[character] += count
    return characters


def uncovered_characters(
    word_counts: Mapping[str, float], vocab: Collection[str]
) -> list[tuple[str, float]]:
    """The characters that are no piece, and how often they come: the most frequent first."""
    uncovered = {
        character
        for character in set().union(*word_counts)
        if character not in vocab and CONTINUATION + character not in vocab
    }
    words = {word: n for word, n in word_counts.items() if not uncovered.isdisjoint(word)}
    characters = count_characters(words)
    return sorted(
        ((character, characters[character]) for character in uncovered),
        key=lambda item: (-item[1], item[0]),
    )
