"""A refinement of a phase: an axis cut in two parts with tiles of their own."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from pebble.common.clock import time_is_up
from pebble.computations.family import Family
from pebble.program.language import loop
from pebble.program.nodes import Loop, Nodes
from pebble.solvers.nests.leaf_options import LeafChoices
from pebble.solvers.nests.phase_search import SizedPhase, best_phases
from pebble.solvers.nests.placement import Group
from pebble.solvers.nests.tile_sizes import best_tiles, largest_size
from pebble.solvers.nests.tiled_nest import Needs, NestNode, evaluated, needs_of, written

_COARSE, _FINE = 24, 6
"""Number of places tried for a cut: at first, and then between the neighbours of a good one."""
_WORTH = 200
"""What saves less than this part of the words is not worth a longer program."""

Cut = tuple[tuple[int, int], ...]
"""The parts of an axis: which nest, and how long."""


class _Part(NamedTuple):
    """A nest for a part of an axis, with tile sizes, the words that it moves by formula, and what it needs."""

    nest: tuple[NestNode, ...]
    sizes: dict[str, int]
    length: int
    words: int
    needs: Needs


@dataclass(frozen=True)
class DividedPhase:
    """A phase whose parts are nests of their own, one after the other.

    Attributes
    ----------
    group : Group
    axis : str
        Along which it is cut.
    parts : tuple of _Part
    words : int
        By formula.
    """

    group: Group
    axis: str
    parts: tuple[_Part, ...]
    words: int

    def nodes(self) -> tuple[Nodes, ...]:
        """Return the nodes of the program."""
        found: list[Nodes] = []
        start = 0
        for part in self.parts:
            found += self._within(written(part.nest, part.sizes), start, start + part.length)
            start += part.length
        return tuple(found)

    def _within(self, nodes: tuple[Nodes, ...], start: int, stop: int) -> list[Nodes]:
        """Return the nodes for a part of the axis."""
        last = None if stop == self.group.family.extents[self.axis] else stop
        if len(nodes) == 1 and isinstance(nodes[0], Loop) and nodes[0].axis == self.axis:
            return [replace(nodes[0], start=start, stop=last)]
        return [loop(self.axis, stop - start, nodes, start=start, stop=last, label=f"part of {self.axis}")]


def refined(phases: list[SizedPhase], M: int) -> SizedPhase | DividedPhase:
    """Return the best of some phases for one group, its axes cut in two where that moves fewer words.

    Parameters
    ----------
    phases : list of SizedPhase
        The best first; at least one.
    M : int
    """
    best: SizedPhase | DividedPhase = phases[0]
    for axis in _axes_to_cut(phases[0].group):
        found = None if time_is_up() else _Division(phases, axis, M).found()
        if found is not None and found.words < best.words:
            best = found
    return best if (phases[0].words - best.words) * _WORTH >= phases[0].words else phases[0]


def with_a_short_tile_first(phase: SizedPhase, axis: str, M: int) -> SizedPhase | DividedPhase:
    """Return a phase with tiles along an axis as large as fit, and what is left of it at the beginning.

    Under a causal mask the first queries have the fewest keys: a short tile costs least there. The phase itself is
    returned where the axis has no tiles, or arrays are not independent along it.
    """
    family = phase.group.family
    if axis not in phase.sizes or axis not in _axes_to_cut(phase.group):
        return phase
    length = family.extents[axis]
    needs = needs_of(phase.nest, family)
    most = int(largest_size(needs, axis, phase.sizes, length, M))
    first = length % max(most, 1)
    if not first or first == length:
        return phase
    parts = tuple(
        _Part(phase.nest, {**phase.sizes, axis: size}, along, phase.words, needs)
        for size, along in ((first, first), (most, length - first))
    )
    return DividedPhase(phase.group, axis, parts, phase.words)


def _axes_to_cut(group: Group) -> list[str]:
    """Return the axes that all computed arrays have: parts along them are independent."""
    family = group.family
    return [
        axis
        for axis, extent in family.extents.items()
        if extent > 1 and all(axis in family[name].axes for name in group.names)
    ]


class _Division:
    """The search for a cut of one axis."""

    def __init__(self, phases: list[SizedPhase], axis: str, M: int) -> None:
        self.axis, self.M = axis, M
        self.group = phases[0].group
        self.family = self.group.family
        self.length = self.family.extents[axis]
        self.nests = [phase.nest for phase in phases]
        self._known: dict[tuple[int, int], _Part | None] = {}

    def found(self) -> DividedPhase | None:
        """Return the phase with the best cut; None if there is none."""
        if self._sized(0, self.length) is None:
            return None
        self._add_nests_for_the_rest()
        cut = self._best_cut()
        return (
            None if cut is None else DividedPhase(self.group, self.axis, self._parts(cut), self._words(cut))
        )

    def _parts(self, cut: Cut) -> tuple[_Part, ...]:
        return tuple(self._fitting(nest, length) for nest, length in cut)

    def _words(self, cut: Cut) -> int:
        return sum(one.words for one in self._parts(cut))

    def _fitting(self, nest: int, length: int) -> _Part:
        found = self._sized(nest, length)
        assert found is not None
        return found

    def _sized(self, nest: int, length: int) -> _Part | None:
        """Return the tile sizes of a nest for so much of the axis; None if it does not fit."""
        key = nest, length
        if key not in self._known:
            extents = self._extents(length)
            needs = needs_of(self.nests[nest], self.family, extents)
            tiles = best_tiles(needs, extents, self.M)
            self._known[key] = (
                None if tiles is None else _Part(self.nests[nest], tiles.sizes, length, tiles.words, needs)
            )
        return self._known[key]

    def _extents(self, length: int) -> dict[str, int]:
        return {**self.family.extents, self.axis: length}

    def _add_nests_for_the_rest(self) -> None:
        """Add the nests that are best for what whole tiles leave of the axis."""
        whole = self._fitting(0, self.length)
        if self.axis not in whole.sizes:
            return
        count = -(-self.length // whole.sizes[self.axis])
        most = int(largest_size(whole.needs, self.axis, whole.sizes, self.length, self.M))
        for length in {self.length - (count - 1) * most, self.length - (count - 2) * most}:
            if not 0 < length < self.length:
                continue
            part = replace(self.group, family=unmasked(self.family, self._extents(length)))
            known = self._sized(0, length)
            limit = float("inf") if known is None else float(known.words)
            for phase in best_phases(part, self.M, LeafChoices(part.family), number=2, most=limit):
                if phase.nest not in self.nests:
                    self.nests.append(phase.nest)

    def _best_cut(self) -> Cut | None:
        """Return the cut that moves the fewest words; of equal ones the one that takes the least room."""
        found: dict[Cut, int] = {}
        step = max(self.length // _COARSE, 1)
        self._try(range(step, self.length, step), found)
        while step > 1 and found:
            finer = max(step // _FINE, 1)
            near = sorted(found, key=found.__getitem__)[:4]
            self._try({cut[0][1] + k * finer for cut in near for k in range(-_FINE, _FINE + 1)}, found)
            step = finer
        first = sorted(found, key=found.__getitem__)[: _COARSE * _FINE]
        return min(first, key=lambda cut: (found[cut], self._room(cut), cut), default=None)

    def _try(self, places: Iterable[int], found: dict[Cut, int]) -> None:
        for at in places:
            if not 0 < at < self.length:
                continue
            for first, second in itertools.product(range(len(self.nests)), repeat=2):
                cut = (first, at), (second, self.length - at)
                if cut not in found and all(self._sized(*part) is not None for part in cut):
                    found[cut] = self._words(cut)

    def _room(self, cut: Cut) -> int:
        """Return the words of fast memory that the larger part takes."""
        return max(int(evaluated(room, one.sizes)) for one in self._parts(cut) for room in one.needs.rooms)


def unmasked(family: Family, extents: Mapping[str, int]) -> Family:
    """Return a family with other extents, and without its mask."""
    return Family(family.name, family.arrays, extents, family.symbols, family.parameters)
