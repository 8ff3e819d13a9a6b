"""What a device does inside: a schedule of one device on its share of queries and keys, between two exchanges.

A schedule of one device begins its sums and finishes its output. Where keys come in turns, all turns but the first load
the partial sums that were left, and all but the last store them. Where several devices work on a row of queries, the
last turn stores them too, and the owner makes the output of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.computations.attention import attention_family
from pebble.computations.family import Family
from pebble.computations.problem import Problem
from pebble.program.counting.run import run
from pebble.program.language import delete, first, store, when
from pebble.program.nodes import Loop, Node, Operation, Phase, Program
from pebble.program.parallel.placement import workers, works_on
from pebble.program.parts_in_turn import moved_to

if TYPE_CHECKING:
    from pebble.computations.shared_problem import SharedProblem
    from pebble.program.parallel.placement import Placement

_TURNS_RUN = 3
"""Turns in the middle are alike: of more than three, two kinds of runs are enough."""

_SUMS = ("U", "l")


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


class DeviceShare:
    """The work of one device, where all devices do equal work.

    Parameters
    ----------
    problem : SharedProblem
        Forward, without a mask; P divides N.
    placement : Placement

    Attributes
    ----------
    problem : Problem
        What is computed in a turn, for one head of keys: the rows of all query heads that share it, times the keys.
    heads : int
        How many heads of keys the device works with.
    turns : int
    whole : bool
        Whether no other device works on the same rows, so that the last turn finishes them.
    """

    def __init__(self, problem: SharedProblem, placement: Placement) -> None:
        decoded = problem.queries_decoded is not None
        if problem.pass_name != "forward" or problem.mask is not None or decoded or problem.uneven:
            raise InvalidInput(
                "work inside a device is counted only for the forward pass without a mask, with queries on all "
                "devices and heads of keys that are shared evenly"
            )
        times = workers(problem, placement, works_on(problem, placement)[0])
        tilings = (problem.query_tiling, placement.tiles("query")), (problem.tiling, placement.tiles("key"))
        queries, keys = (np.unique(tiling.sizes[tiles].sum(axis=1)) for tiling, tiles in tilings)
        alone = np.unique(times[times > 0] == 1)
        if not all(tiling.equal for tiling, _ in tilings) or max(map(len, (queries, keys, alone))) > 1:
            raise InvalidInput("the devices do not all do the same amount of work")
        self.heads = problem.kv_heads // min(placement.blocks, problem.kv_heads)
        group = problem.heads // placement.blocks // self.heads
        self.problem = Problem(group * int(queries[0]), int(keys[0]), problem.d, problem.width)
        self.turns, self.keys_come = placement.length, placement.travels == "key"
        self.whole = self.keys_come and bool(alone[0])
        self.outputs = problem.query_count // problem.P * problem.heads

    def run(self, program: Program, M: int) -> MemoryRun:
        """Count what a device moves with a schedule's program inside, whose every turn is verified.

        Raises
        ------
        CacheTooSmall
            If it needs more than M words here, with sums that are loaded, or to finish the outputs.

        Notes
        -----
        Two and three turns are run; the turns in the middle are alike, so every further one costs what the third adds.
        """
        in_order = self.turns if self.keys_come else 1
        reads, writes, peak = self._turns(program, min(in_order, _TURNS_RUN))
        if in_order > _TURNS_RUN:
            fewer = self._turns(program, _TURNS_RUN - 1)
            reads += (in_order - _TURNS_RUN) * (reads - fewer[0])
            writes += (in_order - _TURNS_RUN) * (writes - fewer[1])
        times = self.heads * (1 if self.keys_come else self.turns)
        reads, writes = times * reads, times * writes
        if not self.whole:  # a row's U and l are loaded, and O is stored in the place of U, word by word
            width = self.problem.dv
            reads, writes = reads + self.outputs * (width + 1), writes + self.outputs * width
            peak = max(peak, width + 2)
        if peak > M:
            raise CacheTooSmall(
                f"sums that continue over several turns need {peak:,} words of fast memory; M is {M:,}", peak
            )
        return MemoryRun(reads, writes, peak)

    def _turns(self, program: Program, turns: int) -> tuple[int, int, int]:
        text, family = turns_program(program, self.problem, turns, self.whole)
        found = run(text, family)
        return found.total_reads, found.total_writes, found.peak


def turns_program(program: Program, problem: Problem, turns: int, whole: bool) -> tuple[Program, Family]:
    """Return the program of several turns, each on its own block of keys, and what it computes.

    Parameters
    ----------
    program : Program
        Of attention forward, for one block of queries and of keys.
    problem : Problem
        The block.
    turns : int
    whole : bool
        Whether the last turn finishes the outputs; else it leaves U and l.
    """
    if any(part.generate is not None for part in program.phases):
        raise InvalidInput("a schedule that yields its operations one by one cannot be used inside a device")
    family = attention_family(Problem(problem.Nq, turns * problem.Nk, problem.d, problem.dv))
    nodes, phases = tuple(node for part in program.phases for node in part.body), []
    for turn in range(turns):
        body = nodes if whole and turn == turns - 1 else tuple(_rewritten(nodes, _unfinished))
        body = body if turn == 0 else tuple(_rewritten(body, _after_loads))
        part = Phase(f"turn {turn}", body)
        keys = turn * problem.Nk, (turn + 1) * problem.Nk
        phases.append(part if turns == 1 else moved_to(part, family, {"j": keys}))
    return Program(tuple(phases)), family if whole else _leaving_sums(family)


def _leaving_sums(family: Family) -> Family:
    """Return the family whose outputs are the sums, without what is made of them."""
    arrays = [replace(array, output=array.name in _SUMS) for array in family.arrays if not array.output]
    return Family(family.name, tuple(arrays), family.extents, family.symbols, family.parameters)


_Rewrite: TypeAlias = Callable[[list[Operation], tuple[Loop, ...]], Iterator[Node]]


def _rewritten(nodes: tuple[Node, ...], rewrite: _Rewrite, around: tuple[Loop, ...] = ()) -> Iterator[Node]:
    """Yield nodes with neighbouring operations written anew, which see the loops around them."""
    for bare, group in itertools.groupby(nodes, key=lambda node: isinstance(node, Operation)):
        if bare:
            yield from rewrite([node for node in group if isinstance(node, Operation)], around)
            continue
        for node in group:
            assert not isinstance(node, Operation)
            loops = (*around, node) if isinstance(node, Loop) else around
            yield replace(node, body=tuple(_rewritten(node.body, rewrite, loops)))


def _unfinished(operations: list[Operation], around: tuple[Loop, ...]) -> Iterator[Operation]:
    """Yield operations with the sums stored, and nothing made of them."""
    stored: set[str] = set()
    for node in operations:
        if node.array == "O":
            if node.action == "compute" and node.replacing:
                yield from (*store(node.replacing), *delete(node.replacing))
                stored.add(node.replacing)
            continue
        if node.action == "store":
            stored.add(node.array)
        if node.action == "delete" and node.array in _SUMS and node.array not in stored:
            yield Operation("store", node.array, at=node.at)
        yield node


def _after_loads(operations: list[Operation], around: tuple[Loop, ...]) -> Iterator[Node]:
    """Yield neighbouring operations, with the sums that they add to loaded before the first of these."""
    added = [node for node in operations if node.action == "compute" and node.array in _SUMS]
    over_keys = [one for one in around if one.axis == "j"]
    for node in operations:
        if added and node is added[0] and all(one.start == 0 for one in over_keys):
            loads: tuple[Node, ...] = tuple(Operation("load", one.array, at=one.at) for one in added)
            for one in over_keys:
                loads = (when(first(one.label), loads),)
            yield from loads
        yield node
