"""Loops under a mask: an iteration that has been executed stands for all that see the same.

What an iteration does follows from what it can see: the state of the arrays its body touches, inside the current
tiles; what the mask allows there, summed up in a signature (see :mod:`.tile_runs`); and whether the conditions on the
loops around hold. An iteration is executed once; what it counted, how much room it took and what state it left is
noted, and taken for every later iteration that sees the same. Where the next tile of a run sees the same as the last,
and the tiles ahead are all alike, the rest of the run is accounted for at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING

from pebble.program.counting.state import SLOW
from pebble.program.machine.bodies import Bodies
from pebble.program.machine.configuration import Configurations, region_of
from pebble.program.machine.effects import Effect, Ledger, Snapshot, account
from pebble.program.machine.field_state import MANY, FieldState
from pebble.program.machine.interpolation import Interpolation, interpolation_of
from pebble.program.machine.loop_sights import LoopSights, SightNumbers
from pebble.program.machine.loop_tiles import KnownTiles, LoopTiles
from pebble.program.machine.loops import Loops
from pebble.program.machine.ramps import Ramp, account_ramp, follows, has_few_left, ramp_of
from pebble.program.machine.recorder import Item, Recorder
from pebble.program.machine.rounds import Rounds
from pebble.program.machine.segment_states import KnownSegments, Segments
from pebble.program.machine.sibling_loops import SiblingLoops
from pebble.program.machine.sight import changes, write_changes
from pebble.program.machine.stretches import Stretch
from pebble.program.machine.tile_runs import TileRun
from pebble.program.machine.tiles_in_classes import TilesInClasses
from pebble.program.machine.waiting import Waiting
from pebble.program.nodes import Loop
from pebble.program.steps import tile_at, tile_count

if TYPE_CHECKING:
    from pebble.computations.family import Family
    from pebble.program.counting.rules import Machine
    from pebble.program.machine.bodies import Body
    from pebble.program.nodes import Interval

__all__ = ["RememberedLoops"]

_LEAST_AT_ENDS = 4
"""How many rounds of lines with ever more partners are executed at either end, if lines between are to follow."""


class RememberedLoops(Loops):
    """Of iterations that see the same, one is executed."""

    def __init__(self, family: Family, step_limit: int, levels: int = 1) -> None:
        super().__init__(family, step_limit, levels)
        assert family.mask is not None
        self.mask = family.mask
        self.bodies: Bodies | None = None
        self.memory: dict[int, dict[Hashable, Effect]] = {}
        self.lines: dict[int, Interpolation | None] = {}
        self.sights = SightNumbers()
        self.uneven = 0
        self.tiles = KnownTiles()
        self.recorder = Recorder()
        self.segments = KnownSegments()
        self.siblings = SiblingLoops(levels)

    def execute(self, machine: Machine, node: Loop, whole: Interval) -> None:
        """Execute a loop, run by run."""
        if self.bodies is None:
            self.bodies = Bodies(machine.program, self.family, self.levels)
        body = self.bodies.of(node)
        if not self.siblings.take(machine, node, body, self.segments):
            _Execution(self, machine, node, body, whole).execute()


class _Execution:
    """One execution of a loop."""

    def __init__(
        self, loops: RememberedLoops, machine: Machine, node: Loop, body: Body, whole: Interval
    ) -> None:
        assert isinstance(machine.state, FieldState)
        self.loops, self.machine, self.state = loops, machine, machine.state
        self.node, self.body, self.whole = node, body, whole
        self.family, self.mask = loops.family, loops.mask
        self.tiles = LoopTiles(machine, loops.family, node, body, whole, loops.tiles, loops.levels == 1)
        self.masked = self.tiles.masked
        self.by_number = self.tiles.by_number
        self.uniform = self.masked and node.tile == 1 and not body.in_place
        self.seen = loops.memory.setdefault(id(node), {}) if self.masked else {}
        self.lines = None
        if self.uniform and (self.by_number or not self.tiles.outermost):
            self.lines = loops.lines.setdefault(id(node), interpolation_of(node, body, self.family))
        self.names = body.changed
        self.moved = body.touched.moved(loops.levels)
        self.told: dict[int | None, int] = {}
        self.sights = LoopSights(
            machine, self.state, node, body, whole, loops.sights, self.moved, self.masked, self.uniform
        )
        self.waiting = Waiting(machine, node, self.write)
        self.unrolled = id(node) in loops.unrolled
        notes_lines = self.lines is not None and (self.lines.one_by_one or body.asks_begun)
        self.notes_lines = self.by_number and notes_lines

    def execute(self) -> None:
        """Execute the loop: in runs of tiles that look alike, in rounds, or tile by tile."""
        lines = self.tiles.runs_by_number()
        if not self.masked and self.node.axis in self.body.chains:
            self._between_ends(tile_count(*self.whole, self.node.tile))
        elif lines is not None and self.notes_lines:
            self._lines_in_runs(lines, partial(self.tiles.stretches, self.unrolled))
        elif lines is not None and all(
            has_few_left(run, self.lines, map(self.sights.at, (run.first,))) for run in lines
        ):
            self._remember(lines)
        elif self._in_classes():
            pass
        elif segments := self.tiles.segments():
            self._segments().execute(segments, self._segment)
        else:
            self._in_stretches(self.whole, partial(self.tiles.stretches, self.unrolled))
        self.state.join(self.node.axis, self.names, within=self.whole)

    def _segments(self) -> Segments:
        return Segments(self.machine, self.state, self.node, self.body, self.moved, self.loops.segments)

    def _in_classes(self) -> bool:
        """Execute the first tile of each class of tiles that lie alike, if there are such classes."""
        classes = () if self.unrolled else self.tiles.classes(self.loops.unclassed)
        found = self.machine, self.state, self.node, self.body, self.whole, self.moved
        with self.loops.recorder.silent():
            return bool(classes) and TilesInClasses(*found).execute(classes, self._iteration)

    def _segment(self, start: int, stop: int) -> None:
        """Execute the tiles of a segment's lines."""
        stretches = partial(self.tiles.stretches_of_segment, self.unrolled, start, stop)
        runs = self.tiles.runs_of_segment(start, stop) if self.lines is not None else None
        if runs and self.sights.at(runs[0].first) not in self.loops.sights.unlike:
            self._lines_in_runs(runs, stretches)
            return
        self._in_stretches((start, stop), stretches)

    def _in_stretches(self, lines: Interval, stretches: Callable[[], Iterable[Stretch]]) -> None:
        """Execute the tiles of some lines: in runs of those that are alike, if there are any; or in stretches."""
        if alike := self.tiles.alike(lines):
            self._segments().execute(alike, self._segment)
            return
        for stretch in stretches():
            self._stretch(stretch)

    def _between_ends(self, count: int) -> None:
        """Execute the first tile and the last one of an axis of chains: they stand for no others."""
        self._iteration(0)
        if count > 2:
            self._remember([TileRun(1, count - 2, True)])
        if count > 1:
            self._iteration(count - 1)

    def _lines_in_runs(self, runs: list[TileRun], stretches: Callable[[], Iterable[Stretch]]) -> None:
        """Execute runs of lines; in rounds, where a run's lines follow from none that have been executed."""
        while runs:
            runs = self._remember(runs, in_rounds=True)
            for stretch in stretches() if runs else ():
                first = max(stretch.first, runs[0].first)
                stop = min(stretch.stop, runs[0].first + runs[0].times)
                if first < stop:
                    self._stretch(stretch._replace(first=first, stop=stop))
            runs = runs[1:]

    def _stretch(self, stretch: Stretch) -> None:
        """Execute the tiles of a stretch."""
        if stretch.round:
            self._rounds(stretch).execute(self._some_tiles, self.loops.recorder)
            return
        runs = self.tiles.runs(stretch)
        if runs is not None:
            self._remember(runs)
            return
        for part in self.tiles.in_blocks(stretch, self.unrolled):
            if part.round:
                self._rounds(part, True).execute(self._single_tiles, self.loops.recorder)
                continue
            for index in self.tiles.visited(part):
                self._iteration(index)

    def _rounds(self, stretch: Stretch, in_block: bool = False) -> Rounds:
        partners = self.tiles.partners()
        reach = self.body.reach if self.tiles.outermost else None
        region = region_of(self.mask, self.node, self.whole, stretch, partners, reach)
        configurations = Configurations(self.state, self.body.used, self.moved, region)
        # Lines next to both ends tell what is between them; where there are many parts that is worth while at either.
        apart = self.by_number and self.lines is not None and bool(self.mask.separations(self.node.axis))
        done, least = (_LEAST_AT_ENDS if some else 1 for some in (apart, apart or self.notes_lines))
        left = max(self.loops.left.get(id(self.node), 1), least)
        self.loops.uneven += self.masked
        found = self.machine, self.node, self.whole, stretch, self.tiles.grids(), configurations
        return Rounds(*found, left, done, in_block)

    def _some_tiles(self, start: int, stop: int) -> None:
        """Execute the tiles of a round, or those that are left."""
        inside = self.mask.period > 1 and not self.tiles.outermost
        runs = self.tiles.runs(Stretch(start, stop)) if inside else None
        if runs is not None:
            self._remember(runs)
            return
        for part in self.tiles.in_blocks(Stretch(start, stop), self.unrolled):
            if part.round:
                self._rounds(part, True).execute(self._single_tiles, self.loops.recorder)
            else:
                self._single_tiles(part.first, part.stop)

    def _single_tiles(self, start: int, stop: int) -> None:
        """Execute the tiles of a round inside of a block, or those that are left, one by one."""
        for index in range(start, stop):
            self.loops.recorder.add(Item(("tile", id(self.node)), index, 1, fixed=True))
            if self.notes_lines:
                self._noted_line(index)
            elif self.by_number and self.lines is not None:
                # Lines that see more partners, or fewer, follow from what these do.
                with self.loops.recorder.silent():
                    self._remember(self.tiles.runs(Stretch(index, index + 1)) or [])
            elif self.tiles.is_visited(index):
                self._iteration(index)

    def _noted_line(self, index: int) -> None:
        """Execute a line of a round, tell it what loops inside do, and note what the line does."""
        for run in self.tiles.runs(Stretch(index, index + 1)) or []:
            sight = self.sights.at(index)
            self.loops.recorder.add(Item(("alone", id(self.node)), index, 1, fixed=True))
            effect = self._record(index, nullcontext())
            effect.lasting = effect.reusable and self._stays(sight, index + 1)
            self._note(run.signature, sight, effect)
            self.state.join(self.node.axis, self.names, MANY)

    def _iteration(self, index: int) -> None:
        """Execute a tile that stands for no other."""
        self.loops.recorder.add(Item(("alone", id(self.node)), index, 1, fixed=True))
        self.loops.uneven += self.masked
        self.machine.iteration(self.node, self.whole, index)
        self.state.join(self.node.axis, self.names, MANY)

    def _remember(self, runs: list[TileRun], in_rounds: bool = False) -> list[TileRun]:
        """Execute runs of tiles; all, or up to one that is to be executed ``in_rounds``: return that and those behind.

        ``sight`` is what the tile at hand sees. It is looked up, unless the effect of the tile before is lasting and
        what lies along the axis was found to be the same from a tile on whose sight was known (up to ``level_to``).
        """
        stop = runs[-1].first + runs[-1].times if runs else 0
        level_to = 0
        sight: int | None = None
        at_first: int | None = None
        before: Effect | None = None
        for number, run in enumerate(runs):
            index, end = run.first, run.first + run.times
            while index < end:
                if before is None or not self._follows(run, index, before, level_to):
                    self.waiting.settle()
                    now = self.sights.at(index)
                    if before is not None:
                        before.lasting = now == sight
                    sight = now
                if index == run.first:
                    at_first = sight if self.tiles.in_band or number < 2 else at_first
                    if in_rounds and not has_few_left(run, self.lines, iter((sight,))):
                        self.waiting.settle()
                        return runs[number:]
                # Of a run's tiles all that were accounted for at once saw what the first did; of runs with gaps, all.
                self.loops.uneven += self.masked and sight != at_first
                ramp = self._ramp(run, index, sight, level_to) if run.step else None
                if ramp is not None:
                    self.waiting.settle()
                    account_ramp(self.machine, ramp, self.node, index)
                    self.write(ramp.first, index, ramp.times)
                    self._tell(run, sight, index, ramp.times)
                    before, level_to = ramp.first, ramp.level_to
                    index += ramp.times
                    continue
                signature = run.signature_of(index)
                effect, times = self._known(signature, sight), 1
                if effect is None or not effect.reusable:
                    self.waiting.settle()
                    effect = self._record(index)
                    self._note(signature, sight, effect)
                    if self.by_number and self.lines is not None:
                        effect.lasting = effect.reusable and self._stays(sight, index + 1)
                    self.state.join(self.node.axis, self.names, 4 * MANY)
                else:
                    if effect.lasting and index >= level_to:
                        level_to = self.sights.level_to(index, (stop, end))
                    if effect.lasting and effect.whole and level_to >= end and not run.step:
                        times = end - index
                    if effect.lasting and effect.carries_only:
                        self.waiting.add(effect, times, index + times - 1)
                    else:
                        self.waiting.settle()
                        account(self.machine, effect, self.node, index + times - 1, times)
                        self.write(effect, index, times)
                self._tell(run, sight, index, times)
                before = effect
                index += times
        self.waiting.settle()
        return []

    def _ramp(self, run: TileRun, index: int, sight: int | None, level_to: int) -> Ramp | None:
        """Return what lines do from one on, if they see the same, and what they do follows from others."""
        if self.lines is None or not follows(run, index, self.lines, sight):
            return None
        if index >= level_to:
            level_to = self.sights.level_to(index, (run.first + run.times,))
        return ramp_of(run, index, self.lines, sight, level_to)

    def _stays(self, sight: int | None, index: int) -> bool:
        """Whether the next tile sees what one saw that has been executed."""
        return (
            index < tile_count(*self.whole, self.node.tile)
            and (not self.body.asks_begun or self.tiles.is_visited(index))
            and self.sights.at(index) == sight
        )

    def _known(self, signature: Hashable, sight: int | None) -> Effect | None:
        """Return the effect of a tile, if it was executed, or follows from others that were."""
        key = signature, sight
        if key not in self.seen and self.lines is not None:
            effect = self.lines.effect(signature, sight)
            if effect is not None:
                self.seen[key] = effect
        return self.seen.get(key)

    def _note(self, signature: Hashable, sight: int | None, effect: Effect) -> None:
        """Note the effect of a tile that has been executed."""
        self.seen[signature, sight] = effect
        if self.lines is not None:
            self.lines.add(signature, sight, effect)

    def _tell(self, run: TileRun, sight: int | None, index: int, times: int) -> None:
        """Tell a round of some tiles; of lines with ever more partners, or fewer, once for all of them."""
        key: Hashable = id(self.node), run.signature, self._told(sight)
        if sight in self.loops.sights.unlike:
            item = Item(("alone", id(self.node)), index, times, fixed=True)
        elif run.step:
            item = Item((key, run.step, run.started, run.finished), index, times, fixed=True)
        else:
            item = Item(key, index, times)
        self.loops.recorder.add(item)

    def _told(self, sight: int | None) -> int | None:
        """Return a sight as a round is told of it.

        What a loop over an axis without a mask sees may be places that move from round to round. What its tiles do is
        written down besides: of the sights it is enough to know which are the same.
        """
        return sight if self.masked else self.told.setdefault(sight, len(self.told))

    def _follows(self, run: TileRun, index: int, before: Effect, level_to: int) -> bool:
        """Whether a tile is known to see what the tile before saw: of a new run, all but ragged ones."""
        if not before.lasting or index >= level_to:
            return False
        full = (index + 1) * self.node.tile <= self.whole[1] - self.whole[0]
        return index > run.first or (self.masked and full)

    def _record(self, index: int, recording: AbstractContextManager[None] | None = None) -> Effect:
        """Execute an iteration and note what it does; what loops inside write down is told to no round by default."""
        if recording is None:
            recording = self.loops.recorder.silent() if self.masked else nullcontext()
        self.machine.enter(self.node, self.whole, index)
        before = {
            name: Snapshot(self.state.fields[name], self.state.box(self.family[name])) for name in self.names
        }
        ledger, uneven = Ledger(self.machine), self.loops.uneven
        with recording:
            self.machine.iteration(self.node, self.whole, index)
        effect = ledger.close()
        effect.even = self.loops.uneven == uneven
        for name, memory in itertools.product(self.names, range(self.state.planes)):
            if memory == SLOW and name not in self.moved:
                continue  # nothing is stored there
            found = changes(self.state, self.family[name], memory, before[name], self.uniform)
            if found is None:
                effect.reusable = False
            else:
                effect.changes += found
        effect.whole = all(change.part is None for change in effect.changes)
        effect.carries_only = effect.growth == 0 and not any(
            self.node.axis in self.family[change.array].axes for change in effect.changes
        )
        return effect

    def write(self, effect: Effect, index: int, times: int) -> None:
        """Write the state that iterations leave."""
        first = tile_at(*self.whole, self.node.tile, index)
        last = tile_at(*self.whole, self.node.tile, index + times - 1)
        self.machine.put(self.node.axis, last)
        write_changes(self.state, effect, self.node.axis, (first[0], last[1]))
