r"""Learns a WordPiece vocabulary from text, or adds words of a text to a vocabulary.

The words are those that the tokenizer of this package sees. The same text and flags give the same
vocabulary, on any machine and with any number of workers.

    python -m tfrecord_tools.learn_vocabulary --input_file='texts/*.txt' --vocab_size=30522 \
        --output_file=vocab.txt

    python -m tfrecord_tools.learn_vocabulary --input_file='papers/*.txt' \
        --extend_vocab_file=vocab.txt --num_new_words=90 --output_file=papers_vocab.txt

Beside the vocabulary a summary is written, NAME.summary.json.
"""

import dataclasses
import itertools
from collections.abc import Mapping

from bert_keras import flags
from bert_keras.errors import InputError
from bert_keras.file_patterns import split_patterns
from bert_keras.files import remove_if_exists, unfinished_name, write_text
from bert_keras.notices import notify
from bert_keras.progress import Progress
from bert_keras.tokenizers import extending, learning
from bert_keras.tokenizers.coverage import count_characters, measure_coverage
from bert_keras.tokenizers.vocabulary import (
    check_case,
    load_vocabulary,
    save_vocabulary,
    vocabulary_size,
)
from tfrecord_tools.corpus.settings import CorpusSettings, corpus_name, input_files
from tfrecord_tools.outputs import check_output_files, write_summary
from tfrecord_tools.vocabulary.summary import ExtendSummary, LearnSummary, summarize_text
from tfrecord_tools.vocabulary.word_counts import CorpusCounts, count_words
from tfrecord_tools.workers import default_num_workers

PLACES = {"unused": extending.put_into_slots, "end": extending.put_at_end}  # --extend_at
# The flags that choose what is done.
TO_LEARN = ("vocab_size",)
TO_EXTEND = ("extend_vocab_file", "num_new_words")
LARGEST_VOCABULARY = 1_000_000
NUM_WORDS_SHOWN = 10


@dataclasses.dataclass(frozen=True)
class Settings(CorpusSettings):
    output_file: str = flags.required("Vocabulary to write, one token a line.")
    vocab_size: int | None = flags.setting(
        None,
        "Number of lines to learn: vocab_size of bert_config.json.",
        minimum=1,
        maximum=LARGEST_VOCABULARY,
    )
    do_lower_case: bool = flags.setting(
        True, "Lower the case and strip accents, as all programs will that use the vocabulary."
    )
    min_count: int = flags.setting(
        2, "Characters, pieces and new words that come less often are left out.", minimum=1
    )
    character_coverage: float = flags.setting(
        0.9999,
        "Share of the text that its frequent characters make up. These become pieces; words with "
        "another character are [UNK].",
        minimum=0,
        maximum=1,
    )
    num_unused: int = flags.setting(
        learning.NUM_UNUSED,
        "[unused...] slots for words of later texts. With 99, [UNK] is at 100 as in the released "
        "vocabularies; more stand behind [MASK].",
        minimum=0,
    )
    language_smoothing: float = flags.setting(
        1.0,
        "Each name or glob of --input_file is the text of a language, whose share p of the words "
        "is weighted as p to this power: 0.7 for the multilingual models. 1: as it comes.",
        minimum=0,
        maximum=1,
    )
    extend_vocab_file: str | None = flags.setting(
        None, "Vocabulary to add words to, instead of learning one. Its tokens keep their ids."
    )
    num_new_words: int | None = flags.setting(
        None,
        "How many words to add to --extend_vocab_file, those first that save the most tokens. "
        "Punctuation and symbols are no words.",
        minimum=1,
        maximum=LARGEST_VOCABULARY,
    )
    extend_at: str = flags.setting(
        "unused", "Where new words go. unused: in place of [unused...] tokens. end: behind all."
    )
    num_workers: int | None = flags.setting(
        None, "Processes that count words; as many as there are processors if not given.", minimum=1
    )

    @property
    def summary_file(self) -> str:
        return self.output_file.removesuffix(".txt") + ".summary.json"


def learn_vocabulary(settings: Settings) -> LearnSummary | ExtendSummary:
    """Counts the words of the corpus, learns pieces or new words, writes vocabulary and summary.

    Raises:
      InputError: settings, vocabulary or corpus cannot work. No file is written then.
    """
    _check(settings)
    return (_extend if settings.extend_vocab_file else _learn)(settings)


def main(settings: Settings) -> None:
    print(learn_vocabulary(settings))


def _learn(settings: Settings) -> LearnSummary:
    room = learning.room_for_pieces(settings.vocab_size, settings.num_unused)
    _check_room(room, [], settings)
    corpus, word_counts = _count_words(settings)
    alphabet = learning.choose_alphabet(
        count_characters(word_counts), settings.character_coverage, settings.min_count
    )
    single = learning.alphabet_pieces(alphabet)
    _check_room(room, single, settings)
    learned = _learn_pieces(word_counts, alphabet, room - len(single), settings.min_count)
    num_missing = room - len(single) - len(learned)
    if num_missing:
        notify(
            f"no further pieces come {settings.min_count} times: {num_missing} more lines are "
            f"[unused...]; --vocab_size={settings.vocab_size - num_missing} would do without them"
        )
    lines = learning.lay_out(single + learned, settings.vocab_size, settings.num_unused)
    vocab = {token: index for index, token in enumerate(lines)}
    summary = LearnSummary(
        summarize_text(corpus, vocab),
        num_single=len(single),
        num_learned=len(learned),
        num_unused=settings.num_unused + num_missing,
        min_count=settings.min_count,
        output_file=settings.output_file,
    )
    _write(vocab, summary, settings)
    return summary


