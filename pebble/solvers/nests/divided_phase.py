"""Two refinements of a phase: an axis cut in two parts with tiles of their own, and data that stay in fast memory."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pebble.common.clock import time_is_up
from pebble.computations.family import Family
from pebble.program.language import loop
from pebble.program.nodes import Loop, Nodes
from pebble.solvers.nests.leaf_options import LeafChoices
from pebble.solvers.nests.phase_search import SizedPhase, best_phases
from pebble.solvers.nests.placement import Group
from pebble.solvers.nests.tile_sizes import best_tiles, with_counts
from pebble.solvers.nests.tiled_nest import (
    Needs,
    NestLoop,
    NestNode,
    NestStep,
    evaluated,
    needs_of,
    split_at,
    staying,
    steps,
    written,
)

Stays = tuple[str, tuple[str, ...]]
"""An axis, and the arrays of which the first elements along it stay."""


def what_may_stay(group: Group, nests: list[tuple[NestNode, ...]]) -> Iterator[Stays]:
    """Yield axes over whose elements a nest runs, with arrays that it loads in that loop."""
    for axis in group.family.extents:
        loaded = set().union(*(_loaded_along(nest, axis) for nest in nests))
        names = sorted(name for name in loaded if axis in group.family[name].axes)
        for number in range(len(names), 0, -1):
            for chosen in itertools.combinations(names, number):
                yield axis, chosen


def _loaded_along(nest: Iterable[NestNode], axis: str) -> set[str]:
    """Return what is loaded inside loops over the elements of an axis that stand in no other loop over it.

    No condition inside may be on the axis.
    """
    found: set[str] = set()
    for step, loops in steps(nest):
        outermost = next((one for one in loops if one.axis == axis), None)
        if step.action == "load" and outermost is not None and outermost.unit:
            conditions = (on for inside, _ in steps(outermost.body) for on, _ in inside.only)
            if axis not in conditions:
                found.add(step.array)
    return found


def _loads(nest: Iterable[NestNode]) -> set[str]:
    return {step.array for step, _ in steps(nest) if step.action == "load"}


def while_they_stay(nest: Iterable[NestNode], stays: Stays) -> tuple[NestNode, ...]:
    """Return a nest in which the first elements along an axis are not loaded: they are there."""
    axis, names = stays
    found: list[NestNode] = []
    for node in nest:
        if isinstance(node, NestStep):
            found.append(node)
        elif node.axis != axis:
            found.append(replace(node, body=while_they_stay(node.body, stays)))
        elif not node.unit or not _loads(node.body) & set(names):
            found.append(node)
        else:
            found += [
                replace(node, body=_without_loads(node.body, names), part="staying"),
                replace(node, part="passing"),
            ]
    return tuple(found)


def _without_loads(nest: Iterable[NestNode], names: tuple[str, ...]) -> tuple[NestNode, ...]:
    return tuple(
        replace(node, body=_without_loads(node.body, names)) if isinstance(node, NestLoop) else node
        for node in nest
        if isinstance(node, NestLoop) or node.array not in names or node.action not in ("load", "unload")
    )


_COARSE, _FINE = 24, 6
"""Number of places tried for a cut: at first, and then between the neighbours of a good one."""
_WORTH = 200
"""What saves less than this part of the words is not worth a longer program."""
_MOST_CUTS = 6
"""Most cuts tried where data may stay."""
_MORE_TILES = 6
"""Most tiles tried beyond those needed, where smaller tiles leave room for data that stay."""

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
    stays : (axis, arrays), optional
    staying : int
        How many elements stay.
    words : int
        By formula.
    """

    group: Group
    axis: str
    parts: tuple[_Part, ...]
    stays: Stays | None
    staying: int
    words: int

    def nodes(self) -> tuple[Nodes, ...]:
        """Return the nodes of the program."""
        inner: list[Nodes] = []
        start = 0
        for part in self.parts:
            sizes = dict(part.sizes)
            nest = part.nest
            if self.stays is not None:
                nest = while_they_stay(nest, self.stays)
                sizes[staying(self.stays[0])] = self.staying
            inner += self._within(written(nest, sizes), start, start + part.length)
            start += part.length
        if self.stays is None or not self.staying:
            return tuple(inner)
        axis, names = self.stays
        sizes = {staying(axis): self.staying}
        before, after = (
            written([NestLoop(axis, True, tuple(NestStep(action, n) for n in names), "staying")], sizes)
            for action in ("load", "unload")
        )
        return (*before, *inner, *after)

    def _within(self, nodes: tuple[Nodes, ...], start: int, stop: int) -> list[Nodes]:
        """Return the nodes for a part of the axis."""
        if len(self.parts) == 1:
            return list(nodes)
        last = None if stop == self.group.family.extents[self.axis] else stop
        if len(nodes) == 1 and isinstance(nodes[0], Loop) and nodes[0].axis == self.axis:
            return [replace(nodes[0], start=start, stop=last)]
        return [loop(self.axis, stop - start, nodes, start=start, stop=last, label=f"part of {self.axis}")]


