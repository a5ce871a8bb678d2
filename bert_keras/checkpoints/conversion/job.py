"""The job of `run_conversion`: read, change, write, read back, compare."""

import dataclasses
import re
from collections.abc import Collection
from typing import Any

from bert_keras.checkpoints.builders import BUILDERS, shown_model
from bert_keras.checkpoints.conversion.changes import changed, dropped, names_before
from bert_keras.checkpoints.conversion.comparison import largest_differences, outputs
from bert_keras.checkpoints.conversion.report import ConversionReport, check_nothing_is_lost
from bert_keras.checkpoints.conversion.selection import completed, selected
from bert_keras.checkpoints.conversion.writing import WRITERS, write
from bert_keras.checkpoints.files.whole_folders import check_new, new_folder
from bert_keras.checkpoints.formats.checkpoint_folders import newest_step_beside_model
from bert_keras.checkpoints.formats.config_files import CONFIG_FILE, OWN_CONFIG_FILE
from bert_keras.checkpoints.formats.detection import read_model
from bert_keras.checkpoints.labels import relabeled, without_head_of_another
from bert_keras.checkpoints.names import LABELED
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.checkpoints.surgery.positions import NEW_POSITIONS
from bert_keras.checkpoints.surgery.vocabulary import NEW_ROWS
from bert_keras.errors import InputError
from bert_keras.files import has_scheme
from bert_keras.notices import notify

_UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9}


def run(settings: Any, command: str) -> ConversionReport:
    """Converts as the settings of `run_conversion` say, prints the report and keeps it.

    Args:
        settings: the `Settings` of the program.
        command: as it is typed, for the card.

    Raises:
        InputError: settings that make no sense; the input is damaged or lacks weights; the output
            cannot be written, or does not compute what the input does.
    """
    max_shard_size = check_settings(settings)
    source = read_model(settings.input, settings.do_lower_case)
    if step := newest_step_beside_model(settings.input):
        notify(
            f"the finished model of {settings.input} is read; Adam's moments and the step are in "
            f"--input={settings.input.rstrip('/')}/model.ckpt-{step}"
        )
    model = settings.model or source.model or shown_model(source.weights.shapes)
    labeled = _labeled(without_head_of_another(source, model), model, settings)
    chosen = selected(labeled, model, keeps_all=not settings.model)
    stored, fresh = completed(changed(chosen, settings), settings.allow_fresh, settings.random_seed)
    made_by = f"Made by\n\n    {command}"
    stored = dataclasses.replace(stored, made_by=made_by)
    unused = {*source.weights.shapes} - {*chosen.weights.shapes} | {*dropped(chosen, settings)}
    expected = outputs(stored)
    with new_folder(settings.output, last=(CONFIG_FILE, OWN_CONFIG_FILE)) as unfinished:
        unheld = write(stored, unfinished, settings.format, max_shard_size)
        unused |= names_before({*unheld} - {*fresh}, settings)
        if settings.strict:
            check_nothing_is_lost(unused)
        written = {*stored.weights.shapes} - {*unheld, *fresh}
        report = ConversionReport(
            used=sorted(names_before(written, settings)),
            unused=sorted(unused),
            missing=fresh,
            fresh=fresh,
            differences=largest_differences(_outputs_of_written(unfinished, stored), expected),
        )
        report.check_differences()
        report.keep(unfinished)
    report.show(settings.output)
    return report


def check_settings(settings: Any) -> int | None:
    """Checks what can be checked before anything is read; returns the bytes of --max_shard_size.

    Raises:
        InputError: a value that is none of those that there are; an output that is there already.
    """
    _check_one_of("format", settings.format, WRITERS)
    if settings.model is not None:
        _check_one_of("model", settings.model, BUILDERS)
    _check_one_of("new_rows", settings.new_rows, NEW_ROWS)
    _check_one_of("new_positions", settings.new_positions, NEW_POSITIONS)
    if settings.format == "hugging_face" and has_scheme(settings.output):
        raise InputError(
            "--format=hugging_face writes to a folder on a local disk, from where it is copied. "
            f"Received: --output={settings.output}"
        )
    check_new(settings.output)
    return _num_bytes(settings.max_shard_size) if settings.max_shard_size else None


def _labeled(source: StoredModel, model: str, settings: Any) -> StoredModel:
    """With the classes that the settings name, where there is a head for them."""
    if source.tokenizer is None:
        notify(f"{settings.input} holds no vocabulary: put vocab.txt into the output to load it")
    if model not in LABELED:
        if settings.labels:
            raise InputError(
                f"--labels are the classes of {' or '.join(LABELED)}. Received: "
                f"{','.join(settings.labels)} for {model}. Say --model too."
            )
        return source
    if settings.labels:
        return relabeled(source, settings.labels)
    if not source.config.labels:
        raise InputError(
            f"A {model} has classes. Received: none, neither by {settings.input} nor by --labels. "
            "Name them: --labels=no,yes"
        )
    return source


def _outputs_of_written(folder: str, stored: StoredModel) -> dict:
    """What the model that was written computes, read from its files again."""
    written = read_model(folder, stored.tokenizer and stored.tokenizer.do_lower_case)
    return outputs(dataclasses.replace(written, model=stored.model))


def _check_one_of(flag: str, value: str, allowed: Collection[str]) -> None:
    if value not in allowed:
        raise InputError(f"--{flag} must be one of {', '.join(allowed)}. Received: {value}")


def _num_bytes(text: str) -> int:
    match = re.fullmatch(r"([0-9]{1,18})\s*(KB|MB|GB)", text.strip().upper())
    if not match or not int(match[1]):
        raise InputError(
            f"--max_shard_size must be a number of KB, MB or GB, such as 500MB. Received: {text}"
        )
    return int(match[1]) * _UNITS[match[2]]
