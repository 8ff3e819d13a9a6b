"""The statements of a stage: initial values left out, inputs as views, conditions between two indices not strict."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pebble.computations.nests.affine import Affine
from pebble.computations.nests.nest_family import NotAFamily
from pebble.computations.nests.statement import Access, Assignment, LoopNest


@dataclass(frozen=True)
class View:
    """Elements of an array under a name of their own, with indices of their own.

    Parameters
    ----------
    axes : tuple of str
        Names of the view's own indices.
    cases : tuple of (Affine or None, Access)
        The element is that of the first case whose expression is at least 0; None means always.
    """

    axes: tuple[str, ...]
    cases: tuple[tuple[Affine | None, Access], ...]

    @property
    def is_plain(self) -> bool:
        """Whether the view's elements are the array's, at the same indices."""
        return len(self.cases) == 1 and self.cases[0][1].places == tuple(map(Affine.index, self.axes))

    def element(self, index: Sequence[int]) -> tuple[str, tuple[int, ...]]:
        """Return array and indices of an element.

        >>> View(("x",), ((None, Access("A", (Affine.index("x") + 1, Affine((), 3)))),)).element((4,))
        ('A', (5, 3))
        """
        at = dict(zip(self.axes, index, strict=True))
        access = next(
            access for condition, access in self.cases if condition is None or condition.at(at) >= 0
        )
        return access.array, tuple(place.at(at) for place in access.places)


@dataclass
class StagedStatements:
    """What :func:`staged_statements` returns; everything by the name of the array that is computed.

    Attributes
    ----------
    statements : dict of str to Assignment
    numbers : dict of str to tuple of int
        The statements of the whole nest that are one here.
    shifts : dict of str to tuple of int
        What is added to the indices here to be those there.
    begins : dict of str to int
        The statement that gives the initial values.
    extents : dict of str to int
    views : dict of str to View
        By the name of the view.
    """

    statements: dict[str, Assignment] = field(default_factory=dict)
    numbers: dict[str, tuple[int, ...]] = field(default_factory=dict)
    shifts: dict[str, tuple[int, ...]] = field(default_factory=dict)
    begins: dict[str, int] = field(default_factory=dict)
    extents: dict[str, int] = field(default_factory=dict)
    views: dict[str, View] = field(default_factory=dict)


def staged_statements(nest: LoopNest, arrays: Sequence[str]) -> StagedStatements:
    """Return the statements that compute some arrays, in a form that may be a family.

    Raises
    ------
    NotAFamily
        If they have none.
    """
    found = StagedStatements()
    for name in arrays:
        numbers = [at for at, one in enumerate(nest.statements) if one.target.array == name]
        first = nest.statements[numbers[0]]
        if len(numbers) > 1 and not first.adds:
            if any(access.array in arrays for access in first.reads):
                raise NotAFamily(f"no family of arrays: {first} reads what is computed with it")
            found.begins[name] = numbers.pop(0)
        if name in found.begins and not all(nest.statements[at].adds for at in numbers):
            raise NotAFamily(f"no family of arrays: {name} is computed by several assignments")
        if len(numbers) > 2:
            raise NotAFamily(f"no family of arrays: {name} is computed by several assignments")
        found.numbers[name] = tuple(numbers)
        statements = [nest.statements[at] for at in numbers]
        joined, cases = _joined(statements) if len(numbers) == 2 else (statements[0], {})
        _add(found, nest, joined, cases, arrays)
    return found


_Cases = Mapping[Access, tuple[Affine, Access]]
"""What is read elsewhere: an access, to the expression that is at least 0 where it holds, and what is read then."""


def _joined(statements: Sequence[Assignment]) -> tuple[Assignment, _Cases]:
    """Return two sums to the same elements as one, if one goes on where the other ends and they read alike.

    That is so for the halves of a symmetric matrix: A[i,k] for k <= i, then A[k,i] for i < k.
    """
    one, other = statements
    fits = one.adds and other.adds and one.indices == other.indices and one.target == other.target
    if not fits or len(one.sum_indices) != 1 or len(one.reads) != len(other.reads):
        raise NotAFamily(f"no family of arrays: {one} and {other} are not one sum")
    if len(one.conditions) != 1 or len(other.conditions) != 1:
        raise NotAFamily(f"no family of arrays: {one} and {other} are not halves of one sum")
    condition = one.conditions[0]
    if other.conditions[0] != -condition - 1 or condition.factor(one.sum_indices[0]) >= 0:
        raise NotAFamily(f"no family of arrays: {other} does not go on where {one} ends")
    cases = {}
    for a, b in zip(one.reads, other.reads, strict=True):
        if a != b:
            cases[a] = (condition, b)
    return replace(one, conditions=(), expression=""), cases


def _add(
    found: StagedStatements,
    nest: LoopNest,
    statement: Assignment,
    cases: _Cases,
    arrays: Sequence[str],
) -> None:
    """Add a statement with its inputs as views, its indices moved so that a strict condition is none."""
    name = statement.target.array
    shift, extents = _shift(statement, nest.extents)
    moved = {index: Affine.index(index) + shift.get(index, 0) for index in statement.indices}
    for index, extent in extents.items():
        if found.extents.setdefault(index, extent) != extent:
            raise NotAFamily(f"no family of arrays: {index} has other values in {statement} than elsewhere")
    others = {*nest.computed, *nest.read_only}
    ways: dict[str, list[Access]] = {}
    reads = []
    for access in statement.reads:
        if access.array in arrays:
            reads.append(_placed(access, moved))
            continue
        seen = ways.setdefault(access.array, [])
        seen.append(access)
        reads.append(_viewed(found, access, cases.get(access), moved, len(seen), others - {access.array}))
    target = Access(name, statement.target.places)
    if shift and any(access.array == name for one in nest.statements for access in one.reads):
        target = _placed(target, moved)
    found.statements[name] = replace(
        statement,
        target=target,
        reads=tuple(reads),
        conditions=tuple(_at(condition, moved) for condition in statement.conditions),
        expression=_product(reads) if tuple(reads) != statement.reads else statement.expression,
    )
    found.shifts[name] = tuple(shift.get(index, 0) for index in statement.indices)


def _product(reads: Sequence[Access]) -> str:
    return "*".join(map(str, reads))


def _shift(statement: Assignment, extents: Mapping[str, int]) -> tuple[dict[str, int], dict[str, int]]:
    """Return by how much indices are moved, so that y < x is y <= x, and how many values each index then has."""
    lengths = {index: extents[index] for index in statement.indices}
    if len(statement.conditions) != 1 or statement.conditions[0].constant >= 0:
        return {}, lengths
    condition = statement.conditions[0]
    more, less = ([name for name, factor in condition.terms if factor == sign] for sign in (1, -1))
    if len(more) != 1 or len(less) != 1 or len(condition.terms) != 2:
        return {}, lengths
    rows = min(extents[more[0]] + condition.constant, extents[less[0]])
    if rows < 1:
        return {}, lengths
    if extents[more[0]] + condition.constant > extents[less[0]]:
        return {}, lengths
    lengths[more[0]] = lengths[less[0]] = rows
    return {more[0]: -condition.constant}, lengths


def _at(expression: Affine, values: Mapping[str, Affine]) -> Affine:
    """Return an affine expression with other expressions in place of its indices."""
    found = Affine((), expression.constant)
    for name, factor in expression.terms:
        found += factor * values[name]
    return found


def _placed(access: Access, values: Mapping[str, Affine]) -> Access:
    return Access(access.array, tuple(_at(place, values) for place in access.places))


def _viewed(
    found: StagedStatements,
    access: Access,
    other: tuple[Affine, Access] | None,
    moved: Mapping[str, Affine],
    way: int,
    taken: Collection[str],
) -> Access:
    """Return an input's element as one of a view with the statement's indices as places; note the view."""
    cases: list[tuple[Affine | None, Access]] = [(None, _placed(access, moved))]
    if other is not None:
        cases = [
            (_at(other[0], moved), _placed(access, moved)),
            (None, _placed(other[1], moved)),
        ]
    names = tuple(
        dict.fromkeys(
            name
            for condition, one in cases
            for place in (*one.places, *([condition] if condition is not None else []))
            for name in place.names
        )
    )
    own = {name: Affine.index(f"x{at}") for at, name in enumerate(names)}
    view = View(
        tuple(f"x{at}" for at in range(len(names))),
        tuple(
            (None if condition is None else _at(condition, own), _placed(one, own))
            for condition, one in cases
        ),
    )
    name = access.array if way == 1 and view.is_plain else f"{access.array}_{way}"
    while name in taken or found.views.setdefault(name, view) != view:
        way += 1
        name = f"{access.array}_{way}"
    return Access(name, tuple(map(Affine.index, names)))
