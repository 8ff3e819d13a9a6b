r"""Pebbling files with several memory levels: how their moves are written, and how they are checked.

A file says ``# levels 43 140`` where one with one fast memory says ``# M 43``, and each load, store and delete says its
level::

    # pebbling 1
    # dag attention-forward Nq=2 Nk=2 d=2 dv=2
    # levels 43 140
    load 2 Q[0,0]
    load 1 Q[0,0]
    compute S[0,0,0]
    delete 1 Q[0,0]

``# levels 43 140 exclusive`` are levels that need not hold what those within hold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from pebble.common.errors import InvalidInput
from pebble.common.text_lines import shown
from pebble.common.whole_numbers import singular
from pebble.game.board import Tally
from pebble.game.files.check import CheckResult, first_illegal_line
from pebble.game.files.header import Header
from pebble.game.files.reader import PebblingReader, resolved_dag
from pebble.game.level_game import LevelGame, LevelMove
from pebble.game.moves import Op
from pebble.graph.any_dag import AnyDag

_OPS = {op.word: op for op in (Op.LOAD, Op.STORE, Op.COMPUTE, Op.DELETE)}


@dataclass(frozen=True)
class LevelCheck(CheckResult):
    """The result of checking a pebbling file with several memory levels; reads, writes and peak are the outermost's.

    Attributes
    ----------
    tallies : tuple of Tally
        What was counted at each level, the innermost first.
    """

    tallies: tuple[Tally, ...] = ()

    def levels(self) -> list[dict[str, int]]:
        """Return what was counted at each level as plain data."""
        return [
            {
                "level": level,
                "capacity": words,
                "reads": one.reads,
                "writes": one.writes,
                "io": one.io,
                "peak": one.peak,
            }
            for level, (one, words) in enumerate(zip(self.tallies, self.header.levels, strict=True), start=1)
        ]

    def __str__(self) -> str:
        if self.refusal is not None:
            return super().__str__()
        state = "complete" if self.complete else f"incomplete: {self.missing[0]} is not stored"
        lines = [
            f"level {one['level']}: {one['io']:,} I/O ({one['reads']:,} reads, {one['writes']:,} writes), "
            f"peak {one['peak']:,} of {one['capacity']:,} words"
            for one in self.levels()
        ]
        return singular(
            "\n".join([f"legal, {state}; {self.computes:,} computes, {self.moves:,} moves", *lines])
        )


def check_level_pebbling(reader: PebblingReader, resolve: Callable[[Header], AnyDag]) -> LevelCheck:
    r"""Check the moves of a file whose header has been read, one by one.

    Examples
    --------
    >>> import io
    >>> from pebble.graph.dag import Dag
    >>> text = "# pebbling 1\n# dag sum\n# levels 2 4\nload 2 a\nload 1 a\ncompute s\nstore 1 s\nstore 2 s\n"
    >>> found = check_level_pebbling(PebblingReader(io.StringIO(text)), lambda header: Dag.from_edges([("a", "s")]))
    >>> found.complete, [(tally.io, tally.peak) for tally in found.tallies]
    (True, [(2, 2), (2, 2)])
    """
    game = LevelGame(resolved_dag(reader, resolve), reader.header.levels, reader.header.inclusive)
    vertex_of = lru_cache(1 << 18)(game.dag.names.index)
    line = first_illegal_line(reader, game, lambda game, text: _move_of(game, text, vertex_of))
    return LevelCheck(reader.header, game.status(), line, game.refusal, tuple(game.tallies))


def _move_of(game: LevelGame, text: str, vertex_of: Callable[[str], int]) -> LevelMove:
    words = text.split()
    op = _OPS.get(words[0])
    if op is None:
        raise InvalidInput(f"unknown operation {shown(words[0])} in {shown(text)}; use {', '.join(_OPS)}")
    if op == Op.COMPUTE:
        words.insert(1, "1")
    if len(words) != 3 or not (words[1].isascii() and words[1].isdigit()):
        form = "compute VERTEX" if op == Op.COMPUTE else f"{words[0]} LEVEL VERTEX"
        raise InvalidInput(f"{shown(text)} is not a move; write '{form}'")
    try:
        return LevelMove(op, int(words[1]), vertex_of(words[2]))
    except (KeyError, ValueError):
        refusal = f"the DAG has no vertex {shown(words[2])}", "check the '# dag' line"
        game.refuse(" ".join(text.split()), "unknown-vertex", *refusal)
