"""Output files: their names, and the summary beside them."""

import dataclasses
import glob
import json
import os
import re

from bert_keras.errors import InputError
from bert_keras.files import is_folder, write_text

_SHARD = re.compile(r"(?P<name>.*)-[0-9]{5}-of-[0-9]{5}", re.DOTALL)


def split_output_files(words: list[str]) -> list[str]:
    """Splits names at their commas, except at commas in the path of a folder that exists.

    `words` come from a command line that was split at every comma.
    """
    words = ",".join(words).split(",")
    names = []
    start = 0
    while start < len(words):
        end = len(words)
        while end > start + 1 and not _is_in_existing_folder(words[start:end]):
            end -= 1
        names.append(",".join(words[start:end]).strip())
        start = end
    return names


def shard_names(output_file: list[str], num_shards: int | None) -> list[str]:
    """The names of the shards: those given, or `NAME-00000-of-0000N` if one is to be several.

    Raises:
      InputError: several names, but not as many as shards.
    """
    names = split_output_files(output_file)
    if num_shards in (None, len(names)):
        return names
    if len(names) > 1:
        raise InputError(
            "--num_shards divides one --output_file, or is the number of the names given. "
            f"Received: {num_shards} shards and {len(names)} names."
        )
    return [f"{names[0]}-{number:05}-of-{num_shards:05}" for number in range(num_shards)]


def summary_name(output_file: list[str]) -> str:
    """The name of the summary: that of the first output file, with another ending."""
    return split_output_files(output_file)[0].removesuffix(".tfrecord") + ".summary.json"


def write_summary(summary, settings, path: str) -> None:
    """Writes what a program made, and by which settings; both are dataclasses."""
    written = {**dataclasses.asdict(summary), "settings": dataclasses.asdict(settings)}
    text = json.dumps(written, indent=2, ensure_ascii=False) + "\n"
    # Names of files that are not UTF-8 become JSON's escapes.
    write_text(path, text.encode("utf-8", "backslashreplace").decode("utf-8"))


def check_output_files(output_files: list[str], input_files: list[str]) -> None:
    """Raises InputError for an output that is no file to replace, an input or another output."""
    taken = {os.path.realpath(path) for path in input_files}
    for path in output_files:
        if not os.path.basename(path) or is_folder(path):
            raise InputError(
                f"Outputs must be named as files; received {path!r}. Give a path such as "
                f"{os.path.join(path, 'train.tfrecord')}"
            )
        real_path = os.path.realpath(path)
        if os.path.exists(real_path) and not os.path.isfile(real_path):
            raise InputError(
                f"An output replaces the file of its name; {path} is a device or a pipe. Give it "
                "another name."
            )
        if real_path in taken:
            raise InputError(
                f"An output must be a file of its own; {path} is an input or an output already. "
                "Give it another name."
            )
        taken.add(real_path)


def check_no_other_shards(output_files: list[str]) -> None:
    """Raises InputError if shards of the same name, but of another number, lie beside the outputs.

    A glob would read both: half of the records twice, with masks of an earlier build.
    """
    if not (shard := _SHARD.fullmatch(output_files[0])) or "://" in output_files[0]:
        return
    of_any_number = f"{glob.escape(shard['name'])}-[0-9]*-of-[0-9]*"
    others = sorted(set(filter(_SHARD.fullmatch, glob.glob(of_any_number))) - set(output_files))
    if others:
        raise InputError(
            "Shards of one name must be of one number, or a glob reads all of them. Received: "
            f"{len(output_files)} shards, beside {others[0]}. Remove the others, or give another "
            "--output_file."
        )


def _is_in_existing_folder(words: list[str]) -> bool:
    """Whether all commas that would join the words lie in the path of an existing folder."""
    return "/" in words[-1] and is_folder(os.path.dirname(",".join(words)))
