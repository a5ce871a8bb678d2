r"""Makes pre-training records (masked LM and next sentence) from text files.

Same records in the same order as create_pretraining_data.py of google-research/bert, from the same
flags. Input: one sentence a line, an empty line between documents, or another --input_format. The
corpus and its records are held in memory.

    python -m tfrecord_tools.create_pretraining_data --input_file='texts/*.txt' \
        --output_file=train.tfrecord --vocab_file=vocab.txt --max_seq_length=128

Beside the first output file a summary is written, NAME.summary.json.
"""

import dataclasses

from bert_keras import flags
from bert_keras.backend import import_tensorflow_quietly
from tfrecord_tools.corpus.settings import CorpusSettings
from tfrecord_tools.single_stream.instances import MIN_SEQ_LENGTH
from tfrecord_tools.summary import Summary


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings(CorpusSettings):
    output_file: list[str] = flags.required(
        "TFRecord files, separated by commas; records are dealt out to them in turn."
    )
    vocab_file: str = flags.required("WordPiece vocabulary, one token a line.")
    do_lower_case: bool = flags.setting(
        True, "Lower the case and strip accents; must suit the vocabulary."
    )
    do_whole_word_mask: bool = flags.setting(
        False,
        "Predict all pieces of a word together. Each piece still becomes [MASK], random or itself "
        "by its own dice.",
    )
    max_seq_length: int = flags.setting(
        128,
        "Length of a record in tokens. Shorter pairs are padded, longer ones lose tokens of the "
        "longer text, each at its front or back by chance.",
        minimum=MIN_SEQ_LENGTH,
    )
    max_predictions_per_seq: int = flags.setting(20, "Most masked tokens of a record.", minimum=1)
    random_seed: int = flags.setting(12345, "Seed of everything that is drawn.")
    dupe_factor: int = flags.setting(
        10, "How many times the corpus is gone through, with other masks and pairs.", minimum=1
    )
    masked_lm_prob: float = flags.setting(
        0.15, "Share of the tokens to mask.", minimum=0, maximum=1
    )
    short_seq_prob: float = flags.setting(
        0.1, "Share of the documents that are cut into shorter pairs.", minimum=0, maximum=1
    )


def create_pretraining_data(settings: Settings) -> Summary:
    """Reads the corpus, writes the records and the summary.

    Raises:
      InputError: settings, files or corpus cannot work. No output file is left behind then.
    """
    from tfrecord_tools.single_stream import (
        creation,  # loads TensorFlow, which --help does not need
    )

    return creation.create(settings)


def main(settings: Settings) -> None:
    import_tensorflow_quietly()
    print(create_pretraining_data(settings))


if __name__ == "__main__":
    flags.run(main, Settings)
