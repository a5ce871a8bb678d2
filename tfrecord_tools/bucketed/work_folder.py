"""Where a build keeps what is finished, so that the same command goes on after a kill.

The folder stands beside the output, hidden, and goes when the build is complete. It holds parts:

    plan                    what is built; a build of another plan begins anew
    documents-00000         tokenized documents by key
    documents               all of them are there
    round-00000-00000       records of a bucket in a round; where each begins in round-….starts.npy
    shard-00000             an output file, until all are finished

A part has a file of its name and .json, the last to appear, with what there is to know about it and
the checksums of its other files: what a kill or a loss of power left behind is not taken for whole.
"""

import contextlib
import json
import os
import shutil
from collections.abc import Iterator
from typing import Any

import google_crc32c

from bert_keras.errors import InputError
from bert_keras.files import file_size, named_errors, read_text, unfinished_name, write_text
from bert_keras.locks import exclusive_lock
from bert_keras.notices import notify

PLAN = "plan"
LOCK = "lock"
NUM_BYTES_AT_A_TIME = 1 << 20


class WorkFolder:
    """The folder of one build.

    Args:
      output_file: the first output file.
      parent: a local folder to make it in; by default that of the output file.
    """

    def __init__(self, output_file: str, parent: str | None):
        folder, name = os.path.split(output_file)
        if parent is None and "://" in output_file:
            raise InputError(
                f"A build needs a local folder to work in, and {output_file} is in none. Give "
                "--work_dir."
            )
        if parent is not None:  # other outputs of this name may be built there
            name += f".{google_crc32c.value(os.path.abspath(output_file).encode()):08x}"
            folder = parent
        self.folder = os.path.join(folder, f".{name}.build")

    @contextlib.contextmanager
    def opened(self, plan: dict[str, Any]) -> Iterator[None]:
        """Makes the folder, or takes it over from a build of the same plan that was stopped.

        It stays when the block ends, but for `remove`.

        Raises:
          InputError: another build is at work there, or it cannot be written.
        """
        in_use = (
            f"One build at a time writes an output; another one is at work in {self.folder}. Wait "
            "for its end, or give another --output_file."
        )
        with named_errors(self.folder, "written"):
            os.makedirs(self.folder, exist_ok=True)
            lock = exclusive_lock(self.path(LOCK), in_use)
            with contextlib.ExitStack() as stack:
                stack.enter_context(lock)
                self._take_over(plan)
                held = stack.pop_all()
        with held:
            try:
                yield
            except BaseException:
                self._notify_of_what_stays()
                raise

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    @contextlib.contextmanager
    def writing(self, part: str, *suffixes: str) -> Iterator[tuple[list[str], dict[str, Any]]]:
        """Writes a part; it is there when the block is done.

        Gives the paths to write its files to, one for each suffix of its name, and a dict to fill
        with what there is to know about it.

        Raises:
          InputError: the file system refuses.
        """
        paths = [self.path(f"{part}{suffix}") for suffix in suffixes]
        content: dict[str, Any] = {}
        with named_errors(self.path(part), "written"):
            yield list(map(unfinished_name, paths)), content
            checksums = {os.path.basename(p): _checksum(unfinished_name(p)) for p in paths}
            for path in paths:
                os.replace(unfinished_name(path), path)
        whole = {"content": content, "checksums": checksums}
        write_text(self.path(f"{part}.json"), json.dumps(whole))

    def has(self, part: str) -> bool:
        """Whether a part is there and whole; reads all of it."""
        try:
            checksums = json.loads(read_text(self.path(f"{part}.json")))["checksums"]
            return all(_checksum(self.path(name)) == checksums[name] for name in checksums)
        except (InputError, OSError, ValueError, KeyError, TypeError):
            return False

    def read(self, part: str) -> dict[str, Any]:
        """What there is to know about a part."""
        return json.loads(read_text(self.path(f"{part}.json")))["content"]

    def remove(self) -> None:
        """Removes the folder; what a kill leaves of it has no plan and is not gone on with."""
        with contextlib.suppress(OSError):
            self._forget_plan()
            shutil.rmtree(self.folder)

    def _take_over(self, plan: dict[str, Any]) -> None:
        # Through JSON, where tuples become lists and so on, as they come back from the file.
        plan = json.loads(json.dumps(plan))
        if self.has(PLAN) and self.read(PLAN) == plan:
            notify(f"going on with the build that was stopped, from {self.folder}")
            return
        if self.has(PLAN):
            notify(
                "the unfinished build of other settings, inputs or versions in "
                f"{self.folder} is thrown away"
            )
        self._forget_plan()
        for entry in os.scandir(self.folder):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            elif entry.name != LOCK:
                os.remove(entry.path)
        with self.writing(PLAN) as (_, content):
            content.update(plan)

    def _forget_plan(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.path(f"{PLAN}.json"))

    def _notify_of_what_stays(self) -> None:
        names = os.listdir(self.folder) if os.path.isdir(self.folder) else []
        if any(name.endswith(".json") and name != f"{PLAN}.json" for name in names):
            notify(f"what is finished stays in {self.folder}; the same command goes on from there")


def _checksum(path: str) -> int:
    """CRC-32C of a file."""
    checksum = 0
    with open(path, "rb") as file:
        while chunk := file.read(NUM_BYTES_AT_A_TIME):
            checksum = google_crc32c.extend(checksum, chunk)
    return checksum


def describe_files(paths: list[str]) -> list[tuple[str, int, int | None]]:
    """What tells files from others of the same names: size and time of the last change.

    Of a remote file the time is not known.
    """
    return [(path, file_size(path), _time_of_change(path)) for path in map(_absolute, paths)]


def _absolute(path: str) -> str:
    return path if "://" in path else os.path.abspath(path)


def _time_of_change(path: str) -> int | None:
    if "://" in path:
        return None
    with named_errors(path, "read"):
        return os.stat(path).st_mtime_ns
