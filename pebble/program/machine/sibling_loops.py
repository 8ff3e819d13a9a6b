"""Loops that follow on each other along one axis, with one body: a loop or two for each of a mask's parts.

Of a program that cuts its tiles where packed sequences end, the loops are cut into segments together.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from pebble.computations.masks.band_mask import BandMask
from pebble.program.machine.bodies import nodes_in
from pebble.program.machine.field_state import FieldState
from pebble.program.machine.segment_states import KnownSegments, Segments
from pebble.program.machine.segments import SegmentRun, grids_of_segments, segment_runs_of_loops
from pebble.program.nodes import Loop

if TYPE_CHECKING:
    from pebble.program.counting.rules import Machine
    from pebble.program.machine.bodies import Body
    from pebble.program.nodes import Program

__all__ = ["SiblingLoops"]

_FEWEST = 6
"""Fewer loops than this are executed one by one."""


class _Row(NamedTuple):
    """Loops, and the runs of segments that they are cut into."""

    loops: list[Loop]
    runs: list[SegmentRun]


class SiblingLoops:
    """The rows of loops of a program, by the identity of each.

    Parameters
    ----------
    levels : int
        How many memory levels there are inside slow memory.
    """

    def __init__(self, levels: int) -> None:
        self.levels = levels
        self._rows: dict[int, _Row] | None = None
        self._inside = False

    def take(self, machine: Machine, node: Loop, body: Body, known: KnownSegments) -> bool:
        """Execute all loops of a row with the first one; whether a loop needs no execution of its own.

        Parameters
        ----------
        machine : Machine
        node : Loop
        body : Body
            What is known of its body.
        known : KnownSegments
            Filled here.
        """
        if self._rows is None:
            self._rows = _rows_of(machine.program) if self.levels == 1 else {}
        row = self._rows.get(id(node))
        if row is None or self._inside:
            return False
        if row.loops[0] is not node:
            return bool(row.runs)  # it was executed with the first one
        mask = machine.family.mask
        grids = None if body.own_lines else grids_of_segments(machine.family, node, body)
        if grids is not None:
            assert isinstance(mask, BandMask)
            row.runs[:] = segment_runs_of_loops(mask, node.axis, row.loops, grids)
        if row.runs:
            self._execute(machine, row, body, known)
        return bool(row.runs)

    def _execute(self, machine: Machine, row: _Row, body: Body, known: KnownSegments) -> None:
        assert isinstance(machine.state, FieldState)
        begins = [loop.start for loop in row.loops]

        def some(start: int, stop: int) -> None:
            for loop in row.loops[bisect_left(begins, start) : bisect_left(begins, stop)]:
                machine.loop(loop)

        moved = body.touched.moved(self.levels)
        self._inside = True
        try:
            Segments(machine, machine.state, row.loops[0], body, moved, known).execute(row.runs, some)
        finally:
            self._inside = False


def _rows_of(program: Program) -> dict[int, _Row]:
    """Return the rows of a program's loops outside of all others; of loops that stand at one place only."""
    outside = [node for part in program.phases for node in part.body if isinstance(node, Loop)]
    bodies = {id(node.body): node.body for node in outside}
    places = Counter(map(id, outside))
    places.update(id(inner) for body in bodies.values() for inner in nodes_in(body))
    found: dict[int, _Row] = {}
    for part in program.phases:
        row: list[Loop] = []
        for node in (*part.body, None):
            if isinstance(node, Loop) and row and _follows(row[-1], node):
                row.append(node)
                continue
            if len(row) >= _FEWEST and all(places[id(loop)] == 1 for loop in row):
                found |= dict.fromkeys(map(id, row), _Row(row, []))
            row = [node] if isinstance(node, Loop) else []
    return found


def _follows(one: Loop, two: Loop) -> bool:
    """Whether a loop goes on where another one stops, with the same body."""
    same = (one.axis, one.label) == (two.axis, two.label) and one.body is two.body
    return same and one.stop == two.start
