"""The state between two rounds as a list of places, so that it can be compared, and moved on."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.counting.state import SLOW
from pebble.program.machine.field_state import UNKNOWN

if TYPE_CHECKING:
    from pebble.computations.array import Array
    from pebble.computations.masks.mask import Interval, Mask
    from pebble.program.machine.field_state import Box, FieldState
    from pebble.program.machine.stretches import Stretch
    from pebble.program.nodes import Loop

__all__ = ["Configuration", "Configurations", "region_of"]

_MOST_BEHIND = 2
"""Cells of an array behind a round that are told apart."""


@dataclass(frozen=True)
class Configuration:
    """The state between two rounds.

    Attributes
    ----------
    shape : Hashable
        All that must be the same in every round.
    cuts : dict of str to list of int
        Where cells end, on each axis of the mask, in an order that is the same in every round.
    progress : dict of str to list of int
        How far chains over each axis have got, in such an order.
    """

    shape: Hashable
    cuts: dict[str, list[int]]
    progress: dict[str, list[int]]

    def moves(self, later: Configuration) -> list[tuple[str, int]] | None:
        """Return by how much each place of an axis moves up to a later configuration; None if there are others."""
        if self.shape != later.shape:
            return None
        return [(axis, b - a) for (axis, a), (_, b) in zip(self._places(), later._places(), strict=True)]

    def _places(self) -> list[tuple[str, int]]:
        both = (self.cuts, self.progress)
        return [(axis, place) for kind in both for axis, places in kind.items() for place in places]

    def moved(self, later: Configuration, times: int) -> Configuration:
        """Return the configuration after so many rounds, of which the first leads to ``later``."""

        def moved(before: dict[str, list[int]], after: dict[str, list[int]]) -> dict[str, list[int]]:
            return {
                axis: [a + times * (b - a) for a, b in zip(places, after[axis], strict=True)]
                for axis, places in before.items()
            }

        return Configuration(self.shape, moved(self.cuts, later.cuts), moved(self.progress, later.progress))


class Configurations:
    """Reads and writes the configurations of some arrays.

    Parameters
    ----------
    state : FieldState
    names : sequence of str
        The arrays.
    moved : set of str
        Those that are loaded from slow memory or stored to it.
    region : dict of str to (int, int)
        The lines, on each axis of the mask, outside of which the rounds touch nothing; the rounds' own axis first.
    """

    def __init__(
        self, state: FieldState, names: Sequence[str], moved: set[str], region: dict[str, Interval]
    ) -> None:
        self.state, self.family = state, state.family
        self.names, self.moved, self.region = names, moved, region

    def join(self) -> None:
        """Join all cells of the region that are alike, along the rounds' own axis first.

        They are cut at the region's ends: outside of it lines may have pairs where those inside have none.
        """
        for name in self.names:
            self.state.fields[name].view(self._box(self.family[name]))
        for axis in self.region:
            self.state.join(axis, self.names)

    def read(self) -> Configuration:
        """Return the state of the region between two rounds."""
        shape: list[Hashable] = []
        cuts: dict[str, list[int]] = {axis: [] for axis in self.family.masked_axes}
        progress: dict[str, list[int]] = {axis: [] for axis in self.family.masked_axes}
        for name in self.names:
            field, array = self.state.fields[name], self.family[name]
            pieces, states = field.covering(self._box(array))
            shape.append((name, states.shape))
            for axis, cells in zip(array.axes, pieces, strict=True):
                if axis in cuts:
                    cuts[axis] += [end for _, end in cells[:-1]]
                else:
                    shape.append(tuple(cells))
            for memory in range(len(states)):
                if self._is_placed(array, memory):
                    progress[array.chain or ""] += states[memory].ravel().tolist()
                else:
                    shape.append(states[memory].tobytes())
        return Configuration(tuple(shape), cuts, progress)

    def holds(self, now: Configuration) -> bool:
        """Whether all cells of a configuration end inside the region."""
        return all(
            self.region[axis][0] < place < self.region[axis][1]
            for axis, places in now.cuts.items()
            for place in places
        )

    def _box(self, array: Array) -> Box:
        """Return the part of an array that lies in the region."""
        return tuple(self.region.get(axis, (0, self.family.extents[axis])) for axis in array.axes)

    def write(self, now: Configuration) -> None:
        """Move cells and chains to their places."""
        cuts = {axis: iter(places) for axis, places in now.cuts.items()}
        progress = {axis: iter(places) for axis, places in now.progress.items()}
        for name in self.names:
            field, array = self.state.fields[name], self.family[name]
            states = field.view(self._box(array))
            for position, axis in enumerate(array.axes):
                if axis in cuts:
                    ends, (start, stop) = field.cuts[position], self.region[axis]
                    low, high = bisect_left(ends, start), bisect_left(ends, stop)
                    ends[low + 1 : high] = [next(cuts[axis]) for _ in ends[low + 1 : high]]
            for memory in range(len(states)):
                if self._is_placed(array, memory):
                    part = states[memory]
                    values = [next(progress[array.chain or ""]) for _ in range(part.size)]
                    part[...] = np.asarray(values, dtype=np.int64).reshape(part.shape)

    def forget(self, behind: dict[str, Interval], loop: Loop) -> None:
        """Join cells, and make unknown what slow memory holds of chains behind a round if its cells stay different.

        Partial results that are not stored when their chain ends differ from tile to tile, and are usually never
        looked at again.
        """
        self.join()
        for name in self.names:
            field, array = self.state.fields[name], self.family[name]
            for position, axis in enumerate(array.axes):
                if axis in behind and self._is_placed(array, SLOW):
                    cuts, (start, stop) = field.cuts[position], behind[axis]
                    low, high = bisect_left(cuts, start), bisect_right(cuts, stop) - 1
                    cells = np.moveaxis(field.state[SLOW], position, 0)[low:high]
                    if high - low > _MOST_BEHIND or (cells == UNKNOWN).any():
                        cells[...] = UNKNOWN
                        field.touch(
                            tuple(
                                (cuts[low], cuts[high]) if at == position else (ends[0], ends[-1])
                                for at, ends in enumerate(field.cuts)
                            )
                        )
                        self.state.unsure = loop
                        self.state.join(axis, [name])

    def _is_placed(self, array: Array, memory: int) -> bool:
        """Whether what a memory holds of an array is told by places on an axis of the mask."""
        return self.state.has_masked_chain(array) and (memory != SLOW or array.name in self.moved)


def region_of(
    mask: Mask, node: Loop, whole: Interval, stretch: Stretch, partners: Interval, reach: int | None
) -> dict[str, Interval]:
    """Return lines of both axes outside of which the rounds of a stretch touch nothing, with some room.

    Parameters
    ----------
    mask : Mask
    node : Loop
    whole : (int, int)
        What the loop runs over.
    stretch : Stretch
    partners : (int, int)
        The current tile of the other axis, or all of it.
    reach : int or None
        How far beyond partners of the stretch's lines anything on the other axis is touched; None: anywhere in
        ``partners``.
    """
    axis, other = node.axis, OTHER_AXIS[node.axis]
    room = stretch.round * node.tile
    start, stop = (whole[0] + node.tile * at for at in (stretch.first, stretch.stop))
    region = {axis: (max(start - room, 0), min(stop + room, mask.extents[axis])), other: partners}
    if reach is not None:
        # Ends never go back from line to line.
        ends = mask.ends_of(axis, np.array([start, stop - 1]))
        low, high = int(ends.min()), int(ends.max())
        if low < high:
            room += reach
            region[other] = max(low - room, 0), min(high + room, mask.extents[other])
    return region
