r"""Fine-tunes BERT to choose the right continuation of a text: SWAG, CODAH, RACE.

    python -m bert_keras.run_multiple_choice --do_train --do_eval --train_file=swag/train.csv \
        --dev_file=swag/val.csv --init_checkpoint=uncased_L-12_H-768_A-12 --output_dir=swag_output
    python -m bert_keras.run_multiple_choice --do_predict --test_file=swag/test.csv \
        --output_dir=swag_output
    python -m bert_keras.run_multiple_choice --do_train --train_file='RACE/train/*/*.txt' \
        --max_seq_length=512 --init_checkpoint=uncased_L-12_H-768_A-12 --output_dir=race_output

What a file holds is seen from its name and content. A .csv or .tsv with a header has the columns of
SWAG: sent1, sent2, ending0, ending1, … of any number, label; without one it is CODAH's: category,
prompt, four endings, label. A .json, .jsonl or .txt has JSON objects one after the other, with the
keys of SWAG or of RACE: article, questions, options, answers.

Every choice is a sequence of its own, `[CLS] context [SEP] continuation [SEP]`. For SWAG sent1 is
the context and sent2 with an ending the continuation, for CODAH prompt and ending, for RACE article
and question with option. Examples of different numbers of choices may be mixed.

The predictions, test_results.tsv, have a row for each example: its id, the probability of every
choice, the number of the most probable one. Learning rate and batch are the paper's for SWAG.
"""

import dataclasses

from bert_keras import flags
from bert_keras.fine_tuning.program import Program
from bert_keras.fine_tuning.settings import FineTuningSettings
from bert_keras.training.devices import REPLACED_FLAGS
from bert_keras.training.loop_settings import MOST_EXAMPLES


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings(FineTuningSettings):
    """The flags of the program: which files, and what the paper chose for SWAG."""

    train_file: list[str] = flags.setting(
        (), "Examples to train on: comma-separated files and globs."
    )
    dev_file: list[str] = flags.setting((), "Examples to evaluate on.")
    test_file: list[str] = flags.setting(
        (), "Examples to answer; they need no labels, and if they have any, these are unused."
    )
    train_batch_size: int = flags.setting(
        16,
        "Examples of a training step, each with all its choices, over all devices.",
        minimum=1,
        maximum=MOST_EXAMPLES,
    )
    learning_rate: float = flags.setting(2e-5, "Peak of the learning rate.")


PROGRAM = Program(Settings, "multiple_choice")


def main(settings: Settings) -> int:
    """Returns the exit status, see `Program.run`."""
    return PROGRAM.run(settings)


if __name__ == "__main__":
    flags.run(main, Settings, REPLACED_FLAGS)
