"""Turns: a recursion along a line, and one back that reads its values in the opposite order; all are alive between."""

from __future__ import annotations

from collections.abc import Iterator

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.nests.statement import Access, Assignment
from pebble.lower_bounds.nests.affine_set import image_above, union_count
from pebble.lower_bounds.nests.elements import Elements
from pebble.lower_bounds.nests.exponents import rank
from pebble.lower_bounds.nests.projections import Share
from pebble.lower_bounds.nests.roles import inverse_of, matrix, own_steps


def turn_shares(elements: Elements, M: int) -> Iterator[Share]:
    """Yield what is stored and loaded again at the turns, if nothing is computed twice."""
    for statement in elements.nest.statements:
        if statement.adds or set(inverse_of(statement)) != set(statement.indices):
            continue
        for place, back in _unit_steps(statement):
            index = statement.target.places[place].names[0]
            direction = -back * statement.target.places[place].factor(index)
            held = {
                read.array: read
                for read in statement.reads
                if _is_opposed(elements, statement, read, index, direction)
            }
            try:
                gain, lines = _gain(elements, statement, index, len(held), M)
            except BoundDoesNotApply:
                continue
            if held and gain > 0:
                note = f"{statement.target}: {lines:,} lines, {', '.join(map(str, held.values()))} held at the turn"
                atoms = frozenset(("value", array) for array in held)
                at = elements.nest.statements.index(statement)
                yield Share(gain, atoms, True, note, {"argument": "turns", "statement": at})


def _unit_steps(statement: Assignment) -> Iterator[tuple[int, int]]:
    """Yield places where a statement reads its own array one before or behind, and by how much the read lies ahead."""
    for step in own_steps(statement):
        moved = [place for place, by in enumerate(step) if by]
        if len(moved) == 1 and abs(step[moved[0]]) == 1 and statement.target.places[moved[0]].terms:
            yield moved[0], -step[moved[0]]


def _is_opposed(elements: Elements, statement: Assignment, read: Access, index: str, direction: int) -> bool:
    """Whether a read array has a recursion along an index in the other direction, each element of it read once here."""
    nest = elements.nest
    makers = [one for one in nest.statements if one.target.array == read.array]
    if len(makers) != 1 or makers[0].adds or makers[0] is statement or read.array in nest.outputs:
        return False
    if rank(matrix(read.places, statement.indices), len(statement.indices)) < len(statement.indices):
        return False
    with_index = [place for place, expression in enumerate(read.places) if expression.factor(index)]
    for place, back in _unit_steps(makers[0]):
        factor = read.places[place].factor(index)
        if with_index == [place] and abs(factor) == 1 and -back * factor == -direction:
            points = elements.domains[nest.statements.index(statement)]
            try:
                return not union_count([image_above(points, read)], elements.surely_computed(read.array))
            except BoundDoesNotApply:
                return False
    return False


def _gain(elements: Elements, statement: Assignment, index: str, held: int, M: int) -> tuple[int, int]:
    """Return what this many values, alive at every point of each line but the first, cost beyond M; and the lines."""
    points = elements.domains[elements.nest.statements.index(statement)]
    others = Access("", tuple(p for p in statement.target.places if not p.factor(index)))
    lines = image_above(points, others).count() if others.places else 1
    return 2 * (held * (points.count() - lines) - M * lines), lines
