r"""Fine-tunes BERT to label the words of sentences: named entities, parts of speech.

    python -m bert_keras.run_tagging --do_train --do_eval --train_file=wnut17train.conll \
        --dev_file=emerging.dev.conll --init_checkpoint=cased_L-12_H-768_A-12 --output_dir=wnut17
    python -m bert_keras.run_tagging --do_predict --test_file=new.conll --output_dir=wnut17

Files have a word and its tag in columns, a blank line after each sentence: CoNLL's of any number of
columns, Universal NER's .iob2, and .conllu, of which UPOS is learned. The labels are those of the
training file and are stored with the model.

The first piece of a word carries its label. Sentences longer than --max_seq_length are cut into
windows that overlap, and every word is labeled where it has most context; one without a piece, such
as a zero-width space, is labeled O, or where there is no O the most frequent label. So the
predictions, `test_predictions.conll`, are the words of the input, each with its label.

Entities (IOB, IOBES, BILOU) are scored by seqeval, as conlleval does, other labels by accuracy;
every word counts. The paper gives the sentences around as well (section 5.3), this program one
sentence at a time.
"""

import dataclasses

from bert_keras import flags
from bert_keras.fine_tuning.program import Program
from bert_keras.fine_tuning.settings import FineTuningSettings
from bert_keras.training.devices import REPLACED_FLAGS


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings(FineTuningSettings):
    """The flags of the program: which files, and which of their columns."""

    max_seq_length: int = flags.setting(
        128,
        "Most word pieces of a window, [CLS] and [SEP] among them; longer sentences have several.",
        minimum=3,
        maximum=2**20,
    )
    train_file: str | None = flags.setting(None, "Sentences to train on.")
    dev_file: str | None = flags.setting(None, "Sentences to evaluate on.")
    test_file: str | None = flags.setting(
        None,
        "Sentences to predict the tags of; they need none, and if they have any, it is unused.",
    )
    token_column: int | None = flags.setting(
        None,
        "Column of the words, from 0; negative counts from the last. By default 1 in .conllu and "
        ".iob2, whose column 0 numbers them, else 0.",
    )
    tag_column: int | None = flags.setting(
        None,
        "Column of the tags. By default 3 in .conllu (4 is XPOS), 2 in .iob2, else -1, the last.",
    )
    labels_file: str | None = flags.setting(
        None,
        "All labels, one a line, for where the training file lacks some of them.",
    )


PROGRAM = Program(Settings, "tagging")


def main(settings: Settings) -> int:
    """Returns the exit status, see `Program.run`."""
    return PROGRAM.run(settings)


if __name__ == "__main__":
    flags.run(main, Settings, REPLACED_FLAGS)
