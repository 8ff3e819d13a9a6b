"""Journals of sweeps: good wherever they are cut off, refused where they are changed."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pebble.common.errors import InvalidInput
from pebble.lab.sweep import run_sweep, sweep_grid
from pebble.lab.sweep.journal import Journal
from pebble.lab.sweep.point import count_point
from tests.lab.sweeps import SMALL, expected, interrupted, posix


def _change(journal: Path, statement: str) -> None:
    with closing(sqlite3.connect(journal)) as database, database:
        database.execute(statement)


def test_journal_is_what_the_page_says(tmp_path: Path) -> None:
    with closing(sqlite3.connect(interrupted(tmp_path / "out.csv", 3))) as database:
        ((_, grid),) = database.execute("SELECT version, grid FROM about")
        points = list(database.execute("SELECT point, rows FROM points"))
    assert json.loads(grid) == SMALL.to_dict()
    assert [(at, json.loads(rows)) for at, rows in points] == [
        (i, count_point(SMALL.point(i))) for i in range(3)
    ]


@pytest.mark.slow
def test_journals_that_do_not_fit(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    other = sweep_grid("4,6", 2, "4:40:5", "naive,flash-2")
    journal = interrupted(out)
    with pytest.raises(InvalidInput, match=r"another grid \(it differs in M\).*--restart"):
        run_sweep(other, out)
    _change(journal, "UPDATE about SET version = '9'")
    with pytest.raises(InvalidInput, match=r"version 9.*--restart"):
        run_sweep(SMALL, out)
    assert run_sweep(SMALL, out, restart=True).resumed == 0
    assert out.read_bytes() == expected(SMALL)
    journal = interrupted(out)
    _change(journal, "UPDATE points SET rows = '['")
    with pytest.raises(InvalidInput, match="is damaged"):
        run_sweep(SMALL, out, restart=False)


@pytest.mark.parametrize("content", [b"my notes", b"my notes\n", b"{}\n", b"\xff\n", b"SQLite format 3\0"])
@pytest.mark.parametrize("restart", [False, True])
def test_a_file_that_is_no_journal_is_left_alone(content: bytes, restart: bool, tmp_path: Path) -> None:
    other = tmp_path / "out.csv.partial"
    other.write_bytes(content)
    with pytest.raises(InvalidInput, match="not the journal"):
        run_sweep(SMALL, tmp_path / "out.csv", restart=restart)
    assert other.read_bytes() == content
    other.unlink()
    _change(other, "CREATE TABLE addresses (name)")
    content = other.read_bytes()
    with pytest.raises(InvalidInput, match="not the journal"):
        run_sweep(SMALL, tmp_path / "out.csv", restart=restart)
    assert other.read_bytes() == content


@posix
def test_two_sweeps_into_one_file(tmp_path: Path) -> None:
    with (
        closing(Journal(tmp_path / "out.csv.partial", SMALL)),
        pytest.raises(InvalidInput, match="another sweep is writing"),
    ):
        run_sweep(SMALL, tmp_path / "out.csv")
    assert len(run_sweep(SMALL, tmp_path / "out.csv").rows) == 16
