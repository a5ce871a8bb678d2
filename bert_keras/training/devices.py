"""The flags that say where a program runs and how it computes, the same for every program.

Loads no TensorFlow.
"""

import dataclasses

from bert_keras import flags

REPLACED_FLAGS = {"num_tpu_cores": "all cores of the TPU are used."}


@dataclasses.dataclass(frozen=True, kw_only=True)
class DeviceSettings:
    """Where a run computes, and how. The settings of a program inherit these.

    But for `precision` none of them changes the result beyond rounding and the dropout masks, of
    which every replica and every part of a batch draws its own.
    """

    strategy: str | None = flags.setting(
        None,
        "`one` device; `mirrored` over all of this machine; `multi_worker`: over the machines that "
        "TF_CONFIG describes; `tpu`. Without it: the TPU if one is named, else the workers of "
        "TF_CONFIG, else all GPUs, else the CPU.",
    )
    tpu: str | None = flags.setting(
        None, "TPU to use: its name, its grpc:// address, or `local` on a TPU VM."
    )
    use_tpu: bool = flags.setting(False, "Use the TPU of --tpu_name or --master.")
    tpu_name: str | None = flags.setting(None, "The older form of --tpu, with --use_tpu.")
    master: str | None = flags.setting(None, "grpc:// address of the TPU, with --use_tpu.")
    tpu_zone: str | None = flags.setting(None, "Zone of the TPU, where it is not known.")
    gcp_project: str | None = flags.setting(None, "Project of the TPU, where it is not known.")
    precision: str = flags.setting(
        "float32",
        "`bfloat16` multiplies in it, and keeps weights, moments, softmax, LayerNorm and losses in "
        "float32; `float32` does all in that.",
    )
    gradient_accumulation_steps: int = flags.setting(
        1,
        "Equal parts that a replica cuts its share of a batch into, to keep the activations of one "
        "part only. The step stays that of the whole batch.",
        minimum=1,
        maximum=2**20,
    )
    xla: bool = flags.setting(
        False, "Compile the forward and backward pass as a whole; a TPU always does."
    )
