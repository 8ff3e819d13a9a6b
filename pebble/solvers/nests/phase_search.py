"""The plans of one phase: every order of the loops its arrays share, and where each operand is kept."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from pebble.common.clock import time_is_up
from pebble.program.nodes import Nodes
from pebble.solvers.nests.leaf_options import LeafChoices, LeafOption, Surroundings, orders, positions
from pebble.solvers.nests.placement import DoesNotFit, Group, PhasePlan, SpineLoop, nest_of, path_of
from pebble.solvers.nests.tile_sizes import best_tiles, least_words
from pebble.solvers.nests.tiled_nest import NestNode, needs_of, written


@dataclass(frozen=True)
class SizedPhase:
    """A nest with tile sizes, and the words that it moves by formula."""

    group: Group
    nest: tuple[NestNode, ...]
    sizes: dict[str, int]
    words: int

    def nodes(self) -> tuple[Nodes, ...]:
        """Return the nodes of the program."""
        return written(self.nest, self.sizes)


def best_phases(
    group: Group, M: int, choices: LeafChoices, *, number: int = 3, most: float = float("inf")
) -> list[SizedPhase]:
    """Return the phases that fit in M words and move the fewest words, the best first.

    Parameters
    ----------
    group : Group
    M : int
    choices : LeafChoices
        Of the group's family.
    number : int
        How many at most.
    most : float
        Only phases that move fewer words.
    """
    return _PhaseSearch(group, M, choices, number, most).found()


class _PhaseSearch:
    """The best phases so far."""

    def __init__(self, group: Group, M: int, choices: LeafChoices, number: int, most: float) -> None:
        self.group, self.M, self.choices, self.number, self.limit = group, M, choices, number, most
        self.family = group.family
        self.best: list[SizedPhase] = []

    @property
    def most(self) -> float:
        """The words that a phase has to stay below."""
        return self.best[-1].words if len(self.best) == self.number else self.limit

    def found(self) -> list[SizedPhase]:
        for spine in _spines(self.group):
            for again in _recomputed(self.group, spine):
                depth = _depths(self.group, spine, again)
                if self.best and time_is_up():
                    return self.best
                if max(depth.values()) == len(spine):
                    self._with_spine(spine, depth)
        return self.best

    def _with_spine(self, spine: tuple[SpineLoop, ...], depth: dict[str, int]) -> None:
        """Try the choices of all arrays together, unless they cannot be among the best."""
        group = self.group
        leaves = [self._options(name, spine, depth) for name in group.names]
        several = sorted({o for name in group.names for o in group.loaded[name] if len(group.readers[o]) > 1})
        base = sum(self.family.words(name) for name in (*several, *group.kept))
        for chosen in itertools.product(*leaves):
            words = sum((one.words for one in chosen), start=np.full(1, float(base)))
            words = words - sum(
                self.family.words(name)
                for name, one in zip(group.names, chosen, strict=True)
                if one.spill is not None and name in group.kept
            )
            fits = np.logical_and.reduce([one.room <= self.M for one in chosen])
            if not (fits & (words < self.most)).any():
                continue
            self._try(spine, depth, chosen, several)

    def _options(
        self, name: str, spine: tuple[SpineLoop, ...], depth: dict[str, int]
    ) -> tuple[LeafOption, ...]:
        group = self.group
        around = Surroundings(
            around=tuple((one.axis, one.unit) for one in spine[: depth[name]]),
            operands=tuple(o for o in group.loaded[name] if len(group.readers[o]) == 1),
            alone=len(group.names) == 1,
            consumed=bool(group.readers[name]),
            tiles=tuple(one.axis for one in spine if not one.unit),
        )
        return self.choices.of(name, around)

    def _try(
        self,
        spine: tuple[SpineLoop, ...],
        depth: dict[str, int],
        chosen: tuple[LeafOption, ...],
        several: list[str],
    ) -> None:
        group = self.group
        options = dict(zip(group.names, chosen, strict=True))
        own = {name: one.own for name, one in options.items()}
        position = {(operand, name): p for name, one in options.items() for operand, p in one.places}
        spilled = {name: one.spill for name, one in options.items() if one.spill is not None}
        plan = PhasePlan(group, spine, depth, own, position, spilled)
        # What was spilled is read from slow memory, as an operand of several arrays is.
        loads = [_loads(plan, name) for name in (*several, *spilled)]
        for choice in itertools.product(*loads):
            more = {key: p for option in choice for key, p in option}
            self._weigh(replace(plan, position={**position, **more}))

    def _weigh(self, plan: PhasePlan) -> None:
        """Find the tile sizes of a plan, and keep it if it is among the best."""
        try:
            nest = nest_of(plan)
        except DoesNotFit:
            return
        needs = needs_of(nest, self.family)
        if least_words(needs, self.family.extents) >= self.most:
            return
        tiles = best_tiles(needs, self.family.extents, self.M)
        if tiles is None or tiles.words >= self.most:
            return
        if any(not one.unit and one.axis not in tiles.sizes for one in plan.spine):
            return  # Nothing depends on that tile: there is the same plan without its loop.
        self.best.append(SizedPhase(self.group, nest, tiles.sizes, tiles.words))
        self.best.sort(key=lambda one: one.words)
        del self.best[self.number :]


def _axes(group: Group) -> list[str]:
    """Return the axes of a group in their order in the family."""
    used = {axis for name in group.names for axis in group.family[name].indices}
    return [axis for axis in group.family.extents if axis in used]


def _shared_axes(group: Group) -> list[str]:
    """Return the axes that everything in a group has: nothing is used twice along them."""
    family = group.family
    arrays = {*group.names, *(one for name in group.names for one in group.loaded[name])}
    return [axis for axis in _axes(group) if all(axis in family[name].axes for name in arrays)]


def _spines(group: Group) -> Iterator[tuple[SpineLoop, ...]]:
    """Yield the loops that the arrays of a group may share: tiles outside, single elements inside."""
    batch = _shared_axes(group)
    axes = [axis for axis in _axes(group) if axis not in batch and group.family.extents[axis] > 1]
    outer = tuple(SpineLoop(axis, True) for axis in batch)
    alone = len(group.names) == 1
    most = len(axes) if alone and len(axes) <= 3 else 2
    for tiles in orders(axes, 2):
        for units in orders(axes, most):
            if tiles and units and tiles[-1] == units[0]:
                continue
            yield outer + tuple(SpineLoop(a, False) for a in tiles) + tuple(SpineLoop(a, True) for a in units)
    if len(axes) > most:
        everything = itertools.permutations(axes) if len(axes) <= 4 else _rotations(axes)
        for units in everything:
            yield outer + tuple(SpineLoop(a, True) for a in units)


def _rotations(axes: list[str]) -> Iterator[tuple[str, ...]]:
    for at in range(len(axes)):
        yield (*axes[at:], *axes[:at])


def _recomputed(group: Group, spine: tuple[SpineLoop, ...]) -> list[frozenset[str]]:
    """Return the axes in whose tiles arrays that lack them may be computed again: none, or one of them."""
    if len(group.names) == 1:
        return [frozenset()]
    lacking = [
        one.axis
        for one in spine
        if not one.unit and any(one.axis not in group.family[name].indices for name in group.names)
    ]
    return [frozenset(), *(frozenset({axis}) for axis in lacking)]


def _depths(group: Group, spine: tuple[SpineLoop, ...], again: frozenset[str]) -> dict[str, int]:
    """Return inside how many loops of the spine each array can stand at most."""
    depth: dict[str, int] = {}
    limit: dict[str, int] = {}
    for name in group.names:
        most = len(spine)
        for operand in group.made[name]:
            chain = group.family[operand].chain
            inside = [at for at in range(depth[operand]) if spine[at].axis == chain]
            most = min([most, limit[operand], *inside])
        limit[name] = most
        place, indices = 0, group.family[name].indices
        while place < most and (
            spine[place].axis in indices or (spine[place].axis in again and not spine[place].unit)
        ):
            place += 1
        depth[name] = place
    return depth


Loads = tuple[tuple[tuple[str, str], int], ...]


def _loads(plan: PhasePlan, operand: str) -> list[Loads]:
    """Return where an operand of several arrays is loaded: once for all, or for each by itself."""
    readers = plan.group.readers[operand]
    if not readers:
        return [()]
    array = plan.group.family[operand]
    path = [one.axis for one in plan.spine]
    common = min(plan.depth[name] for name in readers)
    found: list[Loads] = [
        tuple(((operand, name), p) for name in readers) for p in positions(array, path[:common])
    ]
    places = [
        [((operand, name), p) for p in positions(array, path_of(plan, name)) if p >= plan.depth[name]]
        for name in readers
    ]
    return list(dict.fromkeys([*found, *itertools.product(*places)]))
