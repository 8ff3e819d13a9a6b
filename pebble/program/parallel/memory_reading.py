"""What each device does between its memory and its fast memory: a program for several devices as programs of one.

Receives and discards are passed over, and turns are taken one after the other, each on its own block of an axis.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pebble.common.errors import InvalidInput
from pebble.computations.array import Array
from pebble.computations.attention import attention_family
from pebble.computations.family import Family
from pebble.computations.problem import Problem
from pebble.program.counting.run import run
from pebble.program.nodes import Loop, Node, Operation, Phase, Program
from pebble.program.parallel.device_program import DeviceProgram

if TYPE_CHECKING:
    from pebble.program.counting.counted import Run
    from pebble.program.parallel.shared_problem import SharedProblem

__all__ = ["MemoryPart", "MemoryRun", "block_sizes", "memory_reading", "memory_run"]

_TURNS_RUN = 3
"""Turns in the middle are alike: of more than so many, two kinds of runs are enough."""


@dataclass(frozen=True)
class MemoryPart:
    """What a device does between two exchanges of sums: a program, and its computation."""

    program: Program
    family: Family


@dataclass(frozen=True)
class MemoryRun:
    """Words between a device's memory and its fast memory.

    Attributes
    ----------
    reads, writes : int
        Words loaded and stored by each device, all heads together.
    peak : int
        Most words of fast memory.
    """

    reads: int
    writes: int
    peak: int

    @property
    def io(self) -> int:
        """Words moved."""
        return self.reads + self.writes


def memory_reading(
    program: DeviceProgram, problem: SharedProblem, turns: int | None = None
) -> tuple[MemoryPart, ...]:
    """Return what one device does between its memory and its fast memory, for one head of keys.

    Parameters
    ----------
    program : DeviceProgram
    problem : SharedProblem
        Forward, without a mask, with equal tiles.
    turns : int, optional
        How many turns to write where work is done in turns; as many as there are by default.

    Returns
    -------
    tuple of MemoryPart
        One, or two where partial sums are exchanged before they are finished: work that leaves U and l, then O of
        them. What is received is taken to be in the device's memory; sums that are received are added there.
    """
    if problem.pass_name != "forward" or problem.causal or problem.N % problem.P:
        raise InvalidInput("the memory of one device stands for all in a dense forward pass with P | N")
    return _Reading(program, problem, turns).parts()


def memory_run(program: DeviceProgram, problem: SharedProblem, M: int | None = None) -> MemoryRun:
    """Count the words that each device moves between its memory and its fast memory of M words, verified.

    Raises
    ------
    Violation
        If the inner schedule breaks a rule, or needs more fast memory.

    Notes
    -----
    Two and three turns are run; the turns in the middle are alike, so every further one costs what the third one adds.
    """
    turns = max((program.sizes[program.place(name)] for name in _work_turns(program.body)), default=1)
    runs = _runs(program, problem, min(turns, _TURNS_RUN), M)
    reads, writes = (sum(run.total_reads for run in runs), sum(run.total_writes for run in runs))
    if turns > _TURNS_RUN:
        fewer = _runs(program, problem, _TURNS_RUN - 1, M)
        more = turns - _TURNS_RUN
        reads += more * (reads - sum(run.total_reads for run in fewer))
        writes += more * (writes - sum(run.total_writes for run in fewer))
    copies = _heads(program, problem)[1]
    return MemoryRun(copies * reads, copies * writes, max(run.peak for run in runs))


def block_sizes(program: DeviceProgram, problem: SharedProblem) -> tuple[int, int]:
    """Return of how many queries, of the heads that share keys, and of how many keys a device's work is at a time."""
    reading = _Reading(program, problem, 1)
    in_turns = any(_work_turns(program.body))
    return reading.rows["i"], reading.block(next(_work_turns(program.body))) if in_turns else reading.rows[
        "j"
    ]


def _runs(program: DeviceProgram, problem: SharedProblem, turns: int, M: int | None) -> list[Run]:
    return [run(part.program, part.family, M) for part in memory_reading(program, problem, turns)]


def _work_turns(nodes: tuple[Node, ...]) -> Iterator[str]:
    """Yield the coordinates of turns over keys in which something is computed."""
    for node in nodes:
        if isinstance(node, Loop) and node.turn and node.stop is None and _computes(node.body):
            yield node.turn


def _computes(nodes: tuple[Node, ...]) -> bool:
    return any(
        node.action == "compute" if isinstance(node, Operation) else _computes(node.body) for node in nodes
    )


def _heads(program: DeviceProgram, problem: SharedProblem) -> tuple[int, int]:
    """Return how many query heads of a device share a head of keys, and how many heads of keys it works with."""
    blocks = 1
    for place in program.own_places("h"):
        blocks *= program.sizes[place]
    keys = problem.kv_heads // min(blocks, problem.kv_heads)
    return problem.heads // blocks // keys, keys


