"""Counting points: in this process, in others of this machine, or on any executor of ``concurrent.futures``."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import Any

from pebble.common.errors import PebbleError
from pebble.lab.sweep.point import CountedPoints, Point, Record, count_point, program_version, work

__all__ = ["WINDOW", "count_all", "process_pool"]

WINDOW = 1024
"""Points that are handed to an executor at a time, so that a large grid does not flood it."""

NumberedPoint = tuple[int, Point]
FutureRows = Future[tuple[str, list[Record]]]
Waiting = dict[FutureRows, NumberedPoint]


class _WorkerLost(PebbleError):
    """A pool of processes is broken."""


def count_all(tasks: Iterable[NumberedPoint], executor: Executor | None) -> Iterator[CountedPoints]:
    """Count points, on an executor if there is one; yield them as they are finished.

    Raises
    ------
    PebbleError
        If a point cannot be counted or a worker is lost; what was finished before has been yielded then.
    """
    if executor is not None:
        yield from _count_on(executor, iter(tasks))
        return
    for index, point in tasks:
        try:
            rows = count_point(point)
        except Exception as error:
            raise _failure(point, error) from error
        yield [(index, rows)]


def _count_on(executor: Executor, tasks: Iterator[NumberedPoint]) -> Iterator[CountedPoints]:
    finished: SimpleQueue[FutureRows] = SimpleQueue()
    waiting: Waiting = {}
    failure = None
    try:
        refused = _top_up(executor, tasks, waiting, finished)
        while waiting:
            counted, failure = _collect(waiting, finished)
            if counted:
                yield counted
            if failure is not None:
                raise failure
            refused = refused or _top_up(executor, tasks, waiting, finished)
        if refused is not None:
            raise refused
    finally:
        # A pool that breaks, as ours does when it is stopped, fails all futures itself; one that was cancelled
        # meanwhile would make its thread end in a traceback.
        if not isinstance(executor, _Pool) and not isinstance(failure, _WorkerLost):
            for future in waiting:
                future.cancel()


def _top_up(
    executor: Executor,
    tasks: Iterator[NumberedPoint],
    waiting: Waiting,
    finished: SimpleQueue[FutureRows],
) -> PebbleError | None:
    """Hand over points while there is room; return what is wrong if the executor takes no more."""
    while len(waiting) < WINDOW and (task := next(tasks, None)) is not None:
        try:
            future = executor.submit(work, task[1])
        except Exception as error:
            return _failure(task[1], error)
        waiting[future] = task
        future.add_done_callback(finished.put)
    return None


def _collect(waiting: Waiting, finished: SimpleQueue[FutureRows]) -> tuple[CountedPoints, PebbleError | None]:
    """Wait for a point, and take all that are finished; with the first failure among them."""
    counted: CountedPoints = []
    failure: PebbleError | None = None
    future = finished.get()
    while True:
        index, point = waiting.pop(future)
        try:
            version, rows = future.result()
            _check_version(version)
            counted.append((index, rows))
        except (Exception, CancelledError) as error:
            failure = failure or _failure(point, error)
        try:
            future = finished.get_nowait()
        except Empty:
            return counted, failure


def _check_version(version: str) -> None:
    if version != program_version():
        raise PebbleError(
            f"a worker runs version {version} of pebble-io, but this is {program_version()}: install the "
            "same version everywhere"
        )


def _failure(point: Point, error: BaseException) -> PebbleError:
    if isinstance(error, BrokenExecutor):
        return _WorkerLost(
            "a worker process ended abruptly: killed, or out of memory, or unable to start (a script that uses "
            'several processes must do its work under if __name__ == "__main__")'
        )
    if isinstance(error, CancelledError):
        return PebbleError(
            f"the executor gave up on {point.describe()}: its connection or its workers are lost"
        )
    if isinstance(error, PebbleError):
        return PebbleError(f"{point.describe()}: {error}")
    return PebbleError(f"{point.describe()}: {type(error).__name__}: {error}")


@contextmanager
def process_pool(jobs: int) -> Iterator[Executor]:
    """Processes of this machine; left by an exception, they are stopped at once."""
    others = set(multiprocessing.active_children())
    pool = _Pool(jobs, mp_context=multiprocessing.get_context("spawn"), initializer=_end_with_parent)
    try:
        yield pool
    except BaseException:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()


class _Pool(ProcessPoolExecutor):
    """Workers that leave Ctrl-C to their parent: with the signal blocked they are started, so they inherit that."""

    def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        if not hasattr(signal, "pthread_sigmask"):  # Windows
            return super().submit(function, *arguments, **named)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(function, *arguments, **named)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_parent() -> None:
    """Make a worker process end when its parent does, however that ends."""
    from multiprocessing.connection import wait

    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch(sentinel: int) -> None:
        wait([sentinel])
        os._exit(1)

    threading.Thread(target=watch, args=(parent.sentinel,), daemon=True).start()
