"""Axes for columns of a loop nest: tiles along some, steps along others, so that no dependence goes back; proved."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from pebble.common.clock import check_time
from pebble.computations.nests.affine import Affine
from pebble.computations.nests.statement import Access, LoopNest
from pebble.lower_bounds.nests.affine_set import AffineSet, domain

__all__ = ["StreamAxes", "stream_axes"]

_BEFORE = "before "
"""Before the names of the indices of the point that is computed first."""

_MOST_TRIED = 60
"""So many places of statements are tried for one choice of axes."""

_Place = Mapping[str, Affine]


@dataclass(frozen=True)
class StreamAxes:
    """Where the points of some statements stand, and in which order they are computed.

    Attributes
    ----------
    numbers : tuple of int
        The statements.
    places : tuple of dict of str to Affine
        For each of them, its place on every axis.
    tiled : tuple of str
        The axes that are cut in tiles: a tile of all of them is a column.
    stream, row : str
        A step of a column: one place on the first axis and, in it, one on the second.
    rest : tuple of str
        The other axes, in which the points of a statement are ordered in a step.
    ranks : tuple of int
        In which order the statements come in a step.
    backward : tuple of str
        The axes that are indices with their signs changed.
    """

    numbers: tuple[int, ...]
    places: tuple[_Place, ...]
    tiled: tuple[str, ...]
    stream: str
    row: str
    rest: tuple[str, ...]
    ranks: tuple[int, ...]
    backward: tuple[str, ...]


@dataclass(frozen=True)
class _Dependence:
    """Pairs of points, as one set: the first is computed before the second."""

    first: int
    second: int
    pairs: AffineSet
    same_element: bool


def stream_axes(nest: LoopNest, numbers: Sequence[int]) -> Iterator[StreamAxes]:
    """Yield axes along which some statements can be computed column by column, each step by step.

    Examples
    --------
    >>> from pebble.computations.nests.read_text import loop_nest
    >>> text = "S[i,j] += L[i,k]*X[k,j] for k < i; X[i,j] = (B[i,j] - S[i,j])/L[i,i]"
    >>> found = next(stream_axes(loop_nest(text, {"i": 9, "j": 9, "k": 9}), [0, 1]))
    >>> found.tiled, found.stream, str(found.places[1]["k"])
    (('i', 'j'), 'k', 'i')
    """
    if any(len(nest.statements[at].sum_indices) > 1 for at in numbers):
        return
    dependences = _dependences(nest, numbers)
    if dependences is None:
        return
    names = tuple(dict.fromkeys(name for at in numbers for name in nest.statements[at].indices))
    for tiled, stream, row, signs in _choices(nest, numbers, names):
        check_time()
        axes = tuple(dict.fromkeys((*tiled, stream, row, *names)))
        search = _AxesSearch(nest, tuple(numbers), dependences, tiled, (stream, row), axes, signs)
        found = search.found()
        if found is not None:
            yield found


def _choices(
    nest: LoopNest, numbers: Sequence[int], names: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], str, str, dict[str, int]]]:
    """Yield axes with tiles, those of the steps, and which run backwards; the most promising first."""
    largest = max((nest.statements[at] for at in numbers), key=lambda one: len(one.indices))
    sums = largest.sum_indices
    streams = [*sums, *(name for name in names if name not in sums)]
    for many in (2, 1, 0):
        for stream in streams:
            others = [name for name in names if name != stream]
            for tiled in itertools.combinations(others, many):
                rows = list(tiled[:1]) or others or [stream]
                used = tuple(dict.fromkeys((*tiled, stream, *rows[:1])))
                for signs in itertools.product((1, -1), repeat=len(used)):
                    yield tiled, stream, rows[0], dict(zip(used, signs, strict=True))


def _primed(expression: Affine) -> Affine:
    return Affine.of({_BEFORE + name: factor for name, factor in expression.terms}, expression.constant)


def _dependences(nest: LoopNest, numbers: Sequence[int]) -> list[_Dependence] | None:
    """Return every dependence between the statements; None if an element may be computed twice."""
    found = []
    for second, at in enumerate(numbers):
        statement = nest.statements[at]
        for first, other in enumerate(numbers):
            target = nest.statements[other].target
            for access in statement.reads:
                if access.array == target.array:
                    pairs = _pairs(nest, other, at, target, access)
                    found.append(_Dependence(first, second, pairs, False))
            if target.array != statement.target.array or first > second:
                continue
            pairs = _pairs(nest, other, at, target, statement.target)
            if first == second:
                for name in statement.indices:
                    later = pairs.where(Affine.index(name) - Affine.index(_BEFORE + name) - 1)
                    if name in statement.sum_indices:
                        found.append(_Dependence(first, second, later, True))
                    elif not later.is_empty():
                        return None
            elif not pairs.is_empty():
                if not statement.adds:
                    return None
                found.append(_Dependence(first, second, pairs, True))
    return [one for one in found if not one.pairs.is_empty()]


def _pairs(nest: LoopNest, other: int, at: int, target: Access, access: Access) -> AffineSet:
    """Return the pairs of a point of one statement and a point of another that have an element in common."""
    before, after = domain(nest, nest.statements[other]), domain(nest, nest.statements[at])
    same = []
    for one, two in zip(target.places, access.places, strict=True):
        difference = _primed(one) - two
        same += [difference, -difference]
    names = (*(_BEFORE + name for name in before.names), *after.names)
    return AffineSet(names, (*map(_primed, before.conditions), *after.conditions)).where(*same)


class _AxesSearch:
    """Places for statements that lack an axis, one statement after the other, while no dependence goes back."""

    def __init__(
        self,
        nest: LoopNest,
        numbers: tuple[int, ...],
        dependences: Sequence[_Dependence],
        tiled: tuple[str, ...],
        steps: tuple[str, str],
        axes: tuple[str, ...],
        signs: Mapping[str, int],
    ) -> None:
        self.nest, self.numbers, self.dependences = nest, numbers, dependences
        self.tiled, self.steps, self.axes, self.signs = tiled, steps, axes, signs
        self.left = _MOST_TRIED

    def found(self) -> StreamAxes | None:
        """Return axes along which no dependence goes back; None if there are none."""
        places = self._placed([])
        ranks = None if places is None else self._ranks(places)
        if places is None or ranks is None:
            return None
        rest = tuple(name for name in self.axes if name not in self.steps)
        backward = tuple(name for name, sign in self.signs.items() if sign < 0)
        return StreamAxes(self.numbers, tuple(places), self.tiled, *self.steps, rest, ranks, backward)

    def _placed(self, places: list[_Place]) -> list[_Place] | None:
        if len(places) == len(self.numbers):
            return places
        at = len(places)
        for place in self._places_of(at):
            self.left -= 1
            if self.left < 0:
                return None
            tried = [*places, place]
            ready = (one for one in self.dependences if max(one.first, one.second) == at)
            if all(self._goes_forward(one, tried) for one in ready):
                found = self._placed(tried)
                if found is not None:
                    return found
        return None

    def _places_of(self, at: int) -> Iterator[_Place]:
        """Yield places for a statement: an index stands for itself; for one that it lacks, another or a number."""
        statement = self.nest.statements[self.numbers[at]]
        constants = {place.constant for place in statement.target.places if not place.terms}
        others = [Affine.index(name) for name in statement.indices]
        others += [Affine((), number) for number in sorted({0, *constants})]
        options = [
            [Affine.index(name)]
            if name in statement.indices
            else [*others, Affine((), self.nest.extents[name] - 1)]
            for name in self.axes
        ]
        for places in itertools.product(*options):
            yield {name: self.signs.get(name, 1) * one for name, one in zip(self.axes, places, strict=True)}

    def _goes_forward(self, one: _Dependence, places: Sequence[_Place]) -> bool:
        """Whether it is proved that the first point comes before the second, or in the same step."""
        before, after = places[one.first], places[one.second]
        for name in self.tiled:
            if not _never_back(one.pairs, before, after, name):
                return False
            if one.same_element and not one.pairs.where(after[name] - _primed(before[name]) - 1).is_empty():
                return False
        at_once = one.pairs
        for name in self.steps:
            if not _never_back(at_once, before, after, name):
                return False
            at_once = _together(at_once, before, after, name)
        return one.first != one.second or self._in_order(at_once, before, after)

    def _in_order(self, pairs: AffineSet, before: _Place, after: _Place) -> bool:
        """Whether points of one statement in the same step come in the order of the other axes."""
        for name in self.axes:
            if name not in self.steps:
                if not _never_back(pairs, before, after, name):
                    return False
                pairs = _together(pairs, before, after, name)
        return pairs.is_empty()

    def _ranks(self, places: Sequence[_Place]) -> tuple[int, ...] | None:
        """Return the order of the statements in a step; None if there is none."""
        sorter: TopologicalSorter[int] = TopologicalSorter(dict.fromkeys(range(len(places)), ()))
        for one in self.dependences:
            if one.first == one.second:
                continue
            pairs = one.pairs
            for name in self.steps:
                pairs = _together(pairs, places[one.first], places[one.second], name)
            if not pairs.is_empty():
                sorter.add(one.second, one.first)
        try:
            order = list(sorter.static_order())
        except CycleError:
            return None
        return tuple(order.index(at) for at in range(len(places)))


def _never_back(pairs: AffineSet, before: _Place, after: _Place, axis: str) -> bool:
    return pairs.where(_primed(before[axis]) - after[axis] - 1).is_empty()


def _together(pairs: AffineSet, before: _Place, after: _Place, axis: str) -> AffineSet:
    difference = _primed(before[axis]) - after[axis]
    return pairs.where(difference, -difference)
