"""Counting points: in this process, in others of this machine, or on any executor of ``concurrent.futures``."""

from __future__ import annotations

import importlib
import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import contextmanager
from itertools import islice
from typing import Any

from pebble.common.errors import InvalidInput, PebbleError
from pebble.lab.sweep.point import Point, Record, count_point, program_version, work

_WINDOW = 1024
"""Points that are handed to an executor at a time, so that a large grid does not flood it."""

_PATIENCE = 10
"""Seconds to wait for a scheduler's answer."""

NumberedPoint = tuple[int, Point]
NumberedRows = tuple[int, list[Record]]


def count_all(points: Iterable[NumberedPoint], executor: Executor | None) -> Iterator[list[NumberedRows]]:
    """Count points, on an executor if there is one; yield them as they are finished."""
    if executor is not None:
        yield from _count_on(executor, iter(points))
        return
    for index, point in points:
        with _named(point):
            rows = count_point(point)
        yield [(index, rows)]


def _count_on(executor: Executor, points: Iterator[NumberedPoint]) -> Iterator[list[NumberedRows]]:
    waiting: dict[Future[tuple[str, list[Record]]], NumberedPoint] = {}
    try:
        while True:
            for index, point in islice(points, _WINDOW - len(waiting)):
                with _named(point):
                    waiting[executor.submit(work, point)] = index, point
            if not waiting:
                return
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            finished = {one: waiting.pop(one) for one in done}
            counted = [one for one in done if not one.cancelled() and one.exception() is None]
            yield [(finished[one][0], _rows(one, finished[one][1])) for one in counted]
            for one in done.difference(counted):
                _rows(one, finished[one][1])
    finally:
        # A pool that is stopped fails all futures itself; its thread would stumble over one that was cancelled.
        if not isinstance(executor, ProcessPoolExecutor):
            for future in waiting:
                future.cancel()


def _rows(future: Future[tuple[str, list[Record]]], point: Point) -> list[Record]:
    """Return what a worker has counted."""
    with _named(point):
        version, rows = future.result()
    if version != program_version():
        raise PebbleError(
            f"a worker runs version {version} of pebble-io, but this is {program_version()}: install the "
            "same version everywhere"
        )
    return rows


@contextmanager
def _named(point: Point) -> Iterator[None]:
    """Say which point it is that cannot be counted, or what has become of the workers."""
    try:
        yield
    except BrokenExecutor as error:
        raise PebbleError(
            "a worker process ended abruptly: killed, or out of memory, or unable to start (a script that uses "
            'several processes must do its work under if __name__ == "__main__")'
        ) from error
    except CancelledError as error:
        raise PebbleError(
            f"the executor gave up on {point.describe()}: its connection or its workers are lost"
        ) from error
    except Exception as error:
        kind = "" if isinstance(error, PebbleError) else f"{type(error).__name__}: "
        raise PebbleError(f"{point.describe()}: {kind}{error}") from error


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
    from multiprocessing.connection import wait as ended

    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch(sentinel: int) -> None:
        ended([sentinel])
        os._exit(1)

    threading.Thread(target=watch, args=(parent.sentinel,), daemon=True).start()


@contextmanager
def dask_cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """Connect to a running Dask scheduler, tcp://10.0.0.1:8786; yield its executor, and its workers now."""
    try:
        distributed = importlib.import_module("distributed")
    except ImportError:
        raise InvalidInput("Dask is not installed: pip install 'pebble-io[dask]' (or '.[dask]')") from None
    for name in ("distributed", "distributed.client"):  # importing has set both
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # tracebacks of what we say in our own words
    try:
        distributed.comm.get_address_host_port(address)
    except ValueError as error:
        raise InvalidInput(
            f"{address!r} is not the address of a Dask scheduler, such as tcp://10.0.0.1:8786: {error}"
        ) from error
    try:
        client = distributed.Client(address, timeout=_PATIENCE, set_as_default=False)
    except OSError as error:
        raise PebbleError(
            f"no Dask scheduler answers at {address}: {error or type(error).__name__}"
        ) from error
    try:
        yield client.get_executor(), len(client.scheduler_info()["workers"])
    finally:
        client.close()
