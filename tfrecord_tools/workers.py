"""Work that several processes do, with results in the order of the tasks."""

import collections
import functools
import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from bert_keras.errors import InputError

TASKS_A_WORKER = 2  # handed out at a time: one in work, one that waits


class WorkerDied(InputError):
    """A worker process ended in the middle of its task."""


def default_num_workers() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0))


class Workers:
    """Processes that work on tasks; they start when the first task comes.

    One worker is this process itself.

    with Workers(num_workers) as workers:
        for result in workers.run(prepare, arguments, tasks):
            ...
    """

    def __init__(self, num_workers: int):
        self.num_workers = num_workers
        self._processes: set = set()

    def __enter__(self):
        # Not forked: this process may have threads, of TensorFlow for one.
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(self.num_workers, context, _prepare_worker)
        return self

    def __exit__(self, error_type, error, traceback):
        if error is not None:
            for process in self._processes:
                process.terminate()
        self._pool.shutdown(cancel_futures=error is not None)
        if isinstance(error, BrokenProcessPool):
            raise WorkerDied(_cause(self._processes)) from error

    def run(self, prepare: Callable, arguments: tuple, tasks: Iterable) -> Iterator:
        """Yields `prepare(*arguments)(task)` for each task, in order.

        Every worker prepares once. Tasks are taken from the iterable a few at a time, so that they
        and their results never are all in memory.

        Raises:
          WorkerDied: on leaving the `with`, a worker was killed or crashed, by what it says.
          Exception: what a task raises.
        """
        if self.num_workers == 1:
            yield from map(prepare(*arguments), tasks)
            return
        others = set(multiprocessing.active_children())
        preparation = pickle.dumps((prepare, arguments))
        results: collections.deque[Future] = collections.deque()
        for task in tasks:
            results.append(self._pool.submit(_work, preparation, task))
            self._processes |= set(multiprocessing.active_children()) - others
            if len(results) >= TASKS_A_WORKER * self.num_workers:
                yield results.popleft().result()
        while results:
            yield results.popleft().result()


def _cause(workers: set) -> str:
    """Tells how the worker ended that the pool did not end itself."""
    codes = [worker.exitcode for worker in workers]
    code = next((code for code in codes if code not in (None, 0, -signal.SIGTERM)), None)
    if code is None:
        cause = "was ended from outside"
    elif code < 0:
        cause = f"was ended by {signal.Signals(-code).name}"
    else:
        cause = f"ended with status {code}"
    if code == -signal.SIGKILL:
        cause += "; too little memory is a common cause, and fewer --num_workers need less"
    return f"A worker process {cause}."


def _prepare_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the parent ends its workers
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A worker whose parent was killed would wait for tasks for ever."""
    multiprocessing.parent_process().join()
    os._exit(1)


@functools.lru_cache(maxsize=1)  # a worker has one kind of task at a time
def _prepared(preparation: bytes) -> Callable:
    prepare, arguments = pickle.loads(preparation)
    return prepare(*arguments)


def _work(preparation: bytes, task):
    return _prepared(preparation)(task)
