"""Words and their counts -> a WordPiece vocabulary. Loads no TensorFlow, reads no files.

The pieces are found by byte-pair encoding (Sennrich et al. 2016, arXiv:1508.07909): words begin as
characters, and the most frequent pair of neighbors becomes a piece, again and again. A character
within a word ("##s") is another symbol than at its start ("s"). The original's own learner was
never released; the WordPieceTrainer of the Rust `tokenizers` does the same, but breaks ties by ids
that follow the order of a hash table. Here the older pieces win, so that equal counts give equal
vocabularies; and a word costs the same however often it comes.
"""

import heapq
import itertools
import operator
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from bert_keras.tokenizers.basic import is_ideograph, is_punctuation
from bert_keras.tokenizers.vocabulary import (
    CLASSIFICATION,
    CONTINUATION,
    MASK,
    PADDING,
    SEPARATOR,
    UNKNOWN,
)
from bert_keras.tokenizers.wordpiece import MAX_CHARACTERS_PER_WORD

# So many slots are between [PAD] and [UNK] in the released files: [UNK] is at 100.
NUM_UNUSED = 99
MAX_PIECE_BYTES = 256
_SPECIAL_TOKENS = (UNKNOWN, CLASSIFICATION, SEPARATOR, MASK)

WordCounts = Mapping[str, float]  # whole numbers, but for those of `smooth`


def smooth(counts_of_languages: Sequence[WordCounts], exponent: float) -> WordCounts:
    """Adds up the words of several languages, the smaller languages with more weight.

    A language with the share p of all words gets the share p^exponent / (sum of these). 0.7 is the
    exponent of the multilingual models (google-research/bert, multilingual.md).
    """
    sizes = [sum(counts.values()) for counts in counts_of_languages]
    powers = [(size / sum(sizes)) ** exponent for size in sizes]
    smoothed: defaultdict[str, float] = defaultdict(float)
    for counts, size, power in zip(counts_of_languages, sizes, powers, strict=True):
        weight = power / sum(powers) * sum(sizes) / size
        for word, count in counts.items():
            smoothed[word] += count * weight
    return smoothed


def choose_alphabet(
    characters: Mapping[str, float], coverage: float, min_count: float
) -> list[str]:
    """The most frequent characters that make up the share `coverage` of the text, sorted.

    Args:
        characters: the count of each character.
        coverage: from 0 to 1; words with a character outside the alphabet will be [UNK].
        min_count: rarer characters are left out, whatever the coverage.
    """
    ranked = sorted(characters.items(), key=lambda item: (-item[1], item[0]))
    missing = sum(characters.values()) * coverage
    alphabet = []
    for character, count in ranked:
        if missing <= 0 or count < min_count:
            break
        alphabet.append(character)
        missing -= count
    return sorted(alphabet)


def alphabet_pieces(alphabet: Iterable[str]) -> list[str]:
    """Each character as a piece at the start of a word, then each that can stand within one.

    Punctuation and Chinese characters are words by themselves and never stand within one.
    """
    alphabet = list(alphabet)
    joining = [c for c in alphabet if not is_punctuation(c) and not is_ideograph(c)]
    return alphabet + [CONTINUATION + character for character in joining]


def learn_pieces(
    word_counts: WordCounts, alphabet: Collection[str], min_count: float
) -> Iterator[str]:
    """Yields pieces of two characters or more, in the order in which they become the most frequent.

    None is longer than MAX_PIECE_BYTES.

    Args:
        word_counts: words as `BasicTokenizer` gives them. Those with a character outside the
            alphabet, or too long for the tokenizer, are left out.
        alphabet: see `choose_alphabet`.
        min_count: a piece comes at least so often while it is made.
    """
    pieces = alphabet_pieces(alphabet)
    symbols = {piece: chr(index) for index, piece in enumerate(pieces)}
    words = _SymbolWords(_learnable(word_counts, frozenset(alphabet)), symbols)
    queue = [(-count, pair) for pair, count in words.pair_counts.items() if count >= min_count]
    heapq.heapify(queue)
    while queue:
        queued, pair = heapq.heappop(queue)
        count = words.pair_counts[pair]
        if count < min_count:
            continue
        if count != -queued:  # other pieces have taken some of its places since
            heapq.heappush(queue, (-count, pair))
            continue
        piece = pieces[ord(pair[0])] + pieces[ord(pair[1])].removeprefix(CONTINUATION)
        if is_too_long(piece):
            continue
        if piece not in symbols:  # a piece may be made of different pairs
            symbols[piece] = chr(len(pieces))
            pieces.append(piece)
            yield piece
        for new_pair in words.merge(pair, symbols[piece]):
            if (count := words.pair_counts[new_pair]) >= min_count:
                heapq.heappush(queue, (-count, new_pair))


