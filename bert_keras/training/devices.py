"""The flags that say where a program runs, the same for every program. Loads no TensorFlow."""

import dataclasses

from bert_keras import flags

REPLACED_FLAGS = {"num_tpu_cores": "all cores of the TPU are used."}


@dataclasses.dataclass(frozen=True, kw_only=True)
class DeviceSettings:
    """Devices of a run. The settings of a program inherit these."""

    tpu: str | None = flags.setting(
        None, "TPU to use: its name, its grpc:// address, or `local` on a TPU VM."
    )
    use_tpu: bool = flags.setting(False, "Use the TPU of --tpu_name or --master.")
    tpu_name: str | None = flags.setting(None, "The older form of --tpu, with --use_tpu.")
    master: str | None = flags.setting(None, "grpc:// address of the TPU, with --use_tpu.")
    tpu_zone: str | None = flags.setting(None, "Zone of the TPU, where it is not known.")
    gcp_project: str | None = flags.setting(None, "Project of the TPU, where it is not known.")
