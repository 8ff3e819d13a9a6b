"""What stencils cost: steps to what is read, added to the elements that a segment computes, lead to more words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import groupby, product

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.nests.affine import Affine
from pebble.computations.nests.statement import Access, Assignment
from pebble.lower_bounds.nests.affine_set import AffineSet, image, placed
from pebble.lower_bounds.nests.elements import Elements
from pebble.lower_bounds.nests.exponents import Growth, Term
from pebble.lower_bounds.nests.projections import Share, cut_by_growth
from pebble.lower_bounds.nests.roles import Atom, behind, inverse_of

Steps = frozenset[tuple[int, ...]]

_FARTHEST = 2
"""In the plane the directions of layers have coefficients up to this one; in more dimensions up to 1."""


@lru_cache(maxsize=4096)
def spread(steps: Steps) -> Fraction:
    """Return a V for which every finite set A of whole-number points has |A + steps| ≥ |A| + d·V^(1/d)·|A|^(1 − 1/d).

    Parameters
    ----------
    steps : frozenset of tuple of int
        Vectors of d ≥ 1 integers, at least one.

    Returns
    -------
    Fraction
        At most the volume of the convex hull of the steps, if they are the lattice points of it; often equal to it.
        0 if nothing is known but |A + steps| ≥ |A|.

    Notes
    -----
    Docs/proofs/nests.md, spreading, proves it: the steps are looked at in layers along directions with small
    coefficients, all of them in the plane, the layers in the same way in one dimension less.

    Examples
    --------
    >>> spread(frozenset({(0, 0), (0, 1), (1, 0), (1, 1)}))
    Fraction(1, 1)
    >>> cross = frozenset({(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0)})
    >>> spread(cross), spread(frozenset({(0, 0, 0)} | {(1, *step) for step in cross}))
    (Fraction(2, 1), Fraction(2, 3))
    """
    width = len(next(iter(steps)))
    if width == 1:
        return Fraction(len(steps) - 1)
    found = (_of_layers(layers, width) for layers in _layered(steps, width))
    return max(found, default=Fraction())


def _layered(steps: Steps, width: int) -> Iterator[dict[int, Steps]]:
    """Yield the steps in layers, each without a coordinate that the others and the layer determine."""
    farthest = _FARTHEST if width == 2 else 1
    for direction in product(range(-farthest, farthest + 1), repeat=width):
        at = next((place for place, factor in enumerate(direction) if factor), None)
        if at is None or direction[at] < 0 or math.gcd(*direction) > 1:
            continue
        layers: dict[int, set[tuple[int, ...]]] = {}
        for step in steps:
            height = sum(x * y for x, y in zip(direction, step, strict=True))
            layers.setdefault(height, set()).add((*step[:at], *step[at + 1 :]))
        if len(layers) > 1:
            yield {height: frozenset(layer) for height, layer in layers.items()}


def _of_layers(layers: dict[int, Steps], width: int) -> Fraction:
    """Return what the layers say together: some of them that spread at least so much, and those next to them."""
    volumes = {height: spread(layer) for height, layer in layers.items()}
    best = Fraction()
    for least in {volume for volume in volumes.values() if volume}:
        core = sorted(height for height, volume in volumes.items() if volume >= least)
        best = max(best, least * (len(core) - 1))
        for run in _runs(core):
            caps = sum(height in layers for height in (run[0] - 1, run[-1] + 1))
            best = max(best, least * (len(run) - 1 + Fraction(caps, width)))
    return best


def _runs(heights: Sequence[int]) -> Iterator[list[int]]:
    """Yield the heights that follow each other without a gap."""
    for _, run in groupby(enumerate(heights), key=lambda one: one[1] - one[0]):
        yield [height for _, height in run]


_Step = tuple[int, ...]


@dataclass(frozen=True)
class Stencil:
    """An array whose elements are computed from others of it, constant steps behind, some through another array.

    Parameters
    ----------
    maker : Assignment
        The only statement that computes the array.
    direct : frozenset of tuple of int
        By how much the coordinates of its elements that are read are less.
    through : tuple of (Assignment, frozenset, frozenset)
        The only statements that compute other arrays; by how much their elements that are read lie behind; and how
        far behind these the elements of the first array that they read.
    """

    maker: Assignment
    direct: Steps
    through: tuple[tuple[Assignment, Steps, Steps], ...] = ()

    @property
    def arrays(self) -> frozenset[str]:
        """Where the words are."""
        return frozenset(maker.target.array for maker in (self.maker, *(one for one, _, _ in self.through)))

    @property
    def steps(self) -> Steps:
        """From an element to all that it is computed from."""
        return self.direct | {
            _sum(first, second) for _, there, on in self.through for first in there for second in on
        }

    @property
    def served(self) -> int:
        """How many elements that are not at hand one word serves at most: itself, or what lies behind it."""
        behind_one = (
            sum(_sum(first, second) not in self.direct for second in on)
            for _, there, on in self.through
            for first in there
        )
        return max((1, *behind_one))

    def growth(self, linear: int = 0) -> Growth | None:
        """Return how many elements a set has whose steps lead to at most T words besides; None if nothing is known.

        ``linear`` times T is added.
        """
        width = len(self.maker.target.places)
        volume = spread(self.steps | {(0,) * width}) if width > 1 else Fraction()
        if not volume:
            return None
        base = Fraction(self.served, width) ** width / volume
        term = Term(((base, Fraction(1, width - 1)),), (Fraction(width, width - 1),))
        return Growth((((term,),),), linear)


def stencils(elements: Elements, statement: Assignment) -> Iterator[Stencil]:
    """Yield how an array is computed from itself: directly, and also through other arrays."""
    array = statement.target.array
    if _only_maker(elements, array) is not statement or any(
        len(p.terms) != 1 for p in statement.target.places
    ):
        return
    direct = _steps_to(statement, array)
    if direct:
        yield Stencil(statement, direct)
    through = []
    for other in dict.fromkeys(read.array for read in statement.reads if read.array != array):
        maker = _only_maker(elements, other)
        there, on = _steps_to(statement, other), _steps_to(maker, array) if maker else None
        if maker and there and on:
            through.append((maker, there, on))
    if through:
        yield Stencil(statement, direct, tuple(through))


def stencil_shares(elements: Elements, statement: Assignment, M: int) -> Iterator[Share]:
    """Yield what the elements of an array cost: first computations, and all of them if nothing is computed twice."""
    points = elements.domains[elements.nest.statements.index(statement)]
    for stencil in stencils(elements, statement):
        growth, stored = stencil.growth(), stencil.growth(stencil.served)
        try:
            W, ahead = points.count(), border(elements, stencil)
        except BoundDoesNotApply:
            continue
        if growth is None or stored is None or not W:
            continue
        atoms: frozenset[Atom] = frozenset(("value", array) for array in stencil.arrays)
        note = f"{statement.target}: {W:,} points, {len(stencil.steps)} steps"
        cut = cut_by_growth(W, M, growth)
        claim = {"argument": "stencils", "statement": elements.nest.statements.index(statement)}
        yield Share(cut.moves, atoms, False, f"{note}, {cut}", claim)
        cut = cut_by_growth(W, M, stored)
        if cut.X >= 1 and ahead is not None:
            outputs = sum(elements.outputs_of(array) for array in stencil.arrays)
            gain = M + 1 + 2 * cut.X * cut.cuts - ahead - outputs
            note = f"{note}, h = {cut.cuts} cuts, one every {2 * cut.X} moves"
            yield Share(gain, atoms, True, note, claim)


def _only_maker(elements: Elements, array: str) -> Assignment | None:
    """Return the statement that alone computes an array, each of its points another element; None if there is none."""
    makers = [one for one in elements.nest.statements if one.target.array == array]
    if len(makers) != 1 or makers[0].adds:
        return None
    return makers[0] if set(inverse_of(makers[0])) == set(makers[0].indices) else None


def _steps_to(statement: Assignment, array: str) -> Steps:
    """Return by how much what a statement reads of an array lies behind its target, where that is constant."""
    found = set()
    for read in statement.reads:
        places = behind(statement, read) if read.array == array else None
        if places and len(places) == len(statement.target.places):
            back = [Affine.index(str(at)) - place for at, place in enumerate(places)]
            if not any(one.terms for one in back):
                found.add(tuple(one.constant for one in back))
    return frozenset(found)


def _sum(first: _Step, second: _Step) -> _Step:
    return tuple(x + y for x, y in zip(first, second, strict=True))


def border(elements: Elements, stencil: Stencil) -> int | None:
    """Return how many elements are not read by all that the steps say; None if that is not known."""
    computed = _computed_set(elements, stencil.maker)
    if computed is None:
        return None
    inside = computed
    for step in stencil.direct:
        inside = inside.where(*_moved(computed, step))
    for maker, there, on in stencil.through:
        between = _computed_set(elements, maker)
        if between is None:
            return None
        for second in on:
            inside = inside.where(*_moved(between, second))
            for first in there:
                inside = inside.where(*_moved(computed, _sum(first, second)))
    return computed.count() - inside.count()


def _computed_set(elements: Elements, maker: Assignment) -> AffineSet | None:
    """Return the elements that a statement computes; None if that is no affine set."""
    return image(elements.domains[elements.nest.statements.index(maker)], maker.target)


def _moved(points: AffineSet, step: _Step) -> tuple[Affine, ...]:
    """Return the conditions that a point of a set lies so far ahead."""
    ahead = tuple(Affine.index(str(at)) + by for at, by in enumerate(step))
    return placed(points.conditions, Access("", ahead))
