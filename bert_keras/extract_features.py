r"""Writes what chosen layers of a BERT make of the tokens of each line of a text file.

    python -m bert_keras.extract_features --input_file=texts.txt --output_file=features.jsonl \
        --init_checkpoint=uncased_L-12_H-768_A-12 --layers=-1,-2,-3,-4

A line is a text, or two: `text a ||| text b`. The flags are those of extract_features.py in
google-research/bert, and so is the output, an object a line. If the name of --output_file ends in
.npz it holds `values_0` [tokens, layers, width] and `tokens_0` of line 0, and so on; if it ends in
.parquet, a row for each token. Output and progress come while the input is read, and the file has
its name when it is complete.
"""

import dataclasses

from bert_keras import flags
from bert_keras.backend import check_backend, import_tensorflow_quietly
from bert_keras.checkpoints.model_settings import ModelSettings

MOST_LINES = 2**20
DEVICES = "a GPU is used if there is one, else the CPU."
REPLACED_FLAGS = {
    "use_tpu": DEVICES,
    "master": DEVICES,
    "num_tpu_cores": DEVICES,
    "use_one_hot_embeddings": "the table is read in the way that is fastest.",
}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings(ModelSettings):
    """The flags of the program: texts, model, layers."""

    input_file: str = flags.required("Text file, a text or `text a ||| text b` a line.")
    output_file: str = flags.required(
        "File to write: .npz, .parquet, or of any other name for JSON lines."
    )
    init_checkpoint: str = flags.required(
        "The pretrained model: a folder of Google's, of Hugging Face's or of this project, or the "
        "weights in it."
    )
    layers: list[str] = flags.setting(
        ("-1", "-2", "-3", "-4"),
        "Numbers of layers: -1 is the last one, 0 the first; below the first, so -13 of twelve, "
        "are the embeddings.",
    )
    batch_size: int = flags.setting(
        32, "Lines of a step; changes no result.", minimum=1, maximum=MOST_LINES
    )


def main(settings: Settings) -> None:
    check_backend()  # before the modules below load Keras
    import_tensorflow_quietly()
    from bert_keras.feature_extraction import job

    job.run(settings)


if __name__ == "__main__":
    flags.run(main, Settings, REPLACED_FLAGS)
