"""Schedules of files, named ``kernel.py:Name``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pebble import Problem
from pebble.lab.asked_schedules import asked_schedule

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


def test_a_file_that_changes_is_run_again(kernel: str) -> None:
    problem, path = Problem.square(16, 2), Path(kernel)
    assert asked_schedule(f"{kernel}:Rows", problem) is asked_schedule(f"{kernel}:Rows", problem)
    path.write_text(path.read_text().replace('"rows"', '"changed"'))
    os.utime(path, (0, 0))
    assert asked_schedule(f"{kernel}:Rows", problem).name == "changed"
