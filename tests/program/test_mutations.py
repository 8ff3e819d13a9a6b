"""Every schedule, with one thing changed: all readings still agree on whether it is legal, and on the counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pebble.common.errors import Violation
from pebble.computations.family import Family
from pebble.computations.problem import Problem
from pebble.program import Loop, Node, Operation, Program, When
from pebble.program.counting.run import run
from pebble.program.schedule import available, get
from tests.program.differences import (
    PLAIN,
    SHORTCUTS,
    against_formulas,
    against_game,
    against_reference,
    judge,
)
from tests.program.program_reference import refer
from tests.program.repairs import addresses, edited

# Without best, whose programs are those of the others.
SERVED = [
    (name, pass_name)
    for pass_name in ("forward", "backward")
    for name in sorted(available(pass_name))
    if name != "best"
]


def judged(text: Program, family: Family) -> bool:
    """Whether a program is legal: both runs say what the reference says."""
    expected = refer(text, family)
    for runner in (PLAIN, *SHORTCUTS.values()):
        assert not against_reference(judge(runner, text, family, None), expected, family), str(text)
    if expected.legal:
        assert not against_formulas(text, family, expected) + against_game(text, family, expected), str(text)
    return expected.legal


@pytest.mark.many(1)
@pytest.mark.parametrize(("name", "pass_name"), SERVED)
def test_a_schedule_with_one_thing_changed(name: str, pass_name: str) -> None:
    """Each operation left out, each condition made unconditional, each loop given another tile."""
    schedule = get(name, pass_name)
    problem = Problem(3, 4, 1, 2, pass_name=pass_name)
    family = schedule.family(problem)
    nodes = schedule.program(problem, schedule.smallest(problem))
    for address, node in addresses(nodes):
        new: tuple[Node, ...] = (replace(node, tile=2),) if isinstance(node, Loop) else ()
        if isinstance(node, When):
            new = node.body
        legal = judged(edited(nodes, address, lambda _node, _inside, new=new: new), family)  # type: ignore[misc]
        assert not (isinstance(node, Operation) and node.action == "compute" and legal), str(node)


def test_a_deleted_delete_is_found_at_the_least_M() -> None:
    schedule, problem = get("flash-2"), Problem(5, 6, 2, 2)
    family, nodes = schedule.family(problem), schedule.program(problem, {"rows": 1})
    least = run(nodes, family).peak
    refused = 0
    for address, node in addresses(nodes):
        if isinstance(node, Operation) and node.action == "delete":
            with pytest.raises(Violation):
                run(edited(nodes, address, lambda _node, _inside: ()), family, least)
            refused += 1
    assert refused >= 5
