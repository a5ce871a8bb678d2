"""Work that several processes do, with results in the order of the tasks."""

import collections
import multiprocessing
import os
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


def run_tasks(prepare: Callable, arguments: tuple, tasks: Iterable, num_workers: int) -> Iterator:
    """Yields `prepare(*arguments)(task)` for each task, in order.

    Every worker prepares once. Tasks are taken from the iterable a few at a time, so that they and
    their results never are all in memory. One worker is this process itself.

    Raises:
      WorkerDied: a worker was killed or crashed; the message tells by what.
      Exception: what a task raises; the others are given up.
    """
    if num_workers == 1:
        yield from map(prepare(*arguments), tasks)
        return
    others = set(multiprocessing.active_children())
    workers: set = set()
    results: collections.deque[Future] = collections.deque()
    # Not forked: this process may have threads, of TensorFlow for one.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(
        num_workers, context, initializer=_prepare_worker, initargs=(prepare, arguments)
    )
    try:
        for task in tasks:
            results.append(pool.submit(_work, task))
            workers |= set(multiprocessing.active_children()) - others
            if len(results) >= TASKS_A_WORKER * num_workers:
                yield results.popleft().result()
        while results:
            yield results.popleft().result()
        pool.shutdown()
    except BaseException as error:
        for worker in workers:
            worker.terminate()
        pool.shutdown(cancel_futures=True)
        if isinstance(error, BrokenProcessPool):
            raise WorkerDied(_cause(workers)) from error
        raise


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
    hint = "; too little memory is a common cause" if code == -signal.SIGKILL else ""
    return f"A worker process {cause}{hint}. Fewer --num_workers need less memory."


def _prepare_worker(prepare: Callable, arguments: tuple) -> None:
    global _work_on
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the parent ends its workers
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _work_on = prepare(*arguments)


def _end_with_parent() -> None:
    """A worker whose parent was killed would wait for tasks for ever."""
    multiprocessing.parent_process().join()
    os._exit(1)


def _work(task):
    return _work_on(task)
