"""Exponents for which the number of points is least bounded: corners of a polytope, and means of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations

from pebble.common.errors import BoundDoesNotApply
from pebble.lower_bounds.nests.growth import Power, Term, best_terms, gathered
from pebble.lower_bounds.nests.linear_program import least
from pebble.lower_bounds.nests.subspaces import Matrix, conditions, reduced

__all__ = ["Size", "best_exponents"]

_STEPS = 5
_MOST_CORNERS = 6


@dataclass(frozen=True)
class Size:
    """The most images that a map has: a constant times powers of the words of groups."""

    words: Mapping[str, Fraction]
    constant: tuple[Power, ...] = field(default=())

    def log(self, share: Mapping[str, float], T: int) -> float:
        """Return its logarithm where each group has its share of T words."""
        return sum(float(e) * math.log(base) for base, e in self.constant) + sum(
            float(e) * math.log(max(T * share[group], 1e-3)) for group, e in self.words.items()
        )


def best_exponents(
    maps: Sequence[Matrix],
    sizes: Sequence[Size],
    extents: Sequence[int],
    tried: Sequence[int],
    scale: Fraction = Fraction(1),
    bounded: bool = True,
) -> tuple[Term, ...]:
    """Return bounds on the number of points of a set, each of them valid, and good ones for this many words.

    Parameters
    ----------
    maps : sequence of Matrix
        Rows over the indices.
    sizes : sequence of Size
        Of the maps' images.
    extents : sequence of int
        How many values each index has.
    tried : sequence of int
        Numbers of words for which the bounds should be good.
    scale : Fraction
        A constant factor.
    bounded : bool
        Whether to make use of the extents; that the maps have too many subspaces then is no error.

    Returns
    -------
    tuple of Term
        Empty if the maps say nothing.

    Notes
    -----
    For given words the logarithm of the bound is linear in the exponents, and where T words are divided at best it is
    convex. So corners are looked for where the gradient points, a few times, and means of two or three are tried.
    Only the quality of a bound depends on it.
    """
    if not maps:
        return ()
    units = [reduced([[int(i == j) for j in range(len(extents))]], len(extents)) for i in range(len(extents))]
    known = [*sizes, *(Size({}, ((Fraction(extent), Fraction(1)),)) for extent in extents if bounded)]
    try:
        rows = conditions((*maps, *units) if bounded else tuple(maps), len(extents))
    except BoundDoesNotApply:
        return best_exponents(maps, sizes, extents, tried, scale, bounded=False) if bounded else ()
    corners: dict[tuple[Fraction, ...], None] = {}
    for T in tried:
        visited: list[tuple[Fraction, ...]] = []
        groups = {group for size in known for group in size.words}
        share = {group: 1 / len(groups) for group in groups}
        for _ in range(_STEPS):
            costs = [Fraction(max(1, round(1024 * size.log(share, T))), 1024) for size in known]
            corner = least(costs, rows)
            if corner is None:
                return ()
            visited.append(corner)
            weights = _exponents(_mean(visited), known)
            total = float(sum(weights.values(), Fraction())) or 1.0
            share = {group: max(float(weights.get(group, 0)) / total, 1e-3) for group in groups}
        corners.update(dict.fromkeys(visited))
    chosen = list(corners)[:_MOST_CORNERS]
    points = [_mean(some) for number in (1, 2, 3) for some in combinations(chosen, number)]
    terms = [term for x in points if max(x) <= 1 and (term := _term(x, known, scale)).exponents]
    return best_terms(terms, tried) if terms else ()


def _mean(points: Sequence[tuple[Fraction, ...]]) -> tuple[Fraction, ...]:
    return tuple(sum(column, Fraction()) / len(points) for column in zip(*points, strict=True))


def _exponents(x: Sequence[Fraction], sizes: Sequence[Size]) -> dict[str, Fraction]:
    return gathered(
        {group: s * e for group, e in size.words.items()} for s, size in zip(x, sizes, strict=True)
    )


def _term(x: Sequence[Fraction], sizes: Sequence[Size], scale: Fraction) -> Term:
    constant = [
        (base, s * e)
        for s, size in zip(x, sizes, strict=True)
        for base, e in size.constant
        if s and base != 1
    ]
    if scale != 1:
        constant.append((scale, Fraction(1)))
    return Term(tuple(constant), tuple(_exponents(x, sizes).values()))
