"""The text of an answer, from the pieces that it consists of: two ways."""

from collections.abc import Callable

from bert_keras.tasks.squad.contexts import EncodedContext
from bert_keras.tokenizers.vocabulary import CONTINUATION
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

# Of a context, the first and the last piece of an answer, and the tokenizer.
AnswerText = Callable[[EncodedContext, int, int, WordPieceTokenizer], str]


def aligned_text(
    context: EncodedContext, first: int, last: int, tokenizer: WordPieceTokenizer
) -> str:
    """The original's: the pieces' characters are sought in the words, white space left aside.

    Words are joined by single blanks. Where characters and pieces do not correspond one to one
    (a letter that becomes two in lower case, an unknown word), whole words are returned.
    """
    pieces = tokenizer.convert_ids_to_tokens(context.ids[first : last + 1])
    joined = " ".join(pieces).replace(f" {CONTINUATION}", "").replace(CONTINUATION, "")
    first_word, last_word = context.word_of_piece[first], context.word_of_piece[last]
    words = " ".join(context.words(first_word, last_word))
    return _aligned(" ".join(joined.split()), words, tokenizer)


def text_at_offsets(
    context: EncodedContext, first: int, last: int, tokenizer: WordPieceTokenizer
) -> str:
    """The characters of the context from the first piece to the last, as they stand there."""
    start, end = offsets(context, first, last, tokenizer)
    return context.text[start:end]


def offsets(
    context: EncodedContext, first: int, last: int, tokenizer: WordPieceTokenizer
) -> tuple[int, int]:
    """Where in the context's text the pieces from `first` to `last` stand, in characters."""
    first_word, last_word = context.word_of_piece[first], context.word_of_piece[last]
    num_before, _ = context.pieces_of_words(first_word, last_word)
    tokens = tokenizer.tokenize_with_offsets(context.text_of_words(first_word, last_word))
    shown = tokens[first - num_before : last - num_before + 1]
    shift = int(context.word_starts[first_word])
    return shift + min(token.start for token in shown), shift + max(token.end for token in shown)


# --answer_text -> how
ANSWER_TEXTS: dict[str, AnswerText] = {"alignment": aligned_text, "offsets": text_at_offsets}


def _aligned(pieces: str, words: str, tokenizer: WordPieceTokenizer) -> str:
    """`get_final_text` of the original: the part of `words` that became `pieces`, or all of it."""
    tokenized = " ".join(tokenizer.basic.split(words))
    start = tokenized.find(pieces)
    if start == -1:
        return words
    places = [place for place, character in enumerate(words) if character != " "]
    tokenized_places = [place for place, character in enumerate(tokenized) if character != " "]
    if len(places) != len(tokenized_places):
        return words
    place_of = dict(zip(tokenized_places, places, strict=True))
    return words[place_of[start] : place_of[start + len(pieces) - 1] + 1]
