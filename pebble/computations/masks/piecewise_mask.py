"""Masks of which first and last partner of every line are known in pieces: what follows from that."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.line_pieces import LinePieces
from pebble.computations.masks.mask import OTHER_AXIS, Mask
from pebble.computations.masks.questions import Questions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]

__all__ = ["PiecewiseMask", "PiecewiseQuestions"]


class PiecewiseMask(Mask):
    """A mask that tells in what pieces the first and the last partner of its lines stay, or go up by one.

    Nothing costs in proportion to the numbers of queries and keys but what is returned.
    """

    @abstractmethod
    def _pieces_of(self, axis: str) -> LinePieces:
        """Return the lines of an axis that have pairs, in pieces."""

    @cached_property
    def line_pieces(self) -> dict[str, LinePieces]:
        """Of either axis, the lines that have pairs, in pieces."""
        return {axis: self._pieces_of(axis) for axis in OTHER_AXIS}

    def first_of(self, axis: str, lines: Whole) -> Whole:
        """First partner of chosen lines of an axis."""
        return self.line_pieces[axis].ends(lines, self.extents[OTHER_AXIS[axis]])[0]

    def last_of(self, axis: str, lines: Whole) -> Whole:
        """Last partner of chosen lines of an axis."""
        return self.line_pieces[axis].ends(lines, -1)[1]

    def separations(self, axis: str) -> list[int]:
        """Return no place: at which the mask falls apart is not looked for, line by line."""
        return []


class PiecewiseQuestions(Questions):
    """The answers that follow from the pieces.

    Parameters
    ----------
    mask : PiecewiseMask
    """

    def __init__(self, mask: PiecewiseMask) -> None:
        super().__init__(mask.extents)
        self._pieces = mask.line_pieces

    def present(self, axis: str, x0: Whole, x1: Whole) -> Whole:
        """Numbers of lines in intervals that have any pair."""
        return self._pieces[axis].before(x1) - self._pieces[axis].before(x0)

    def begun(self, axis: str, x0: Whole, x1: Whole, place: Whole) -> Whole:
        """Numbers of lines in intervals that have a pair with a partner before a place."""
        return self._pieces[axis].begun(x1, place) - self._pieces[axis].begun(x0, place)

    def behind_latest(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Return the place behind the last line whose first partner is in [p, q); x0 if there is none."""
        return np.maximum(self._pieces[axis].latest(x1, p, q) + 1, x0)
