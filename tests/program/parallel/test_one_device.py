"""One device that stands for all: closed forms, any P and N, and every fault found."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from pebble.common.errors import InvalidInput, PebbleError, Violation
from pebble.program import Loop, Node, Operation, When, compute, loop, not_first, when
from pebble.program.parallel.device_program import DeviceProgram, devices, discard, own_tile, receive, turns
from pebble.program.parallel.one_device import run_one_device
from pebble.program.parallel.referee import play
from pebble.program.parallel.shared_problem import SharedProblem
from pebble.program.parallel.written_out import written_out
from schedules.distributed.device_programs import all_gather, grid, pass_q, ring, ring_backward
from tests.program.parallel.device_cases import NAMES, cases


@pytest.mark.parametrize("name", NAMES)
def test_it_counts_what_the_closed_form_and_the_referee_of_all_devices_count(name: str) -> None:
    for program, problem, expected in cases(name, 1, 8):
        found = run_one_device(program, problem)
        assert found.received == expected
        traffic = play(written_out(program, problem))
        assert set(traffic.received) == set(traffic.sent) == {expected}
        assert traffic.h_sum == expected
        assert (traffic.rounds, set(traffic.messages)) == (found.rounds, {found.messages})
        assert (set(traffic.memory), set(traffic.pairs)) == ({found.memory}, {found.pairs})


def test_the_memory_is_that_of_the_closed_forms() -> None:
    N, d = 2**30, 128
    for P in (8, 64):
        n, problem = N // P, SharedProblem(N, d, P)
        assert run_one_device(ring(P), problem, H=8 * n * d + n).memory == 8 * n * d + n
        assert run_one_device(all_gather(P), problem).memory == 3 * n * d + 2 * (N - n) * d + n * (d + 1)
        R, C = P // 4, 4
        expected = (3 + C - 1 + 2 * (R - 1)) * n * d + (2 * C - 1) * n * (d + 1)
        assert run_one_device(grid(R, C), problem).memory == expected
        with pytest.raises(Violation) as refused:
            run_one_device(ring(P), problem, H=8 * n * d + n - 1)
        assert refused.value.rule == "memory-full"


def from_neighbour(source: str) -> Loop:
    """Keys go round from a neighbour."""
    return turns("j", when(not_first("r"), receive("K", "V", source=source)))


WORK = compute("l"), compute("U"), compute("O", "U")


@pytest.mark.parametrize(
    ("rule", "program"),
    [
        ("receive-needs-held", devices(4, from_neighbour("p - 2"), WORK, i="p")),
        ("receive-needs-held", devices(4, from_neighbour("p + 1"), WORK, i="p")),
        ("receive-from-itself", devices(4, turns("j", receive("K", "V")), WORK, i="p")),
        ("already-held", devices(4, all_gather(4).body[:1], all_gather(4).body, i="p")),
        ("work-needs-held", devices(4, WORK, i="p")),
        ("term-counted-twice", devices(4, own_tile("j", WORK[:2]), all_gather(4).body[:1], WORK, i="p")),
        ("term-counted-twice", devices(4, pass_q(4).body[:-1], pass_q(4).body[-2:], j="p")),
        ("compute-needs-predecessors", devices(4, own_tile("j", WORK), i="p")),
        ("output-missing", devices(4, own_tile("j", WORK[:2]), i="p")),
        ("discard-needs-held", devices(4, turns("j", when(not_first("r"), discard("K", "V"))), i="p")),
    ],
)
def test_faults_are_refused(rule: str, program: DeviceProgram) -> None:
    with pytest.raises(Violation) as refused:
        run_one_device(program, SharedProblem(16, 2, 4))
    assert refused.value.rule == rule


def test_what_is_discarded_is_there_for_who_fetches_it_now_and_for_nobody_later() -> None:
    early = list(ring(4).body)
    turn = early[0]
    assert isinstance(turn, Loop)
    first, *work, last = turn.body
    program = devices(4, replace(turn, body=(first, last, *work)), i="p")
    with pytest.raises(Violation) as refused:
        run_one_device(program, SharedProblem(16, 2, 4))
    assert refused.value.rule == "work-needs-held"


def test_devices_that_are_not_alike_are_refused() -> None:
    for problem in (SharedProblem(16, 2, 4, causal=True), SharedProblem(17, 2, 4), SharedProblem(16, 2, 8)):
        with pytest.raises(InvalidInput):
            run_one_device(ring(4), problem)


def mutants(nodes: tuple[Node, ...]) -> list[tuple[Node, ...]]:
    """Bodies with one receive, discard or piece of work left out or doubled."""
    found = []
    for at, node in enumerate(nodes):
        found += [nodes[:at] + nodes[at + 1 :], (*nodes[:at], node, node, *nodes[at + 1 :])]
        if isinstance(node, Loop | When):
            found += [
                (*nodes[:at], replace(node, body=body), *nodes[at + 1 :]) for body in mutants(node.body)
            ]
    return found


def verdict(program: DeviceProgram, problem: SharedProblem, all_devices: bool) -> object:
    """The broken rule, or what each device receives."""
    try:
        if all_devices:
            return set(play(written_out(program, problem)).received)
        return {run_one_device(program, problem).received}
    except Violation as violation:
        return violation.rule
    except PebbleError as error:
        return type(error)


MUTATED = {"ring": ring(3), "pass-q": pass_q(3), "grid": grid(2, 2), "backward": ring_backward(3)}


@pytest.mark.parametrize("name", MUTATED)
def test_one_device_and_all_of_them_refuse_the_same_mutants(name: str) -> None:
    program, pass_name = MUTATED[name], "backward" if name == "backward" else "forward"
    problem = SharedProblem(2 * program.P, 2, program.P, pass_name=pass_name)
    bodies = mutants(program.body)
    chosen = bodies if len(bodies) < 40 else Random(1).sample(bodies, 40)
    for body in chosen:
        try:
            mutant = replace(program, body=body)
        except InvalidInput:
            continue
        one, every = (verdict(mutant, problem, all_devices) for all_devices in (False, True))
        if one in ("output-missing", "compute-needs-predecessors") and isinstance(every, set):
            continue  # The referee of all devices takes complete U and l for O, once or twice.
        assert isinstance(one, set) == isinstance(every, set), f"{one} / {every}\n{mutant}"
        if isinstance(one, set):
            assert one == every


def test_conditions_between_devices_are_on_turns() -> None:
    inside = loop("i", 1, when(not_first("i"), turns("j", receive("K", "V"))))
    with pytest.raises(InvalidInput, match="turns stand outside"):
        devices(4, inside, i="p")
    with pytest.raises(InvalidInput, match="no coordinate"):
        devices(4, turns("j", receive("K", "V", source="q - 1")), i="p")
    with pytest.raises(InvalidInput, match="no turn around"):
        devices(4, receive("K", "V"), i="p")
    assert isinstance(receive("K")[0], Operation)
