"""What a run of learn_vocabulary made, counted."""

import dataclasses
from collections.abc import Collection

from bert_keras.tokenizers.coverage import measure_coverage, uncovered_characters
from tfrecord_tools.vocabulary.word_counts import CorpusCounts

NUM_UNCOVERED_SHOWN = 20


@dataclasses.dataclass(frozen=True)
class LanguageSummary:
    """One of several languages."""

    name: str  # as in --input_file
    num_words: int
    tokens_per_word: float
    unknown_share: float

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.num_words:,} words, {self.tokens_per_word:.3f} tokens a word, "
            f"{self.unknown_share:.3%} unknown"
        )


@dataclasses.dataclass(frozen=True)
class TextSummary:
    """The text, and how well a vocabulary covers it. Shares lie between 0 and 1."""

    num_documents: int
    num_words: int
    num_distinct_words: int  # without those that were dropped to save memory
    num_characters: int  # distinct ones
    num_uncovered_characters: int  # distinct ones: words that hold them are unknown
    uncovered_characters: list[tuple[str, float]]  # all, the most frequent first, with counts
    tokens_per_word: float  # an unknown word is one token
    unknown_share: float  # of the words
    languages: list[LanguageSummary]  # if they were counted apart

    def __str__(self) -> str:
        return "\n".join(
            [
                f"documents        {self.num_documents:,}",
                f"words            {self.num_words:,}, {self.num_distinct_words:,} different",
                f"tokens a word    {self.tokens_per_word:.3f}",
                f"unknown words    {self.unknown_share:.3%}",
                f"characters       {self.num_characters:,} different, "
                f"{self.num_uncovered_characters:,} not covered{self._shown_characters()}",
                *(f"language         {language}" for language in self.languages),
            ]
        )

    def _shown_characters(self) -> str:
        shown = [character for character, _ in self.uncovered_characters[:NUM_UNCOVERED_SHOWN]]
        if not shown:
            return ""
        is_part = len(shown) < self.num_uncovered_characters
        return f" ({f'{len(shown)} of them: ' if is_part else ''}{' '.join(shown)})"


@dataclasses.dataclass(frozen=True)
class LearnSummary:
    """A vocabulary that was learned."""

    text: TextSummary
    num_single: int  # pieces of one character
    num_learned: int  # longer pieces
    num_unused: int  # [unused...] slots
    min_count: int
    output_file: str

    def __str__(self) -> str:
        return "\n".join(
            [
                str(self.text),
                *self._rare_characters(),
                f"pieces           {self.num_single:,} of one character, "
                f"{self.num_learned:,} longer",
                f"unused slots     {self.num_unused:,}",
                f"wrote            {self.output_file}",
            ]
        )

    def _rare_characters(self) -> list[str]:
        """What --min_count has to do with the characters that are not covered."""
        counts = [count for _, count in self.text.uncovered_characters]
        num_rare = sum(count < self.min_count for count in counts)
        if not num_rare:
            return []
        return [
            f"                 {num_rare:,} of these come less than {self.min_count} times: "
            "--min_count leaves them out, whatever --character_coverage"
        ]


@dataclasses.dataclass(frozen=True)
class ExtendSummary:
    """A vocabulary that got new words."""

    text: TextSummary
    tokens_per_word_before: float
    unknown_share_before: float
    num_new_words: int
    first_new_words: list[str]
    vocab_size_before: int
    vocab_size: int
    output_file: str

    def __str__(self) -> str:
        return "\n".join(
            [
                str(self.text),
                f"before           {self.tokens_per_word_before:.3f} tokens a word, "
                f"{self.unknown_share_before:.3%} unknown",
                f"new words        {self.num_new_words:,}{self._first_words()}",
                f"weights          {self._weights()}",
                f"wrote            {self.output_file}",
            ]
        )

    def _first_words(self) -> str:
        return f", the first: {' '.join(self.first_new_words)}" if self.first_new_words else ""

    def _weights(self) -> str:
        num_rows = self.vocab_size - self.vocab_size_before
        if not num_rows:
            return (
                "the rows of the slots exist, but are untrained: go on with pre-training before "
                "fine-tuning"
            )
        return (
            f"vocab_size of bert_config.json grows from {self.vocab_size_before} to "
            f"{self.vocab_size}: word_embeddings and output_bias need {num_rows} more rows, then "
            "pre-training goes on"
        )


def summarize_text(corpus: CorpusCounts, vocab: Collection[str]) -> TextSummary:
    """Tokenizes the words that were counted."""
    word_counts = corpus.word_counts
    uncovered = uncovered_characters(word_counts, vocab)
    tables = corpus.tables if len(corpus.tables) > 1 else {}  # else the whole is the language
    languages = [
        LanguageSummary(name, table.num_words, *measure_coverage(table.counts, vocab))
        for name, table in tables.items()
    ]
    return TextSummary(
        num_documents=corpus.num_documents,
        num_words=sum(table.num_words for table in corpus.tables.values()),
        num_distinct_words=len(word_counts),
        num_characters=len(set().union(*word_counts)),
        num_uncovered_characters=len(uncovered),
        uncovered_characters=uncovered,
        **measure_coverage(word_counts, vocab)._asdict(),
        languages=languages,
    )
