"""Every schedule, with one thing changed: all readings still agree on whether it is legal, and on the counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from pebble.common.errors import Violation
from pebble.computations.problem import Problem
from pebble.program import Loop, Operation, When
from pebble.program.counting.run import run
from pebble.program.schedule import available, get
from tests.program.program_checks import held_to_reference, same_closed_form, same_game
from tests.program.program_reference import refer
from tests.program.repairs import addresses, edited, mutated
from tests.support.amounts import first

# Without best, whose programs are those of the others.
SERVED = [
    (name, pass_name)
    for pass_name in ("forward", "backward")
    for name in sorted(available(pass_name))
    if name != "best"
]


def small_problem(rnd: Random, pass_name: str) -> Problem:
    """Queries or keys enough for induction, the rest small."""
    sizes = (rnd.choice([2, 6, 7]), rnd.choice([2, 5, 6]), rnd.randint(1, 3), rnd.randint(1, 2))
    return Problem(*sizes, stats=pass_name == "forward" and rnd.random() < 0.5, pass_name=pass_name)


@pytest.mark.parametrize(("name", "pass_name"), SERVED)
@pytest.mark.parametrize("part", first(1, ["", " once more"]))
def test_mutated_schedules(name: str, pass_name: str, part: str) -> None:
    rnd = Random(name + pass_name + part)
    schedule = get(name, pass_name)
    tally: Counter[bool] = Counter()
    for _ in range(8):
        problem = small_problem(rnd, pass_name)
        M = schedule.least_M(problem) + rnd.choice([0, 1, 5, 20])
        family = schedule.family(problem)
        nodes = schedule.program(problem, schedule.tiles(problem, M))
        for _ in range(rnd.choice([0, 1, 1, 1, 2])):
            nodes = mutated(rnd, nodes, family)
        limit = rnd.choice([None, M])
        expected = refer(nodes, family, limit)
        for induction in (True, False):
            held_to_reference(nodes, family, limit, expected, induction=induction)
        if expected.legal:
            same_closed_form(nodes, family, expected)
            same_game(nodes, family, expected)
        tally[expected.legal] += 1
    assert tally[True]
    assert tally[False]


@pytest.mark.parametrize(("name", "pass_name"), SERVED)
def test_dropping_an_operation_is_refused_or_needs_no_less(name: str, pass_name: str) -> None:
    """Without a load or computation something is missing; without a deletion memory fills up or a rule breaks."""
    schedule = get(name, pass_name)
    problem = Problem(5, 6, 1, 2, pass_name=pass_name)
    family = schedule.family(problem)
    nodes = schedule.program(problem, schedule.smallest(problem))
    whole = run(nodes, family)
    for address, node in addresses(nodes):
        if not isinstance(node, Operation):
            continue
        fewer = edited(nodes, address, lambda _node, _inside: ())
        expected = refer(fewer, family)
        found = held_to_reference(fewer, family, None, expected, induction=True)
        if node.action == "compute":
            assert found is None, str(node)
        if found is not None:
            assert found.peak >= whole.peak or node.action in ("load", "store"), str(node)


@pytest.mark.parametrize("name", [name for name, pass_name in SERVED if pass_name == "forward"])
def test_dropped_conditions_and_changed_tiles(name: str) -> None:
    """Each condition made unconditional, each loop given another tile."""
    schedule = get(name)
    problem = Problem(7, 6, 2, 2, stats=True)
    family = schedule.family(problem)
    nodes = schedule.program(problem, schedule.smallest(problem))
    changed = []
    for address, node in addresses(nodes):
        if isinstance(node, When):
            body = node.body
            changed.append(edited(nodes, address, lambda _node, _inside, body=body: body))  # type: ignore[misc]
        if isinstance(node, Loop):
            for tile in (2, 3):
                other = replace(node, tile=tile)
                changed.append(edited(nodes, address, lambda _node, _inside, other=other: (other,)))  # type: ignore[misc]
    assert changed
    for text in changed:
        expected = refer(text, family)
        held_to_reference(text, family, None, expected, induction=True)
        if expected.legal:
            same_closed_form(text, family, expected)
            same_game(text, family, expected)


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
