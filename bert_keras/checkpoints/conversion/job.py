"""The job of `run_conversion`: read, change, write, read back, compare."""

import dataclasses
import re
from typing import Any, NamedTuple

import tensorflow as tf

from bert_keras.checkpoints.builders import BUILDERS
from bert_keras.checkpoints.conversion import comparison
from bert_keras.checkpoints.conversion.selection import completed, relabeled, selected
from bert_keras.checkpoints.conversion.writing import WRITERS, check_output, write
from bert_keras.checkpoints.files.json_files import write_json
from bert_keras.checkpoints.formats.detection import read_model
from bert_keras.checkpoints.stored_model import StoredModel
from bert_keras.checkpoints.surgery.layers import keep_layers
from bert_keras.checkpoints.surgery.positions import NEW_POSITIONS, extend_positions
from bert_keras.checkpoints.surgery.vocabulary import NEW_ROWS, change_vocabulary
from bert_keras.errors import InputError
from bert_keras.tokenizers.vocabulary import check_case
from bert_keras.tokenizers.wordpiece import WordPieceTokenizer

REPORT_FILE = "conversion.json"
LARGEST_DIFFERENCE = 1e-5  # the same weights in the same code give 0
_UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}
_MOST_SHOWN = 20  # names on a terminal; the report has all


class ConversionReport(NamedTuple):
    """What became of the names of the weights, and of the outputs.

    `used` are in both models; `unused` in the input alone; `missing` the output needs and the input
    lacks; `fresh` are those of the missing that were given random values, which is all of them, as
    any other is an error. `differences` has the largest of each output of the two models.
    """

    used: list[str]
    unused: list[str]
    missing: list[str]
    fresh: list[str]
    differences: dict[str, float]


def run(settings: Any, command: str) -> ConversionReport:
    """Converts as the settings of `run_conversion` say, prints the report and keeps it.

    Args:
        settings: the `Settings` of the program.
        command: its flags as they are typed, for the card.

    Raises:
        InputError: settings that make no sense; the input is damaged or lacks weights; the output
            cannot be written, or does not compute what the input does.
    """
    max_shard_size = check_settings(settings)
    source = read_model(settings.input, settings.do_lower_case)
    labeled = relabeled(source, settings.labels) if settings.labels else source
    changed = _changed(selected(labeled, settings.model), settings)
    stored, fresh = completed(changed, settings.allow_fresh, settings.random_seed)
    stored = dataclasses.replace(
        stored, made_by=f"Made by\n\n    python -m bert_keras.run_conversion {command}"
    )
    unused = sorted(set(source.weights.shapes) - set(stored.weights.shapes))
    if settings.strict:
        _check_nothing_is_lost(unused)
    expected = comparison.outputs(stored)
    unheld = write(stored, settings.output, settings.format, max_shard_size)
    written = read_model(settings.output, stored.tokenizer and stored.tokenizer.do_lower_case)
    same = dataclasses.replace(written, model=stored.model, pooling=stored.pooling)
    used = sorted(set(stored.weights.shapes) - set(unheld) - set(fresh))
    report = ConversionReport(
        used,
        sorted({*unused, *unheld} - set(fresh)),
        fresh,
        fresh,
        comparison.largest_differences(comparison.outputs(same), expected),
    )
    _keep(report, settings.output)
    _show(report, settings.output)
    _check_differences(report)
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
    check_output(settings.output)
    return _num_bytes(settings.max_shard_size) if settings.max_shard_size else None


def _check_one_of(flag: str, value: str, allowed) -> None:
    if value not in allowed:
        raise InputError(f"--{flag} must be one of {', '.join(allowed)}. Received: {value}")


def _num_bytes(text: str) -> int:
    match = re.fullmatch(r"(\d+)\s*(KB|MB|GB|)", text.strip().upper())
    if not match or not int(match[1]):
        raise InputError(
            "--max_shard_size must be a number of bytes, or of KB, MB or GB, such as 500MB. "
            f"Received: {text}"
        )
    return int(match[1]) * _UNITS[match[2]]


def _changed(stored: StoredModel, settings: Any) -> StoredModel:
    """The model with the vocabulary, the positions and the layers that the settings ask for."""
    if settings.new_vocab_file:
        tokenizer = _new_tokenizer(stored.tokenizer, settings)
        stored = change_vocabulary(stored, tokenizer, settings.new_rows, settings.random_seed)
    if settings.max_position_embeddings:
        stored = extend_positions(stored, settings.max_position_embeddings, settings.new_positions)
    if settings.keep_layers:
        stored = keep_layers(stored, _layer_numbers(settings.keep_layers))
    return stored


def _new_tokenizer(old: WordPieceTokenizer | None, settings: Any) -> WordPieceTokenizer:
    """That of the new vocabulary, which splits text as the old one does if nothing else is said."""
    do_lower_case, strip_accents = settings.new_do_lower_case, None
    if do_lower_case is None and old is not None:
        do_lower_case, strip_accents = old.do_lower_case, old.strip_accents
    tokenizer = WordPieceTokenizer(settings.new_vocab_file, do_lower_case, strip_accents)
    try:
        check_case(tokenizer.do_lower_case, tokenizer.vocab)
    except InputError as error:
        message = str(error).replace("--do_lower_case", "--new_do_lower_case")
        raise InputError(f"{settings.new_vocab_file}: {message}") from error
    return tokenizer


def _layer_numbers(words: list[str]) -> list[int]:
    if not all(re.fullmatch(r"\s*\d{1,9}\s*", word) for word in words):
        raise InputError(
            "--keep_layers must be numbers of layers from 0, such as 0,2,4. "
            f"Received: {','.join(words)}"
        )
    return [int(word) for word in words]


def _check_nothing_is_lost(unused: list[str]) -> None:
    if unused:
        raise InputError(
            "With --strict all weights must find a place in the output. "
            f"Received: {len(unused)} without one: {_listed(unused)}"
        )


def _check_differences(report: ConversionReport) -> None:
    wrong = {
        name: value for name, value in report.differences.items() if not value <= LARGEST_DIFFERENCE
    }
    if wrong:
        raise InputError(
            f"The written model must compute what the one that was read does, within "
            f"{LARGEST_DIFFERENCE}. Received: {wrong}"
        )


def _keep(report: ConversionReport, folder: str) -> None:
    write_json(tf.io.gfile.join(folder, REPORT_FILE), report._asdict())


def _show(report: ConversionReport, folder: str) -> None:
    print(f"{len(report.used)} weights used; all names are in {folder}/{REPORT_FILE}")
    for kind in ("unused", "missing", "fresh"):
        names = getattr(report, kind)
        print(f"{len(names)} {kind}{': ' if names else ''}{_listed(names)}")
    for name, value in report.differences.items():
        print(f"largest difference of {name}: {value:g}")


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_SHOWN} more" if len(names) > _MOST_SHOWN else ""
    return ", ".join(names[:_MOST_SHOWN]) + more
