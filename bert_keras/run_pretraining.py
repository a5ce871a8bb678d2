r"""Pre-trains BERT on TFRecords with masked LM and next-sentence prediction, and evaluates it.

The flags are those of run_pretraining.py in google-research/bert. With no flag, or --output_dir
alone, it makes records from the sample corpus that the package holds and trains a tiny BERT on it.

    python -m bert_keras.run_pretraining --do_train --input_file='train-*.tfrecord' \
        --bert_config_file=bert_config.json --vocab_file=vocab.txt --output_dir=my_bert
    python -m bert_keras.run_pretraining --do_eval --input_file=held_out.tfrecord \
        --bert_config_file=bert_config.json --output_dir=my_bert

Records without masks (--masking=none when they are made) get fresh ones in every epoch; --masking,
--masked_lm_prob and the shares say how, and --vocab_file is needed.

Records of one text (--pairs=none) all have the next-sentence label 0. Its loss soon vanishes and
its accuracy means nothing; what is learned then is masked LM alone.

A run that was stopped or killed is continued by the same command, with the same result as if it
had not been. SIGTERM saves and exits with status 0, Ctrl-C saves and exits with 130.
"""

import dataclasses

from bert_keras import flags
from bert_keras.backend import check_backend, import_tensorflow_quietly
from bert_keras.data.masking_settings import MaskingSettings
from bert_keras.training.devices import REPLACED_FLAGS, DeviceSettings
from bert_keras.training.loop_settings import MOST_EXAMPLES, MOST_STEPS, LoopSettings


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings(LoopSettings, DeviceSettings, MaskingSettings):
    """The flags of the program: what to train on, which model, for how long."""

    input_file: list[str] = flags.setting(
        (), "TFRecords of pre-training examples: comma-separated files and globs."
    )
    output_dir: str | None = flags.setting(
        None, "Folder for checkpoints, reports and the finished model."
    )
    bert_config_file: str | None = flags.setting(
        None, "JSON file with the configuration of the model."
    )
    vocab_file: str | None = flags.setting(
        None, "Vocabulary that the records were made with; it goes into the finished model."
    )
    do_lower_case: bool = flags.setting(True, "Whether the vocabulary is lower-cased.")
    init_checkpoint: str | None = flags.setting(
        None,
        "Weights that a new run begins with: a checkpoint of the original, of a run or a "
        "finished model, a folder of Hugging Face's. Step and moments begin anew.",
    )
    max_seq_length: int = flags.setting(
        128, "Length of the examples, as the records have it.", minimum=1, maximum=2**20
    )
    max_predictions_per_seq: int = flags.setting(
        20,
        "Masked positions of an example, as the records have them; the most, if they have none.",
        minimum=1,
        maximum=2**20,
    )
    pack_sequences: bool = flags.setting(
        False,
        "Let short examples share a row where padding would be; for records that hold masks. Batch "
        "sizes and reports then count rows for examples.",
    )
    do_train: bool = flags.setting(False, "Train.")
    do_eval: bool = flags.setting(False, "Evaluate on --input_file.")
    check: bool = flags.setting(
        False, "Only check whether flags, files and devices can work together."
    )
    dry_run: bool = flags.setting(
        False,
        "Only say how large the model is, what memory it needs, and after a few steps on the "
        "records how long the training would take. Nothing is written.",
    )
    train_batch_size: int = flags.setting(
        32, "Examples of a training step, over all devices.", minimum=1, maximum=MOST_EXAMPLES
    )
    eval_batch_size: int = flags.setting(
        8, "Examples of an evaluation step, over all devices.", minimum=1, maximum=MOST_EXAMPLES
    )
    learning_rate: float = flags.setting(5e-5, "Peak of the learning rate, used as it is.")
    learning_rate_schedule: str = flags.setting(
        "original",
        "`original` decays from step 0 on, so that the rate drops where the warm-up ends; "
        "`continuous` decays from the end of the warm-up on; `constant` keeps the peak.",
    )
    decay_power: float = flags.setting(
        1.0, "Power of the polynomial by which the rate decays; 1 is linear.", maximum=100
    )
    optimizer: str = flags.setting(
        "adamw", "`adamw`: BERT's Adam with weight decay; `lamb`: for batches of many thousands."
    )
    clipping: str = flags.setting(
        "global",
        "`global` clips the gradient of the whole batch to norm 1; `replica` clips that of every "
        "device before they are added, as the original does on a TPU.",
    )
    num_train_steps: int = flags.setting(
        100000, "Training steps of the whole run.", minimum=1, maximum=MOST_STEPS
    )
    num_warmup_steps: int = flags.setting(
        10000, "Steps in which the rate rises from 0.", minimum=0, maximum=MOST_STEPS
    )
    rematerialize: bool = flags.setting(
        False,
        "Keep only the borders of the layers for the backward pass and compute the inside again: "
        "less memory, about a third more time.",
    )
    max_eval_steps: int = flags.setting(
        100,
        "Most batches of an evaluation; 0 evaluates the whole input. A notice says what was cut.",
        minimum=0,
        maximum=MOST_STEPS,
    )
    random_seed: int = flags.setting(
        12345,
        "Seed of the initial weights, of the order of the records and of dropout.",
        minimum=0,
        maximum=2**31 - 1,
    )


def main(settings: Settings) -> int:
    """Returns the exit status: 0 also after SIGTERM, 130 after Ctrl-C."""
    check_backend()  # before the modules below load Keras
    import_tensorflow_quietly()
    from bert_keras import quick_start
    from bert_keras.pretraining import job
    from bert_keras.training.stop import StopRequest

    with StopRequest() as stop:
        if settings == Settings(output_dir=settings.output_dir):
            quick_start.run(
                settings.output_dir or quick_start.OUTPUT_DIR,
                pretrain=lambda **values: job.run(Settings(**values), stop),
                stop=stop,
            )
        else:
            job.run(settings, stop)
    return stop.exit_status


if __name__ == "__main__":
    flags.run(main, Settings, REPLACED_FLAGS)
