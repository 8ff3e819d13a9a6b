"""Schedules of files, named ``kernel.py:Name``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pebble import Problem
from pebble.lab.asked_schedules import asked_schedule
from tests.support.commands import COUNT, Pebble, document_of

TEXT = """
from pebble import Schedule
from schedules.flash2 import Flash2

class Rows(Flash2):
    name = "rows"

made = Rows()
number = 3
"""


@pytest.fixture
def kernel(tmp_path: Path) -> str:
    """A file with a schedule that is FlashAttention-2 by another name."""
    path = tmp_path / "kernel.py"
    path.write_text(TEXT)
    return str(path)


@pytest.mark.parametrize("name", ["Rows", "made"])
def test_a_schedule_of_a_file_is_counted(pebble: Pebble, kernel: str, name: str) -> None:
    done = pebble(*COUNT, "--schedule", f"{kernel}:{name},flash-2", "--json")
    one, other = document_of(done)["schedules"]
    assert one["name"] == "rows"
    assert one["io"] == other["io"]


@pytest.mark.parametrize(
    ("asked", "code", "why"),
    [
        ("{kernel}:Cols", 2, "has no schedule Cols; schedules in it: Rows"),
        ("{kernel}:number", 2, "has no schedule number"),
        ("nothing.py:Rows", 2, "cannot read nothing.py"),
        ("{broken}:Rows", 2, "cannot be run: NameError"),
    ],
)
def test_what_is_no_schedule_of_a_file_is_refused(
    pebble: Pebble, kernel: str, tmp_path: Path, asked: str, code: int, why: str
) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("nothing")
    pebble(*COUNT, "--schedule", asked.format(kernel=kernel, broken=broken)).refused(code, why)


def test_a_file_that_changes_is_run_again(kernel: str) -> None:
    problem, path = Problem.square(16, 2), Path(kernel)
    assert asked_schedule(f"{kernel}:Rows", problem) is asked_schedule(f"{kernel}:Rows", problem)
    path.write_text(path.read_text().replace('"rows"', '"changed"'))
    os.utime(path, (0, 0))
    assert asked_schedule(f"{kernel}:Rows", problem).name == "changed"
