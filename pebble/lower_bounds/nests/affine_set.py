"""Sets of whole-number points given by affine conditions: images, differences, exact counts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.nests.affine import Affine
from pebble.computations.nests.statement import Access, Assignment, LoopNest

_MOST_CELLS = 40_000_000
"""The most points of all indices but one that a count looks at."""

_CELLS_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class AffineSet:
    """The integer points at which every condition is at least 0.

    Parameters
    ----------
    names : tuple of str
        The coordinates, each bounded by the conditions from below and from above.
    conditions : tuple of Affine

    Examples
    --------
    >>> i, j = Affine.index("i"), Affine.index("j")
    >>> triangle = AffineSet(("i", "j"), (j, i - j, -i + 9))
    >>> triangle.count(), triangle.where(i - 10).is_empty()
    (55, True)
    """

    names: tuple[str, ...]
    conditions: tuple[Affine, ...]

    def where(self, *conditions: Affine) -> AffineSet:
        """Return the points that meet further conditions."""
        return AffineSet(self.names, _tidy((*self.conditions, *conditions)))

    def without(self, name: str) -> tuple[AffineSet, bool]:
        """Return the points without one coordinate, and whether that is exact; if not, there may be too many.

        Fourier and Motzkin's elimination. It is exact on integers where between the two ends of each pair there is
        always one: where they are far enough apart for their factors a and b (W. Pugh's dark shadow), so if one is 1.
        """
        below: list[Affine] = []
        above: list[Affine] = []
        kept: list[Affine] = []
        for condition in self.conditions:
            factor = condition.factor(name)
            (below if factor > 0 else above if factor < 0 else kept).append(condition)
        exact = True
        for low in below:
            for high in above:
                a, b = low.factor(name), -high.factor(name)
                between, enough = b * low + a * high, (a - 1) * (b - 1)
                kept.append(between)
                exact = exact and (not enough or (not between.terms and between.constant >= enough))
        return AffineSet(tuple(one for one in self.names if one != name), _tidy(kept)), exact

    def is_empty(self) -> bool:
        """Whether it is proved that there is no point; False where it is not known."""
        rest = self
        for name in self.names:
            if any(not condition.terms and condition.constant < 0 for condition in rest.conditions):
                return True
            rest = rest.without(name)[0]
        return any(condition.constant < 0 for condition in rest.conditions)

    def range_of(self, name: str) -> tuple[int, int]:
        """Return an interval that holds a coordinate, empty as (0, -1)."""
        rest = self
        for other in self.names:
            if other != name:
                rest = rest.without(other)[0]
        low, high = -math.inf, math.inf
        for condition in rest.conditions:
            factor = condition.factor(name)
            if factor > 0:
                low = max(low, -(condition.constant // factor))
            elif factor < 0:
                high = min(high, condition.constant // -factor)
            elif condition.constant < 0:
                return 0, -1
        return (int(low), int(high)) if low <= high else (0, -1)

    def minus(self, other: AffineSet) -> Iterator[AffineSet]:
        """Yield disjoint sets that are together the points not in another set with the same coordinates."""
        rest = self
        for condition in other.conditions:
            part = rest.where(-condition - 1)
            if not part.is_empty():
                yield part
            rest = rest.where(condition)

    def count(self) -> int:
        """Return the number of points."""
        return _count(self)


def domain(nest: LoopNest, statement: Assignment) -> AffineSet:
    """Return the points at which a statement is computed."""
    ranges = [(Affine.index(name), nest.extents[name]) for name in statement.indices]
    inside = [condition for index, extent in ranges for condition in (index, -index + (extent - 1))]
    return AffineSet(statement.indices, _tidy((*inside, *statement.conditions)))


def image(points: AffineSet, access: Access) -> AffineSet | None:
    """Return the elements that an access reaches, their coordinates called 0, 1, …; None if that is no affine set."""
    found, exact = _image(points, access)
    return found if exact else None


def image_above(points: AffineSet, access: Access) -> AffineSet:
    """Return a set that holds all elements that an access reaches; the same as :func:`image` where that is known."""
    return _image(points, access)[0]


def placed(places: Sequence[Affine], access: Access) -> tuple[Affine, ...]:
    """Return functions of an array's coordinates as functions of the indices of an access to it."""
    return tuple(
        sum((factor * access.places[int(name)] for name, factor in place.terms), Affine((), place.constant))
        for place in places
    )


def union_count(sets: Sequence[AffineSet], without: Sequence[AffineSet] = ()) -> int:
    """Return the number of points that are in one of the sets and in none of the others."""
    total = 0
    for position, one in enumerate(sets):
        parts = [one]
        for other in (*without, *sets[:position]):
            parts = [piece for part in parts for piece in part.minus(other)]
        total += sum(part.count() for part in parts)
    return total


@lru_cache(maxsize=4096)
def _image(points: AffineSet, access: Access) -> tuple[AffineSet, bool]:
    names = tuple(map(str, range(len(access.places))))
    conditions, places, left = list(points.conditions), list(access.places), list(points.names)
    exact = True
    for position, name in enumerate(names):
        difference = places[position] - Affine.index(name)
        solved = next((one for one in left if abs(difference.factor(one)) == 1), None)
        if solved is None:
            conditions += [difference, -difference]
            exact = exact and all(one in names for one, _ in difference.terms)
            continue
        left.remove(solved)
        value = (difference - difference.factor(solved) * Affine.index(solved)) * -difference.factor(solved)
        conditions = [_put(one, solved, value) for one in conditions]
        places = [_put(one, solved, value) for one in places]
    rest = AffineSet((*names, *left), _tidy(conditions))
    for one in left:
        rest, without_loss = rest.without(one)
        exact = exact and without_loss
    return rest, exact


def _put(expression: Affine, name: str, value: Affine) -> Affine:
    factor = expression.factor(name)
    return expression - factor * Affine.index(name) + factor * value if factor else expression


def _tidy(conditions: Iterable[Affine]) -> tuple[Affine, ...]:
    """Divide by common factors, rounding as integers allow, and keep the tightest of those that are parallel."""
    tightest: dict[tuple[tuple[str, int], ...], int] = {}
    for condition in conditions:
        common = math.gcd(*(factor for _, factor in condition.terms)) or 1
        terms = tuple((name, factor // common) for name, factor in condition.terms)
        constant = condition.constant // common
        if terms or constant < 0:
            tightest[terms] = min(constant, tightest.get(terms, constant))
    return tuple(Affine(terms, constant) for terms, constant in tightest.items())


@lru_cache(maxsize=4096)
def _count(points: AffineSet) -> int:
    if any(not condition.terms for condition in points.conditions):
        return 0
    total = 1
    for part in _parts(points):
        total *= _count_connected(part)
        if total == 0:
            break
    return total


def _parts(points: AffineSet) -> Iterator[AffineSet]:
    """Yield the sets of coordinates that no condition ties to others."""
    left = list(points.names)
    while left:
        names, grown = {left[0]}, True
        while grown:
            tied = {one for c in points.conditions if names & set(c.names) for one in c.names}
            grown = not tied <= names
            names |= tied
        mine = [condition for condition in points.conditions if names & set(condition.names)]
        yield AffineSet(tuple(one for one in left if one in names), tuple(mine))
        left = [one for one in left if one not in names]


def _count_connected(points: AffineSet) -> int:
    ranges = {name: points.range_of(name) for name in points.names}
    sizes = {name: high - low + 1 for name, (low, high) in ranges.items()}
    last = max(sizes, key=lambda name: sizes[name])
    others = [name for name in points.names if name != last]
    cells = math.prod(sizes[name] for name in others)
    if cells > _MOST_CELLS:
        raise BoundDoesNotApply(f"counting the points of {len(sizes)} linked indices would take too long")
    if cells <= 0 or sizes[last] <= 0:
        return 0
    if not others:
        return _lengths(points, last, ranges, {}, ()).item()
    first = others[0]
    low, high = ranges[first]
    rows = max(1, _CELLS_AT_ONCE // max(1, cells // sizes[first]))
    total = 0
    for start in range(low, high + 1, rows):
        part = {**ranges, first: (start, min(high, start + rows - 1))}
        axes = [np.arange(part[name][0], part[name][1] + 1) for name in others]
        grids = np.meshgrid(*axes, indexing="ij", sparse=True)
        shape = tuple(map(len, axes))
        total += int(_lengths(points, last, ranges, dict(zip(others, grids, strict=True)), shape).sum())
    return total


def _lengths(
    points: AffineSet,
    last: str,
    ranges: dict[str, tuple[int, int]],
    values: dict[str, NDArray[np.int64]],
    shape: tuple[int, ...],
) -> NDArray[np.int64]:
    """Return how many values of one coordinate go with each of many values of the others."""
    low = np.full(shape, ranges[last][0], dtype=np.int64)
    high = np.full(shape, ranges[last][1], dtype=np.int64)
    for condition in points.conditions:
        factor = condition.factor(last)
        rest = np.asarray(condition.constant)
        for name, of_it in condition.terms:
            if name != last:
                rest = rest + of_it * values[name]
        if factor > 0:
            np.maximum(low, -(rest // factor), out=low)
        elif factor < 0:
            np.minimum(high, rest // -factor, out=high)
        else:
            np.copyto(high, low - 1, where=np.broadcast_to(rest < 0, shape))
    lengths: NDArray[np.int64] = np.maximum(high - low + 1, 0)
    return lengths
