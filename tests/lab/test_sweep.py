"""Sweeps: grids, rows, files and the command."""

from __future__ import annotations

import importlib
import io
import itertools
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pebble
from pebble.common.errors import InvalidInput
from pebble.lab.level_counts import count_levels
from pebble.lab.sweep import COLUMNS, Point, count_point, run_sweep, sweep_grid
from pebble.lab.sweep.point import mask_made
from pebble.lab.sweep.row_files import read_rows, write_rows
from pebble.program import Hierarchy
from tests.lab.sweeps import PEBBLE, SMALL, Stop, posix, stop_after
from tests.support.amounts import examples
from tests.support.commands import Pebble

# -- grids


axis = st.lists(st.integers(1, 9), min_size=1, max_size=3, unique=True)


@examples(7, 15)
@given(axis, axis, axis, st.permutations(["naive", "flash-2", "best"]), st.integers(1, 3))
def test_points_are_the_product_of_the_axes_in_order(
    N: list[int], d: list[int], M: list[int], names: list[str], many: int
) -> None:
    grid = sweep_grid(N, d, M, names[:many])
    points = [grid.point(i) for i in range(len(grid))]
    assert [(p.settings["Nq"], p.settings["d"], p.M) for p in points] == list(itertools.product(N, d, M))
    assert {p.schedules for p in points} == {tuple(names[:many])}
    assert sweep_grid(N, d, M, ",".join(names[:many])).to_dict() == grid.to_dict()
    assert sweep_grid(N, d, [*M, 10], names[:many]).to_dict() != grid.to_dict()
    assert sweep_grid(N, d, M, names[:many], heads=2).to_dict() != grid.to_dict()


# -- rows


@pytest.mark.parametrize("pass_name", ["forward", "backward", "both", "weights"])
def test_rows_are_what_count_says(pass_name: str) -> None:
    settings: dict[str, Any] = {"Nq": 8, "Nk": 8, "d": 2, "dv": 2, "heads": 3, "pass_name": pass_name}
    problem = pebble.Problem(**settings)
    names = ("flash-2", "best") if pass_name != "weights" else ("flash-2", "small-cache")
    for M in (1, 3, 200):
        report = (
            importlib.import_module("pebble.lab.training").count_training(problem, M, names)
            if pass_name == "both"
            else pebble.count(problem, M, names)
        )
        rows = count_point(Point(settings, M, names))
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


@pytest.mark.many(2)
@pytest.mark.parametrize(
    ("options", "masks"),
    [
        ({"heads": 6, "kv_heads": 2}, ["none", "causal"]),
        ({"attention": "linear"}, ["none", "causal"]),
        ({"attention": "linear", "gate": True}, ["causal"]),
        ({"attention": "linear", "chunk": 3}, ["causal"]),
    ],
)
def test_options_of_a_problem(options: dict[str, Any], masks: list[str]) -> None:
    """Heads that share keys are one problem; linear attention without a mask is another computation than causal."""
    rows = run_sweep(sweep_grid("7,8", 2, 40, "naive,best", masks=masks, **options)).rows
    expected = [(N, mask, name) for N in (7, 8) for mask in masks for name in ("naive", "best")]
    for row, (N, mask, name) in zip(rows, expected, strict=True):
        problem = pebble.Problem.square(N, 2, mask=mask, **options)
        assert row["io"] == pebble.count(problem, 40, [name])[name].io
        assert (row["Nq"], row["Nk"], row["heads"]) == (problem.Nq, problem.Nk, problem.heads)
        assert (row["mask"], row["gate"], row["chunk"]) == (
            problem.to_dict()["mask"],
            problem.gate,
            problem.chunk,
        )


@pytest.mark.parametrize("spec", ["file:{}", "blocks:size=1,file={}", "group:1:file:{}"])
def test_a_mask_from_a_file_is_known_by_its_pairs(spec: str, tmp_path: Path) -> None:
    file, out = tmp_path / "m.npy", tmp_path / "out.csv"
    np.save(file, np.tri(4, dtype=bool))
    mask = spec.format(file)
    grid = sweep_grid(4, 2, "9,30", "naive", masks=mask)
    with pytest.raises(Stop):
        run_sweep(grid, out, progress=stop_after(1))
    mask_made.cache_clear()  # as in a new process
    np.save(file, np.ones((4, 4), dtype=bool))
    changed = sweep_grid(4, 2, "9,30", "naive", masks=mask)
    with pytest.raises(InvalidInput, match="differs in mask_contents"):
        run_sweep(changed, out)
    with pytest.raises(InvalidInput, match="differs from the one the sweep was started with"):
        count_point(grid.point(0))
    np.save(file, np.tri(4, dtype=bool))
    mask_made.cache_clear()
    assert run_sweep(grid, out).resumed == 1


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"schedules": "flash-3"}, "flash-3"),
        ({"schedules": []}, "schedules"),
        ({"schedules": [pebble.schedules()["naive"]]}, "by name"),
        ({"masks": "no-such-mask"}, "no-such-mask"),
        ({"masks": []}, "masks"),
        ({"masks": [np.eye(4)]}, "texts"),
        ({"masks": "causal", "pass_name": "weights"}, "without a mask"),
        ({"pass_name": "weights", "dv": 3}, "dv = d"),
        ({"heads": 0}, "heads"),
        ({"jobs": 0}, "jobs"),
        ({"jobs": 2, "executor": ThreadPoolExecutor(1)}, "give one"),
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

