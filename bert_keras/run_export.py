r"""Exports a finished model for TensorFlow Serving: raw text in, answers out.

    python -m bert_keras.run_export --model=out/sst2 --output_dir=served/sst2

Writes --output_dir/1, the next time --output_dir/2, and so on: a SavedModel that holds the
tokenizer, with a README.md that shows how it is asked. What the task needs is taken from the
folder of the model.
"""

import dataclasses

from bert_keras import flags
from bert_keras.backend import check_backend, import_tensorflow_quietly
from bert_keras.errors import InputError


@dataclasses.dataclass(frozen=True)
class Settings:
    """The flags of the program."""

    model: str = flags.required("Folder of a finished model.")
    output_dir: str = flags.required("Folder of the versions; a server watches it.")
    task: str | None = flags.setting(
        None, "What is asked for; by default what the folder says, or what its head is for."
    )
    max_seq_length: int | None = flags.setting(
        None, "The most tokens of an example; by default as in the training.", minimum=3
    )
    precision: str = flags.setting(
        "float32", "`float32`, or `bfloat16` where the processor multiplies it faster."
    )
    xla: bool = flags.setting(
        False, "Compile the model with XLA, anew for each shape of its inputs: for fixed shapes."
    )
    core_ops_only: bool = flags.setting(
        False, "Nothing of TensorFlow Text in the graph, for servers without it; a bit slower."
    )


def main(settings: Settings) -> None:
    check_backend()
    import_tensorflow_quietly()
    from bert_keras.serving.load import load_head
    from bert_keras.serving.saved_model import export
    from bert_keras.training.precision import POLICIES, precision

    if settings.precision not in POLICIES:
        raise InputError(
            f"--precision must be {' or '.join(POLICIES)}. Received: {settings.precision}"
        )
    with precision(settings.precision):
        head = load_head(settings.model, settings.task, max_seq_length=settings.max_seq_length)
    print(export(head, settings.output_dir, settings.xla, settings.core_ops_only))


if __name__ == "__main__":
    flags.run(main, Settings)
