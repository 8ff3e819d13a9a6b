"""A loop nest as families, one after the other: initial values, inputs read in several ways, strict conditions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from pebble.computations.family import Family
from pebble.computations.nests.affine import Affine
from pebble.computations.nests.nest_family import NotAFamily, family_of_nest
from pebble.computations.nests.points import count_points
from pebble.computations.nests.staged_statements import StagedStatements, View, staged_statements
from pebble.computations.nests.statement import Assignment, LoopNest


@dataclass(frozen=True)
class Begun:
    """A sum whose chains begin with an initial value, computed when the chain begins.

    Attributes
    ----------
    statement : int
        The number of the statement that gives the initial values.
    reads : int
        Elements with indices that each initial value reads.
    alone : int
        Initial values to which nothing is added.
    """

    statement: int
    reads: int
    alone: int


@dataclass(frozen=True)
class Stage:
    """Arrays of a loop nest that are computed together, as a family.

    Attributes
    ----------
    nest : LoopNest
        The statements without initial values, inputs under the names of their views.
    family : Family
    views : mapping of str to View
        Which element of the whole nest each element of a family's input is.
    statements : mapping of str to tuple of int
        For each array that the family computes, the statements of the whole nest that do.
    shifts : mapping of str to tuple of int
        For each of these arrays, what is added to its indices to be those of the statement.
    begun : mapping of str to Begun
    scalars : tuple of str
        Words without indices that initial values read; they stay in fast memory.
    """

    nest: LoopNest
    family: Family
    views: Mapping[str, View]
    statements: Mapping[str, tuple[int, ...]]
    shifts: Mapping[str, tuple[int, ...]]
    begun: Mapping[str, Begun]
    scalars: tuple[str, ...]

    @property
    def reserve(self) -> int:
        """Words of fast memory that the family's program must leave free."""
        return len(self.scalars) + max((max(1, one.reads) for one in self.begun.values()), default=0)


def stages_of(nest: LoopNest, finest: bool = False) -> tuple[Stage, ...]:
    """Return the computation as families, each of which finds what it reads in slow memory.

    As many arrays as possible are in a stage, in an order in which they can be computed.

    Parameters
    ----------
    nest : LoopNest
    finest : bool
        Whether each array has a stage of its own.

    Raises
    ------
    NotAFamily
        If the nest cannot be divided so.

    Examples
    --------
    >>> from pebble.computations.nests.read_text import loop_nest
    >>> text = "D[i,j] = C[i,j] for j <= i; D[i,j] += A[i,k]*A[j,k] for j <= i"
    >>> stage, = stages_of(loop_nest(text, {"i": 8, "j": 8, "k": 5}))
    >>> print(*stage.nest.statements)
    D[i,j] += A[i,k]*A_2[j,k] for j <= i
    >>> stage.begun["D"].reads
    1
    """
    arrays = _order(nest)
    found: list[Stage] = []
    begin = 0
    while begin < len(arrays):
        most = begin + 1 if finest else len(arrays)
        stage = _longest(nest, arrays, begin, most)
        begin += len(stage.statements)
        found.append(stage)
    return tuple(found)


def _order(nest: LoopNest) -> list[str]:
    """Return the computed arrays in an order in which they can be computed as wholes."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for statement in nest.statements:
        computed = [one.array for one in statement.reads if one.array in nest.computed]
        sorter.add(statement.target.array, *computed)
    try:
        return list(sorter.static_order())
    except CycleError as error:
        raise NotAFamily(
            f"it cannot be computed array by array: {' -> '.join(error.args[1])} are computed from each other"
        ) from None


def _longest(nest: LoopNest, arrays: list[str], begin: int, most: int) -> Stage:
    """Return the stage that computes as many arrays as possible from a place of their order on."""
    for end in range(most, begin + 1, -1):
        try:
            return _stage(nest, arrays[begin:end])
        except NotAFamily:
            continue
    return _stage(nest, arrays[begin : begin + 1])


def _stage(nest: LoopNest, arrays: list[str]) -> Stage:
    staged = staged_statements(nest, arrays)
    outside = [one for one in nest.statements if one.target.array not in arrays]
    read = {access.array for one in nest.statements for access in one.reads}
    kept = {access.array for one in outside for access in one.reads} | set(nest.outputs)
    outputs = tuple(name for name in arrays if name in kept or name not in read)
    one = LoopNest(tuple(staged.statements.values()), staged.extents, outputs)
    family = family_of_nest(one)
    for name, statement in staged.statements.items():
        if len(family[name].indices) != len(statement.indices):
            raise NotAFamily(f"no family of arrays: {statement} sums over several indices as one")
    begun = {name: _begun(nest, number, name, staged, family) for name, number in staged.begins.items()}
    return Stage(
        one,
        family,
        staged.views,
        staged.numbers,
        staged.shifts,
        begun,
        tuple(
            sorted(
                {
                    access.array
                    for number in staged.begins.values()
                    for access in nest.statements[number].reads
                    if not access.places
                }
            )
        ),
    )


def _begun(nest: LoopNest, number: int, name: str, staged: StagedStatements, family: Family) -> Begun:
    """Return how a sum begins, after a look at whether each of its chains has an initial value."""
    first, chain = nest.statements[number], nest.statements[staged.numbers[name][0]]
    if not _covers(first, chain):
        raise NotAFamily(f"no family of arrays: {first} gives {chain} no initial value for all its elements")
    alone = count_points(first, nest.extents) - family.words(name)
    if alone and any(access.array == name for one in staged.statements.values() for access in one.reads):
        raise NotAFamily(f"no family of arrays: {name} is read, and is partly but an initial value")
    return Begun(number, sum(bool(access.places) for access in first.reads), alone)


def _covers(first: Assignment, chain: Assignment) -> bool:
    """Whether the conditions of initial values are among those of the sum, the elements' indices called alike."""
    if not all(place.is_index for place in (*first.target.places, *chain.target.places)):
        return False
    if not all(first.target.places) or len(set(first.target.places)) < len(first.target.places):
        return False
    names = {a.names[0]: b.names[0] for a, b in zip(first.target.places, chain.target.places, strict=True)}
    return set(names) == set(first.indices) and all(
        Affine.of({names[n]: f for n, f in one.terms}, one.constant) in chain.conditions
        for one in first.conditions
    )
