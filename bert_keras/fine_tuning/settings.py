"""The flags that all fine-tuning programs share. Loads no TensorFlow."""

import dataclasses

from bert_keras import flags
from bert_keras.checkpoints.model_settings import ModelSettings
from bert_keras.training.devices import DeviceSettings
from bert_keras.training.loop_settings import MOST_EXAMPLES, MOST_STEPS, LoopSettings


@dataclasses.dataclass(frozen=True, kw_only=True)
class FineTuningSettings(LoopSettings, DeviceSettings, ModelSettings):
    """Which model, how it is trained, and what is done with it."""

    report_steps: int = flags.setting(20, "Steps between reports.", minimum=1, maximum=MOST_STEPS)
    output_dir: str | None = flags.setting(
        None, "Folder for checkpoints, reports, results, predictions and the finished model."
    )
    do_train: bool = flags.setting(False, "Train.")
    do_eval: bool = flags.setting(False, "Evaluate, by the official metrics.")
    do_predict: bool = flags.setting(False, "Write predictions.")
    train_batch_size: int = flags.setting(
        32, "Examples of a training step, over all devices.", minimum=1, maximum=MOST_EXAMPLES
    )
    eval_batch_size: int = flags.setting(
        32, "Examples of an evaluation step; changes no result.", minimum=1, maximum=MOST_EXAMPLES
    )
    predict_batch_size: int = flags.setting(
        32, "Examples of a prediction step; changes no result.", minimum=1, maximum=MOST_EXAMPLES
    )
    learning_rate: float = flags.setting(5e-5, "Peak of the learning rate.")
    learning_rate_schedule: str = flags.setting(
        "original",
        "`original` rises, then falls on a line that counts from step 0, so that it drops where "
        "the warm-up ends; `continuous` falls from the end of the warm-up on; `constant` keeps the "
        "peak; `slanted_triangular` is ULMFiT's.",
    )
    num_train_epochs: float = flags.setting(
        3.0, "How often every example is seen.", minimum=0, maximum=MOST_STEPS
    )
    warmup_proportion: float = flags.setting(
        0.1, "Share of the steps in which the rate rises from 0.", minimum=0, maximum=1
    )
    random_seed: int = flags.setting(
        12345,
        "Seed of the new weights, of the order of the examples and of dropout.",
        minimum=0,
        maximum=2**31 - 1,
    )
    num_seeds: int = flags.setting(
        1,
        "Runs with --random_seed and those that follow it, each in a folder of its own; reported "
        "are mean and standard deviation, kept is the best.",
        minimum=1,
        maximum=1000,
    )
    layer_rate_decay: float = flags.setting(
        1.0,
        "Each layer learns at so many times the rate of the layer above it (ULMFiT, arXiv:"
        "1801.06146); 1 is the paper's.",
        minimum=0,
        maximum=1,
    )
    num_frozen_layers: int = flags.setting(
        0, "Keep the embeddings and so many layers above them as they are; 0 trains all.", minimum=0
    )
    unfreeze_every_epochs: float = flags.setting(
        0.0,
        "Train the head alone at first, and one layer more, from the top, whenever so many epochs "
        "are done (ULMFiT); 0 trains all from the start.",
        minimum=0,
    )
    correct_bias: bool = flags.setting(
        False,
        "Adam with bias correction, which steadies small data sets (Mosbach et al. 2021, "
        "arXiv:2006.04884); BERT was fine-tuned without.",
    )
    early_stopping_epochs: int = flags.setting(
        0,
        "Evaluate after every epoch, keep the best weights, and end when the metric has not risen "
        "for so many; 0 trains to the end and keeps the last.",
        minimum=0,
        maximum=MOST_STEPS,
    )

    @property
    def needs_evaluation(self) -> bool:
        """Whether examples are scored: at the end, or after every epoch."""
        return self.do_eval or self.early_stopping_epochs > 0
