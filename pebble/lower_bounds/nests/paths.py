"""What stencils cost: first computations, dominated along disjoint paths of several directions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.nests.statement import Access, Assignment
from pebble.lower_bounds.nests.affine_set import placed
from pebble.lower_bounds.nests.elements import Elements
from pebble.lower_bounds.nests.exponents import Size, best_exponents
from pebble.lower_bounds.nests.growth import Growth, Term
from pebble.lower_bounds.nests.lines import Atom, behind, coordinates, inverse_of
from pebble.lower_bounds.nests.projections import Share, cut_by_growth, sizes_to_try
from pebble.lower_bounds.nests.subspaces import Matrix, annihilator, rank, reduced

__all__ = ["growths", "only_maker", "path_shares"]

_MOST_ARRAYS = 3
_MOST_CHOICES = 3


@dataclass(frozen=True)
class PathFamily:
    """Backwards from every element of an array to another one of it, a constant step behind, and so on to an input.

    Parameters
    ----------
    step : tuple of int
        By how much each coordinate is less.
    arrays : frozenset of str
        Where the vertices are.
    """

    step: tuple[int, ...]
    arrays: frozenset[str]


def path_shares(elements: Elements, statement: Assignment, M: int) -> Iterator[Share]:
    """Yield what the first computations of a statement cost, whatever is computed again."""
    try:
        W = elements.domains[elements.nest.statements.index(statement)].count()
    except BoundDoesNotApply:
        return
    for growth, chosen in growths(elements, statement, sizes_to_try(M)) if W else ():
        cut = cut_by_growth(W, M, growth)
        atoms: frozenset[Atom] = frozenset(("value", one) for path in chosen for one in path.arrays)
        steps = ", ".join(str(path.step) for path in chosen)
        yield Share(cut.moves, atoms, False, f"{statement.target}: {W:,} points, paths {steps}, {cut}")


def growths(
    elements: Elements, statement: Assignment, tried: Sequence[int]
) -> Iterator[tuple[Growth, tuple[PathFamily, ...]]]:
    """Yield how many elements that a statement computes T words dominate, and along which paths."""
    array = statement.target.array
    places = statement.target.places
    if only_maker(elements, array) is not statement or any(len(place.terms) != 1 for place in places):
        return
    extents = [elements.nest.extents[place.names[0]] for place in places]
    start = Access(array, coordinates(statement.target))
    paths = _distinct(list(_paths(elements, array, start, frozenset([array]))))
    for chosen, classes in _choices(paths, len(places)):
        growth = _growth(chosen, classes, extents, tried)
        if growth is not None:
            yield growth, chosen


def only_maker(elements: Elements, array: str) -> Assignment | None:
    """Return the statement that alone computes an array, each of its points another element; None if there is none."""
    makers = [one for one in elements.nest.statements if one.target.array == array]
    if len(makers) != 1 or makers[0].adds:
        return None
    return makers[0] if set(inverse_of(makers[0])) == set(makers[0].indices) else None


def _paths(elements: Elements, array: str, at: Access, seen: frozenset[str]) -> Iterator[PathFamily]:
    """Yield the ways back from an array to itself, ``at`` being what has been reached from its coordinates."""
    maker = only_maker(elements, at.array)
    if maker is None:
        return
    for read in maker.reads:
        there = Access(read.array, placed(behind(maker, read) or (), at))
        if read.array == array:
            differences = [one - other for one, other in zip(coordinates(there), there.places, strict=True)]
            if not any(difference.terms for difference in differences):
                step = tuple(difference.constant for difference in differences)
                if any(step):
                    yield PathFamily(step, seen)
        elif read.array not in seen and len(seen) < _MOST_ARRAYS:
            width = len(at.places)
            rows = [[place.factor(str(i)) for i in range(width)] for place in there.places]
            if rank(rows, width) == width:
                yield from _paths(elements, array, there, seen | {read.array})


def _choices(paths: Sequence[PathFamily], width: int) -> Iterator[tuple[tuple[PathFamily, ...], int]]:
    """Yield sets of independent paths, and into how many classes, all tied by steps, they divide the points."""
    found = []
    direct = [path.step for path in paths if len(path.arrays) == 1]
    for some in combinations(paths, width):
        steps = [path.step for path in some]
        if rank(steps, width) == width:
            one_array = all(len(path.arrays) == 1 for path in some)
            found.append((some, _tied_classes(steps, direct) if one_array else 1))
    found.sort(key=lambda choice: (-choice[1], sum(len(path.arrays) for path in choice[0])))
    yield from found[:_MOST_CHOICES]


def _distinct(paths: Sequence[PathFamily]) -> list[PathFamily]:
    """Return one path for each step, over as few arrays as can be."""
    shortest: dict[tuple[int, ...], PathFamily] = {}
    for path in sorted(paths, key=lambda one: len(one.arrays)):
        shortest.setdefault(path.step, path)
    return list(shortest.values())


def _tied_classes(steps: Sequence[tuple[int, ...]], direct: Sequence[tuple[int, ...]]) -> int:
    """Return how many classes modulo the steps other steps lead through; 1 if that is not all of them."""
    width = len(steps)
    square = [
        [*(step[row] for step in steps), *(int(row == j) for j in range(width))] for row in range(width)
    ]
    columns = reduced(square, 2 * width)
    inverse = [line[width:] for line in columns]

    def classed(vector: Sequence[Fraction | int]) -> tuple[Fraction, ...]:
        return tuple(
            sum((x * y for x, y in zip(row, vector, strict=True)), Fraction()) % 1 for row in inverse
        )

    moves = [classed(step) for step in direct]
    reached = {classed([0] * width)}
    waiting = list(reached)
    while waiting:
        here = waiting.pop()
        for move in moves:
            there = tuple((a + b) % 1 for a, b in zip(here, move, strict=True))
            if there not in reached:
                reached.add(there)
                waiting.append(there)
    return len(reached)


def _growth(
    chosen: Sequence[PathFamily], classes: int, extents: Sequence[int], tried: Sequence[int]
) -> Growth | None:
    """Return how many first computations T words dominate."""
    width = len(chosen)
    one_array = all(len(path.arrays) == 1 for path in chosen)
    size = Size({"words": Fraction(1)}, ((Fraction(1, classes), Fraction(1)),))
    maps: list[Matrix] = [annihilator(reduced([path.step], width), width) for path in chosen]
    terms = best_exponents(maps, [size] * width, extents, tried, Fraction(classes), bounded=width < 3)
    if width == 2 and one_array:
        # Each of two words lies before a point of its own line; of the two points that two lines and two others have
        # in common that holds for one only.
        terms = (*terms, Term(((Fraction(1, 2 * classes), Fraction(1)),), (Fraction(2),)))
    return Growth(((terms,),), classes - 1) if terms else None
