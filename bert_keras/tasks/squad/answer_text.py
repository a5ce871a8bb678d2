"""The text of an answer, from the pieces that it consists of: two ways."""

import functools
from collections.abc import Callable
from typing import NamedTuple

from bert_keras.tasks.squad.contexts import EncodedContext
from bert_keras.tokenizers.vocabulary import CONTINUATION
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

# Context -> function of the first and the last piece of an answer -> its text.
AnswerText = Callable[[EncodedContext], Callable[[int, int], str]]


def aligned_text(context: EncodedContext) -> Callable[[int, int], str]:
    """The original's: the pieces' characters are sought in the words, white space left aside.

    Words are joined by single blanks. Where characters and pieces do not correspond one to one
    (a letter that becomes two in lower case, an unknown word), whole words are returned.
    """
    tokenizer = context.tokenizer

    @functools.cache  # several answers stand in the same words, of Chinese all in one
    def alignment(first_word: int, last_word: int) -> _Alignment:
        return _alignment(" ".join(context.words(first_word, last_word)), tokenizer)

    def text_of(first: int, last: int) -> str:
        pieces = tokenizer.convert_ids_to_tokens(context.ids[first : last + 1])
        joined = " ".join(pieces).replace(f" {CONTINUATION}", "").replace(CONTINUATION, "")
        first_word, last_word = map(int, context.word_of_piece[[first, last]])
        return _aligned(" ".join(joined.split()), alignment(first_word, last_word))

    return text_of


def text_at_offsets(context: EncodedContext) -> Callable[[int, int], str]:
    """The characters of the context from the first piece to the last, as they stand there."""

    def text_of(first: int, last: int) -> str:
        start, end = context.offsets(first, last)
        return context.text[start:end]

    return text_of


# --answer_text -> how
ANSWER_TEXTS: dict[str, AnswerText] = {"alignment": aligned_text, "offsets": text_at_offsets}


class _Alignment(NamedTuple):
    """Words, what the tokenizer makes of them, and the place in them of each of its characters.

    There are no places where characters do not correspond one to one.
    """

    words: str
    tokenized: str
    place_of: dict[int, int]


def _alignment(words: str, tokenizer: WordPieceTokenizer) -> _Alignment:
    tokenized = " ".join(tokenizer.basic.split(words))
    places = [place for place, character in enumerate(words) if character != " "]
    tokenized_places = [place for place, character in enumerate(tokenized) if character != " "]
    is_one_to_one = len(places) == len(tokenized_places)
    place_of = dict(zip(tokenized_places, places, strict=True)) if is_one_to_one else {}
    return _Alignment(words, tokenized, place_of)


def _aligned(pieces: str, alignment: _Alignment) -> str:
    """`get_final_text` of the original: the part of the words that became `pieces`, or all."""
    words, tokenized, place_of = alignment
    start = tokenized.find(pieces)
    if start == -1 or not place_of:
        return words
    return words[place_of[start] : place_of[start + len(pieces) - 1] + 1]
