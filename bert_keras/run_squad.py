r"""Fine-tunes BERT to find answers in texts: SQuAD 1.1 and 2.0, and files in their layout.

The flags are those of run_squad.py in google-research/bert.

    python -m bert_keras.run_squad --do_train --train_file=train-v1.1.json \
        --do_eval --do_predict --predict_file=dev-v1.1.json \
        --init_checkpoint=uncased_L-12_H-768_A-12 --output_dir=squad_output
    python -m bert_keras.run_squad --do_train --train_file=train-v2.0.json \
        --do_eval --do_predict --predict_file=dev-v2.0.json --version_2_with_negative \
        --num_train_epochs=2 --train_batch_size=48 \
        --init_checkpoint=uncased_L-12_H-768_A-12 --output_dir=squad_2_output

--do_predict writes predictions.json, nbest_predictions.json and, in version 2.0, null_odds.json, as
the original does. --do_eval writes eval_results.txt: exact match and F1 of the official scripts, in
percent; in version 2.0 also those of questions with and without answer, and the value of
--null_score_diff_threshold that would be best (`best_f1_thresh`). Like the official script, it is
sought below the present one: begin with a large one, such as 1000.

Of a training question with several answers the first is learned. A question whose answer is not in
the context at its offset (in characters) is left out of training; how many are is said.
"""

import dataclasses

from bert_keras import flags
from bert_keras.fine_tuning.program import Program
from bert_keras.fine_tuning.settings import FineTuningSettings
from bert_keras.training import devices

REPLACED_FLAGS = devices.REPLACED_FLAGS | {
    "verbose_logging": "what is left out of a file is always said, in a line."
}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings(FineTuningSettings):
    """The flags of the program: which questions, how they are cut, how answers are chosen."""

    train_file: str | None = flags.setting(None, "Questions to train on: JSON of SQuAD's layout.")
    predict_file: str | None = flags.setting(
        None, "Questions to answer; with answers of people if --do_eval."
    )
    max_seq_length: int = flags.setting(
        384,
        "Most word pieces of an input: [CLS] question [SEP] context [SEP]. More than "
        "--max_query_length + 3. Longer contexts are cut into windows.",
        minimum=4,
        maximum=2**20,
    )
    doc_stride: int = flags.setting(
        128,
        "Pieces from the start of a window to that of the next; windows never leave a gap.",
        minimum=1,
        maximum=2**20,
    )
    max_query_length: int = flags.setting(
        64, "Most pieces of a question; longer ones are cut.", minimum=0, maximum=2**20
    )
    version_2_with_negative: bool = flags.setting(
        False, "Some questions have no answer in their context: SQuAD 2.0."
    )
    null_score_diff_threshold: float = flags.setting(
        0.0,
        "Answer that there is none if its score exceeds that of the best span by more than this.",
    )
    n_best_size: int = flags.setting(
        20,
        "Answers of a question in nbest_predictions.json, and starts and ends of a window that "
        "are considered.",
        minimum=1,
        maximum=2**20,
    )
    max_answer_length: int = flags.setting(
        30, "Most pieces of an answer.", minimum=1, maximum=2**20
    )
    answer_text: str = flags.setting(
        "alignment",
        "`alignment` seeks an answer's pieces in the words of the context, as the original does, "
        "and takes whole words where that fails; `offsets` takes the characters that the pieces "
        "were made of.",
    )
    keep_windows_without_answer: bool = flags.setting(
        True,
        "Train on the windows, too, that do not show their question's answer, with [CLS] as the "
        "target, as the original does in both versions of SQuAD.",
    )


PROGRAM = Program(Settings, "question_answering")


def main(settings: Settings) -> int:
    """Returns the exit status, see `Program.run`."""
    return PROGRAM.run(settings)


if __name__ == "__main__":
    flags.run(main, Settings, REPLACED_FLAGS)
