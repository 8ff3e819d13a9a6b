"""What every vertex of a statement needs a word of: its own line, and a line for each element that it reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.nests.affine import Affine
from pebble.computations.nests.statement import Access, Assignment
from pebble.lower_bounds.nests.affine_set import placed
from pebble.lower_bounds.nests.elements import Elements
from pebble.lower_bounds.nests.lines import Atom, LineFamily, lines, own_steps

__all__ = ["Role", "Roles", "once_only_roles", "recomputing_roles"]

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
        As for :class:`~pebble.lower_bounds.nests.lines.LineFamily`.
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