def is_too_long(piece: str) -> bool:
    """Whether TensorFlow Text's matcher, and so `in_graph`, refuses it for its length."""
    return len(piece.removeprefix(CONTINUATION).encode()) > MAX_PIECE_BYTES


class _SymbolWords:
    """Distinct words as strings of symbols, and where each pair of neighbors is.

    A symbol is one character that stands for a piece: its code point is the piece's number. So a
    pair is a string of two, and pairs compare by the age of their pieces.
    """

    def __init__(self, word_counts: Iterable[tuple[str, float]], symbols: Mapping[str, str]):
        starting = str.maketrans({piece: s for piece, s in symbols.items() if len(piece) == 1})
        within = str.maketrans(
            {piece[-1]: s for piece, s in symbols.items() if piece.startswith(CONTINUATION)}
        )
        self._words: list[str] = []
        self._counts: list[float] = []
        self._places: defaultdict[str, list[int]] = defaultdict(list)  # words that may hold a pair
        self.pair_counts: defaultdict[str, float] = defaultdict(int)
        for index, (word, count) in enumerate(word_counts):
            word = word[0].translate(starting) + word[1:].translate(within)
            self._words.append(word)
            self._counts.append(count)
            for pair in _pairs(word):
                self.pair_counts[pair] += count
                self._places[pair].append(index)

    def merge(self, pair: str, symbol: str) -> list[str]:
        """Puts the symbol in place of the pair in all words; returns the pairs that arise."""
        words = self._words
        first, second = pair
        before, after = defaultdict(list), defaultdict(list)  # neighbor -> words
        adjacent = []  # words in which the pair follows itself
        for index in self._places.pop(pair):
            if pair not in words[index]:
                continue
            parts = words[index].split(pair)
            words[index] = symbol.join(parts)
            for left in parts[:-1]:
                if left:
                    before[left[-1]].append(index)
            for right in parts[1:]:
                if right:
                    after[right[0]].append(index)
            adjacent += [index] * parts[1:-1].count("")
        moves = [(c + first, c + symbol, indices) for c, indices in before.items()]
        moves += [(second + c, symbol + c, indices) for c, indices in after.items()]
        if adjacent:
            moves.append((second + first, symbol + symbol, adjacent))
        for old_pair, new_pair, indices in moves:
            count = sum(map(self._counts.__getitem__, indices))
            self.pair_counts[old_pair] -= count
            self.pair_counts[new_pair] += count
            self._places[new_pair] += indices
        self.pair_counts[pair] = 0
        return [new_pair for _, new_pair, _ in moves]


def room_for_pieces(vocab_size: int, num_unused: int) -> int:
    """Lines that special tokens and `[unused...]` slots leave; negative if even they do not fit."""
    return vocab_size - 1 - num_unused - len(_SPECIAL_TOKENS)


def lay_out(pieces: Sequence[str], vocab_size: int, num_unused: int) -> list[str]:
    """Lines of a vocabulary file, in the order of the released ones.

    [PAD], up to 99 `[unused...]` slots, [UNK], [CLS], [SEP], [MASK], further slots, the pieces; and
    slots again if the pieces are too few.

    Args:
        pieces: at most `room_for_pieces(vocab_size, num_unused)`.
        vocab_size: number of lines.
        num_unused: number of slots to keep for words of one's own.
    """
    slots = (f"[unused{number}]" for number in itertools.count(1))
    lines = [PADDING, *itertools.islice(slots, min(num_unused, NUM_UNUSED)), *_SPECIAL_TOKENS]
    lines += [*itertools.islice(slots, max(0, num_unused - NUM_UNUSED)), *pieces]
    return lines + list(itertools.islice(slots, vocab_size - len(lines)))


def _learnable(word_counts: WordCounts, alphabet: frozenset[str]) -> Iterator[tuple[str, float]]:
    for word, count in word_counts.items():
        if len(word) <= MAX_CHARACTERS_PER_WORD and alphabet.issuperset(word):
            yield word, count


def _pairs(word: str) -> Iterator[str]:
    return map(operator.add, word, word[1:])
