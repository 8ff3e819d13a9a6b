"""Queries that attend to nothing: an error, or by explicit choice an output of zero."""

from __future__ import annotations

from bisect import bisect_right
from typing import TypeVar

from pebble.common.errors import InvalidInput
from pebble.computations.masks.mask import Mask

__all__ = ["EMPTY_ROWS", "check_rows"]

EMPTY_ROWS = ("error", "zero")
_SHOWN = 5

M = TypeVar("M", bound=Mask)


def check_rows(mask: M, empty_rows: str = "error") -> M:
    """Return the mask with the choice noted on it.

    Raises
    ------
    InvalidInput
        If a query attends to nothing and that was not allowed, or no query attends to anything.
    """
    if empty_rows not in EMPTY_ROWS:
        raise InvalidInput(f"empty_rows must be 'error' or 'zero', not {empty_rows!r}")
    n_empty = mask.Nq - mask.present("i")
    if n_empty == mask.Nq:
        raise InvalidInput(f"mask {mask.spec} allows no pair at all: there is nothing to compute")
    if n_empty and empty_rows == "error":
        raise InvalidInput(_message(mask, n_empty))
    mask.empty_rows = empty_rows
    return mask


def _empty_row(mask: Mask, number: int) -> int:
    """Return the query that attends to nothing and has so many of that kind before it; by bisection."""
    return bisect_right(range(mask.Nq + 1), number, key=lambda query: query - mask.present("i", 0, query)) - 1


def _message(mask: Mask, n_empty: int) -> str:
    shown = ", ".join(str(_empty_row(mask, number)) for number in range(min(n_empty, _SHOWN)))
    shown += ", …" * (n_empty > _SHOWN)
    which = f"query {shown} attends" if n_empty == 1 else f"{n_empty:,} queries ({shown}) attend"
    return (
        f"mask {mask.spec}: {which} to no key, and a softmax over nothing is not defined; "
        "change the mask, or let the output be zero there: empty_rows='zero' (--empty-rows zero)"
    )
