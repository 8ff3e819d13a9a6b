"""The family of a loop nest: arrays with axes and chains, where every place is an index and there are no conditions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import NoReturn

from pebble.common.errors import InvalidInput
from pebble.computations.array import Array
from pebble.computations.family import Family
from pebble.computations.masks import causal_mask
from pebble.computations.nests.affine import Affine
from pebble.computations.nests.expression import right_side
from pebble.computations.nests.header import nest_parameters
from pebble.computations.nests.statement import Access, Assignment, LoopNest

_Place = tuple[str | int, str | int]
"""A place of an array (name, number), or an index of a statement (number, name): both are axes of the family."""


def as_family(nest: LoopNest) -> Family | None:
    """Return the computation as a family; None if it is none, and :func:`family_of_nest` says why.

    Examples
    --------
    >>> from pebble.computations.nests.read_text import loop_nest
    >>> as_family(loop_nest("C[i,j] += A[i,k]*B[k,j]", {"i": 2, "j": 2, "k": 3})).n_vertices
    24
    >>> as_family(loop_nest("x[i] += L[i,j]*x[j] for j < i", {"i": 4, "j": 4})) is None
    True
    """
    try:
        return family_of_nest(nest)
    except NotAFamily:
        return None


class NotAFamily(InvalidInput):
    """A loop nest that is no family: its DAG can be built vertex by vertex only."""


def family_of_nest(nest: LoopNest) -> Family:
    """Return the computation as a family, of any size.

    Indices that are summed together become one axis, if no array has only one of them. The vertices and their numbers
    are those of the explicit DAG, if each array is computed before it is read, and such indices stand side by side in
    one order; else the vertices are numbered otherwise.

    Raises
    ------
    NotAFamily
        If some place is no plain index, a statement has conditions or sums over several indices that cannot be one
        axis, an array is computed by two statements or read in two ways, or arrays are computed from each other.

    Notes
    -----
    One condition may be there: ``j <= i``, in all statements that have both indices, of equal extents. That is the
    causal mask of attention, and the axes are then called ``i`` and ``j``.
    """
    plain = _without_causal_mask(nest)
    if plain is not None:
        return _under_causal_mask(nest, plain)
    for statement in nest.statements:
        _check_statement(statement)
    _check_targets(nest)
    order = _order(nest)
    axes = _Axes(nest)
    merged = _merged(nest, axes)
    inputs = [Array(name, axes.of_access(access, merged)) for name, access in _inputs(nest).items()]
    computed = [_array(nest, number, axes, merged) for number in order]
    extents = axes.extents(nest, merged)
    used = {axis for array in (*inputs, *computed) for axis in array.indices}
    return Family(
        "nest",
        (*inputs, *computed),
        {axis: extent for axis, extent in extents.items() if axis in used},
        {axis: axis for axis in extents if axis in used},
        nest_parameters(nest),
    )


def _under_causal_mask(nest: LoopNest, plain: LoopNest) -> Family:
    """Return the family of a nest under the causal mask, given the nest without it."""
    found = family_of_nest(plain)
    side = {statement.target.array: statement for statement in nest.statements}
    arrays = tuple(
        replace(array, function=right_side(side[array.name]).value, meaning=str(side[array.name]))
        if array.name in side
        else array
        for array in found.arrays
    )
    for array in found.arrays:
        if array.name in side and ({"i", "j"} <= set(array.indices)) != bool(side[array.name].conditions):
            _no(f"{side[array.name]} and others do not have the same condition on the same axes")
    if not {"i", "j"} <= found.extents.keys():
        _no("the indices of the condition are not axes of arrays")
    mask = causal_mask(found.extents["i"], found.extents["j"])
    return Family("nest", arrays, found.extents, found.symbols, nest_parameters(nest), mask)


def _no(why: str) -> NoReturn:
    raise NotAFamily(f"no family of arrays: {why}")


def _check_statement(statement: Assignment) -> None:
    if statement.conditions:
        _no(f"{statement} has conditions")
    for access in (statement.target, *statement.reads):
        for place in access.places:
            if not place.is_index:
                _no(f"in {access} the subscript {place} is not a single index")
        if len(set(access.places)) < len(access.places):
            _no(f"{access} has an index twice")


def _check_targets(nest: LoopNest) -> None:
    targets = [statement.target.array for statement in nest.statements]
    twice = [name for name in nest.computed if targets.count(name) > 1]
    if twice:
        _no(f"{twice[0]} is computed by several assignments")


def _order(nest: LoopNest) -> list[int]:
    """Return the statements in an order in which arrays are computed before they are read, else as they stand."""
    number = {statement.target.array: at for at, statement in enumerate(nest.statements)}
    sorter: TopologicalSorter[int] = TopologicalSorter()
    for at, statement in enumerate(nest.statements):
        sorter.add(at, *(number[access.array] for access in statement.reads if access.array in number))
    order: list[int] = []
    try:
        sorter.prepare()
    except CycleError as error:
        names = [nest.statements[at].target.array for at in error.args[1]]
        _no(f"{' -> '.join(names)} are computed from each other")
    ready: set[int] = set()
    while sorter.is_active():
        ready |= set(sorter.get_ready())
        first = min(ready)
        ready.remove(first)
        order.append(first)
        sorter.done(first)
    return order


def _inputs(nest: LoopNest) -> dict[str, Access]:
    """Return the arrays that are read only, each with where it is read first."""
    found: dict[str, Access] = {}
    for statement in nest.statements:
        for access in statement.reads:
            if access.array in nest.read_only:
                found.setdefault(access.array, access)
    return found


class _Axes:
    """Which places of arrays and which indices of statements are one axis, and what the axes are called."""

    def __init__(self, nest: LoopNest) -> None:
        self._parent: dict[_Place, _Place] = {}
        for number, statement in enumerate(nest.statements):
            for access in (statement.target, *statement.reads):
                for at, place in enumerate(access.places):
                    self._join((access.array, at), (number, place.names[0]))
        self._names: dict[_Place, str] = {}
        for number, statement in enumerate(nest.statements):
            self._name(nest, number, statement)

    def _root(self, place: _Place) -> _Place:
        while self._parent.setdefault(place, place) != place:
            place = self._parent[place]
        return place

    def _join(self, one: _Place, other: _Place) -> None:
        self._parent[self._root(other)] = self._root(one)

    def _name(self, nest: LoopNest, number: int, statement: Assignment) -> None:
        """Give the axes of a statement their names: of the index that is first, with a number if it is taken."""
        mine: dict[_Place, str] = {}
        for index in statement.indices:
            axis = self._root((number, index))
            if axis in mine:
                _no(
                    f"in {statement} the indices {mine[axis]} and {index} go through the same axis of an array"
                )
            mine[axis] = index
            if axis not in self._names:
                taken, name, after = set(self._names.values()), index, 1
                while name in taken or (after > 1 and name in nest.extents):
                    after += 1
                    name = f"{index}{after}"
                self._names[axis] = name

    def of_index(self, number: int, index: str) -> str:
        """Return the axis of an index of a statement."""
        return self._names[self._root((number, index))]

    def of_places(self, access: Access) -> tuple[str, ...]:
        """Return the axes of an array, one for each place."""
        return tuple(self._names[self._root((access.array, at))] for at in range(len(access.places)))

    def of_access(self, access: Access, merged: Mapping[str, str]) -> tuple[str, ...]:
        """Return the axes of an array, merged ones once."""
        return _once(merged[axis] for axis in self.of_places(access))

    def extents(self, nest: LoopNest, merged: Mapping[str, str]) -> dict[str, int]:
        """Return the lengths of the axes, merged ones multiplied; an axis has the same length wherever it stands."""
        lengths: dict[str, int] = {}
        for number, statement in enumerate(nest.statements):
            for index in statement.indices:
                axis, extent = self.of_index(number, index), nest.extents[index]
                if lengths.setdefault(axis, extent) != extent:
                    _no(
                        f"{statement}: {index} has {extent} values, but its axis of an array {lengths[axis]} elsewhere"
                    )
        found: dict[str, int] = {}
        for axis, extent in lengths.items():
            found[merged[axis]] = found.get(merged[axis], 1) * extent
        return found


def _once(axes: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(axes))


def _merged(nest: LoopNest, axes: _Axes) -> dict[str, str]:
    """Return what each axis is called; axes that are summed together are one, if no array has only one of them."""
    accesses = [axes.of_places(access) for one in nest.statements for access in (one.target, *one.reads)]
    called = {
        axes.of_index(number, index): axes.of_index(number, index)
        for number, one in enumerate(nest.statements)
        for index in one.indices
    }
    for number, statement in enumerate(nest.statements):
        summed = [axes.of_index(number, index) for index in statement.sum_indices] if statement.adds else []
        for one, other in pairwise(summed):
            if any((one in access) != (other in access) for access in accesses):
                _no(f"{statement} sums over {', '.join(statement.sum_indices)}, which cannot be one axis")
        for axis in summed[1:]:
            called[axis] = called[summed[0]]
    together: dict[str, list[str]] = {}
    for axis, name in called.items():
        together.setdefault(name, []).append(axis)
    return {axis: _joined(together[name], called) for axis, name in called.items()}


def _joined(axes: list[str], taken: Mapping[str, str]) -> str:
    name = "".join(axes)
    while len(axes) > 1 and name in taken:
        name += "_"
    return name


def _array(nest: LoopNest, number: int, axes: _Axes, merged: Mapping[str, str]) -> Array:
    """Return the array that a statement computes."""
    statement = nest.statements[number]
    name = statement.target.array
    chain = _once(merged[axes.of_index(number, index)] for index in statement.sum_indices)
    read = {access.array for one in nest.statements for access in one.reads}
    return Array(
        name,
        axes.of_access(statement.target, merged),
        chain=chain[0] if statement.adds and chain else None,
        operands=tuple(access.array for access in statement.reads),
        output=name not in read or name in nest.outputs,
        function=right_side(statement).value,
        meaning=str(statement),
    )


def _without_causal_mask(nest: LoopNest) -> LoopNest | None:
    """Return the same nest without the condition, its two indices called i and j; None if it is under no such mask.

    Examples
    --------
    >>> from pebble.computations.nests.read_text import loop_nest
    >>> text = "P[q,k] = Q[q]*K[k] for k <= q; O[q] += P[q,k] for k <= q"
    >>> for statement in _without_causal_mask(loop_nest(text, {"q": 4, "k": 4})).statements:
    ...     print(statement)
    P[i,j] = Q[i]*K[j]
    O[i] += P[i,j]
    >>> _without_causal_mask(loop_nest("x[i] += L[i,j]*y[j] for j < i", {"i": 4, "j": 4})) is None
    True
    """
    pairs = {
        tuple(sorted(condition.terms, key=lambda term: -term[1]))
        for statement in nest.statements
        for condition in statement.conditions
        if not condition.constant
    }
    if len(pairs) != 1:
        return None
    terms = pairs.pop()
    if len(terms) != 2 or (terms[0][1], terms[1][1]) != (1, -1):
        return None
    row, column = terms[0][0], terms[1][0]
    condition = Affine.of(terms)
    if nest.extents[row] != nest.extents[column]:
        return None
    for statement in nest.statements:
        both = row in statement.indices and column in statement.indices
        if statement.conditions != ((condition,) if both else ()):
            return None
    names = _new_names(nest, row, column)
    return LoopNest(
        tuple(_renamed(statement, names) for statement in nest.statements),
        {names[index]: extent for index, extent in nest.extents.items()},
        nest.outputs,
    )


def _new_names(nest: LoopNest, row: str, column: str) -> dict[str, str]:
    """Return new names of the indices: i and j for two of them, free ones for what was called so."""
    names = {row: "i", column: "j"}
    free = (name for at in range(1, 4) for name in (f"i{at}", f"j{at}") if name not in nest.extents)
    for index in nest.extents:
        if index not in names:
            names[index] = next(free) if index in ("i", "j") else index
    return names


def _renamed(statement: Assignment, names: dict[str, str]) -> Assignment:
    def access(one: Access) -> Access:
        return Access(
            one.array, tuple(Affine.of({names[n]: f for n, f in p.terms}, p.constant) for p in one.places)
        )

    return replace(
        statement,
        target=access(statement.target),
        reads=tuple(map(access, statement.reads)),
        indices=tuple(names[index] for index in statement.indices),
        conditions=(),
        expression="",
    )
