"""What every vertex of a statement needs a word of: its own line, and a line for each element that it reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.nests.affine import Affine
from pebble.computations.nests.statement import Access, Assignment, LoopNest
from pebble.lower_bounds.nests.affine_set import image, image_above, placed
from pebble.lower_bounds.nests.elements import Elements
from pebble.lower_bounds.nests.exponents import annihilator, rank, reduced

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


_MOST_VARIANTS = 8


@dataclass(frozen=True)
class Role:
    """For every point of a statement a line, one word of which is at hand in the segment that computes it.

    Parameters
    ----------
    places : tuple of Affine
        The line, as a function of the statement's indices.
    atoms : frozenset of Atom
        Where its words are.
    sum_of : Assignment or None
        As for :class:`LineFamily`.
    family : LineFamily or None
        What lines these are; None for the chains that a statement goes on, and for elements by themselves.
    """

    places: tuple[Affine, ...]
    atoms: frozenset[Atom]
    sum_of: Assignment | None = None
    family: LineFamily | None = None


@dataclass(frozen=True)
class Roles:
    """The roles of a statement, and what has to be subtracted for them.

    Parameters
    ----------
    statement : Assignment
    roles : tuple of Role
    charge : int
        First vertices of lines that a pebbling may begin without a word, which count as moves; and values
        whose only computation counts as one.
    once_only : bool
        Whether it needs that nothing is computed twice.
    """

    statement: Assignment
    roles: tuple[Role, ...]
    charge: int
    once_only: bool

    @property
    def atoms(self) -> frozenset[Atom]:
        """Where all words are that count."""
        return frozenset().union(*(role.atoms for role in self.roles))


def once_only_roles(elements: Elements, statement: Assignment) -> Iterator[Roles]:
    """Yield roles for pebblings that compute nothing twice: a value is at hand, or computed here and nowhere else."""
    operands = _operands(statement)
    computed = [access for access in operands if elements.computed(access.array)]
    try:
        charge = sum(
            elements.computed_among(statement, [a for a in computed if a.array == array])
            for array in dict.fromkeys(access.array for access in computed)
        )
    except BoundDoesNotApply:
        return
    reads = [Role(access.places, frozenset([("value", access.array)])) for access in operands]
    for own, begun in (*_own(elements, statement), *_own_between_reads(elements, statement, operands)):
        yield Roles(statement, tuple(dict.fromkeys((own, *reads))), begun + charge, bool(computed))


def recomputing_roles(elements: Elements, statement: Assignment) -> Iterator[Roles]:
    """Yield roles that hold whatever is computed again; a read that no line is known of has none."""
    choices: list[list[Role | None]] = []
    for access in _operands(statement):
        found = dict.fromkeys(_role(line, access) for line in lines(elements, access.array))
        known = sorted(found, key=lambda role: len(role.atoms))
        # Nothing may be known of how many sums can be computed anew; then the read is best left out.
        choices.append([*known, *([] if any(role.sum_of is None for role in known) else [None])])
    for number, reads in enumerate(product(*choices)):
        if number >= _MOST_VARIANTS:
            return
        for own, begun in _own(elements, statement):
            held = (role for role in reads if role is not None)
            yield Roles(statement, tuple(dict.fromkeys((own, *held))), begun, False)


def _operands(statement: Assignment) -> list[Access]:
    """Return the reads but those of the line that the statement goes on."""
    target = statement.target
    steps = own_steps(statement) if not statement.adds else []
    own = [
        Access(target.array, tuple(place - by for place, by in zip(target.places, step, strict=True)))
        for step in steps
    ]
    return [access for access in statement.reads if access not in own]


def _own(elements: Elements, statement: Assignment) -> Iterator[tuple[Role, int]]:
    """Yield the line that a vertex goes on, and how many of them are begun without a word."""
    target = statement.target
    if statement.adds:
        chain = frozenset([("chain", target.array)])
        at = elements.nest.statements.index(statement)
        begun = elements.count_above(at, target)
        if begun is not None:
            yield Role(target.places, chain), begun
        for line in lines(elements, target.array):
            if line.sum_of is None:
                atoms = chain | (line.atoms - {("value", target.array)})
                yield Role(placed(line.places, target), atoms, None, line), 0
    elif len([one for one in elements.nest.statements if one.target.array == target.array]) == 1:
        for line in lines(elements, target.array):
            if own_steps(statement) and line.sum_of is None:
                yield _role(line, target), 0


def _own_between_reads(
    elements: Elements, statement: Assignment, operands: Sequence[Access]
) -> Iterator[tuple[Role, int]]:
    """Yield lines of steps, cut after the elements that are read otherwise; each piece is begun without a word."""
    target = statement.target
    cuts = [access for access in operands if access.array == target.array]
    if statement.adds or not cuts:
        return
    begun = elements.reached(statement, cuts)
    for line in lines(elements, target.array):
        if begun is not None and line.atoms == {("value", target.array)}:
            yield Role(placed(line.places, target), frozenset([("chain", target.array)]), None, line), begun


def _role(line: LineFamily, access: Access) -> Role:
    return Role(placed(line.places, access), line.atoms, line.sum_of, line)
