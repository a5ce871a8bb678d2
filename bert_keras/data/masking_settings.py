"""How tokens are chosen and hidden: the rules and numbers of the papers, and the flags.

The same for masks that are made with the records and for masks that are made anew in every epoch.
Which tokens are predicted, of `limit = min(P, max(1, round(number of tokens * share)))`:

- token: single pieces at random (Devlin et al. 2018, arXiv:1810.04805, section 3.1).
- whole_word: words in random order; one that does not fit what is left of the limit is passed over
  (`create_masked_lm_predictions` of google-research/bert).
- ngram: runs of 1 to 3 words, n words with a share as 1 / n (Lan et al. 2019, arXiv:1909.11942,
  section 4.1). As in their code every word begins one run at most, in random order; a run is
  shortened until it fits, and passed over if it overlaps one chosen before.
- span: runs of 1 to 10 words, geometric with p = 0.2 (Joshi et al. 2019, arXiv:1907.10529,
  section 3.1). The last one is cut so that the limit is met exactly. Where a span meets one chosen
  before it ends; in the authors' code it goes on behind, and both become one.

A run does not go past a token that is no candidate, such as [SEP]. A piece right after one begins a
word, also if truncation left it without its beginning.

Loads no TensorFlow.
"""

import dataclasses
import math
import os
from collections.abc import Mapping

from bert_keras import flags
from bert_keras.errors import InputError
from bert_keras.tokenizers.vocabulary import (
    CLASSIFICATION,
    MASK,
    SEPARATOR,
    require_tokens,
    vocabulary_size,
)

MASKINGS = ("token", "whole_word", "ngram", "span", "none")
WHOLE_WORD_DECISIONS = ("piece", "word")

NUM_NGRAM_WORDS = 3
NUM_SPAN_WORDS = 10
SPAN_END_PROB = 0.2

# Of runs of 1, 2, ... words, the shares. Those of a geometric distribution that ends at 10 words
# are divided by their sum, as in SpanBERT's code; the mean is the 3.8 words of the paper.
RUN_LENGTH_SHARES = {
    "whole_word": (1.0,),
    "ngram": tuple(
        1 / words / sum(1 / n for n in range(1, NUM_NGRAM_WORDS + 1))
        for words in range(1, NUM_NGRAM_WORDS + 1)
    ),
    "span": tuple(
        SPAN_END_PROB * (1 - SPAN_END_PROB) ** words / (1 - (1 - SPAN_END_PROB) ** NUM_SPAN_WORDS)
        for words in range(NUM_SPAN_WORDS)
    ),
}


@dataclasses.dataclass(frozen=True, kw_only=True)
class MaskShares:
    """What becomes of predicted tokens. The settings of a program inherit these."""

    mask_share: float = flags.setting(
        0.8, "Share of the predicted tokens that become [MASK].", minimum=0, maximum=1
    )
    keep_share: float = flags.setting(
        0.1, "Share of the predicted tokens that stay as they are.", minimum=0, maximum=1
    )
    random_share: float = flags.setting(
        0.1,
        "Share of the predicted tokens that become a random token, any of the vocabulary.",
        minimum=0,
        maximum=1,
    )


@dataclasses.dataclass(frozen=True, kw_only=True)
class MaskingSettings(MaskShares):
    """Masks of a record. The settings of a program inherit these."""

    masking: str = flags.setting(
        "token",
        "What is predicted: `token` single pieces (BERT), `whole_word` all pieces of a word, "
        "`ngram` runs of 1 to 3 words (ALBERT), `span` runs of 1 to 10 words that share one "
        "decision (SpanBERT), `none` nothing yet: the masks are made during training.",
    )
    masked_lm_prob: float = flags.setting(
        0.15, "Share of the tokens to predict.", minimum=0, maximum=1
    )
    max_predictions_per_seq: int = flags.setting(
        20, "Most predicted tokens of a record.", minimum=1, maximum=2**20
    )
    whole_word_decision: str = flags.setting(
        "piece",
        "With whole_word and ngram, who throws the dice for [MASK], kept or random: each `piece` "
        "(the original), or the `word` for all its pieces.",
    )


@dataclasses.dataclass(frozen=True)
class Masking:
    """The settings with the ids of a vocabulary; `masking_for` makes it."""

    settings: MaskingSettings
    mask_id: int
    vocab_size: int
    special_ids: tuple[int, ...]  # [CLS] and [SEP], which are never predicted


def masking_for(
    settings: MaskingSettings, vocabulary: Mapping[str, int], vocab_file: str | os.PathLike
) -> Masking:
    """Joins settings and vocabulary; `vocab_file` is its name for a message.

    Raises:
      InputError: the settings contradict each other, or the vocabulary lacks a special token.
    """
    check_masking(settings)
    require_tokens(vocabulary, [CLASSIFICATION, SEPARATOR, MASK], vocab_file)
    special_ids = (vocabulary[CLASSIFICATION], vocabulary[SEPARATOR])
    return Masking(settings, vocabulary[MASK], vocabulary_size(vocabulary), special_ids)


def check_masking(settings: MaskingSettings) -> None:
    """Raises InputError for an unknown name, a number out of range, or shares that are no whole."""
    flags.check_numbers(settings)
    names = {"masking": MASKINGS, "whole_word_decision": WHOLE_WORD_DECISIONS}
    for name, known in names.items():
        value = getattr(settings, name)
        if value not in known:
            raise InputError(f"--{name} must be one of {', '.join(known)}. Received: {value}")
    check_shares(settings)


def check_shares(settings: MaskShares) -> None:
    """Raises InputError for shares that are not the whole."""
    shares = (settings.mask_share, settings.keep_share, settings.random_share)
    if not math.isclose(sum(shares), 1, abs_tol=1e-6):
        raise InputError(
            "--mask_share, --keep_share and --random_share must sum to 1. Received: "
            f"{' + '.join(map(str, shares))} = {sum(shares):g}"
        )


def unit_of_decision(settings: MaskingSettings) -> str:
    """What shares one decision for [MASK], kept or random: a "piece", a "word" or a "run"."""
    decisions = {"token": "piece", "span": "run"}
    return decisions.get(settings.masking, settings.whole_word_decision)