def refined(phases: list[SizedPhase], M: int) -> SizedPhase | DividedPhase:
    """Return the best of some phases for one group, its axes cut in two and data kept where that moves fewer words.

    Parameters
    ----------
    phases : list of SizedPhase
        The best first; at least one.
    M : int
    """
    best: SizedPhase | DividedPhase = phases[0]
    for axis in _axes_to_cut(phases[0].group):
        for found in _Division(phases, axis, M).found() if not time_is_up() else ():
            if found.words < best.words:
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
    most = _largest(needs, phase.sizes, axis, family.extents, M)
    first = length % max(most, 1)
    if not first or first == length:
        return phase
    parts = tuple(
        _Part(phase.nest, {**phase.sizes, axis: size}, along, phase.words, needs)
        for size, along in ((first, first), (most, length - first))
    )
    return DividedPhase(phase.group, axis, parts, None, 0, phase.words)


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
        self.words = phases[0].words
        self.nests = [phase.nest for phase in phases]
        self._known: dict[tuple[int, int], _Part | None] = {}

    def found(self) -> Iterator[DividedPhase]:
        """Yield the best cut, and what becomes of it and of others, and of none, where data stay."""
        if self._sized(0, self.length) is None:
            return
        self._add_nests_for_the_rest()
        cuts = self._cuts()
        if cuts:
            yield DividedPhase(self.group, self.axis, self._parts(cuts[0]), None, 0, self._words(cuts[0]))
        for stays in what_may_stay(self.group, self.nests):
            if stays[0] == self.axis:
                continue
            for cut in [((0, self.length),), *cuts[:_MOST_CUTS]]:
                yield from self._staying(stays, cut)

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
        most = _largest(whole.needs, whole.sizes, self.axis, self.family.extents, self.M)
        for length in {self.length - (count - 1) * most, self.length - (count - 2) * most}:
            if not 0 < length < self.length:
                continue
            part = replace(self.group, family=unmasked(self.family, self._extents(length)))
            known = self._sized(0, length)
            limit = float("inf") if known is None else float(known.words)
            for phase in best_phases(part, self.M, LeafChoices(part.family), number=2, most=limit):
                if phase.nest not in self.nests:
                    self.nests.append(phase.nest)

    def _cuts(self) -> list[Cut]:
        """Return the cuts, those that move the fewest words first; of equal ones those that take the least room."""
        found: dict[Cut, int] = {}
        step = max(self.length // _COARSE, 1)
        self._try(range(step, self.length, step), found)
        while step > 1 and found:
            finer = max(step // _FINE, 1)
            near = sorted(found, key=found.__getitem__)[:4]
            self._try({cut[0][1] + k * finer for cut in near for k in range(-_FINE, _FINE + 1)}, found)
            step = finer
        first = sorted(found, key=found.__getitem__)[: _COARSE * _FINE]
        return sorted(first, key=lambda cut: (found[cut], self._room(cut), cut))

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

    def _staying(self, stays: Stays, cut: Cut) -> Iterator[DividedPhase]:
        """Yield what staying data make of a cut, in several sizes of the tiles."""
        options: list[list[_Part]] = []
        for part in self._parts(cut):
            kept = while_they_stay(part.nest, stays)
            if kept == part.nest:
                return
            needs = needs_of(kept, self.family, self._extents(part.length))
            options.append(
                [part._replace(sizes=sizes, needs=needs) for sizes in self._smaller(part.sizes, part.length)]
            )
        yield from (self._with_staying(stays, parts) for parts in itertools.product(*options))

    def _smaller(self, sizes: dict[str, int], length: int) -> list[dict[str, int]]:
        """Return tile sizes with some more tiles along the axis that is cut."""
        if self.axis not in sizes:
            return [sizes]
        count = -(-length // sizes[self.axis])
        return [
            {**sizes, self.axis: -(-length // number)}
            for number in range(count, min(count + _MORE_TILES, length) + 1)
        ]

    def _with_staying(self, stays: Stays, parts: Sequence[_Part]) -> DividedPhase:
        """Return parts with as many elements that stay as fit beside each."""
        row, name = self._row(stays), staying(stays[0])
        extents = [self._extents(one.length) for one in parts]
        most = (
            _largest(one.needs, one.sizes, name, along, self.M, row)
            for one, along in zip(parts, extents, strict=True)
        )
        number = max(min(most), 0)
        words = number * row
        for one, along in zip(parts, extents, strict=True):
            words += int(evaluated(one.needs.words, with_counts({**one.sizes, name: number}, along)))
        return DividedPhase(self.group, self.axis, tuple(parts), stays, number, words)

    def _row(self, stays: Stays) -> int:
        """Return the words that stay for each element of the axis."""
        return sum(self.family.words(name) // self.family.extents[stays[0]] for name in stays[1])


def _largest(
    needs: Needs, sizes: Mapping[str, int], name: str, extents: Mapping[str, int], M: int, more: int = 0
) -> int:
    """Return the largest value of one variable that fits, the others given; ``more`` words for each of it besides."""
    found = extents[name.lstrip("+")]
    for room in needs.rooms:
        rest, factor = (int(evaluated(part, sizes)) for part in split_at(room, name))
        factor += more
        if factor:
            found = min(found, (M - rest) // factor)
    return found


def unmasked(family: Family, extents: Mapping[str, int]) -> Family:
    """Return a family with other extents, and without its mask."""
    return Family(family.name, family.arrays, extents, family.symbols, family.parameters)
