"""A ring with any inner schedule, word by word on all devices: the referee of the elementary game counts the same."""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
import pytest

from pebble.common.errors import CacheTooSmall
from pebble.computations.family import Family
from pebble.computations.shared_problem import SharedProblem
from pebble.game.files.processor_files import ProcessorCheck
from pebble.game.moves import Op
from pebble.game.processors.words import array_of, indices_of
from pebble.lab.pebblings import check
from pebble.program.lowering import lower
from pebble.program.nodes import Program
from pebble.program.parallel.inner_work import DeviceShare, turns_program
from pebble.program.parallel.schedule import distributed_schedule
from pebble.program.schedule import get, registered
from tests.support.random_processor_runs import braces, name

WORDS = {Op.LOAD: "load", Op.STORE: "store", Op.COMPUTE: "compute", Op.DELETE: "delete"}


class DeviceMoves:
    """The moves of one device in a ring, from the program of its turns."""

    def __init__(self, p: int, P: int, n: int) -> None:
        self.p, self.n = p, n
        self.keys = [(p - turn) % P * n + j for turn in range(P) for j in range(n)]
        self.stored: dict[str, str] = {}

    def lines(self, program: Program, family: Family) -> Iterator[tuple[int, str]]:
        """Yield the moves with the turn that they belong to."""
        turn = 0
        for op, vertex in lower(program, family):
            for code, v in zip(np.asarray(op).tolist(), np.asarray(vertex).tolist(), strict=True):
                local = family.names[v]
                array, index = array_of(local), indices_of(local)
                if array in ("K", "V"):
                    turn = max(turn, index[0] // self.n)
                for line in self.move(Op(code), array, index):
                    yield turn, f"{self.p} {line}"

    def move(self, op: Op, array: str, index: tuple[int, ...]) -> Iterator[str]:
        if array in ("l", "U"):
            *element, last = index
            named = name(array, element[0] + self.p * self.n, *element[1:])
            absorbed = set(self.keys[: last + 1])
            word = named + braces(absorbed)
            if op == Op.COMPUTE:
                before = braces(absorbed - {self.keys[last]}) if last else ""
                yield f"compute {named}{before}+{self.keys[last]}"
                return
            yield f"{WORDS[op]} {word}"
            if op == Op.STORE:
                if self.stored.get(named, word) != word:
                    yield f"discard {self.stored[named]}"
                self.stored[named] = word
            return
        places = {"Q": "i", "K": "j", "V": "j", "S": "ij", "P": "ij", "O": "i"}[array]
        moved = [
            x + self.p * self.n if axis == "i" else self.keys[x]
            for axis, x in zip(places, index, strict=False)
        ]
        yield f"{WORDS[op]} {name(array, *moved, *index[len(places) :])}"


def ring_file(problem: SharedProblem, program: Program, family: Family, M: int) -> str:
    """Write the run of all devices."""
    P, n, d = problem.P, problem.N // problem.P, problem.d
    turns: list[list[str]] = [[] for _ in range(P)]
    for p in range(P):
        for turn, line in DeviceMoves(p, P, n).lines(program, family):
            turns[turn].append(line)
    lines = []
    for turn, moves in enumerate(turns):
        lines += moves
        for p in range(P):
            tile = [(p - turn) % P * n + j for j in range(n)]
            block = [name(array, j, k) for j in tile for array in "KV" for k in range(d)]
            lines += [f"send {word} {p} {(p + 1) % P}" for word in block] if turn < P - 1 else []
            lines += [f"{p} discard {word}" for word in block] if turn else []
        lines += ["superstep"] if turn < P - 1 else []
    head = f"# pebbling 1\n# dag attention-forward Nq={problem.N} Nk={problem.N} d={d} dv={d}\n# devices {P}\n# M {M}\n"
    return head + "# sums l U\n" + "\n".join(lines) + "\n"


def flash_in_a_ring(problem: SharedProblem, M: int = 30) -> str:
    """Write the run of a ring with flash-2 inside."""
    share, inner = DeviceShare(problem, distributed_schedule("ring").placement(problem, ())), get("flash-2")
    work = inner.program(share.problem, inner.tiles(share.problem, M))
    return ring_file(problem, *turns_program(work, share.problem, problem.P, whole=True), M)


@pytest.mark.many(2)
@pytest.mark.parametrize(
    "schedule", [one.name for one in registered("forward", "plain") if one.name != "best"]
)
def test_an_inner_schedule_word_by_word(schedule: str) -> None:
    n, d, P, M = 2, 2, 3, 30
    problem, inner = SharedProblem(n * P, d, P), get(schedule)
    share = DeviceShare(problem, distributed_schedule("ring").placement(problem, ()))
    try:
        work = inner.program(share.problem, inner.tiles(share.problem, M))
    except CacheTooSmall:
        pytest.skip("does not fit")
    expected = share.run(work, M)
    text = ring_file(problem, *turns_program(work, share.problem, P, whole=True), expected.peak)
    found = check(io.StringIO(text))
    assert isinstance(found, ProcessorCheck)
    assert found.complete, str(found)
    tally = found.tally
    assert tally.counts("io") == [expected.io] * P
    assert tally.counts("fast_peak") == [expected.peak] * P
    assert tally.counts("received") == [2 * n * d * (P - 1)] * P
