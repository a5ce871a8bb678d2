r"""Exports a finished model: for TensorFlow Serving, raw text in, answers out; for LiteRT or ONNX.

    python -m bert_keras.run_export --model=out/sst2 --output_dir=served/sst2

Writes --output_dir/1, the next time --output_dir/2, and so on: a SavedModel that holds the
tokenizer, with a README.md that shows how it is asked. What the task needs is taken from the
folder of the model.

    python -m bert_keras.run_export --model=out/sst2 --output_dir=phone/sst2 --format=litert \
        --precision=int8 --check_on='--task_name=SST-2 --data_dir=glue/SST-2'

writes a folder for LiteRT, from ids to outputs, if its score is not more than --max_drop points
lower than that of the model.
"""

import dataclasses
from typing import Any

from bert_keras import flags
from bert_keras.backend import check_backend, import_tensorflow_quietly
from bert_keras.errors import InputError
from bert_keras.notices import notify

# Format -> how numbers may be stored in it.
PRECISIONS = {
    "saved_model": ("float32", "bfloat16"),
    "litert": ("float32", "float16", "int8"),
    "onnx": ("float32",),
}


@dataclasses.dataclass(frozen=True)
class Settings:
    """The flags of the program."""

    model: str = flags.required("Folder of a finished model.")
    output_dir: str = flags.required(
        "Folder of the versions, which a server watches; of LiteRT and ONNX a new folder."
    )
    format: str = flags.setting("saved_model", "`saved_model`, `litert` or `onnx`.")
    task: str | None = flags.setting(
        None, "What is asked for; by default what the folder says, or what its head is for."
    )
    max_seq_length: int | None = flags.setting(
        None, "The most tokens of an example; by default as in the training.", minimum=3
    )
    precision: str = flags.setting(
        "float32",
        "`float32`; of a SavedModel also `bfloat16`, where the processor multiplies it faster; of "
        "LiteRT also `float16` and `int8`, whose files are a half and a quarter as large.",
    )
    xla: bool = flags.setting(
        False,
        "SavedModel: compile the model, anew for each shape of its inputs: for ids of few shapes, "
        "as texts have many.",
    )
    core_ops_only: bool = flags.setting(
        False, "SavedModel: nothing of TensorFlow Text, for servers without it; a bit slower."
    )
    length: int | None = flags.setting(
        None, "LiteRT: the number of tokens of every example; by default any.", minimum=3
    )
    check_on: str | None = flags.setting(
        None,
        "LiteRT, ONNX: flags of the program that trained the model which name data with answers; "
        "the scores before and after are compared on them.",
    )
    max_drop: float = flags.setting(
        1.0, "The most points of a hundred by which the score may be lower.", minimum=0
    )


def main(settings: Settings) -> None:
    """Prints the folder that was written."""
    check_settings(settings)
    check_backend()
    import_tensorflow_quietly()
    from bert_keras.serving.load import load_model
    from bert_keras.training.precision import precision

    # Only a SavedModel computes in another type; the others store their weights in one.
    policy = settings.precision if settings.format == "saved_model" else "float32"
    with precision(policy):
        loaded = load_model(settings.model, settings.task, max_seq_length=settings.max_seq_length)
    print(_WRITERS[settings.format](loaded, settings))


def check_settings(settings: Settings) -> None:
    """Raises InputError for a format or precision that is none, or flags of another format."""
    if settings.format not in PRECISIONS:
        raise InputError(
            f"--format must be one of {', '.join(PRECISIONS)}. Received: {settings.format}"
        )
    allowed = PRECISIONS[settings.format]
    if settings.precision not in allowed:
        raise InputError(
            f"--precision must be {' or '.join(allowed)} with --format={settings.format}. "
            f"Received: {settings.precision}"
        )
    is_saved_model = settings.format == "saved_model"
    of_others = {
        "xla": not is_saved_model,
        "core_ops_only": not is_saved_model,
        "length": settings.format != "litert",
        "check_on": is_saved_model,
    }
    given = [name for name, is_other in of_others.items() if is_other and getattr(settings, name)]
    if given:
        raise InputError(
            f"--{' and --'.join(given)} cannot be with --format={settings.format}. Received: "
            f"{getattr(settings, given[0])}"
        )


def _saved_model(loaded: Any, settings: Settings) -> str:
    from bert_keras.serving.saved_model import export

    _announce(settings)
    return export(loaded, settings.output_dir, settings.xla, settings.core_ops_only)


def _litert(loaded: Any, settings: Settings) -> str:
    from bert_keras.serving.litert import LiteRTModel, export_litert, shortened

    short = shortened(loaded, settings.length) if settings.length else loaded
    check = _check(short, LiteRTModel, settings)
    _announce(settings)
    export_litert(loaded, settings.output_dir, settings.precision, settings.length, check)
    return settings.output_dir


def _onnx(loaded: Any, settings: Settings) -> str:
    from bert_keras.serving.onnx import OnnxModel, export_onnx

    check = _check(loaded, OnnxModel, settings)
    _announce(settings)
    export_onnx(loaded, settings.output_dir, check)
    return settings.output_dir


def _announce(settings: Settings) -> None:
    """Said when all flags have been found good."""
    notify(f"exporting {settings.model} as {settings.format}; that may take a minute")


def _check(loaded: Any, load: Any, settings: Settings) -> Any:
    if settings.check_on is None:
        return None
    from bert_keras.labeled_data import conversion_check

    return conversion_check(loaded, load, settings.check_on, settings.max_drop)


_WRITERS = {"saved_model": _saved_model, "litert": _litert, "onnx": _onnx}


if __name__ == "__main__":
    flags.run(main, Settings)
