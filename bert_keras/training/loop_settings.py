"""The flags of the training loop, the same for every program that trains. Loads no TensorFlow."""

import dataclasses

from bert_keras import flags

MOST_STEPS = 2**31 - 1  # what a 32-bit counter holds
MOST_EXAMPLES = 2**20  # of a batch, some ten times what BERT was ever trained with


@dataclasses.dataclass(frozen=True, kw_only=True)
class LoopSettings:
    """When a run saves, reports and stops. The settings of a program inherit these."""

    save_checkpoints_steps: int = flags.setting(
        1000, "Steps between checkpoints.", minimum=1, maximum=MOST_STEPS
    )
    keep_checkpoint_max: int = flags.setting(
        5, "Newest checkpoints that are kept; 0 keeps all.", minimum=0, maximum=MOST_STEPS
    )
    keep_checkpoint_every_steps: int = flags.setting(
        0,
        "Beside the newest, keep the checkpoints of every so many steps, a multiple of "
        "--save_checkpoints_steps; 0 keeps none of them.",
        minimum=0,
        maximum=MOST_STEPS,
    )
    report_steps: int = flags.setting(100, "Steps between reports.", minimum=1, maximum=MOST_STEPS)
    iterations_per_loop: int = flags.setting(
        1,
        "Steps that the devices take before they return to the host; useful on a TPU. Reports and "
        "saves come at their steps all the same; a signal is met between two loops.",
        minimum=1,
        maximum=MOST_STEPS,
    )
    stop_after_steps: int = flags.setting(
        0,
        "Save and end after so many steps of this command, with status 0; 0 goes to the end.",
        minimum=0,
        maximum=MOST_STEPS,
    )
    max_hours: float = flags.setting(
        0.0, "Save and end after so many hours, with status 0; 0 goes to the end.", minimum=0
    )
