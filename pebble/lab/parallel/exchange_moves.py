"""The exchange of a schedule for several devices as a pebbling file: every word of every device."""

from __future__ import annotations

from pebble.common.errors import InvalidInput
from pebble.program.parallel import Shape, SharedProblem, distributed_schedule
from pebble.program.parallel.elementary import ExchangeMoves

_MOST_MOVES = 20_000_000


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
            f"the exchange has about {about:,} moves; the limit for a file is {_MOST_MOVES:,}: use a "
            "smaller N"
        )
    if shape is None:
        shape = made.best_shape(problem, pass_on)
    return ExchangeMoves(made.exchange(problem, shape, pass_on))