FORMS = ["csv", "jsonl", pytest.param("parquet", marks=pytest.mark.extra)]


@pytest.mark.many(1)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("pass_name", ["forward", "both"])
def test_formats_hold_the_same_values(form: str, pass_name: str, tmp_path: Path) -> None:
    grid = sweep_grid("4,6", 2, "4:40:4", "naive,flash-2", pass_name=pass_name)
    expected = run_sweep(grid).rows
    done = run_sweep(grid, tmp_path / f"out.{form}")
    assert (len(done), done.resumed) == (16, 0)
    assert done.rows == expected
    assert [list(row) for row in done] == [list(COLUMNS)] * 16
    assert [path.name for path in tmp_path.iterdir()] == [f"out.{form}"]


@pytest.mark.parametrize("form", FORMS)
def test_numbers_of_any_size(form: str, tmp_path: Path) -> None:
    (row,) = count_point(SMALL.point(3))[:1]
    rows = [row, {**row, "reads": 2**63, "io": 10**75, "bound_value": 10**90, "mask": 'odd, "mask"'}]
    write_rows(tmp_path / f"x.{form}", form, lambda: rows)
    assert list(read_rows(tmp_path / f"x.{form}")) == rows


def test_parquet_without_pyarrow(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(InvalidInput, match=r"pebble-io\[parquet\]"):
        run_sweep(SMALL, tmp_path / "x.parquet")
    assert list(tmp_path.iterdir()) == []


# -- the command


def test_devices_give_M(command: Pebble, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    options = ["-N", "64", "-d", "8", "--device", "a100,h100", "--dtype", "bf16", "--schedule", "flash-2"]
    assert command("sweep", *options, "-o", str(out))[0] == 0
    assert [r["M"] for r in read_rows(out)] == [pebble.device(n).words("bf16") for n in ("a100", "h100")]


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
        assert process.wait() == 0
    assert b"sweep 8/8" in seen.getvalue()
    assert b"rows, 8 points" in seen.getvalue()
    plain = subprocess.run([*command, str(tmp_path / "b.csv")], capture_output=True, text=True, check=True)
    assert plain.stderr == f"{tmp_path / 'b.csv'}: 8 rows, 8 points\n"


@pytest.mark.slow
def test_a_row_for_each_boundary(tmp_path: Path) -> None:
    """With memory levels a row is a boundary, with M of its level; the same from the file, and where nothing fits."""
    asked: dict[str, Any] = {"levels": "43,140", "masks": ["none", "causal"]}
    swept = pebble.sweep(40, 3, None, out=tmp_path / "levels.csv", **asked)
    assert len(swept) == 4
    assert swept.rows == pebble.sweep(40, 3, None, **asked).rows
    hierarchy = Hierarchy((43, 140))
    for mask, rows in (("none", swept.rows[:2]), ("causal", swept.rows[2:])):
        counted = count_levels(pebble.Problem.square(40, 3, mask=None if mask == "none" else mask), hierarchy)
        for row, one in zip(rows, counted.rows[0].boundaries, strict=True):
            assert {name: row[name] for name in ("level", "reads", "writes", "io", "peak", "ratio")} == {
                name: value for name, value in one.to_dict().items() if name not in ("capacity", "bound")
            }
            assert (row["M"], row["bound_value"], row["hierarchy"]) == (one.capacity, one.bound, "inclusive")
    tiny = pebble.sweep(40, 3, None, levels=(5, 9), exclusive=True).rows
    assert [(row["fits"], row["level"], row["hierarchy"], row["io"]) for row in tiny] == [
        (False, 1, "exclusive", None),
        (False, 2, "exclusive", None),
    ]
    with pytest.raises(InvalidInput, match="needs either"):
        pebble.sweep(40, 3, 100, levels=(43, 140))
    with pytest.raises(InvalidInput, match="separately"):
        pebble.sweep(40, 3, None, levels=(43, 140), pass_name="both")
