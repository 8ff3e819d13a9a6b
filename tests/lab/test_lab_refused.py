"""What the lab refuses, and how it says it: refusals.txt, a line for each case."""

# ruff: noqa: F401 (the table names what is imported)
from __future__ import annotations

import io
from typing import Any

import pytest

import pebble
from pebble import Problem
from pebble.lab import plots
from pebble.lab.caches import on_a_cache
from pebble.lab.compiled import compiled
from pebble.lab.crossover import crossover
from pebble.lab.hardware import device, model
from pebble.lab.level_counts import count_levels
from pebble.lab.plan import Constraints, kernel_boundaries, plan
from pebble.lab.plan.memory_need import width_ratio
from pebble.lab.player import play, play_dag
from pebble.lab.player.devices_page import play_devices
from pebble.lab.player.documents import race
from pebble.lab.plots.over_time import timeline
from pebble.lab.regimes import regimes
from pebble.lab.size_lists import memory_sizes, problem_sizes, spaced
from pebble.program import Hierarchy
from pebble.program.parallel import SharedProblem
from tests.lab.plans import FORWARD
from tests.support.refusals import check_refusal, refusals

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure

SMALL = Problem.square(8, 2)
ONE_LAYER = Problem.square(16384, 128, heads=32, kv_heads=8, batch=4)
PRODUCT, CUBE = "C[i,j] += A[i,k]*B[k,j]", {"i": 3, "j": 3, "k": 3}


def planned(**asked: Any) -> object:
    """Plan around flash-2 with three rows in 300 words, but for what is asked otherwise."""
    given: dict[str, Any] = {"kernel": "flash-2", "tiles": {"rows": 3}, "M": 300, **asked}
    return pebble.plan_kernel(Problem(24, 24, 4, 4, heads=3), **given, costs=False)


def checked(line: str) -> object:
    """Check a file of moves of two levels with one line of moves."""
    return pebble.check(io.StringIO(f"# pebbling 1\n# dag pyramid:2\n# levels 3 5\n{line}\n"))


@pytest.mark.parametrize("line", refusals(__file__))
def test_refusals(line: str) -> None:
    check_refusal(line, globals())
