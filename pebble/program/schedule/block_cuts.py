"""Tiles cut where the blocks of a mask end, or its packed sequences: two more tile sizes for every schedule.

Under a mask that repeats with each block of L lines a round of tiles of A lines ends where tiles and blocks begin
together again. Tiles that share no factor with L take L of them. Cut at every multiple of L, or of a few L, as packed
schedules cut where sequences end, they begin together in each. The size ``block`` says where.

A tile that lies in two sequences loads the partners of both, and each sequence is cut otherwise. With ``sequences=1``
the sequences, or whatever parts a mask falls apart into, are computed one after the other, each as a problem of its own
with the same tile sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any

from pebble.common.errors import InvalidInput
from pebble.program.nodes import Loop, Operation, Program
from pebble.program.parts_in_turn import for_each_part

if TYPE_CHECKING:
    from pebble.computations.masks.mask import Mask
    from pebble.computations.problem import Problem
    from pebble.program.nodes import Node

BLOCK = "block"
"""The name of the tile size: tiles of queries and of keys are cut at its multiples."""
SEQUENCES = "sequences"
"""The name of the tile size, always 1: tiles of queries and of keys are cut where each sequence ends."""


def own_sizes(tiles: Mapping[str, int]) -> dict[str, int]:
    """Return the tile sizes that a schedule knows itself."""
    return {name: size for name, size in tiles.items() if name not in (BLOCK, SEQUENCES)}


def cuts_at(program: Program, block: int) -> Program:
    """Return a program whose tiles of queries and keys are cut at each multiple of a length.

    A loop becomes a loop over blocks with a loop over tiles in it; both have one label, so that conditions ask about
    the two together. Loops within a tile of their axis, and those whose tiles the blocks are made of, stay as they are.

    Examples
    --------
    >>> from pebble.program import loop, load, program
    >>> print(cuts_at(program(loop("i", 4, load("Q"), loop("j", 1, load("K")))), 10))
    for i in tiles of 10:
        for i in tiles of 4:
            load Q
            for each j: load K
    """
    return Program(tuple(replace(part, body=_cut(part.body, block, frozenset())) for part in program.phases))


def _cut(nodes: tuple[Node, ...], block: int, around: frozenset[str]) -> tuple[Node, ...]:
    return tuple(node if isinstance(node, Operation) else _cut_node(node, block, around) for node in nodes)


def _cut_node(node: Any, block: int, around: frozenset[str]) -> Node:
    """Return a loop or a condition with all loops in it cut, and the loop itself."""
    if not isinstance(node, Loop):
        return replace(node, body=_cut(node.body, block, around))  # type: ignore[no-any-return]
    inside = replace(node, body=_cut(node.body, block, around | {node.axis}))
    if node.axis not in ("i", "j") or node.axis in around or not block % node.tile or node.tile > block:
        return inside
    return replace(node, tile=block, body=(replace(inside, start=0, stop=None),))


def each_sequence(problem: Problem, write: Callable[[Problem], Program]) -> Program:
    """Return the program that computes the parts of a problem's mask in turn; of one part, that of the whole.

    Parameters
    ----------
    problem : Problem
    write : callable
        Given the problem of a part, returns its program.
    """
    if not problem.allowed.separations("i"):
        return write(problem)
    return for_each_part(problem.allowed, lambda mask: write(problem_of_part(problem, mask)))


def problem_of_part(problem: Problem, mask: Mask) -> Problem:
    """Return the same problem of a part of its mask: without a mask where the part allows every pair."""
    seen = None if mask.pairs == mask.Nq * mask.Nk else mask
    return replace(problem, Nq=mask.Nq, Nk=mask.Nk, mask=seen, group=1)


def cut_where_asked(program: Callable[..., Program]) -> Callable[..., Program]:
    """Let a schedule's method ``program`` take the sizes ``block`` and ``sequences`` as well."""

    def in_blocks(schedule: Any, problem: Problem, tiles: Mapping[str, int]) -> Program:
        found = program(schedule, problem, own_sizes(tiles))
        if BLOCK not in tiles:
            return found
        if problem.allowed.period == 1:
            raise InvalidInput(
                f"{BLOCK}={tiles[BLOCK]}: this tile size is only for masks of repeating blocks"
            )
        return cuts_at(found, tiles[BLOCK])

    @wraps(program)
    def cut(schedule: Any, problem: Problem, tiles: Mapping[str, int]) -> Program:
        if SEQUENCES not in tiles:
            return in_blocks(schedule, problem, tiles)
        if tiles[SEQUENCES] != 1:
            raise InvalidInput(
                f"{SEQUENCES}={tiles[SEQUENCES]}: the only value is 1, which cuts tiles at the end of "
                "each sequence"
            )
        if not problem.allowed.separations("i"):
            raise InvalidInput(
                f"{SEQUENCES}=1: this is only for masks made of independent sequences, such as packed "
                "documents"
            )
        own = {name: size for name, size in tiles.items() if name != SEQUENCES}
        return each_sequence(problem, lambda part: in_blocks(schedule, part, own))

    return cut