class _Reading:
    def __init__(self, program: DeviceProgram, problem: SharedProblem, turns: int | None) -> None:
        self.program, self.problem, self.turns = program, problem, turns
        self.n = problem.N // problem.P
        self.rows = {axis: self.tokens(axis) for axis in ("i", "j")}
        self.rows["i"] *= _heads(program, problem)[0]
        self.own = self.n * _heads(program, problem)[0]

    def tokens(self, axis: str) -> int:
        """Return of how many tokens a device's part of an axis is."""
        own, found = self.program.own_places(axis), self.n
        for place, size in enumerate(self.program.sizes):
            found *= 1 if place in own else size
        return found

    def parts(self) -> tuple[MemoryPart, ...]:
        """Return the parts, with those phases only that do something."""
        work: list[Phase] = []
        finish: list[Phase] = []
        keys = self.rows["j"]
        for node in self.program.body:
            if isinstance(node, Loop) and node.turn:
                if not _computes(node.body):
                    continue
                if node.stop == 1:
                    if any(isinstance(one, Loop) and one.turn for one in node.body):
                        raise InvalidInput("outputs that are finished in turns are not read within a device")
                    finish.append(Phase("", tuple(_kept(node.body, node.label, (True, True)))))
                    continue
                work += self.in_turns(node)
                keys = self.block(node.turn) * len(work)
            else:
                body = tuple(_kept((node,), "", (False, False)))
                work += [Phase("", body)] if body else []
        sizes = self.problem.d, self.problem.width
        family = attention_family(Problem(self.rows["i"], keys, *sizes))
        if not finish:
            return (MemoryPart(Program(tuple(work)), family),)
        return (
            MemoryPart(Program(tuple(work)), _with_outputs(family, ("U", "l"))),
            MemoryPart(
                Program(tuple(finish)), _finish_family(attention_family(Problem(self.own, 1, *sizes)))
            ),
        )

    def in_turns(self, node: Loop) -> list[Phase]:
        """Return a phase for each turn, on its own block of keys."""
        if node.axis != "j":
            raise InvalidInput(
                f"turns of {node.axis} with work in them: one device's memory is read with turns of j"
            )
        count, length = self.program.sizes[self.program.place(node.turn)], self.block(node.turn)
        count = count if self.turns is None else min(count, self.turns)
        phases = []
        for number in range(count):
            body = tuple(_kept(node.body, node.label, (number == 0, number == count - 1)))
            phases.append(Phase(f"turn {number}", tuple(_shifted(body, number * length, length))))
        return phases

    def block(self, coordinate: str) -> int:
        """Return how many keys a turn along a coordinate visits."""
        return self.rows["j"] // self.program.sizes[self.program.place(coordinate)]


def _kept(nodes: tuple[Node, ...], label: str, ends: tuple[bool, bool]) -> Iterator[Node]:
    """Yield nodes without receives and discards, and without what a turn's condition forbids."""
    for node in nodes:
        if isinstance(node, Operation):
            if node.action not in ("receive", "discard"):
                yield node
            continue
        body = tuple(_kept(node.body, label, ends))
        if isinstance(node, Loop) or node.condition.label != label:
            if body:
                yield replace(node, body=body)
        elif ends[node.condition.which == "last"] != node.condition.negated:
            yield from body


_KEYS = ("K", "V", "S", "P", "U", "l")
"""Arrays of a forward pass with keys among their indices."""


def _shifted(nodes: tuple[Node, ...], offset: int, length: int) -> Iterator[Node]:
    """Yield nodes as they are on a block of keys."""
    for node in nodes:
        if isinstance(node, Operation):
            yield from _shifted_operation(node, offset, length)
        elif isinstance(node, Loop) and node.axis == "j":
            stop = length if node.stop is None else node.stop
            yield replace(node, start=offset + node.start, stop=offset + stop)
        else:
            yield replace(node, body=tuple(_shifted(node.body, offset, length)))


def _shifted_operation(node: Operation, offset: int, length: int) -> Iterator[Node]:
    at = tuple((axis, a + offset, b + offset) if axis == "j" else (axis, a, b) for axis, a, b in node.at)
    moves_whole_sum = node.array in ("U", "l") and node.action != "compute"
    if any(axis == "j" for axis, _, _ in at) or node.array not in _KEYS or moves_whole_sum:
        yield replace(node, at=at)
    else:
        yield replace(node, at=(*at, ("j", offset, offset + length)))


def _with_outputs(family: Family, outputs: tuple[str, ...]) -> Family:
    """Return a family that leaves some arrays, without those made of them."""
    arrays = [replace(array, output=array.name in outputs) for array in family.arrays if not array.output]
    return Family(family.name, tuple(arrays), family.extents, family.symbols, family.parameters)


def _finish_family(family: Family) -> Family:
    """Return the computation that is left when U and l are complete."""
    given = [Array(name, family[name].axes, meaning=family[name].meaning) for name in ("U", "l")]
    axes = {axis: family.extents[axis] for axis in ("i", "e")}
    symbols = {axis: family.symbols[axis] for axis in axes}
    return Family("attention-finish", (*given, family["O"]), axes, symbols, {})
