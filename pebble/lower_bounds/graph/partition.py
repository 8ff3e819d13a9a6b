"""Hong and Kung's partition bound, computed exactly for tiny DAGs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.common.units import fast_memory_words
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.bound import ANY_RULES, HONG_KUNG, ONCE_ONLY, Statement
from pebble.lower_bounds.graph.forced_loads import FORCED_LOADS
from pebble.lower_bounds.graph.graph_bound import PAGE, GraphBound
from pebble.lower_bounds.graph.needed_part import Needed, maximum_flow, needed_part

__all__ = ["FORCED_LOADS", "PARTITIONS", "hong_kung"]

PARTITIONS = Statement(
    "Hong-Kung",
    "I/O ≥ X·(P − 1) + 1 for every integer X ≥ 1, P the least number of sets in which the computed vertices can be "
    "arranged as the segments of a pebbling with X loads and stores are",
    "any DAG small enough for P to be found; P is greater, and the bound too, without recomputation",
    f"{PAGE}, partitions; Hong & Kung 1981",
    after=(HONG_KUNG,),
)

_MOST_COMPUTED = 24
_MOST_SETS = 20_000


def hong_kung(dag: Dag, M: int, rules: Rules, X: int | None = None) -> GraphBound:
    """Return X (P - 1) + 1, with P the least number of segments of X loads and stores each.

    Parameters
    ----------
    dag : Dag
        At most 24 vertices that are computed, and few sets of them closed under predecessors.
    M : int
        Words of fast memory.
    rules : Rules
        Any; without recomputation the segments have to fulfil more, so that the bound is greater.
    X : int, optional
        Loads and stores of a segment; X = M is the original. By default the best X from 1 to M, as far as
        it can be computed.

    Returns
    -------
    GraphBound
        A whole number; 0 if nothing has to be computed.

    Examples
    --------
    >>> from pebble.computations.classic_dags import fft
    >>> hong_kung(fft(4), 3, Rules()).value, hong_kung(fft(4), 3, Rules(recomputation=False)).value
    (4, 4)
    """
    M = fast_memory_words(M)
    if X is not None and (isinstance(X, bool) or not isinstance(X, int) or X < 1):
        raise InvalidInput(f"X is the number of loads and stores of a segment, positive, not {X!r}")
    search = _Partitions(needed_part(dag), M, rules.recomputation)
    best, best_X, parts = -1, 0, 0
    for size in range(min(M, search.part.n + 1), 0, -1) if X is None else (X,):
        try:
            count = search.least_parts(size)
        except BoundDoesNotApply:
            if best < 0:
                raise
            break
        value = size * (count - 1) + 1 if count else 0
        if value > best:
            best, best_X, parts = value, size, count
    note = f"{parts} segments of {best_X:,} I/O"
    needs = ANY_RULES if rules.recomputation else ONCE_ONLY
    return GraphBound.of(PARTITIONS, best, note, {"X": best_X}, rules=needs)


class _Partitions:
    """Segments of a pebbling, and what is first computed in each; sets of vertices are bit masks."""

    def __init__(self, part: Needed, M: int, recomputation: bool) -> None:
        self.part, self._M, self._recomputation = part, M, recomputation
        self._computed = [int(v) for v in part.computed]
        if len(self._computed) > _MOST_COMPUTED:
            raise _too_large(f"{len(self._computed):,} vertices are computed; the limit is {_MOST_COMPUTED}")
        self._needs = [sum(1 << u for u in row) for row in part.predecessors]
        self._used_by = [sum(1 << w for w in row) for row in part.successors]
        self._inputs = sum(1 << v for v in range(part.n) if part.is_input[v])
        self._outputs = sum(1 << v for v in range(part.n) if part.is_output[v])
        self._sets_left = _MOST_SETS
        self._dominators: dict[int, int] = {}

    def least_parts(self, X: int) -> int:
        """Return the least number of segments of X loads and stores in which all vertices can first be computed."""
        everything = sum(1 << v for v in self._computed)
        reached, frontier, parts = {0}, [0], 0
        while everything not in reached:
            red = self._M if parts else 0
            found = {after for before in frontier for after in self._grown(before, red, X)}
            if not parts:
                found.add(0)
            frontier = _maximal(found) if self._recomputation else sorted(found)
            parts += 1
            if parts > 1 and reached.issuperset(frontier):
                raise BoundDoesNotApply(
                    f"no pebbling exists with {self._M} words: some vertex has too many predecessors"
                )
            if not self._recomputation and parts > 1:
                frontier = [after for after in frontier if after not in reached]
            reached |= set(frontier)
        return parts

    def _grown(self, before: int, red: int, X: int) -> Iterator[int]:
        """Yield the closed sets one segment further, which begins with this many red words."""
        met, stack = {before}, [before]
        while stack:
            here = stack.pop()
            for v in self._computed:
                after = here | 1 << v
                if after in met or self._needs[v] & ~(here | self._inputs):
                    continue
                met.add(after)
                self._spend(1)
                new = after & ~before
                entering = self._entering(new)
                most = red + X
                if entering.bit_count() > most and (
                    not self._recomputation or self._least_dominators(entering) > most
                ):
                    continue
                stack.append(after)
                if self._recomputation or self._may_end(new, entering.bit_count() - red, X):
                    yield after

    def _entering(self, new: int) -> int:
        """Return the vertices outside that something in a set is computed from."""
        from_all = 0
        for v in _bits(new):
            from_all |= self._needs[v]
        return from_all & ~new

    def _may_end(self, new: int, loads: int, X: int) -> bool:
        """Whether a segment can compute nothing else: what leaves it stays red or is stored."""
        leaving = sum(1 for v in _bits(new) if self._outputs >> v & 1 or self._used_by[v] & ~new)
        return max(0, loads) + max(0, leaving - self._M) <= X

    def _spend(self, sets: int) -> None:
        self._sets_left -= sets
        if self._sets_left < 0:
            raise _too_large(f"more than {_MOST_SETS:,} sets of vertices would have to be examined")

    def _least_dominators(self, targets: int) -> int:
        """Return the least number of vertices that meet every path from an input to a target (Menger)."""
        if targets not in self._dominators:
            self._spend(20)
            self._dominators[targets] = self._flow(targets)
        return self._dominators[targets]

    def _flow(self, targets: int) -> int:
        n, part = self.part.n, self.part
        source, sink = 2 * n, 2 * n + 1
        every, inputs = np.arange(n), np.flatnonzero(part.is_input)
        ends = np.array(list(_bits(targets)), dtype=np.int64)
        tails = np.concatenate([every, n + part.tails, np.full(len(inputs), source), n + ends])
        heads = np.concatenate([n + every, part.heads, inputs, np.full(len(ends), sink)])
        capacities = np.full(len(tails), n + 1, dtype=np.int64)
        capacities[:n] = 1
        return maximum_flow(2 * n + 2, tails, heads, capacities, source, sink)


def _maximal(sets: set[int]) -> list[int]:
    """Leave out what is part of another; with recomputation more can only be better."""
    kept: list[int] = []
    for s in sorted(sets, key=lambda s: -s.bit_count()):
        if not any(s & ~t == 0 for t in kept):
            kept.append(s)
    return kept


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _too_large(why: str) -> BoundDoesNotApply:
    return BoundDoesNotApply(f"Hong and Kung's partition is computed only for tiny DAGs: {why}")
