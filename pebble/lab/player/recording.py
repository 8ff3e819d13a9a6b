"""A pebbling as a page replays it: columns of moves, each with the line of the program it comes from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pebble.common.errors import InvalidInput
from pebble.common.plain import plain
from pebble.game.moves import Columns, Moves, as_chunks
from pebble.game.replay import replay
from pebble.graph.dag import Dag
from pebble.lab.pebblings import Pebbling
from pebble.program import Program, Step, pseudo_code
from pebble.program.lowering import lower_steps
from pebble.program.nodes import Place
from pebble.program.parts_in_turn import written_out

_MOST_VERTICES = 2_000
_MOST_EDGES = 10_000
MOST_MOVES = 20_000


def check_drawable(what: str, vertices: int, edges: int) -> None:
    """Raise InvalidInput if a computation is too large to be drawn."""
    if vertices > _MOST_VERTICES or edges > _MOST_EDGES:
        raise InvalidInput(
            f"{what} has {vertices:,} vertices and {edges:,} edges; a page can show at most "
            f"{_MOST_VERTICES:,} vertices and {_MOST_EDGES:,} edges: choose smaller sizes"
        )


def check_moves(what: str, moves: int) -> None:
    """Raise InvalidInput if a pebbling has too many moves to be stepped through."""
    if moves > MOST_MOVES:
        raise InvalidInput(
            f"{what} has at least {moves:,} moves; a page steps through at most {MOST_MOVES:,}: "
            "choose smaller sizes or more words of fast memory"
        )


@dataclass
class Recording:
    """Moves of one pebbling, and where they stand in a program if there is one.

    Attributes
    ----------
    op, vertex : list of int
        One entry a move.
    lines : list of str
        The pseudo-code; empty if there is no program.
    sites : list of (line, start, stop)
        The columns of each operation in the pseudo-code.
    contexts : list of str
        Iterations of the loops, in words.
    steps : list of (site, context, count)
        The executed operations in order: site, context, and how many moves it took.
    """

    op: list[int] = field(default_factory=list)
    vertex: list[int] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    sites: list[tuple[int, int, int]] = field(default_factory=list)
    contexts: list[str] = field(default_factory=list)
    steps: list[tuple[int, int, int]] = field(default_factory=list)

    def add(self, columns: Columns, what: str) -> int:
        """Append moves and return how many."""
        before = len(self.op)
        for chunk in as_chunks([columns]):
            self.op.extend(chunk.op.tolist())
            self.vertex.extend(chunk.vertex.tolist())
        check_moves(what, len(self.op))
        return len(self.op) - before

    def to_dict(self, dag: Dag, M: int) -> dict[str, Any]:
        """Return plain data, with the counts that a replay under the rules has confirmed."""
        status = replay(dag, M, Moves(self.op, self.vertex)).require_complete()
        return {
            "op": "".join(map(str, self.op)),
            "vertex": self.vertex,
            "program": plain(self, "lines sites contexts steps") if self.lines else None,
            "totals": plain(status, "moves reads writes computes peak"),
        }


def record_pebbling(chunks: Iterable[Columns], what: str) -> Recording:
    """Record moves that have no program."""
    recording = Recording()
    for chunk in as_chunks(chunks):
        recording.add(chunk, what)
    return recording


def record_steps(pebbling: Pebbling, what: str) -> Recording:
    """Record the moves of a program, each with the operation it belongs to."""
    check_moves(what, pebbling.io + pebbling.computes)
    recording, site_of = _listed(written_out(pebbling.program, pebbling.family))
    context_of: dict[str, int] = {}
    for step, columns in lower_steps(pebbling.program, pebbling.family):
        count = recording.add(columns, what)
        context = context_of.setdefault(_context(step), len(context_of))
        recording.steps.append((site_of[step.place], context, count))
    recording.contexts = list(context_of)
    return recording


class _Sites(dict[Place, int]):
    """Number of the site of each place; an operation without a line of its own is at its phase's line."""

    def __missing__(self, place: Place) -> int:
        return self[place[:1]]


def _listed(program: Program) -> tuple[Recording, _Sites]:
    recording, site_of = Recording(), _Sites()
    for number, line in enumerate(pseudo_code(program)):
        recording.lines.append(line.text)
        for place, start, stop in line.spans:
            site_of[place] = len(recording.sites)
            recording.sites.append((number, start, stop))
    return recording, site_of


def _context(step: Step) -> str:
    """Say in which iteration of the loops a step is, and its box if the operation gives it.

    Only loops of more than one iteration are worth a word.
    """
    loops = (f"{label} {index + 1} of {count}" for label, index, count in step.path if count > 1)
    box = (
        f"{axis} = {start}" if stop == start + 1 else f"{axis} = {start} to {stop - 1}"
        for axis, start, stop in step.operation.at
    )
    return ", ".join([*loops, *box])