def _extend(settings: Settings) -> ExtendSummary:
    old = load_vocabulary(settings.extend_vocab_file)
    check_case(settings.do_lower_case, old)
    if settings.extend_at == "unused":
        _check_slots(old, settings.num_new_words)
    corpus, word_counts = _count_words(settings)
    ranked = extending.rank_new_words(word_counts, old, settings.min_count)
    words = ranked[: settings.num_new_words]
    if len(words) < settings.num_new_words:
        notify(
            f"{settings.num_new_words} new words are wanted; the corpus has {len(words)} that come "
            f"{settings.min_count} times and are no single token yet"
        )
    vocab = PLACES[settings.extend_at](old, words)
    before = measure_coverage(corpus.word_counts, old)
    summary = ExtendSummary(
        summarize_text(corpus, vocab),
        before.tokens_per_word,
        before.unknown_share,
        num_new_words=len(words),
        first_new_words=words[:NUM_WORDS_SHOWN],
        vocab_size_before=vocabulary_size(old),
        vocab_size=vocabulary_size(vocab),
        output_file=settings.output_file,
    )
    _write(vocab, summary, settings)
    return summary


def _check(settings: Settings) -> None:
    """Raises InputError for settings that cannot work."""
    flags.check_numbers(settings)
    _check_task(settings)
    if settings.extend_at not in PLACES:
        raise InputError(
            f"--extend_at must be one of {', '.join(PLACES)}. Received: {settings.extend_at}"
        )
    if settings.language_smoothing != 1 and len(split_patterns(settings.input_file)) < 2:
        raise InputError(
            "--language_smoothing takes each name or glob of --input_file, separated by commas, "
            f"for a language. Received: {corpus_name(settings)}"
        )
    inputs = [*input_files(settings), *filter(None, [settings.extend_vocab_file])]
    check_output_files([settings.output_file, settings.summary_file], inputs)
    probe = unfinished_name(settings.output_file)
    write_text(probe, "")  # a folder that takes no files shall show now, not in hours
    remove_if_exists(probe)


def _check_task(settings: Settings) -> None:
    """Raises InputError unless the flags of one task are given, learning or extending."""
    given = [name for name in (*TO_LEARN, *TO_EXTEND) if getattr(settings, name)]
    if tuple(given) in (TO_LEARN, TO_EXTEND):
        return
    received = ", ".join(f"--{name}" for name in given) or "none of them"
    missing = [f"--{name}" for name in TO_EXTEND if name not in given]
    if len(given) == len(missing) == 1:
        received += f" without {missing[0]}"
    raise InputError(
        "Give --vocab_size to learn a vocabulary, or --extend_vocab_file and --num_new_words to "
        f"extend one. Received: {received}"
    )


def _check_room(room: int, single: list[str], settings: Settings) -> None:
    """Raises InputError if the pieces of one character do not fit into the vocabulary."""
    if len(single) > room:
        num_special = settings.vocab_size - room - settings.num_unused
        raise InputError(
            f"--vocab_size must be at least {settings.vocab_size - room + len(single)}: "
            f"{num_special} special tokens, {settings.num_unused} [unused...] slots and "
            f"{len(single)} pieces of one character. Received: {settings.vocab_size}. Lower "
            "--character_coverage or --num_unused, or give more."
        )


def _check_slots(vocab: Mapping[str, int], num_words: int) -> None:
    """Raises InputError for more words than slots, before the corpus is read."""
    num_slots = len(extending.unused_slots(vocab))
    if num_words > num_slots:
        raise InputError(
            f"--num_new_words must be at most {num_slots}, the number of [unused...] lines. "
            f"Received: {num_words}. Give --extend_at=end to make the vocabulary longer."
        )


def _learn_pieces(
    word_counts: Mapping[str, float], alphabet: list[str], num_pieces: int, min_count: int
) -> list[str]:
    pieces = []
    with Progress("learning", num_pieces, " pieces") as progress:
        learned = learning.learn_pieces(word_counts, alphabet, min_count)
        for piece in itertools.islice(learned, num_pieces):
            pieces.append(piece)
            progress.advance()
    return pieces


def _count_words(settings: Settings) -> tuple[CorpusCounts, Mapping[str, float]]:
    """What is in the corpus, and its words, with the languages smoothed."""
    settings = dataclasses.replace(settings, keep_lines=True)  # words do not depend on sentences
    corpora = [settings]
    if settings.language_smoothing != 1:
        names = split_patterns(settings.input_file)
        corpora = [dataclasses.replace(settings, input_file=[name]) for name in names]
    num_workers = settings.num_workers or default_num_workers()
    corpus = count_words(corpora, settings.do_lower_case, num_workers)
    if len(corpora) == 1:
        return corpus, corpus.word_counts
    languages = [table.counts for table in corpus.tables.values()]
    return corpus, learning.smooth(languages, settings.language_smoothing)


def _write(
    vocab: dict[str, int], summary: LearnSummary | ExtendSummary, settings: Settings
) -> None:
    save_vocabulary(vocab, settings.output_file)
    write_summary(summary, settings, settings.summary_file)


if __name__ == "__main__":
    flags.run(main, Settings)
