"""Where a build keeps what is finished, so that the same command goes on after a kill.

The folder stands beside the output, hidden, and goes when the build is complete:

    plan.json                 what is built; another plan begins anew
    documents-00000           tokenized documents by key, and documents-00000.json, their counts
    documents.json            written when all documents are there
    round-00000-00000         records of a bucket in a round, with their counts in round-….json and
                              where each begins in round-….starts.npy
    shard-00000               an output file, until all are finished

A file under its name is whole. Of files that belong together the .json is the last to appear.
"""

import contextlib
import json
import os
import shutil
from collections.abc import Iterator
from typing import Any

from bert_keras.errors import InputError
from bert_keras.files import file_size, named_errors, read_text, unfinished_name, write_text
from bert_keras.locks import exclusive_lock
from bert_keras.notices import notify

PLAN = "plan.json"
LOCK = "lock"


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
        self.folder = os.path.join(folder if parent is None else parent, f".{name}.build")

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
            yield

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def has(self, name: str) -> bool:
        return os.path.exists(self.path(name))

    def read(self, name: str) -> dict[str, Any]:
        return json.loads(read_text(self.path(name)))

    def write(self, name: str, content: dict[str, Any]) -> None:
        write_text(self.path(name), json.dumps(content))

    @contextlib.contextmanager
    def writing(self, name: str) -> Iterator[str]:
        """Gives the name to write a file under; it gets its own when the block is done.

        Raises:
          InputError: the file system refuses.
        """
        path = self.path(name)
        with named_errors(path, "written"):
            yield unfinished_name(path)
            os.replace(unfinished_name(path), path)

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def _take_over(self, plan: dict[str, Any]) -> None:
        # Through JSON, where tuples become lists and so on, as they come back from the file.
        plan = json.loads(json.dumps(plan))
        if self.has(PLAN) and self.read(PLAN) == plan:
            notify(f"going on with the build that was stopped, from {self.folder}")
            return
        for name in os.listdir(self.folder):
            if name != LOCK:
                os.remove(self.path(name))
        self.write(PLAN, plan)


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
