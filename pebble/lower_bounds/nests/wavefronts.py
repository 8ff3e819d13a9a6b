"""Wavefronts: between two values of a recursion everything else is swept, and what a sweep reads is alive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.nests.affine import Affine
from pebble.computations.nests.statement import Access, Assignment
from pebble.lower_bounds.nests.affine_set import AffineSet, image, union_count
from pebble.lower_bounds.nests.elements import Elements
from pebble.lower_bounds.nests.lines import matrix
from pebble.lower_bounds.nests.projections import Share
from pebble.lower_bounds.nests.subspaces import rank

__all__ = ["wavefront_shares"]


@dataclass(frozen=True)
class _Sweep:
    """A[k] reads the sum s[k], each term of which reads an element Y[…, k − 1, …], and all those read A[k − 1].

    Parameters
    ----------
    front, sums : Assignment
        The statements that compute A and s.
    read : Access
        Of Y in a term.
    place : int
        Where Y has k − 1.
    """

    front: Assignment
    sums: Assignment
    read: Access
    place: int

    @property
    def index(self) -> str:
        """The index that the sweeps are counted by."""
        return self.front.indices[0]


def wavefront_shares(elements: Elements, M: int) -> Iterator[Share]:
    """Yield what the sweeps of a recursion cost, with recomputation and without."""
    for sweep in _sweeps(elements):
        found: list[Share] = []
        for first in _firsts(elements, sweep, M):
            try:
                found += _shares_from(elements, sweep, M, first)
            except BoundDoesNotApply:
                continue
        for once_only in (False, True):
            some = [share for share in found if share.once_only is once_only and share.gain > 0]
            if some:
                yield max(some, key=lambda share: share.gain)


def _sweeps(elements: Elements) -> Iterator[_Sweep]:
    makers = {
        array: [one for one in elements.nest.statements if one.target.array == array]
        for array in elements.nest.computed
    }
    for front in elements.nest.statements:
        if front.adds or len(front.indices) != 1 or not _is(front.target, front.indices[0]):
            continue
        if len(makers[front.target.array]) > 1:
            continue
        for sums in elements.nest.statements:
            k = front.indices[0]
            if not sums.adds or len(makers[sums.target.array]) > 1 or sums.target not in front.reads:
                continue
            if not _is(sums.target, k):
                continue
            for read in sums.reads:
                for place in range(len(read.places)):
                    if read.places[place] == Affine.index(k) - 1 and all(
                        _follows(one, place, front.target.array) for one in makers.get(read.array, [])
                    ):
                        yield _Sweep(front, sums, read, place)


def _is(access: Access, index: str) -> bool:
    return access.places == (Affine.index(index),)


def _follows(maker: Assignment, place: int, array: str) -> bool:
    """Whether whatever a statement computes reads the element of an array that a place of it names."""
    return Access(array, (maker.target.places[place],)) in maker.reads


def _firsts(elements: Elements, sweep: _Sweep, M: int) -> list[int]:
    """Return sweeps to begin with; the earlier ones may be too short."""
    extent = elements.nest.extents[sweep.index]
    tried = {2, 3, *(M * part // 6 + more for part in range(2, 13) for more in (0, 2))}
    return sorted(first for first in tried if 2 <= first < extent)


def _shares_from(elements: Elements, sweep: _Sweep, M: int, first: int) -> Iterator[Share]:
    """Yield what the sweeps from one on cost, the one before it being known to be computed."""
    nest, k = elements.nest, sweep.index
    extent = nest.extents[k]
    fronts, points = (elements.domains[nest.statements.index(one)] for one in (sweep.front, sweep.sums))
    later = points.where(Affine.index(k) - first)
    between = AffineSet((k,), (Affine.index(k) - (first - 1), -Affine.index(k) + (extent - 1)))
    if union_count([between], [fronts]):
        return
    reached = image(later, sweep.read)
    known = elements.surely_computed(sweep.read.array)
    if reached is None or union_count([reached], known):
        return
    inputs = _swept_inputs(elements, sweep)
    loads = later.count() if inputs else 0
    words = frozenset([("value", inputs.array)]) if inputs else frozenset()
    note = f"{sweep.front.target}: {extent - first:,} sweeps from {k} = {first:,} on"
    if inputs:
        yield Share(loads - M * (extent - first), words, False, note)
    if sweep.read.array not in nest.outputs:
        alive = _alive(elements, sweep, points, first - 1)
        gain = loads + 2 * alive - 2 * M * (extent - first + 1)
        yield Share(gain, words | {("value", sweep.read.array)}, True, note)


def _swept_inputs(elements: Elements, sweep: _Sweep) -> Access | None:
    """Return an access of the sum that reads another input at each of its points with one k."""
    names = sweep.sums.indices
    fixed = matrix((Affine.index(sweep.index),), names)
    for access in sweep.sums.reads:
        rows = (*matrix(access.places, names), *fixed)
        if not elements.computed(access.array) and rank(rows, len(names)) == len(names):
            return access
    return None


def _alive(elements: Elements, sweep: _Sweep, points: AffineSet, first: int) -> int:
    """Return how many computed elements Y[…, k − 1, …] sum k has read and Y[…, k, …] reads, for k from ``first``."""
    nest, array = elements.nest, sweep.read.array
    summed = image(points, sweep.read)
    best = 0
    for maker, domain in zip(nest.statements, elements.domains, strict=True):
        if maker.target.array != array or summed is None:
            continue
        for read in maker.reads:
            if read.array != array or read.places[sweep.place] != maker.target.places[sweep.place] - 1:
                continue
            again = image(domain, read)
            if again is None:
                continue
            late = Affine.index(str(sweep.place)) - (first - 1)
            both = summed.where(*again.conditions, late)
            inside = union_count([both]) - union_count([both], elements.surely_computed(array))
            best = max(best, inside)
    return best
