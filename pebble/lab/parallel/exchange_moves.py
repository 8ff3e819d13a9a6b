"""The exchange of a schedule for several devices as a pebbling file: every word of every device."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from pebble.common.errors import InvalidInput
from pebble.computations.family import Family
from pebble.game.files.header import Header
from pebble.game.files.writer import write_lines
from pebble.program.parallel import Exchange, Shape, SharedProblem, distributed_schedule
from pebble.program.parallel.elementary import elementary_family, elementary_lines, elementary_processors

__all__ = ["ExchangeMoves", "exchange_moves"]

_MOST_MOVES = 20_000_000


@dataclass(frozen=True)
class ExchangeMoves:
    """The moves of an exchange, made as they are read."""

    exchange: Exchange
    family: Family
    header: Header

    def __iter__(self) -> Iterator[str]:
        return elementary_lines(self.exchange)

    def write(self, target: str | os.PathLike[str] | IO[str]) -> int:
        """Write the pebbling file, a path whole or not at all, and return the number of lines after the header."""
        return write_lines(target, self.header, self)


def exchange_moves(
    problem: SharedProblem, schedule: str, shape: Shape | None = None, pass_on: str = "needed"
) -> ExchangeMoves:
    """Write out what a schedule for several devices does, for ``pebble check`` or another referee.

    Parameters
    ----------
    problem : SharedProblem
    schedule : str
    shape : tuple of int, optional
        By default the one with which the busiest device receives least.
    pass_on : {"needed", "all"}

    Examples
    --------
    >>> moves = exchange_moves(SharedProblem(2, 1, 2), "ring")
    >>> print(moves.header, end="")
    # pebbling 1
    # dag attention-forward Nq=2 Nk=2 d=1 dv=1
    # devices 2
    # layout contiguous
    # sums U l
    >>> len(list(moves))
    43
    """
    made = distributed_schedule(schedule)
    per_pair = 2 * problem.d + 4 * (problem.width + 1) if problem.pass_name == "forward" else 10 * problem.d
    about = problem.pairs * problem.heads * (per_pair + 4)
    if about > _MOST_MOVES:
        raise InvalidInput(
            f"the exchange has about {about:,} moves; at most {_MOST_MOVES:,} are written: take a smaller N"
        )
    if shape is None:
        shape = made.best_shape(problem, pass_on)
    family = elementary_family(problem)
    header = Header(family.name, family.parameters, processors=elementary_processors(problem))
    return ExchangeMoves(made.exchange(problem, shape, pass_on), family, header)
