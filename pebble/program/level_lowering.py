"""Lowering a program for several memory levels to the elementary game, vertex by vertex."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from pebble.game.level_game import LevelMove
from pebble.game.moves import Op
from pebble.program.lowering import DELETE, _DenseLowering, _Lowering
from pebble.program.nodes import Operation, Program
from pebble.program.parts_in_turn import written_out
from pebble.program.steps import Step, walk
from pebble.program.validation import validate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.family import Family

__all__ = ["lower_levels"]


def lower_levels(
    program: Program, family: Family, levels: int, *, inclusive: bool = True
) -> Iterator[LevelMove]:
    """Yield the moves of a program in the game with several memory levels.

    Parameters
    ----------
    program : Program
    family : Family
    levels : int
        How many bounded levels there are.
    inclusive : bool
        Whether a computed vertex takes a word at every level, and what it replaces frees one at every level.

    Raises
    ------
    InvalidInput
        If the program makes no sense, or a partial result is moved that is not there; the game itself is what checks
        legality.

    Examples
    --------
    >>> from pebble.computations.matmul import matmul_family
    >>> from pebble.program import compute, load, phase, program
    >>> text = program(phase("", load("A", level=2), load("B", level=2), load("A", "B"), compute("C")))
    >>> [str(move) for move in lower_levels(text, matmul_family(1, 1, 1), 2)]
    ['load 2 vertex 0', 'load 2 vertex 1', 'load 1 vertex 0', 'load 1 vertex 1', 'compute vertex 2']
    """
    program = written_out(program, family)
    validate(program, family, levels)
    lowering = _LevelLowering(family, levels, inclusive)
    for step in walk(program, family):
        yield from lowering.moves(step)


class _LevelLowering:
    """Progress of every chain at every level; a lowering to two memories is lent those on both sides of a boundary."""

    def __init__(self, family: Family, levels: int, inclusive: bool) -> None:
        self.family = family
        self.pair = _Lowering(family) if family.masked_axes else _DenseLowering(family)
        inner = {name: np.zeros_like(cells) for name, cells in self.pair.slow.items()}
        self.places: list[dict[str, NDArray[np.int64]]] = [self.pair.fast]
        self.places += [{name: cells.copy() for name, cells in inner.items()} for _ in range(levels - 1)]
        self.places += [self.pair.slow]
        self.placed = levels if inclusive else 1

    def moves(self, step: Step) -> Iterator[LevelMove]:
        """Yield the moves of one operation."""
        op = step.operation
        self.pair.fast, self.pair.slow = self.places[op.level - 1], self.places[op.level]
        code, vertex = self.pair.moves(step)
        if op.action == "compute":
            self._place(step, op)
        for one, v in zip(code.tolist(), vertex.tolist(), strict=True):
            for level in (
                range(1, self.placed + 1) if op.action == "compute" and one == DELETE else (op.level,)
            ):
                yield LevelMove(Op(one), level, v)

    def _place(self, step: Step, op: Operation) -> None:
        """Note at the levels farther out what a computation places there and replaces."""
        for name in (op.array, op.replacing):
            if name is not None:
                box = self.pair.box(step, self.family[name])
                for place in self.places[1 : self.placed]:
                    place[name][box] = self.places[0][name][box]
