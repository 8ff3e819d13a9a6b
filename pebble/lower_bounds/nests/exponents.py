"""At most how many points so many words allow, and the exponents for which that is least."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any

from pebble.common.errors import BoundDoesNotApply
from pebble.lower_bounds.rounding import floor_root

Power = tuple[Fraction, Fraction]
"""A positive base and its exponent."""


@dataclass(frozen=True)
class Term:
    """A constant times powers of the words of several groups, at its greatest if the groups have T words together.

    Parameters
    ----------
    constant : tuple of (Fraction, Fraction)
        Bases and exponents.
    exponents : tuple of Fraction
        Of the groups' words, each positive. T words are best divided in proportion to them.
    facts : mapping
        The exponents of all maps that it is made from, and what else another program needs to check it.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> Term((), (half, half, half)).at(300)
    1000
    """

    constant: tuple[Power, ...]
    exponents: tuple[Fraction, ...]
    facts: Mapping[str, Any] = field(default_factory=dict, kw_only=True, repr=False, compare=False)

    @property
    def degree(self) -> Fraction:
        """The power of T."""
        return sum(self.exponents, Fraction())

    @cached_property
    def _parts(self) -> tuple[int, int, int, int]:
        """A whole number q; degree · q; and numerator and denominator of the q-th power of T^degree's factor."""
        degree = self.degree
        powers = [*self.constant, *((e / degree, e) for e in self.exponents)]
        q = math.lcm(degree.denominator, *(exponent.denominator for _, exponent in powers))
        factor = Fraction(1)
        for base, exponent in powers:
            factor *= base ** int(exponent * q)
        return q, int(degree * q), factor.numerator, factor.denominator

    def at(self, T: int) -> int:
        """Return the greatest value, rounded down."""
        q, power, numerator, denominator = self._parts
        return floor_root(numerator * T**power // denominator, q)

    def near(self, T: float) -> float:
        """Return the logarithm of the value, in floating point."""
        degree = self.degree
        powers = [*self.constant, *((e / degree, e) for e in self.exponents)]
        return float(degree) * math.log(T) + sum(float(e) * math.log(base) for base, e in powers)


@dataclass(frozen=True)
class Growth:
    """The most events of a segment with T words, as a nondecreasing function of T.

    Parameters
    ----------
    ways : tuple of tuple of tuple of Term
        Each way to argue says: it is one of several cases, and in each case the number of events is at most each of
        its terms.
    linear : int
        So many times T is added.
    """

    ways: tuple[tuple[tuple[Term, ...], ...], ...]
    linear: int = 0

    def __call__(self, T: int) -> int:
        """Return at most how many events T words allow, at least 1."""
        values = (max(min(term.at(T) for term in case) for case in cases) for cases in self.ways)
        return max(1, min(values) + self.linear * T)

    def least(self, T: int) -> list[Term]:
        """Return the terms that T words are counted by: in the best way the least one of each case."""
        ways = ([min(case, key=lambda term: term.at(T)) for case in cases] for cases in self.ways)
        return min(ways, key=lambda terms: max(term.at(T) for term in terms))


def best_terms(terms: Iterable[Term], sizes: Sequence[int]) -> tuple[Term, ...]:
    """Return the terms that are least at some of the sizes."""
    ordered = list(dict.fromkeys(terms))
    return tuple(dict.fromkeys(min(ordered, key=lambda term: term.near(T)) for T in sizes))


def gathered(powers: Iterable[Mapping[str, Fraction]]) -> dict[str, Fraction]:
    """Return the sum of exponents of each group, those that are zero left out."""
    total: dict[str, Fraction] = {}
    for one in powers:
        for group, exponent in one.items():
            total[group] = total.get(group, Fraction()) + exponent
    return {group: exponent for group, exponent in total.items() if exponent}


def least(
    costs: Sequence[Fraction | int], rows: Sequence[tuple[Sequence[int | Fraction], int | Fraction]]
) -> tuple[Fraction, ...] | None:
    """Return a corner x >= 0 of least cost with ``row · x >= right`` for every (row, right); None if there is none.

    Parameters
    ----------
    costs : sequence of Fraction
        None is negative.
    rows : sequence of (sequence, number)

    Notes
    -----
    The dual simplex method with the least index first, so that it ends.

    Examples
    --------
    >>> least([1, 1, 1], [((1, 1, 0), 1), ((1, 0, 1), 1), ((0, 1, 1), 1)])
    (Fraction(1, 2), Fraction(1, 2), Fraction(1, 2))
    """
    n = len(costs)
    # The basic variables are slacks: row · x - slack = right. Each line says what a basic variable is:
    # right side first, then the factors of the others.
    table = {n + r: [-Fraction(right), *map(Fraction, row)] for r, (row, right) in enumerate(rows)}
    reduced_costs = list(map(Fraction, costs))
    others = list(range(n))
    while True:
        leaving = min((basic for basic, line in table.items() if line[0] < 0), default=None)
        if leaving is None:
            break
        line = table.pop(leaving)
        choices = [(reduced_costs[at] / line[at + 1], others[at], at) for at in range(n) if line[at + 1] > 0]
        if not choices:
            return None
        _, entering, at = min(choices)
        # leaving = line[0] + ... + line[at] * entering: solve for entering.
        head = line[at + 1]
        solved = [-x / head for x in line]
        solved[at + 1] = 1 / head
        for basic, other in table.items():
            factor = other[at + 1]
            if factor:
                table[basic] = [
                    (Fraction() if j == at + 1 else x) + factor * y
                    for j, (x, y) in enumerate(zip(other, solved, strict=True))
                ]
        factor = reduced_costs[at]
        reduced_costs = [
            (Fraction() if j == at else x) + factor * solved[j + 1] for j, x in enumerate(reduced_costs)
        ]
        table[entering] = solved
        others[at] = leaving
    return tuple(table[j][0] if j in table else Fraction() for j in range(n))


Matrix = tuple[tuple[Fraction, ...], ...]
"""Rows; of a subspace, a basis in reduced echelon form."""

_MOST_SUBSPACES = 220


@lru_cache(maxsize=1024)
def conditions(maps: tuple[Matrix, ...], indices: int) -> list[tuple[tuple[int, ...], int]]:
    """Return what exponents of linear maps must meet: ``sum(row * exponents) >= rank`` for every (row, rank).

    Parameters
    ----------
    maps : tuple of Matrix
        The rows of each map, over this many indices.
    indices : int

    Notes
    -----
    A set S of whole-number points has at most the product of |φ(S)|^s points if and only if the rank of every
    subspace H is at most the sum of s·rank φ(H) (Christ, Demmel, Knight, Scanlon, Yelick), and it is enough to look
    at the subspaces that arise from the kernels by sums and intersections (Valdimarsson). If every kernel is spanned by
    unit vectors, so are all of these, and the unit vectors alone imply the rest.

    Examples
    --------
    >>> unit = reduced([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 3)
    >>> conditions(((unit[0], unit[1]), (unit[0], unit[2]), (unit[1], unit[2])), 3)
    [((1, 1, 0), 1), ((1, 0, 1), 1), ((0, 1, 1), 1)]
    """
    forms = [reduced(one, indices) for one in maps]
    found = []
    for block in _blocks([row for form in forms for row in form], indices):
        width = len(block)
        parts = [
            tuple(tuple(row[i] for i in block) for row in form if any(row[i] for i in block))
            for form in forms
        ]
        for subspace in _lattice([annihilator(part, width) for part in parts], width):
            if subspace:
                found.append((tuple(_rank_of_image(part, subspace) for part in parts), len(subspace)))
    return found


def _blocks(rows: Sequence[tuple[Fraction, ...]], indices: int) -> list[list[int]]:
    """Return the indices in groups, no row having some of two of them."""
    block = list(range(indices))
    for row in rows:
        tied = {block[i] for i, x in enumerate(row) if x}
        block = [min(tied) if one in tied else one for one in block]
    return [[i for i in range(indices) if block[i] == one] for one in dict.fromkeys(block)]


def reduced(rows: Sequence[Sequence[int | Fraction]], width: int) -> Matrix:
    """Return the reduced echelon form, without rows of zeros."""
    left = [[Fraction(x) for x in row] for row in rows]
    done = 0
    for column in range(width):
        pivot = next((r for r in range(done, len(left)) if left[r][column]), None)
        if pivot is None:
            continue
        left[done], left[pivot] = left[pivot], left[done]
        head = left[done][column]
        left[done] = [x / head for x in left[done]]
        for r, row in enumerate(left):
            if r != done and row[column]:
                factor = row[column]
                left[r] = [x - factor * y for x, y in zip(row, left[done], strict=True)]
        done += 1
    return tuple(tuple(row) for row in left[:done])


def rank(rows: Sequence[Sequence[int | Fraction]], width: int) -> int:
    """Return the rank."""
    return len(reduced(rows, width))


def annihilator(rows: Matrix, width: int) -> Matrix:
    """Return a basis of the vectors that every row of a reduced matrix maps to zero."""
    pivots = [next(j for j, x in enumerate(row) if x) for row in rows]
    basis = []
    for free in range(width):
        if free in pivots:
            continue
        vector = [Fraction(int(j == free)) for j in range(width)]
        for pivot, row in zip(pivots, rows, strict=True):
            vector[pivot] = -row[free]
        basis.append(vector)
    return reduced(basis, width)


def _rank_of_image(rows: Matrix, subspace: Matrix) -> int:
    images = [
        [sum((x * y for x, y in zip(row, v, strict=True)), Fraction()) for row in rows] for v in subspace
    ]
    return rank(images, len(rows)) if rows else 0


def _lattice(kernels: Sequence[Matrix], width: int) -> list[Matrix]:
    """Return all sums and intersections of the kernels, the whole space among them."""
    whole = reduced([[int(i == j) for j in range(width)] for i in range(width)], width)
    found = list(dict.fromkeys([whole, *kernels]))
    seen = set(found)
    for at, one in enumerate(found):  # it grows while it is walked
        for other in found[: at + 1]:
            dual = reduced([*annihilator(one, width), *annihilator(other, width)], width)
            for new in (reduced([*one, *other], width), annihilator(dual, width)):
                if new not in seen:
                    seen.add(new)
                    found.append(new)
        if len(found) > _MOST_SUBSPACES:
            raise BoundDoesNotApply("the accesses have too many subspaces to examine")
    return found


_STEPS = 5
_MOST_CORNERS = 6


@dataclass(frozen=True)
class Size:
    """The most images that a map has: a constant times powers of the words of groups; perhaps from a corner."""

    words: Mapping[str, Fraction]
    constant: tuple[Power, ...] = field(default=())
    corner: tuple[Fraction, ...] = field(default=(), compare=False)

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
    facts = {"exponents": list(map(str, x))}
    return Term(tuple(constant), tuple(_exponents(x, sizes).values()), facts=facts)
