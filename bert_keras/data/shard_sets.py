"""Files that belong together, or should not: shards that are missing, files that come twice."""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.files import file_size, named_errors, open_bytes

# As tfrecord_tools and Beam name them; what follows, such as `.gz`, is the same for all of a set.
_SHARD = re.compile(
    r"(?P<name>.*)-(?P<number>\d{5,})-of-(?P<total>\d{5,})(?P<suffix>[^/]*)", re.DOTALL
)
NUM_BYTES_COMPARED = 2**16  # at each end of two files of one size
MOST_NAMES_SHOWN = 3


def check_shards(files: Sequence[str]) -> list[str]:
    """Looks for gaps in the numbers of `NAME-00003-of-00010`, such as an interrupted copy leaves.

    Returns:
        What is to be said of shards that exist and are not among the files.

    Raises:
        InputError: a shard does not exist, or two sets of one name are mixed.
    """
    numbers = defaultdict(lambda: defaultdict(set))  # (name, suffix) -> total -> numbers
    for shard in filter(None, map(_SHARD.fullmatch, files)):
        numbers[shard["name"], shard["suffix"]][shard["total"]].add(int(shard["number"]))
    notices = []
    for (name, suffix), of_totals in numbers.items():
        patterns = [f"{name}-*-of-{total}{suffix}" for total in sorted(of_totals)]
        if len(patterns) > 1:
            raise InputError(
                f"The shards of a set have one number of them; received {' and '.join(patterns)}, "
                f"of two builds. Name one of them: --input_file='{patterns[-1]}'"
            )
        [(total, found)] = of_totals.items()
        missing = [
            f"{name}-{number:0{len(total)}}-of-{total}{suffix}"
            for number in range(int(total))
            if number not in found
        ]
        notices += _missing_notices(missing, patterns[0], int(total)) if missing else []
    return notices


def _missing_notices(missing: list[str], pattern: str, total: int) -> list[str]:
    """Tells shards that are left out, perhaps to be held out, from those that are lost."""
    beside = set(tf.io.gfile.listdir(os.path.dirname(missing[0]) or "."))
    lost = [path for path in missing if os.path.basename(path) not in beside]
    if lost:
        raise InputError(
            f"All shards of a set must be there; {len(lost)} of the {total} of {pattern} are not: "
            f"{_some(lost)}. Copy them, or make the records again; rename the others if the run "
            "shall do without."
        )
    return [
        f"{len(missing)} of the {total} shards of {pattern} are not among the input files, and not "
        f"used: {_some(missing)}."
    ]


def duplicate_notices(files: Sequence[str]) -> list[str]:
    """What is to be said of files that are named twice, or hold the same as another."""
    counts = Counter(file if "://" in file else os.path.realpath(file) for file in files)
    twice = [file for file, count in counts.items() if count > 1]
    notices = []
    if twice:
        notices.append(f"Named more than once, so its records count as often: {_some(twice)}.")
    of_content = defaultdict(list)
    for path in _of_one_size(counts):
        of_content[_ends(path)].append(path)
    for same in of_content.values():
        if len(same) > 1:
            notices.append(f"The same records under several names count as often: {_some(same)}.")
    return notices


def _of_one_size(paths: Iterable[str]) -> list[str]:
    """Those of the files that are as long as another, and not empty."""
    of_size = defaultdict(list)
    for path in paths:
        of_size[file_size(path)].append(path)
    return [path for size, same in of_size.items() if size and len(same) > 1 for path in same]


def _ends(path: str) -> tuple[int, bytes, bytes]:
    """The size of a file, its first and its last bytes."""
    size = file_size(path)
    with named_errors(path, "read"), open_bytes(path) as file:
        beginning = file.read(NUM_BYTES_COMPARED)
        file.seek(max(0, size - NUM_BYTES_COMPARED))
        return size, beginning, file.read(NUM_BYTES_COMPARED)


def _some(paths: Sequence[str]) -> str:
    """The first few names, and how many others there are."""
    names = ", ".join(paths[:MOST_NAMES_SHOWN])
    num_others = len(paths) - MOST_NAMES_SHOWN
    return f"{names} and {num_others} others" if num_others > 0 else names
