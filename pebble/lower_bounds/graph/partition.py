"""Hong and Kung's partition bound, computed exactly for tiny DAGs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.common.units import fast_memory_words
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.bound import ANY_RULES, ONCE_ONLY
from pebble.lower_bounds.graph.graph_bound import PAGE, GraphBound
from pebble.lower_bounds.graph.maximum_flow import maximum_flow
from pebble.lower_bounds.graph.needed_part import Needed, needed_part
from pebble.lower_bounds.references import HONG_KUNG
from pebble.lower_bounds.statement import Statement

__all__ = ["PARTITIONS", "hong_kung", "least_parts"]

PARTITIONS = Statement(
    "Hong-Kung",
    "I/O ≥ X·(P − 1) + 1 for every whole X ≥ 1, P the least number of sets in which the computed vertices can be "
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

    Raises
    ------
    InvalidInput
        If M or X is not a positive whole number.
    BoundDoesNotApply
        If the DAG is too large for P to be computed exactly, or no pebbling with M words exists.

    References
    ----------
    J.-W. Hong and H. T. Kung, "I/O complexity: the red-blue pebble game", STOC 1981, theorem 3.1. What the segments
    fulfil is stated anew, and proved, in docs/graph-bounds.md.

    Examples
    --------
    >>> from pebble.computations.classic_dags import fft
    >>> hong_kung(fft(4), 3, Rules()).value, hong_kung(fft(4), 3, Rules(recomputation=False)).value
    (4, 4)
    """
    M = fast_memory_words(M)
    if X is not None and (isinstance(X, bool) or not isinstance(X, int) or X < 1):
        raise InvalidInput(f"X is the number of loads and stores of a segment, positive, not {X!r}")
    part = needed_part(dag)
    work = _Work()
    best, best_X, parts = -1, 0, 0
    for size in range(min(M, part.n + 1), 0, -1) if X is None else (X,):
        try:
            count = least_parts(part, M, size, rules.recomputation, work)
        except BoundDoesNotApply:
            if best < 0:
                raise
            break
        value = size * (count - 1) + 1 if count else 0
        if value > best:
            best, best_X, parts = value, size, count
    note = f"{parts} segments of {best_X:,} loads and stores"
    needs = ANY_RULES if rules.recomputation else ONCE_ONLY
    return GraphBound.of(PARTITIONS, best, note, {"X": best_X}, rules=needs)


class _Work:
    """How many sets may still be looked at."""

    def __init__(self) -> None:
        self._left = _MOST_SETS

    def spend(self, sets: int) -> None:
        self._left -= sets
        if self._left < 0:
            raise _too_large(f"more than {_MOST_SETS:,} sets of vertices would have to be looked at")


def least_parts(part: Needed, M: int, X: int, recomputation: bool, work: _Work | None = None) -> int:
    """Return the least number of segments of X loads and stores in which all vertices can first be computed.

    Raises
    ------
    BoundDoesNotApply
        If that takes too long, or is impossible because no pebbling exists.
    """
    computed = [int(v) for v in part.computed]
    if len(computed) > _MOST_COMPUTED:
        raise _too_large(
            f"{len(computed):,} vertices are computed, at most {_MOST_COMPUTED} can be partitioned"
        )
    work = _Work() if work is None else work
    limits: _Limits = _Recomputed(part, M, X, work) if recomputation else _Once(part, M, X, work)
    everything = sum(1 << v for v in computed)
    reached, frontier, parts = {0}, [0], 0
    while everything not in reached:
        limits.start = M if parts else 0
        parts += 1
        found = {0} if parts == 1 else set()
        for before in frontier:
            found |= _grow(before, computed, limits)
        frontier = (
            _maximal(found) if recomputation else sorted(found - reached | ({0} if parts == 1 else set()))
        )
        if parts > 1 and reached.issuperset(frontier):
            raise BoundDoesNotApply(
                f"no pebbling exists with {M} words: some vertex has too many predecessors"
            )
        reached |= set(frontier)
    return parts


def _grow(before: int, computed: list[int], limits: _Limits) -> set[int]:
    """Return the closed sets one segment further."""
    met, stack, found = {before}, [before], set()
    while stack:
        here = stack.pop()
        for v in computed:
            after = here | 1 << v
            if after == here or limits.needs[v] & ~(here | limits.inputs) or after in met:
                continue
            met.add(after)
            limits.work.spend(1)
            if limits.may_grow(before, after):
                stack.append(after)
                if limits.may_end(before, after):
                    found.add(after)
    return found


def _maximal(sets: set[int]) -> list[int]:
    """Leave out what is part of another one; with recomputation more can only be better."""
    kept: list[int] = []
    for s in sorted(sets, key=lambda s: -s.bit_count()):
        if not any(s & ~t == 0 for t in kept):
            kept.append(s)
    return kept


class _Limits(ABC):
    """What the vertices first computed in one segment have to fulfil; sets are bit masks.

    ``start`` is how many words can be red when the segment begins: none in the first, else M.
    """

    def __init__(self, part: Needed, M: int, X: int, work: _Work) -> None:
        self.part, self.M, self.X, self.work, self.start = part, M, X, work, M
        self.needs = [sum(1 << u for u in row) for row in part.predecessors]
        self.used_by = [sum(1 << w for w in row) for row in part.successors]
        self.inputs = sum(1 << v for v in range(part.n) if part.is_input[v])
        self.outputs = sum(1 << v for v in range(part.n) if part.is_output[v])

    def entering(self, new: int) -> int:
        """Return the vertices outside that something in the set is computed from."""
        from_all = 0
        for v in _bits(new):
            from_all |= self.needs[v]
        return from_all & ~new

    @abstractmethod
    def may_grow(self, before: int, after: int) -> bool:
        """Tell whether the difference can be part of what a segment first computes."""

    @abstractmethod
    def may_end(self, before: int, after: int) -> bool:
        """Tell whether the difference, which may grow, can be all that a segment first computes."""


class _Once(_Limits):
    """Without recomputation: what enters was there or is loaded, what leaves stays there or is stored."""

    def may_grow(self, before: int, after: int) -> bool:
        return self.entering(after & ~before).bit_count() <= self.start + self.X

    def may_end(self, before: int, after: int) -> bool:
        new = after & ~before
        leaving = sum(1 for v in _bits(new) if self.outputs >> v & 1 or self.used_by[v] & ~new)
        loads = max(0, self.entering(new).bit_count() - self.start)
        return loads + max(0, leaving - self.M) <= self.X


class _Recomputed(_Limits):
    """With recomputation: few vertices outside dominate the set, every path from an input to it meets one."""

    def __init__(self, part: Needed, M: int, X: int, work: _Work) -> None:
        super().__init__(part, M, X, work)
        self._dominators: dict[int, int] = {}

    def may_grow(self, before: int, after: int) -> bool:
        most, entering = self.start + self.X, self.entering(after & ~before)
        return entering.bit_count() <= most or self._least_dominators(entering) <= most

    def may_end(self, before: int, after: int) -> bool:
        return True

    def _least_dominators(self, targets: int) -> int:
        """Return the least number of vertices that meet every path from an input to a target (Menger)."""
        if targets not in self._dominators:
            self.work.spend(20)
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


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _too_large(why: str) -> BoundDoesNotApply:
    return BoundDoesNotApply(f"Hong and Kung's partition is computed exactly for tiny DAGs only: {why}")
