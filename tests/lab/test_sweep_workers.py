"""Sweeps on workers: the same bytes for any number of them and after any interruption, and nothing lost."""

from __future__ import annotations

import importlib
import itertools
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.common.errors import PebbleError
from pebble.lab.sweep import Point, count_point, run_sweep, sweep_grid
from pebble.lab.sweep import workers as sweeping_workers
from tests.lab.sweeps import AXES, GRID, PEBBLE, SMALL, expected, interrupted, posix
from tests.support.amounts import examples
from tests.support.commands import Pebble
from tests.support.processes import heed_interrupts

# -- workers


axis = st.lists(st.integers(1, 9), min_size=1, max_size=3, unique=True)


class Disorderly(ThreadPoolExecutor):
    """Finishes what it was given in a random order."""

    def __init__(self, shuffle: random.Random) -> None:
        super().__init__(1)
        self._shuffle = shuffle
        self._given: list[tuple[Future[Any], Callable[[], Any]]] = []

    def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._given.append((future, lambda: function(*arguments, **named)))
        super().submit(self._finish_one)
        return future

    def _finish_one(self) -> None:
        future, call = self._given.pop(self._shuffle.randrange(len(self._given)))
        future.set_result(call())


@pytest.mark.slow
@examples(3, 6)
@given(axis, axis, axis, st.integers(0, 99))
def test_any_order_of_finishing_gives_the_same_rows(
    N: list[int], d: list[int], M: list[int], seed: int
) -> None:
    grid = sweep_grid(N, d, M, "naive,flash-2")
    rows = run_sweep(grid).rows
    with Disorderly(random.Random(seed)) as executor:
        assert run_sweep(grid, executor=executor).rows == rows
    assert [row["M"] for row in rows] == [m for _, _, m, _ in itertools.product(N, d, M, range(2))]


@pytest.mark.slow
def test_processes_give_the_same_bytes(tmp_path: Path) -> None:
    out = tmp_path / "sweep.csv"
    subprocess.run([*PEBBLE, "sweep", *AXES, "-o", str(out), "--jobs", "2"], check=True, capture_output=True)
    assert out.read_bytes() == expected(GRID)
    assert [path.name for path in tmp_path.iterdir()] == ["sweep.csv"]


@pytest.mark.slow
@posix
def test_a_killed_worker_loses_nothing(tmp_path: Path) -> None:
    out = tmp_path / "sweep.csv"

    def kill(done: int, total: int) -> None:
        if done >= 5:
            for worker in multiprocessing.active_children()[:1]:  # none is left when the pool has noticed
                worker.kill()

    with pytest.raises(PebbleError, match=r"ended abruptly.* of 24 points are kept in .*\.partial"):
        run_sweep(GRID, out, jobs=2, progress=kill)
    assert not out.exists()
    done = run_sweep(GRID, out)
    assert done.resumed >= 5
    assert out.read_bytes() == expected(GRID)


class Failing(ThreadPoolExecutor):
    """Spoils one thing after five points."""

    def __init__(self, how: str) -> None:
        super().__init__(1)
        self._how, self._left = how, 5

    def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        self._left -= 1
        if self._left >= 0:
            return super().submit(function, *arguments, **named)
        if self._how == "submit":
            raise RuntimeError("cannot schedule new futures after shutdown")
        future: Future[Any] = Future()
        if self._how == "version":
            future.set_result(("0.0.1", []))
        else:
            future.set_exception(ZeroDivisionError("no luck"))
        return future


