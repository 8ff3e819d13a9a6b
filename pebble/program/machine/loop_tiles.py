"""Which tiles a loop under a mask visits: in runs of tiles that look alike, in rounds that repeat, or one by one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pebble.common.errors import TooManyOperations
from pebble.computations.masks.band_mask import BandMask
from pebble.computations.masks.block_boxes import first_alike, within_pairs
from pebble.computations.masks.block_mask import BlockMask
from pebble.computations.masks.block_toeplitz import BlockToeplitzMask
from pebble.computations.masks.butterfly_tiles import TileClass
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.machine.alike_tiles import runs_of_alike_tiles
from pebble.program.machine.bodies import nodes_in
from pebble.program.machine.lines_of_blocks import numbers_tell_lines, runs_of_block_lines
from pebble.program.machine.pair_numbers import has_few_turns, runs_by_number
from pebble.program.machine.segments import SegmentRun, grids_of_segments, segment_runs
from pebble.program.machine.stretches import (
    Stretch,
    TileGrid,
    grids_inside,
    stretches,
    stretches_in_blocks,
)
from pebble.program.machine.tile_runs import TileRun, runs_of_lines, runs_of_tiles, runs_of_units
from pebble.program.machine.tiles_in_classes import classes_of_tiles
from pebble.program.nodes import Loop
from pebble.program.steps import tile_at, tile_count
from pebble.program.visits import partners as partners_of

if TYPE_CHECKING:
    from pebble.computations.family import Family
    from pebble.program.counting.rules import Machine
    from pebble.program.machine.bodies import Body
    from pebble.program.nodes import Condition, Interval

__all__ = ["KnownTiles", "LoopTiles"]

_MOST_TILES = 20_000
_MOST_LOOKED_AT = 1_000_000
_MOST_BOXES = 2_000
"""How many boxes' runs of tiles are kept."""


@dataclass
class KnownTiles:
    """What has been found out of loops' tiles: a loop inside one over an axis without a mask asks again and again.

    Attributes
    ----------
    signatures : dict
        Signatures of tiles made before.
    runs, stretches : dict of int to (asked, found)
        What was asked last, by the loop's identity, and answered.
    boxes : dict
        Runs of tiles in the first one of the boxes of a mask of blocks that see the same.
    grids : dict
        For each loop, the tiles at whose ends it may be cut into segments.
    segments : dict
        Runs of segments, by what they follow from.
    classes : dict
        For each loop, the classes of its tiles that lie alike.
    """

    signatures: dict[Hashable, list[Hashable]] = field(default_factory=dict)
    runs: dict[int, tuple[Hashable, list[TileRun]]] = field(default_factory=dict)
    stretches: dict[int, tuple[Hashable, list[Stretch]]] = field(default_factory=dict)
    boxes: dict[Hashable, list[TileRun]] = field(default_factory=dict)
    grids: dict[int, frozenset[int] | None] = field(default_factory=dict)
    segments: dict[Hashable, list[SegmentRun]] = field(default_factory=dict)
    classes: dict[Hashable, Sequence[TileClass]] = field(default_factory=dict)


