"""Sweeps: the same bytes for any number of workers and after any interruption, and nothing lost."""

from __future__ import annotations

import importlib
import io
import itertools
import json
import math
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

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pebble
from pebble.cli import main
from pebble.errors import InvalidInput, PebbleError
from pebble.sweeping import COLUMNS, Point, count_point, masking, run_sweep, sweep_grid
from pebble.sweeping import workers as sweeping_workers
from pebble.sweeping.axes import memories, sizes, spaced
from pebble.sweeping.formats import read_rows, write_rows
from pebble.sweeping.journal import Journal

PEBBLE = [sys.executable, "-m", "pebble"]
_OPTIONS = "-N 256 -d 16 -M 20:64Ki:12 --mask none --mask causal --schedule flash-2,small-cache"
AXES = _OPTIONS.split()
GRID = sweep_grid(256, 16, "20:64Ki:12", "flash-2,small-cache", masks=["none", "causal"])
SMALL = sweep_grid("4,6", 2, "4:40:4", "naive,flash-2")
posix = pytest.mark.skipif(os.name == "nt", reason="POSIX signals")


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file that a sweep over AXES gives, counted here, one point after the other."""
    path = tmp_path_factory.mktemp("reference") / "sweep.csv"
    run_sweep(GRID, path)
    return path.read_bytes()


@pytest.fixture
def small(tmp_path: Path) -> bytes:
    run_sweep(SMALL, tmp_path / "small.csv")
    return (tmp_path / "small.csv").read_bytes()


# -- axes and grids


def test_axes() -> None:
    assert sizes("1Ki, 4k,10**3,1e3,1_000", "N") == (1024, 4000, 1000)
    assert sizes("16:256:5", "d") == (16, 32, 64, 128, 256)
    assert sizes([3, 1, 3], "N") == (3, 1)
    assert memories("1Ki:1Mi:11") == tuple(2**i for i in range(10, 21))
    assert memories("1KiB,4KiB", "float16") == (512, 2048)
    assert len(memories("1Ki:1Mi:40")) == 40


@given(st.integers(1, 10**18), st.integers(1, 10**18), st.integers(2, 60))
def test_logarithmic_spacing(one: int, other: int, count: int) -> None:
    first, last = sorted((one, other))
    values = spaced(first, last, count)
    assert (values[0], values[-1]) == (first, last)
    assert list(values) == sorted(set(values))
    assert len(values) <= count
    exact = {first * (last / first) ** (i / (count - 1)) for i in range(count)}
    for value in values:
        assert any(math.isclose(value, near, rel_tol=1e-9, abs_tol=0.5 + 1e-6) for near in exact)
    if last - first >= 2 * first * count:  # neighbours are more than one apart near the lower end
        assert len(values) >= min(count, 2 + int(math.log2(last / first)))


@pytest.mark.parametrize(
    "text", ["", "1,,2", "1:2", "1:2:3:4", "4:2:3", "0", "0:5:2", "1:5:1", "1:5:x", "1.5", "x", "1e30", "-3"]
)
def test_bad_axes(text: str) -> None:
    with pytest.raises(InvalidInput):
        sizes(text, "N")
    if text != "1e30":
        with pytest.raises(InvalidInput):
            memories(text)


@pytest.mark.parametrize("values", [[], [0], [True], [1.5], 10**19])
def test_bad_values(values: Any) -> None:
    with pytest.raises(InvalidInput):
        sizes(values, "N")


def test_bytes_need_a_dtype() -> None:
    with pytest.raises(InvalidInput, match="dtype"):
        memories("1KiB:2KiB:3")


axis = st.lists(st.integers(1, 9), min_size=1, max_size=3, unique=True)


@settings(max_examples=15)
@given(axis, axis, axis, st.permutations(["naive", "flash-2", "best"]), st.integers(1, 3))
def test_points_are_the_product_of_the_axes_in_order(
    N: list[int], d: list[int], M: list[int], names: list[str], many: int
) -> None:
    grid = sweep_grid(N, d, M, names[:many])
    points = [grid.point(i) for i in range(len(grid))]
    assert [(p.plain.Nq, p.plain.d, p.M) for p in points] == list(itertools.product(N, d, M))
    assert {p.schedules for p in points} == {tuple(names[:many])}
    assert len(grid.fingerprint) == 64
    assert sweep_grid(N, d, M, ",".join(names[:many])).fingerprint == grid.fingerprint
    assert sweep_grid(N, d, [*M, 10], names[:many]).fingerprint != grid.fingerprint
    assert sweep_grid(N, d, M, names[:many], heads=2).fingerprint != grid.fingerprint


@settings(max_examples=6)
@given(axis, axis, axis, st.integers(0, 99))
def test_any_order_of_finishing_gives_the_same_rows(
    N: list[int], d: list[int], M: list[int], seed: int
) -> None:
    grid = sweep_grid(N, d, M, "naive,flash-2")
    rows = run_sweep(grid).rows
    with Disorderly(random.Random(seed)) as executor:
        assert run_sweep(grid, executor=executor).rows == rows
    assert [row["M"] for row in rows] == [m for _, _, m, _ in itertools.product(N, d, M, range(2))]


# -- rows


@pytest.mark.parametrize("pass_name", ["forward", "backward", "both", "weights"])
def test_rows_are_what_count_says(pass_name: str) -> None:
    problem = pebble.Problem(8, 8, 2, 2, heads=3, pass_name=pass_name)
    names = ("flash-2", "best") if pass_name != "weights" else ("flash-2", "small-cache")
    for M in (1, 3, 200):
        report = (
            importlib.import_module("pebble.training").count_training(problem, M, names)
            if pass_name == "both"
            else pebble.count(problem, M, names)
        )
        rows = count_point(Point(problem, M, names))
        assert [row["schedule"] for row in rows] == list(names)
        for row, counted in zip(rows, report.rows, strict=True):
            assert list(row) == list(COLUMNS)
            assert (row["pass"], row["heads"], row["M"]) == (pass_name, 3, M)
            for name in ("fits", "tiles", "reads", "writes", "io", "peak", "least_M", "ratio"):
                assert row[name] == getattr(counted, name)
            assert row["fits"] == (row["least_M"] <= M)
            assert not row["fits"] or row["ratio"] == row["io"] / row["bound_value"]


def test_masks_are_an_axis() -> None:
    masks = ["full", "causal", "none", "blocks:density=0.5,size=2"]
    rows = run_sweep(sweep_grid("4,6", 2, "9,30", "flash-2", masks=masks)).rows
    expected = [
        (N, mask, M)
        for N in (4, 6)
        for mask in (None, "causal", "blocks:size=2,density=0.5,seed=0")
        for M in (9, 30)
    ]
    assert [(row["Nq"], row["mask"], row["M"]) for row in rows] == expected
    for row, (N, mask, M) in zip(rows, expected, strict=True):
        problem = pebble.Problem.square(N, 2, mask=mask)
        counted = pebble.count(problem, M, ["flash-2"])
        assert (row["io"], row["pairs"]) == (counted["flash-2"].io, problem.pairs)
        assert row["bound_value"] == counted.bounds.best.value


@pytest.mark.parametrize("spec", ["file:{}", "blocks:size=1,file={}", "group:1:file:{}"])
def test_a_mask_from_a_file_is_known_by_its_pairs(spec: str, tmp_path: Path) -> None:
    file, out = tmp_path / "m.npy", tmp_path / "out.csv"
    np.save(file, np.tri(4, dtype=bool))
    mask = spec.format(file)
    grid = sweep_grid(4, 2, "9,30", "naive", masks=mask)
    with pytest.raises(Stop):
        run_sweep(grid, out, progress=_stop_after(1))
    masking._made.cache_clear()  # as in a new process
    np.save(file, np.ones((4, 4), dtype=bool))
    changed = sweep_grid(4, 2, "9,30", "naive", masks=mask)
    with pytest.raises(InvalidInput, match="differs in mask_contents"):
        run_sweep(changed, out)
    with pytest.raises(InvalidInput, match="another here than where the sweep was begun"):
        count_point(grid.point(0))
    np.save(file, np.tri(4, dtype=bool))
    masking._made.cache_clear()
    assert run_sweep(grid, out).resumed == 1


def test_queries_that_attend_to_nothing() -> None:
    with pytest.raises(InvalidInput, match="empty"):
        sweep_grid(4, 2, 9, "naive", masks="window:left=0,right=0", kv=2)
    sweep_grid(4, 2, 9, "naive", masks="window:left=0,right=0", kv=2, empty_rows="zero")


def test_all_schedules_of_a_pass_by_default() -> None:
    assert sweep_grid(4, 2, 9).schedules == tuple(pebble.schedules())
    both = sweep_grid(4, 2, 9, pass_name="both").schedules
    assert both == tuple(name for name in pebble.schedules() if name in pebble.schedules("backward"))


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"schedules": "flash-3"}, "flash-3"),
        ({"schedules": []}, "schedules"),
        ({"schedules": [pebble.schedules()["naive"]]}, "names"),
        ({"masks": "no-such-mask"}, "no-such-mask"),
        ({"masks": []}, "masks"),
        ({"masks": [np.eye(4)]}, "texts"),
        ({"masks": "causal", "pass_name": "weights"}, "without a mask"),
        ({"pass_name": "weights", "dv": 3}, "dv = d"),
        ({"heads": 0}, "heads"),
        ({"jobs": 0}, "jobs"),
        ({"jobs": 2, "executor": ThreadPoolExecutor(1)}, "one of them"),
        ({"format": "csv"}, "file"),
        ({"out": "x.txt"}, ".parquet"),
        ({"out": "x.txt", "format": "txt"}, "txt"),
        ({"out": "no-such-folder/x.csv"}, "no-such-folder"),
    ],
)
def test_refused_before_any_work(
    change: dict[str, Any], word: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match=word):
        pebble.sweep(**{"N": 4, "d": 2, "M": 9, **change})
    assert list(tmp_path.iterdir()) == []


# -- files


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("pass_name", ["forward", "both"])
def test_formats_hold_the_same_values(form: str, pass_name: str, tmp_path: Path) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    grid = sweep_grid("4,6", 2, "4:40:4", "naive,flash-2", pass_name=pass_name)
    expected = run_sweep(grid).rows
    done = run_sweep(grid, tmp_path / f"out.{form}")
    assert (len(done), done.resumed) == (16, 0)
    assert done.rows == expected
    assert [list(row) for row in done] == [list(COLUMNS)] * 16
    assert [path.name for path in tmp_path.iterdir()] == [f"out.{form}"]


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_numbers_of_any_size(form: str, tmp_path: Path) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    (row,) = count_point(SMALL.point(3))[:1]
    rows = [row, {**row, "reads": 2**63, "io": 10**75, "bound_value": 10**90, "mask": 'odd, "mask"'}]
    write_rows(tmp_path / f"x.{form}", form, lambda: rows)
    assert list(read_rows(tmp_path / f"x.{form}")) == rows


def test_parquet_without_pyarrow(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(InvalidInput, match=r"pebble-io\[parquet\]"):
        run_sweep(SMALL, tmp_path / "x.parquet")
    assert list(tmp_path.iterdir()) == []


# -- workers


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


def test_threads() -> None:
    with ThreadPoolExecutor(3) as threads:
        assert run_sweep(SMALL, executor=threads).rows == run_sweep(SMALL).rows


def test_large_grids_are_handed_over_bit_by_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeping_workers, "WINDOW", 2)
    with ThreadPoolExecutor(2) as threads:
        assert run_sweep(SMALL, executor=threads).rows == run_sweep(SMALL).rows


def test_processes_give_the_same_bytes(reference: bytes, tmp_path: Path) -> None:
    out = tmp_path / "sweep.csv"
    subprocess.run([*PEBBLE, "sweep", *AXES, "-o", str(out), "--jobs", "2"], check=True, capture_output=True)
    assert out.read_bytes() == reference
    assert [path.name for path in tmp_path.iterdir()] == ["sweep.csv"]


@posix
def test_a_killed_worker_loses_nothing(reference: bytes, tmp_path: Path) -> None:
    out = tmp_path / "sweep.csv"

    def kill(done: int, total: int) -> None:
        if done >= 5:
            os.kill(multiprocessing.active_children()[0].pid or 0, signal.SIGKILL)

    with pytest.raises(PebbleError, match=r"ended abruptly.* of 24 points are in .*\.partial"):
        run_sweep(GRID, out, jobs=2, progress=kill)
    assert not out.exists()
    done = run_sweep(GRID, out)
    assert done.resumed >= 5
    assert out.read_bytes() == reference


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
        if self._how == "cancelled":
            future.cancel()
            future.set_running_or_notify_cancel()
        elif self._how == "version":
            future.set_result(("0.0.1", []))
        else:
            future.set_exception(ZeroDivisionError("no luck"))
        return future


@pytest.mark.parametrize(
    ("how", "word"),
    [
        ("submit", "shutdown"),
        ("cancelled", "gave up"),
        ("version", "0.0.1"),
        ("raise", "ZeroDivisionError: no luck"),
    ],
)
def test_executors_that_fail(how: str, word: str, small: bytes, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    with Failing(how) as executor, pytest.raises(PebbleError, match=word):
        run_sweep(SMALL, out, executor=executor)
    assert not out.exists()
    assert run_sweep(SMALL, out).resumed <= 5
    assert out.read_bytes() == small


def test_a_point_that_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(point: Point) -> None:
        raise ZeroDivisionError("no luck")

    monkeypatch.setattr(sweeping_workers, "count_point", fail)
    with pytest.raises(PebbleError, match=r"N = 4, d = 2, M = 4: ZeroDivisionError: no luck"):
        run_sweep(SMALL)


# -- interruptions


class Stop(Exception):
    """What interrupts a sweep in these tests."""


def _stop_after(points: int) -> Callable[[int, int], None]:
    def progress(done: int, total: int) -> None:
        if done >= points:
            raise Stop

    return progress


def _interrupted(path: Path, points: int = 5) -> Path:
    with pytest.raises(Stop):
        run_sweep(SMALL, path, progress=_stop_after(points))
    return path.with_name(f"{path.name}.partial")


def test_journal_is_what_the_page_says(tmp_path: Path) -> None:
    header, *lines = _interrupted(tmp_path / "out.csv", 3).read_text(encoding="ascii").splitlines()
    found = json.loads(header)
    assert list(found) == ["journal", "version", "fingerprint", "grid"]
    assert found["fingerprint"] == SMALL.fingerprint
    assert [json.loads(line)["point"] for line in lines] == [0, 1, 2]
    assert [json.loads(line)["rows"] for line in lines] == [count_point(SMALL.point(i)) for i in range(3)]


def test_finished_points_are_not_counted_again(
    small: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _interrupted(tmp_path / "out.csv", 5)
    counted = []

    def noted(point: Point) -> list[dict[str, Any]]:
        counted.append(point)
        return count_point(point)

    monkeypatch.setattr(sweeping_workers, "count_point", noted)
    assert run_sweep(SMALL, tmp_path / "out.csv").resumed == 5
    assert counted == [SMALL.point(i) for i in range(5, 8)]
    assert (tmp_path / "out.csv").read_bytes() == small


def test_a_journal_cut_anywhere_is_good(small: bytes, tmp_path: Path) -> None:
    """The process may die, or the disk fill up, after any byte."""
    out = tmp_path / "out.csv"
    journal = _interrupted(out, 8)
    whole = journal.read_bytes()
    ends = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
    cuts = {0, 1, 40, ends[0] - 1, ends[0], ends[0] + 1, ends[5] - 1, ends[5], ends[5] + 9, len(whole) - 1}
    for cut in sorted(cuts):
        journal.write_bytes(whole[:cut])
        assert run_sweep(SMALL, out).resumed == max(0, sum(end <= cut for end in ends) - 1)
        assert out.read_bytes() == small
        assert not journal.exists()


def test_journals_that_do_not_fit(tmp_path: Path, small: bytes) -> None:
    out = tmp_path / "out.csv"
    journal = _interrupted(out)
    whole = journal.read_bytes()
    lines = whole.splitlines(keepends=True)
    other = sweep_grid("4,6", 2, "4:40:5", "naive,flash-2")
    with pytest.raises(InvalidInput, match=r"another grid \(it differs in M\).*--restart"):
        run_sweep(other, out)
    assert journal.read_bytes() == whole
    version = whole.replace(b'"version": "', b'"version": "9')
    spoilt = {
        "version 9": version,
        "damaged at line 3": b"".join([*lines[:2], b"{}\n", *lines[3:]]),
        "damaged at line 2": whole.replace(b'"point": 0', b'"point": 8'),
    }
    for word, content in spoilt.items():
        journal.write_bytes(content)
        with pytest.raises(InvalidInput, match=f"{word}.*--restart"):
            run_sweep(SMALL, out)
        assert journal.read_bytes() == content
        assert run_sweep(SMALL, out, restart=True).resumed == 0
        assert out.read_bytes() == small


@pytest.mark.parametrize("content", [b"my notes", b"my notes\n", b"{}\n", b"\xff\n", b'["journal"]\n'])
@pytest.mark.parametrize("restart", [False, True])
def test_a_file_that_is_no_journal_is_left_alone(content: bytes, restart: bool, tmp_path: Path) -> None:
    other = tmp_path / "out.csv.partial"
    other.write_bytes(content)
    with pytest.raises(InvalidInput, match="no journal"):
        run_sweep(SMALL, tmp_path / "out.csv", restart=restart)
    assert other.read_bytes() == content


@posix
def test_two_sweeps_into_one_file(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "out.csv.partial", SMALL)
    with pytest.raises(InvalidInput, match="another sweep is writing"):
        run_sweep(SMALL, tmp_path / "out.csv")
    journal.close()
    assert len(run_sweep(SMALL, tmp_path / "out.csv").rows) == 16


def test_a_result_that_cannot_be_written_keeps_the_journal(
    small: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    out = tmp_path / "out.csv"
    out.write_text("precious", encoding="utf-8")
    with monkeypatch.context() as patched:
        patched.setitem(importlib.import_module("pebble.sweeping.formats")._WRITERS, "csv", full)
        with pytest.raises(PebbleError, match=r"No space left.*8 of 8 points are in"):
            run_sweep(SMALL, out)
    assert out.read_text(encoding="utf-8") == "precious"
    assert run_sweep(SMALL, out).resumed == 8
    assert out.read_bytes() == small


def _signalled(out: Path, number: signal.Signals, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a sweep and send a signal to it, and for Ctrl-C to its workers, when some points are counted."""
    process = subprocess.Popen(
        [*PEBBLE, "sweep", *AXES, "-o", str(out), *options],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    journal = out.with_name(f"{out.name}.partial")
    deadline = time.monotonic() + 60
    while not journal.exists() or journal.read_bytes().count(b"\n") < 6:
        assert process.poll() is None, "the sweep ended by itself"
        assert time.monotonic() < deadline, "the sweep never began"
        time.sleep(0.005)
    if number == signal.SIGINT:
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    _, err = process.communicate(timeout=60)
    return subprocess.CompletedProcess([], process.returncode, "", err)


@posix
@pytest.mark.parametrize(
    ("number", "jobs"),
    [(signal.SIGKILL, "2"), (signal.SIGINT, "1"), (signal.SIGINT, "2")],
)
def test_a_sweep_that_is_stopped_goes_on(
    number: signal.Signals, jobs: str, reference: bytes, tmp_path: Path
) -> None:
    out = tmp_path / "sweep.csv"
    out.write_text("precious", encoding="utf-8")
    stopped = _signalled(out, number, "--jobs", jobs)
    assert out.read_text(encoding="utf-8") == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sweep.csv", "sweep.csv.partial"]
    if number == signal.SIGINT:
        assert stopped.returncode == 130
        assert stopped.stderr.startswith("pebble: interrupted; what was counted is in ")
        assert len(stopped.stderr.splitlines()) == 1
    else:
        assert stopped.returncode == -number
    again = subprocess.run(
        [*PEBBLE, "sweep", *AXES, "-o", str(out)], capture_output=True, text=True, check=False
    )
    assert (again.returncode, again.stdout) == (0, "")
    assert "of them from an earlier run" in again.stderr
    assert out.read_bytes() == reference
    assert [path.name for path in tmp_path.iterdir()] == ["sweep.csv"]


# -- the command


def _call(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[int, str]:
    monkeypatch.setattr(sys, "argv", ["pebble", "sweep", *arguments])
    code: Any = 0
    try:
        main()
    except SystemExit as end:
        code = end.code
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err
    return int(code or 0), err


def test_the_command_counts_what_the_function_counts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    options = "-N 4 -N 6 --kv 5 -d 2 --dv 3 -M 16B:96B:4 --dtype bf16 --heads 2 --batch 3 --stats"
    out = str(tmp_path / "out.data")
    code, err = _call(
        monkeypatch,
        capsys,
        *options.split(),
        "--schedule",
        "naive",
        "--schedule",
        "best",
        "-o",
        out,
        "--format",
        "jsonl",
    )
    assert (code, err) == (0, f"{out}: 16 rows, 8 points\n")
    expected = pebble.sweep(
        [4, 6], 2, "8:48:4", ["naive", "best"], kv=5, dv=3, heads=2, batch=3, stats=True
    ).rows
    assert list(read_rows(Path(out), "jsonl")) == expected


def test_devices_give_M(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "out.csv"
    options = ["-N", "64", "-d", "8", "--device", "a100,h100", "--dtype", "bf16", "--schedule", "flash-2"]
    assert _call(monkeypatch, capsys, *options, "-o", str(out))[0] == 0
    assert [r["M"] for r in read_rows(out)] == [pebble.device(n).words("bf16") for n in ("a100", "h100")]


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["-o", "x.csv"], "'-M'"),
        (["-M", "9", "-o", "x.txt"], ".parquet"),
        (["-M", "9:3:2", "-o", "x.csv"], "9:3"),
        (["-M", "9", "-o", "x.csv", "--jobs", "2", "--scheduler", "tcp://h:1"], "one of them"),
        (["-M", "9", "-o", "x.csv", "--jobs", "0"], "jobs"),
        (["-M", "9", "-o", "x.csv", "--level", "l2"], "--device"),
        (["--device", "h100", "-o", "x.csv"], "--dtype"),
        (["-M", "9", "-o", "no-such-folder/x.csv"], "no-such-folder"),
        (["-M", "9", "-o", "."], "format"),
        (["-M", "9", "-o", "x.csv", "--mask", "no-such-mask"], "no-such-mask"),
        (["-M", "9", "-o", "x.csv", "--schedule", "flash2"], "flash-2"),
    ],
)
def test_refusals(
    options: list[str],
    word: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, err = _call(monkeypatch, capsys, "-N", "4", "-d", "2", *options)
    assert code == 2
    assert word in err
    assert list(tmp_path.iterdir()) == []


@posix
def test_a_bar_on_a_terminal_only(tmp_path: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    command = [*PEBBLE, "sweep", "-N", "4,6", "-d", "2", "-M", "4:40:4", "--schedule", "naive", "-o"]
    with open(ours, "rb", buffering=0) as terminal:
        with open(theirs, "wb", buffering=0) as stderr:
            process = subprocess.Popen([*command, str(tmp_path / "a.csv")], stderr=stderr)
        seen = io.BytesIO()
        try:
            while data := terminal.read(4096):
                seen.write(data)
        except OSError:  # the other end is closed
            pass
        assert process.wait(timeout=60) == 0
    assert b"sweep" in seen.getvalue()
    assert b"8/8" in seen.getvalue()
    assert b"rows, 8 points" in seen.getvalue()
    plain = subprocess.run([*command, str(tmp_path / "b.csv")], capture_output=True, text=True, check=True)
    assert plain.stderr == f"{tmp_path / 'b.csv'}: 8 rows, 8 points\n"


# -- Dask

dask = pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="needs the extra dask")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    distributed = importlib.import_module("distributed")
    with distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as made:
        yield made


@dask
@posix
@pytest.mark.filterwarnings("ignore")
def test_dask_loses_nothing_when_a_worker_is_killed(cluster: Any, reference: bytes, tmp_path: Path) -> None:
    out = tmp_path / "sweep.csv"
    process = subprocess.Popen(
        [*PEBBLE, "sweep", *AXES, "-o", str(out), "--scheduler", cluster.scheduler_address],
        stderr=subprocess.PIPE,
        text=True,
    )
    journal = tmp_path / "sweep.csv.partial"
    while not journal.exists() or journal.read_bytes().count(b"\n") < 10:
        assert process.poll() is None, "the sweep ended by itself"
        time.sleep(0.005)
    os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
    killed_after = journal.read_bytes().count(b"\n") - 1
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert killed_after < 24
    assert err.endswith(f"{out}: 48 rows, 24 points\n")
    assert out.read_bytes() == reference


@dask
@pytest.mark.filterwarnings("ignore")
def test_dask_as_an_executor(cluster: Any) -> None:
    client = importlib.import_module("distributed").Client(cluster, set_as_default=False)
    with client:
        assert run_sweep(SMALL, executor=client.get_executor()).rows == run_sweep(SMALL).rows


@dask
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense://x", "tcp://"])
def test_no_cluster_there(
    address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    cluster = importlib.import_module("pebble.sweeping.cluster")
    monkeypatch.setattr(cluster.dask_cluster.__wrapped__, "__defaults__", (0.5,))
    options = ["-N", "4", "-d", "2", "-M", "9", "-o", str(tmp_path / "x.csv"), "--scheduler", address]
    code, err = _call(monkeypatch, capsys, *options)
    assert code in (1, 2)
    assert address in err
    assert list(tmp_path.iterdir()) == []


def test_dask_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    options = ["-N", "4", "-d", "2", "-M", "9", "-o", str(tmp_path / "x.csv"), "--scheduler", "tcp://h:1"]
    code, err = _call(monkeypatch, capsys, *options)
    assert code == 2
    assert "pebble-io[dask]" in err
