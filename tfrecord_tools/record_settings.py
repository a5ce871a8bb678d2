"""What records hold, and where they go: the flags of every program that makes them."""

import dataclasses

from bert_keras import flags
from bert_keras.data.masking_settings import MaskingSettings
from bert_keras.errors import InputError
from bert_keras.notices import notify
from tfrecord_tools.corpus.settings import CorpusSettings

MIN_SEQ_LENGTH = 5  # [CLS] a [SEP] b [SEP], of a token each
DEFAULT_PACKING = "full_sentences"


@dataclasses.dataclass(frozen=True, kw_only=True)
class RecordSettings(MaskingSettings, CorpusSettings):
    """What the records hold. The settings of a program inherit these."""

    output_file: list[str] = flags.required(
        "TFRecord files, separated by commas; records are dealt out to them in turn."
    )
    vocab_file: str = flags.required("WordPiece vocabulary, one token a line.")
    do_lower_case: bool = flags.setting(
        True, "Lower the case and strip accents; must suit the vocabulary."
    )
    do_whole_word_mask: bool = flags.setting(False, "The same as --masking=whole_word.")
    max_seq_length: int = flags.setting(
        128,
        "Length of a record in tokens. Shorter pairs are padded, longer ones lose tokens of the "
        "longer text, each at its front or back by chance.",
        minimum=MIN_SEQ_LENGTH,
        maximum=2**20,
    )
    pairs: str = flags.setting(
        "next_sentence",
        "What a record joins: next_sentence (BERT: half of the second texts are random), "
        "sentence_order (ALBERT: half of the pairs are swapped), none (--packing).",
    )
    packing: str = flags.setting(
        DEFAULT_PACKING,
        "With --pairs=none: full_sentences (RoBERTa) fills a record, on into the next document, "
        "doc_sentences ends it with the document.",
    )
    short_seq_prob: float = flags.setting(
        0.1, "Share of the documents that are cut into shorter pairs.", minimum=0, maximum=1
    )
    segmenter: str | None = flags.setting(
        None,
        "module:function that cuts a text into words, such as jieba:lcut, to mask whole words of "
        "languages without spaces.",
    )
    dupe_factor: int = flags.setting(
        10, "How many times the corpus is gone through, with other masks and pairs.", minimum=1
    )
    random_seed: int = flags.setting(12345, "Seed of everything that is drawn.")
    num_shards: int | None = flags.setting(
        None,
        "Files to write, NAME-00000-of-0000N, or NAME if it is one; builds in buckets.",
        minimum=1,
        maximum=99_999,
    )
    tokens_per_bucket: int = flags.setting(
        1 << 22,
        "Tokens that a worker holds at a time, in about 60 bytes each. Random next sentences come "
        "from the same bucket, so another number makes other records.",
        minimum=1,
    )


def resolved(settings: RecordSettings) -> RecordSettings:
    """The settings with the older flag for whole words expressed by the newer.

    Raises:
      InputError: settings that do not go together.
    """
    if settings.pairs != "none" and settings.packing != DEFAULT_PACKING:
        raise InputError(
            f"--packing goes with --pairs=none. Received: --packing={settings.packing} and "
            f"--pairs={settings.pairs}."
        )
    if settings.pairs == settings.masking == "none" and settings.dupe_factor > 1:
        notify(
            f"without masks and pairs the {settings.dupe_factor} rounds of --dupe_factor hold "
            "nearly the same records; --dupe_factor=1 makes each once"
        )
    if not settings.do_whole_word_mask:
        return settings
    if settings.masking not in ("token", "whole_word"):
        raise InputError(
            "--do_whole_word_mask is --masking=whole_word. Received with it: "
            f"--masking={settings.masking}. Give one of them."
        )
    return dataclasses.replace(settings, masking="whole_word", do_whole_word_mask=False)
