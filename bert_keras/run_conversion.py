r"""Converts a pretrained BERT between Google's TF1 format, Hugging Face's and ours.

    python -m bert_keras.run_conversion --format=bert_keras \
        --input=uncased_L-12_H-768_A-12 --output=my_bert
    python -m bert_keras.run_conversion --format=hugging_face --input=my_bert --output=for_torch

What lies at --input is told by its content: a release of Google's or a checkpoint of its programs,
a folder of Hugging Face's with safetensors, one of Sentence-Transformers, one of ours. Heads, and
in Google's format and ours Adam's moments and the step, are carried over. On the way the
vocabulary, the positions and the layers can be changed.

It reads back what it wrote, runs both models on one batch, and prints which weights were unused,
missing and fresh, and the largest difference of each output. Names of all weights are in
conversion.json in the output.
"""

import dataclasses

from bert_keras import command_line, flags
from bert_keras.backend import check_backend, import_tensorflow_quietly

MOST_POSITIONS = 2**20


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings:
    """The flags of the program: from where, to where, and what to change on the way."""

    input: str = flags.required(
        "Folder of a pretrained model, or its weights: a checkpoint's prefix, a .safetensors file."
    )
    output: str = flags.required("Folder to write, a new or an empty one.")
    format: str = flags.required("`tf1` (Google's), `hugging_face` or `bert_keras` (ours).")
    model: str | None = flags.setting(
        None,
        "What the output is for: `bert`, `unpooled_bert`, `pretrainer`, `masked_lm`, "
        "`next_sentence`, `classifier`, `token_classifier`, `multiple_choice` or "
        "`question_answering`; other heads are left out. "
        "By default what the input says or its heads show, and all else of BERT's that is there.",
    )
    labels: list[str] = flags.setting((), "The classes of a new classifier, comma-separated.")
    allow_fresh: bool = flags.setting(
        False, "Let heads and a pooler that are missing in the input begin fresh, at random values."
    )
    strict: bool = flags.setting(False, "Stop if a weight of the input would have no place.")
    do_lower_case: bool | None = flags.setting(
        None, "Case setting of the vocabulary, where the input does not say it."
    )
    max_shard_size: str | None = flags.setting(
        None, "Most bytes of one file of weights, such as 500MB or 2GB."
    )
    new_vocab_file: str | None = flags.setting(
        None, "Vocabulary to change to: rows of tokens of both are kept, bit for bit."
    )
    new_rows: str = flags.setting(
        "mean", "Rows of new tokens: `mean` of those of the old pieces of the word, or `random`."
    )
    new_do_lower_case: bool | None = flags.setting(
        None, "Case setting of the new vocabulary, if it is not that of the old one."
    )
    max_position_embeddings: int | None = flags.setting(
        None, "Positions to change to.", minimum=1, maximum=MOST_POSITIONS
    )
    new_positions: str = flags.setting(
        "copy", "More positions are a `copy` of the old ones, or `interpolate` between them."
    )
    keep_layers: list[str] = flags.setting(
        (), "Numbers of the layers to keep, from 0, comma-separated; the others are dropped."
    )
    random_seed: int = flags.setting(12345, "Seed of fresh weights.", minimum=0, maximum=2**31 - 1)


def main(settings: Settings) -> None:
    check_backend()  # before the modules below load Keras
    import_tensorflow_quietly()
    from bert_keras.checkpoints.conversion import job

    job.run(settings, command_line.command(settings))


if __name__ == "__main__":
    flags.run(main, Settings)