@pytest.mark.many(2)
@pytest.mark.parametrize(
    ("how", "word"),
    [
        ("submit", "shutdown"),
        ("version", "0.0.1"),
        ("raise", "ZeroDivisionError: no luck"),
    ],
)
def test_executors_that_fail(how: str, word: str, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    with Failing(how) as executor, pytest.raises(PebbleError, match=word):
        run_sweep(SMALL, out, executor=executor)
    assert not out.exists()
    assert run_sweep(SMALL, out).resumed <= 5
    assert out.read_bytes() == expected(SMALL)


def test_a_point_that_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(point: Point) -> None:
        raise ZeroDivisionError("no luck")

    monkeypatch.setattr(sweeping_workers, "count_point", fail)
    with pytest.raises(PebbleError, match=r"N = 4, d = 2, M = 4: ZeroDivisionError: no luck"):
        run_sweep(SMALL)


# -- interruptions


def test_finished_points_are_not_counted_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted(tmp_path / "out.csv", 5)
    counted = []

    def noted(point: Point) -> list[dict[str, Any]]:
        counted.append(point)
        return count_point(point)

    monkeypatch.setattr(sweeping_workers, "count_point", noted)
    assert run_sweep(SMALL, tmp_path / "out.csv").resumed == 5
    assert counted == [SMALL.point(i) for i in range(5, 8)]
    assert (tmp_path / "out.csv").read_bytes() == expected(SMALL)


def test_a_result_that_cannot_be_written_keeps_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    out = tmp_path / "out.csv"
    out.write_text("precious", encoding="utf-8")
    with monkeypatch.context() as patched:
        patched.setattr(importlib.import_module("pebble.lab.sweep.row_files"), "write_csv", full)
        with pytest.raises(PebbleError, match=r"No space left.*8 of 8 points are kept in"):
            run_sweep(SMALL, out)
    assert out.read_text(encoding="utf-8") == "precious"
    assert run_sweep(SMALL, out).resumed == 8
    assert out.read_bytes() == expected(SMALL)


def _wait_for_a_point(process: subprocess.Popen[str], out: Path) -> None:
    """Wait until a sweep has kept a point, which SQLite writes beside the journal first."""
    written = out.with_name(f"{out.name}.partial-wal")
    while not written.exists() or b"schema_version" not in written.read_bytes():
        assert process.poll() is None, "the sweep ended by itself"
        time.sleep(0.005)


def _signalled(out: Path, number: signal.Signals, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a sweep and send a signal to it, and for Ctrl-C to its workers, when some points are counted."""
    process = subprocess.Popen(
        [*PEBBLE, "sweep", *AXES, "-o", str(out), *options],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=heed_interrupts,
    )
    try:
        _wait_for_a_point(process, out)
        if number == signal.SIGINT:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        _, err = process.communicate()
    finally:
        process.kill()
    return subprocess.CompletedProcess([], process.returncode, "", err)


@pytest.mark.slow
@posix
@pytest.mark.parametrize(
    ("number", "jobs"),
    [(signal.SIGKILL, "2"), (signal.SIGINT, "1"), (signal.SIGINT, "2")],
)
def test_a_sweep_that_is_stopped_goes_on(number: signal.Signals, jobs: str, tmp_path: Path) -> None:
    out = tmp_path / "sweep.csv"
    out.write_text("precious", encoding="utf-8")
    stopped = _signalled(out, number, "--jobs", jobs)
    assert out.read_text(encoding="utf-8") == "precious"
    assert out.with_name("sweep.csv.partial").exists()
    if number == signal.SIGINT:
        assert stopped.returncode == 130
        assert stopped.stderr.startswith("pebble: interrupted; finished points are kept in ")
        assert len(stopped.stderr.splitlines()) == 1
    else:
        assert stopped.returncode == -number
    again = subprocess.run(
        [*PEBBLE, "sweep", *AXES, "-o", str(out)], capture_output=True, text=True, check=False
    )
    assert (again.returncode, again.stdout) == (0, "")
    assert "of them from an earlier run" in again.stderr
    assert out.read_bytes() == expected(GRID)
    assert [path.name for path in tmp_path.iterdir()] == ["sweep.csv"]


# -- Dask


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    distributed = importlib.import_module("distributed")
    with distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as made:
        yield made


@pytest.mark.extra
@pytest.mark.filterwarnings("ignore")
def test_dask_as_an_executor(cluster: Any) -> None:
    client = importlib.import_module("distributed").Client(cluster, set_as_default=False)
    with client:
        assert run_sweep(SMALL, executor=client.get_executor()).rows == run_sweep(SMALL).rows


@pytest.mark.extra
@posix
@pytest.mark.filterwarnings("ignore")
def test_dask_loses_nothing_when_a_worker_is_killed(cluster: Any, tmp_path: Path) -> None:
    out = tmp_path / "sweep.csv"
    process = subprocess.Popen(
        [*PEBBLE, "sweep", *AXES, "-o", str(out), "--scheduler", cluster.scheduler_address],
        stderr=subprocess.PIPE,
        text=True,
    )
    _wait_for_a_point(process, out)
    os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
    assert not out.exists()
    _, err = process.communicate()
    assert process.returncode == 0, err
    assert err.endswith(f"{out}: 48 rows, 24 points\n")
    assert out.read_bytes() == expected(GRID)


@pytest.mark.extra
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense://x", "tcp://"])
def test_no_cluster_there(
    address: str, monkeypatch: pytest.MonkeyPatch, command: Pebble, tmp_path: Path
) -> None:
    cluster = importlib.import_module("pebble.lab.sweep.workers")
    monkeypatch.setattr(cluster.dask_cluster.__wrapped__, "__defaults__", (0.5,))
    options = ["-N", "4", "-d", "2", "-M", "9", "-o", str(tmp_path / "x.csv"), "--scheduler", address]
    code, _, err = command("sweep", *options)
    assert code in (1, 2)
    assert address in err
    assert list(tmp_path.iterdir()) == []


def test_dask_is_not_installed(monkeypatch: pytest.MonkeyPatch, command: Pebble, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    options = ["-N", "4", "-d", "2", "-M", "9", "-o", str(tmp_path / "x.csv"), "--scheduler", "tcp://h:1"]
    code, _, err = command("sweep", *options)
    assert code == 2
    assert "pebble-io[dask]" in err
