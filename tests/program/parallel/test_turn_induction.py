"""Turns by induction say what all turns say, of programs that are legal and of those that are not."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from pebble.common.errors import InvalidInput, Violation
from pebble.program import Loop, Node, Operation, When
from pebble.program.parallel import turn_induction
from pebble.program.parallel.device_program import DeviceProgram
from pebble.program.parallel.one_device import run_one_device
from pebble.program.parallel.representative_device import RepresentativeDevice
from pebble.program.parallel.shared_problem import SharedProblem
from schedules.distributed.device_programs import (
    FORWARD,
    grid,
    pass_q_ring,
    ring,
    ring_backward,
    ring_q_backward,
)
from tests.support import amounts

PROGRAMS = {
    **{name: (make(11), "forward") for name, make in FORWARD.items()},
    "grid": (grid(9, 8), "forward"),
    "ring backward": (ring_backward(10), "backward"),
    "ring-q backward": (ring_q_backward(13), "backward"),
}


def verdict(program: DeviceProgram, problem: SharedProblem, induction: bool, H: int | None = None) -> object:
    """What a run counts, or the rule that it breaks."""
    try:
        return run_one_device(program, problem, H, induction=induction)
    except Violation as violation:
        return violation.rule
    except InvalidInput:
        return "senseless"


def both(program: DeviceProgram, problem: SharedProblem) -> object:
    """Compare the two, with the memory that is just enough and with one word less."""
    found, plain = (verdict(program, problem, induction) for induction in (True, False))
    if found == "senseless":  # All that is written is read before it is taken.
        assert isinstance(plain, str), str(program)
        return found
    assert found == plain, str(program)
    if not isinstance(found, str):
        memory = found.memory  # type: ignore[attr-defined]
        assert verdict(program, problem, True, memory) == found
        assert verdict(program, problem, True, memory - 1) == "memory-full"
    return found


def problem_of(name: str, program: DeviceProgram) -> SharedProblem:
    heads = program.P if name == "ulysses" else 2
    return SharedProblem(3 * program.P, 2, program.P, heads, heads, pass_name=PROGRAMS[name][1])


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_counts_the_same(name: str) -> None:
    program, _ = PROGRAMS[name]
    assert not isinstance(both(program, problem_of(name, program)), str)


def changed(rnd: Random, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """A body with one node left out, doubled, moved, or another source or condition somewhere in it."""
    at = rnd.randrange(len(nodes))
    node = nodes[at]
    if isinstance(node, Loop | When) and rnd.random() < 0.75:
        new: tuple[Node, ...] = (replace(node, body=changed(rnd, node.body)),)
        if isinstance(node, When) and rnd.random() < 0.2:
            condition = replace(node.condition, negated=not node.condition.negated)
            new = (replace(node, condition=condition),)
    elif isinstance(node, Operation) and node.action == "receive" and rnd.random() < 0.6:
        sources = ("owner", "p - 1", "p - 2", "p + 1")
        new = (replace(node, source=rnd.choice(sources), adding=rnd.random() < 0.5),)
    else:
        new = rnd.choice([(), (node, node)])
    body = [*nodes[:at], *new, *nodes[at + 1 :]]
    if rnd.random() < 0.2:
        rnd.shuffle(body)
    return tuple(body) or nodes


@pytest.mark.parametrize("block", amounts.first(1, range(10)))
def test_changed_programs_are_judged_the_same(block: int) -> None:
    rnd = Random(block)
    verdicts = []
    for _ in range(60):
        name = rnd.choice([one for one in PROGRAMS if one != "grid"])
        program, _ = PROGRAMS[name]
        body = program.body
        for _ in range(rnd.choice([1, 1, 2])):
            body = changed(rnd, body)
        try:
            mutant = replace(program, body=body)
        except InvalidInput:
            continue
        verdicts.append(both(mutant, problem_of(name, program)))
    assert len({one for one in verdicts if isinstance(one, str)}) > 4


@pytest.mark.parametrize("P", [1024, 2**20])
def test_the_cost_of_a_ring_depends_on_neither_tokens_nor_devices(
    P: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted, taken = turn_induction._noted, []

    def counting(device: RepresentativeDevice, place: int, number: int) -> object:
        taken.append(number)
        return noted(device, place, number)

    monkeypatch.setattr(turn_induction, "_noted", counting)
    N, d = 2**40, 128
    n = N // P
    forward, backward = SharedProblem(N, d, P), SharedProblem(N, d, P, pass_name="backward")
    assert run_one_device(ring(P), forward).received == 2 * n * d * (P - 1)
    assert run_one_device(ring(P), forward).memory == 8 * n * d + n
    assert run_one_device(pass_q_ring(P), forward).received == n * (2 * d + 1) * (P - 1)
    assert run_one_device(ring_backward(P), backward).received == 4 * n * d * (P - 1)
    assert run_one_device(ring_q_backward(P), backward).received == (3 * d + 2) * n * (P - 1)
    assert len(taken) <= 5 * 5
