"""The game on a small DAG, its sets of vertices as the bits of 64-bit words.

Only vertices that some output needs take part. They are numbered anew, in topological order: first the inputs,
then the middle, then the sinks.
"""

from __future__ import annotations

from dataclasses import dataclass

from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.solvers.optimum.bits import members

__all__ = ["MAX_BITS", "BitGame", "make_bit_game"]

MAX_BITS = 64


@dataclass(frozen=True)
class BitGame:
    """A DAG, M and rules as the search uses them; vertices have the positions that the head of this file names.

    Attributes
    ----------
    M : int
        Words of fast memory, cut down to the number of vertices.
    rules : Rules
    vertices : tuple of int
        The DAG's vertex at each position.
    n_inputs, n_middle, n_sinks : int
    before, after : tuple of int
        Predecessors and successors of each position, as bit masks.
    stored_at : dict of int to int
        For every output that must be computed, the bit of ``blue`` that says it has been stored.
    """

    M: int
    rules: Rules
    vertices: tuple[int, ...]
    n_inputs: int
    n_middle: int
    n_sinks: int
    before: tuple[int, ...]
    after: tuple[int, ...]
    stored_at: dict[int, int]

    @property
    def n(self) -> int:
        """How many vertices take part."""
        return len(self.vertices)

    @property
    def width(self) -> int:
        """How many bits ``blue`` uses."""
        return self.n + len(self.stored_at) - self.n_sinks

    @property
    def red_bits(self) -> int:
        """How many bits ``red`` uses."""
        return self.n_inputs + self.n_middle

    @property
    def inputs(self) -> int:
        """The inputs, as a mask."""
        return (1 << self.n_inputs) - 1

    @property
    def middle(self) -> int:
        """The vertices that are neither inputs nor sinks, as a mask."""
        return (1 << self.red_bits) - 1 ^ self.inputs

    @property
    def sinks(self) -> int:
        """The sinks, as a mask."""
        return (1 << self.n) - 1 ^ (1 << self.red_bits) - 1

    @property
    def stores(self) -> int:
        """How many outputs have to be stored, whatever else happens."""
        return len(self.stored_at)


def make_bit_game(dag: Dag, M: int, rules: Rules) -> BitGame:
    """Lay out the part of a DAG that its outputs need; M is a positive whole number.

    Raises
    ------
    InvalidInput
        If more than 64 bits are needed.
    CacheTooSmall
        If some vertex has more predecessors than M allows.
    """
    wanted = [int(v) for v in dag.outputs if dag.indegree[v] > 0]
    order, rows = _needed(dag, wanted)
    _check_memory(dag, order, M, rules)
    used = {p for row in rows.values() for p in row}
    inputs = [v for v in order if not rows[v]]
    middle = [v for v in order if rows[v] and v in used]
    vertices = (*inputs, *middle, *(v for v in order if rows[v] and v not in used))
    place = {v: position for position, v in enumerate(vertices)}
    before = tuple(sum(1 << place[p] for p in rows[v]) for v in vertices)
    inner = [v for v in wanted if v in used]
    if len(vertices) + len(inner) > MAX_BITS:
        raise InvalidInput(
            f"the outputs need {len(vertices)} vertices; the exact optimum is searched for up to {MAX_BITS} "
            "(outputs that are used further count twice); schedules and bounds have no such limit"
        )
    stored_at = {place[v]: 1 << place[v] for v in wanted if v not in used}
    stored_at |= {place[v]: 1 << len(vertices) + i for i, v in enumerate(inner)}
    return BitGame(
        M=min(M, len(vertices) + 1),
        rules=rules,
        vertices=vertices,
        n_inputs=len(inputs),
        n_middle=len(middle),
        n_sinks=len(vertices) - len(inputs) - len(middle),
        before=before,
        after=_transposed(before),
        stored_at=stored_at,
    )


def _needed(dag: Dag, wanted: list[int]) -> tuple[list[int], dict[int, list[int]]]:
    """Return what the wanted vertices depend on, in topological order, and its rows of predecessors."""
    rows: dict[int, list[int]] = {}
    stack = list(wanted)
    while stack:
        v = stack.pop()
        if v not in rows:
            rows[v] = [int(p) for p in dag.predecessors_of(v)]
            stack.extend(rows[v])
    return [int(v) for v in dag.topological_order() if int(v) in rows], rows


def _check_memory(dag: Dag, order: list[int], M: int, rules: Rules) -> None:
    widest = max(order, key=lambda v: int(dag.indegree[v]), default=None)
    least = 1 if widest is None else int(dag.indegree[widest]) + (not rules.sliding)
    if widest is not None and least > M:
        raise CacheTooSmall(
            f"no pebbling with M = {M}: computing {dag.name(widest)} needs {least} words ({rules})", least
        )


def _transposed(before: tuple[int, ...]) -> tuple[int, ...]:
    after = [0] * len(before)
    for v, mask in enumerate(before):
        for p in members(mask):
            after[p] |= 1 << v
    return tuple(after)