class LoopTiles:
    """The tiles of one execution of a loop.

    Parameters
    ----------
    machine : Machine
    family : Family
        Under a mask.
    node : Loop
    body : Body
        What is known of the loop's body.
    whole : (int, int)
        What the loop runs over.
    known : KnownTiles
        Of all loops; filled here.
    in_segments : bool
        Whether loops may be cut into segments, or their tiles into classes.

    Attributes
    ----------
    masked : bool
        Whether the loop is over an axis of the mask.
    inside : bool
        Whether some loop around it is over an axis of the mask.
    outermost : bool
        Whether no loop around it is over the other axis of the mask.
    in_band : bool
        Whether the partners of a line follow on each other.
    by_number : bool
        Whether its tiles are single lines of a band, or of whole blocks, and of their pairs with the current tile of
        the other axis nothing matters but the number, and perhaps which of these partners have begun or end.
    """

    def __init__(
        self,
        machine: Machine,
        family: Family,
        node: Loop,
        body: Body,
        whole: Interval,
        known: KnownTiles,
        in_segments: bool,
    ) -> None:
        assert family.mask is not None
        self.machine, self.family, self.mask = machine, family, family.mask
        self.node, self.body, self.whole, self.known = node, body, whole, known
        self.in_segments = in_segments
        self.masked = node.axis in family.masked_axes
        self.inside = any(axis in machine.tiles for axis in family.masked_axes)
        self.outermost = not any(axis != node.axis and axis in machine.tiles for axis in family.masked_axes)
        self.in_band = isinstance(self.mask, BandMask)
        self.by_number = self.masked and (self._tells_in_band() if self.in_band else self._tells_in_blocks())

    def _tells_in_band(self) -> bool:
        body = self.body
        return (
            self.node.tile == 1
            and body.told
            and not (body.in_place or (body.asks_begun and body.counts_begun))
            and (not self.outermost or (not body.asks_begun and bool(self.segments())))
        )

    def _tells_in_blocks(self) -> bool:
        if self.inside or not self.in_segments:
            return False
        return numbers_tell_lines(self.mask, self.family, self.node, self.body)

    def runs_by_number(self) -> list[TileRun] | None:
        """Return runs of all lines, if nothing but the number of their pairs matters, and it changes at few of them."""
        if (self.outermost and self.in_band) or not self._tells_by_number(self.whole):
            return None
        return self.runs(Stretch(0, tile_count(*self.whole, self.node.tile)))

    def runs_of_segment(self, start: int, stop: int) -> list[TileRun] | None:
        """Return runs of a segment's lines, if nothing but the number of their pairs matters."""
        if not self._tells_by_number((start, stop)):
            return None
        return self.runs(Stretch(start - self.whole[0], stop - self.whole[0]))

    def _tells_by_number(self, lines: Interval) -> bool:
        if not self.by_number or not isinstance(self.mask, BandMask):
            return self.by_number
        return has_few_turns(self.mask, self.node.axis, lines, self.partners())

    def stretches_of_segment(self, unrolled: bool, *lines: int) -> Iterable[Stretch]:
        """Cut the tiles of a segment's lines into stretches, as the whole loop is cut by :meth:`stretches`."""
        node, (start, stop) = self.node, lines
        first = (start - self.whole[0]) // node.tile
        if unrolled or not self.body.ordered:
            return [Stretch(first, first + tile_count(start, stop, node.tile))]
        found = stretches(self.mask, node, (start, stop), self.partners(), self.grids(), False)
        return [one._replace(first=one.first + first, stop=one.stop + first) for one in found]

    def _grids_of_segments(self) -> frozenset[int] | None:
        """Return the tiles at whose ends the loop may be cut into segments; None if it may not be."""
        node = self.node
        if not self.masked or not self.in_segments or self.body.own_lines or self.inside:
            return None
        if id(node) not in self.known.grids:
            self.known.grids[id(node)] = grids_of_segments(self.family, node, self.body)
        return self.known.grids[id(node)]

    def alike(self, lines: Interval) -> list[SegmentRun]:
        """Return the tiles of some lines in runs of those that are alike; none if that is not worth while."""
        grids, node = self._grids_of_segments(), self.node
        if grids is None or self.body.asks_begun or node.tile == 1:
            return []
        asked = "alike", node.axis, lines, node.tile, grids
        if asked not in self.known.segments:
            assert isinstance(self.mask, BandMask)
            self.known.segments[asked] = runs_of_alike_tiles(self.mask, *asked[1:])
        return self.known.segments[asked]

    def segments(self) -> list[SegmentRun]:
        """Return the segments that the loop is cut into; none if it is not."""
        grids, node = self._grids_of_segments(), self.node
        if grids is None:
            return []
        asked = node.axis, self.whole, node.tile, grids
        if asked not in self.known.segments:
            assert isinstance(self.mask, BandMask)
            self.known.segments[asked] = segment_runs(self.mask, *asked)
        return self.known.segments[asked]

    def classes(self, unclassed: set[int]) -> Sequence[TileClass]:
        """Return the classes of tiles that lie alike, of a loop that is in no other over the mask's axes.

        None of loops in which that fails, by identity, and where there are several memory levels.
        """
        node, axes = self.node, self.family.masked_axes
        if not self.masked or not self.in_segments or any(axis in self.machine.tiles for axis in axes):
            return ()
        if id(node) in unclassed:
            return ()
        asked = id(node), self.whole
        if asked not in self.known.classes:
            self.known.classes[asked] = classes_of_tiles(self.mask, self.family, node, self.body)
        return self.known.classes[asked]

    def stretches(self, unrolled: bool) -> Iterable[Stretch]:
        """Cut the loop into stretches with a rule, and others; all others, where rounds are not to be skipped."""
        node, body = self.node, self.body
        everything = [Stretch(0, tile_count(*self.whole, node.tile))]
        if not (self.masked and body.ordered) or unrolled:
            return everything
        if self.outermost and body.own_lines and self._all_present():
            return everything
        asked = self.whole, self.partners(), self.outermost
        known, found = self.known.stretches.get(id(node), (None, []))
        if known != asked:
            grids = self.grids()
            found = list(stretches(self.mask, node, self.whole, self.partners(), grids, not self.outermost))
            self.known.stretches[id(node)] = asked, found
        if self.outermost or self.mask.period == 1:
            return found
        return [
            stretch._replace(round=0, alike=2 * stretch.round) if self._is_one_run(stretch) else stretch
            for stretch in found
        ]

    def in_blocks(self, tiles: Stretch, unrolled: bool) -> Iterable[Stretch]:
        """Cut tiles that are executed one by one into stretches inside of blocks of the mask, and others."""
        if (
            unrolled
            or not self.outermost
            or not self.body.ordered
            or not isinstance(self.mask, BlockToeplitzMask)
        ):
            return [tiles]
        interval = tiles.first, tiles.stop
        return stretches_in_blocks(self.mask, self.node, self.whole, interval, self.grids())

    def _is_one_run(self, stretch: Stretch) -> bool:
        """Whether the tiles of two rounds are one run, so that they need no rounds."""
        runs = self.runs(Stretch(stretch.first, stretch.first + 2 * stretch.round)) if stretch.round else None
        return runs is not None and len(runs) == 1 and runs[0].times == 2 * stretch.round

    def _all_present(self) -> bool:
        return self.mask.present(self.node.axis, *self.whole) == self.whole[1] - self.whole[0]

    def partners(self) -> Interval:
        """Return the current tile of the mask's other axis."""
        return partners_of(self.node.axis, self.machine.tiles, self.family)

    def grids(self) -> list[TileGrid]:
        """Return where the tiles of the mask's other axis begin."""
        return grids_inside(self.node.body, OTHER_AXIS[self.node.axis], self.partners())

    def runs(self, stretch: Stretch) -> list[TileRun] | None:
        """Return the tiles to visit, in runs; None if no tile stands for another."""
        node, body = self.node, self.body
        if not self.masked:
            # The first and the last may see a condition hold, and the last may be shorter.
            count = stretch.stop
            ends = [TileRun(0, 1, True), TileRun(1, count - 2, True), TileRun(count - 1, 1, True)]
            return [run for at, run in enumerate(ends) if run.times > 0 and (at == 0 or run.first > 0)]
        if not (body.told or self._asks()) or (self.outermost and not (body.own_lines or self.by_number)):
            return None
        asked = stretch.first, stretch.stop, stretch.alike, self.whole, self.partners(), self.outermost
        known, found = self.known.runs.get(id(node), (None, []))
        if known != asked or body.untold:
            found = self._runs(stretch)
            self.known.runs[id(node)] = asked, found
        return found

    def _runs(self, stretch: Stretch) -> list[TileRun]:
        """Return the tiles over an axis of the mask that are to be visited, in runs."""
        node, body = self.node, self.body
        last = stretch.first + stretch.alike if stretch.alike else stretch.stop
        start, stop = self.whole[0] + stretch.first * node.tile, self.whole[0] + last * node.tile
        whole = start, min(stop, self.whole[1])
        if self.outermost and not self.by_number:
            found = runs_of_lines(self.mask, node.axis, whole, node.tile)
        elif isinstance(self.mask, BlockMask) and self.by_number:
            found = runs_of_block_lines(self.mask, node.axis, whole)
        elif self.outermost or self._tells_by_number(whole):
            assert isinstance(self.mask, BandMask)
            found = runs_by_number(self.mask, node.axis, whole, self.partners(), body.asks_begun)
        else:
            found = self._runs_in_box(whole, self.partners())
        if stretch.alike:
            found = [run._replace(times=stretch.stop - stretch.first) for run in found]
        runs = [run._replace(first=stretch.first + run.first) for run in found]
        for condition in body.untold:
            runs = [
                run._replace(signature=(run.signature, self._holds(condition, run.first))) for run in runs
            ]
        return runs

    def _runs_in_box(self, lines: Interval, partners: Interval) -> list[TileRun]:
        """Return runs of the tiles of some lines, counted from the first one, by their pairs with some partners."""
        if not isinstance(self.mask, BlockToeplitzMask):
            return self._new_runs(lines, partners)
        axis, tile = self.node.axis, self.node.tile
        some = within_pairs(self.mask, axis, lines, tile, partners)
        if some[0] >= some[1]:
            return []
        asked = id(self.node), *first_alike(self.mask, axis, some, partners)
        if asked not in self.known.boxes:
            if len(self.known.boxes) >= _MOST_BOXES:
                self.known.boxes.clear()
            self.known.boxes[asked] = self._new_runs(*asked[1:])
        before = (some[0] - lines[0]) // tile
        return [run._replace(first=before + run.first) for run in self.known.boxes[asked]]

    def _new_runs(self, lines: Interval, partners: Interval) -> list[TileRun]:
        node, body = self.node, self.body
        if node.tile > 1:
            return runs_of_tiles(self.mask, node.axis, lines, node.tile, partners, body.asks_begun)
        asked, begun, known = body.asks_begun, body.counts_begun, self.known.signatures
        return runs_of_units(self.mask, node.axis, lines, partners, body.in_place, asked, begun, known)

    def _asks(self) -> bool:
        """Whether all that a signature does not tell are conditions on the current tile of the other axis."""
        visits, axis = self.machine.visits, OTHER_AXIS[self.node.axis]
        return (
            isinstance(self.mask, BandMask)
            and not any(
                isinstance(node, Loop) and node.axis == self.node.axis for node in nodes_in(self.node.body)
            )
            and all(
                condition.label in visits
                and visits[condition.label].axis == axis
                and visits[condition.label].tile == self.machine.tiles.get(axis)
                for condition in self.body.untold
            )
        )

    def _holds(self, condition: Condition, index: int) -> bool:
        """Whether a condition on the current tile of the other axis holds at a tile, and so in all its run."""
        tiles = {**self.machine.tiles, self.node.axis: tile_at(*self.whole, self.node.tile, index)}
        return condition.holds(self.machine.visits[condition.label], tiles, self.family)

    def visited(self, stretch: Stretch) -> list[int]:
        """Return the tiles of a stretch that hold a pair, where each must be executed.

        Raises
        ------
        TooManyOperations
        """
        count = stretch.stop - stretch.first
        visited: list[int] = []
        if count <= _MOST_LOOKED_AT:
            visited = [index for index in range(stretch.first, stretch.stop) if self.is_visited(index)]
            count = len(visited)
        if count > _MOST_TILES:
            raise TooManyOperations(
                f"under the mask {self.mask.spec} each of {count:,} tiles of the loop over {self.node.label} "
                f"would have to be run; at most {_MOST_TILES:,} are: take larger tiles, or fewer queries and keys"
            )
        return visited

    def is_visited(self, index: int) -> bool:
        """Whether a tile holds a pair."""
        return self.mask.has_pairs(
            self.node.axis, tile_at(*self.whole, self.node.tile, index), self.partners()
        )
