"""What programs and schedules refuse, and how they say it: refusals.txt, a line for each case."""

# ruff: noqa: F401, F403, F405 (the table names what is imported)
from __future__ import annotations

import numpy as np
import pytest

from pebble import Problem
from pebble.common.errors import InvalidInput
from pebble.lab.pebblings import moves
from pebble.program import *
from pebble.program.closed_forms.count import closed_form
from pebble.program.counting.plain import execute
from pebble.program.counting.run import run, run_levels
from pebble.program.lowering import lower
from pebble.program.numbers import evaluate
from pebble.program.parts_in_turn import for_each_part
from pebble.program.schedule import get
from pebble.program.schedule.registry import level_schedule
from pebble.program.schedule.tile_names import plain_names
from tests.program.names import family_of, matmul_family
from tests.schedules.test_roles_own import ONLINE, PLAIN, SCORES, SUMS
from tests.schedules.test_roles_own import problem_of as own
from tests.support.refusals import check_refusal, refusals

FAMILY, PRODUCT = matmul_family(9, 8, 7), matmul_family(3, 3, 2)
NESTED = level_schedule("nested-flash-2", Problem.square(4, 2))
LEVELS = program(load("A", level=2), load("A"))
IN_PARTS = for_each_part(
    Problem.square(9, 1, mask="document:4,5").allowed, lambda part: program(loop("i", 1, load("Q")))
)


def sense(*nodes: Nodes) -> None:
    """Refuse a program as a whole, where it is run, and inside a loop over another axis."""
    text = program(phase("", *nodes))
    with pytest.raises(InvalidInput):
        run(text, FAMILY)
    with pytest.raises(InvalidInput):
        validate(program(phase("", loop("j", 2, *nodes, label="outer"))), FAMILY)
    validate(text, FAMILY)


def numbers(name: str, values: np.ndarray | None) -> None:
    """Compute attention on inputs of which one is replaced, or left out."""
    problem = Problem(5, 7, 3, 2)
    inputs = {"Q": np.zeros((5, 3)), "K": np.zeros((7, 3)), "V": np.zeros((7, 2)), name: values}
    given = {one: array for one, array in inputs.items() if array is not None}
    evaluate(get("naive").program(problem, {}), family_of(problem), given)


@pytest.mark.parametrize("line", refusals(__file__))
def test_refusals(line: str) -> None:
    check_refusal(line, globals())
