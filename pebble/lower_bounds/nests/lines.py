"""Lines: disjoint chains of vertices, one through every element of an array, which take a word to enter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pebble.computations.nests.affine import Affine
from pebble.computations.nests.statement import Access, Assignment, LoopNest
from pebble.lower_bounds.nests.affine_set import image, image_above, placed
from pebble.lower_bounds.nests.elements import Elements
from pebble.lower_bounds.nests.subspaces import annihilator, rank, reduced

__all__ = [
    "Atom",
    "LineFamily",
    "behind",
    "inverse_of",
    "lines",
    "matrix",
    "own_steps",
]

Atom = tuple[str, str]
"""A set of vertices: ``("value", array)``, the array's elements, their last values and its inputs among them;
``("chain", array)``, all values of its sums but the last ones."""


@dataclass(frozen=True)
class LineFamily:
    """A family of disjoint lines, one through every element of an array.

    Parameters
    ----------
    places : tuple of Affine
        Which line an element is on, as a function of its coordinates "0", "1", …
    atoms : frozenset of Atom
        Where the vertices of the lines are.
    sum_of : Assignment or None
        None if every line begins at an input of its own: whoever has a value of it without computing it from
        there has a word of it. Else the sum whose first vertices are the lines' first ones.
    root : str
        The array whose inputs they begin at, each line the one of the element with its places; empty if that is not
        so.
    """

    places: tuple[Affine, ...]
    atoms: frozenset[Atom]
    sum_of: Assignment | None = None
    root: str = ""


def _coordinates(access: Access) -> tuple[Affine, ...]:
    """Return the coordinates "0", "1", … of an element of the array."""
    return tuple(Affine.index(str(position)) for position in range(len(access.places)))


def matrix(places: Sequence[Affine], names: Sequence[str]) -> tuple[tuple[Fraction, ...], ...]:
    """Return the rows of affine functions over some indices, without their constants."""
    return tuple(tuple(Fraction(place.factor(name)) for name in names) for place in places)


def lines(elements: Elements, array: str, seen: frozenset[str] = frozenset()) -> Iterator[LineFamily]:
    """Yield families of lines through the elements of an array."""
    nest = elements.nest
    makers = [statement for statement in nest.statements if statement.target.array == array]
    value = ("value", array)
    if not makers:
        access = next(a for s in nest.statements for a in s.reads if a.array == array)
        yield LineFamily(_coordinates(access), frozenset([value]), root=array)
        return
    if array in seen:
        return
    first = makers[0]
    if any(statement.adds for statement in makers[1:]) or first.adds:
        atoms = frozenset([value, ("chain", array)])
    else:
        atoms = frozenset([value])
    if len(makers) == 1 and not first.adds:
        for step in own_steps(first):
            yield LineFamily(_across(step), atoms)
    if first.adds:
        if len(makers) == 1:
            yield LineFamily(_coordinates(first.target), atoms, first)
        return
    if all(statement.adds for statement in makers[1:]):
        options = set(_own_reads(first)) if _covers(elements, first, makers[1:]) else set()
    elif not any(statement.adds for statement in makers):
        options = {option for option in _own_reads(first) if all(_reads(maker, *option) for maker in makers)}
    else:
        return
    for root, back in sorted(options, key=str):
        for line in lines(elements, root, seen | {array}):
            yield LineFamily(
                placed(line.places, Access(root, back)), atoms | line.atoms, line.sum_of, line.root
            )


def _reads(maker: Assignment, root: str, back: tuple[Affine, ...]) -> bool:
    """Whether a statement reads from an array what lies there as a function of its target's coordinates."""
    return Access(root, placed(back, maker.target)) in maker.reads


def _own_reads(statement: Assignment) -> Iterator[tuple[str, tuple[Affine, ...]]]:
    """Yield the reads of which every element has another, as functions of the element's coordinates."""
    for read in statement.reads:
        back = _own_read(statement, read)
        if back is not None:
            yield read.array, back


def own_steps(statement: Assignment) -> list[tuple[int, ...]]:
    """Return by how much the reads of the statement's own array lie behind its target, where that is constant."""
    target = statement.target
    steps = []
    for read in statement.reads:
        if read.array == target.array and len(read.places) == len(target.places):
            differences = [a - b for a, b in zip(target.places, read.places, strict=True)]
            if not any(difference.terms for difference in differences):
                steps.append(tuple(difference.constant for difference in differences))
    return [step for step in steps if any(step)]


def _across(step: Sequence[int]) -> tuple[Affine, ...]:
    """Return linear functions of coordinates that together tell lines of a direction apart."""
    width = len(step)
    rows = annihilator(reduced([step], width), width)
    places = []
    for row in rows:
        common = 1
        for x in row:
            common = common * x.denominator
        places.append(Affine.of({str(j): int(x * common) for j, x in enumerate(row)}))
    return tuple(places)


def inverse_of(statement: Assignment) -> dict[str, Affine]:
    """Return the indices of a statement as functions of its target's coordinates, as far as each has its own place."""
    inverse: dict[str, Affine] = {}
    for position, place in enumerate(statement.target.places):
        if len(place.terms) == 1 and abs(place.terms[0][1]) == 1:
            name, factor = place.terms[0]
            inverse[name] = factor * (Affine.index(str(position)) - place.constant)
    return inverse


def behind(statement: Assignment, read: Access) -> tuple[Affine, ...] | None:
    """Return where a read lies as a function of the target's coordinates; None if that is not known."""
    inverse = inverse_of(statement)
    if any(name not in inverse for place in read.places for name in place.names):
        return None
    return tuple(
        sum((factor * inverse[name] for name, factor in place.terms), Affine((), place.constant))
        for place in read.places
    )


def _own_read(statement: Assignment, read: Access) -> tuple[Affine, ...] | None:
    """Return :func:`behind` if different elements have different ones."""
    found = behind(statement, read)
    free = [str(at) for at, place in enumerate(statement.target.places) if place.terms]
    return found if found and rank(matrix(found, free), len(free)) == len(free) else None


def _covers(elements: Elements, first: Assignment, others: Sequence[Assignment]) -> bool:
    """Whether the first statement computes every element that the others add to."""
    nest: LoopNest = elements.nest
    points = dict(zip(nest.statements, elements.domains, strict=True))
    begun = image(points[first], first.target)
    return begun is not None and not any(
        part for other in others for part in image_above(points[other], other.target).minus(begun)
    )
