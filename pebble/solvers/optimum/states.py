"""States of the search, many at once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.optimum.bits import Words

__all__ = ["States"]


class States(NamedTuple):
    """States as three columns of sets; positions are those of a :class:`~pebble.solvers.optimum.model.Model`.

    A middle vertex may be in these conditions:

    ===== ===== ===== ==================================================================================
    red   blue  owed  condition
    ===== ===== ===== ==================================================================================
    no    no    no    absent; if it comes back, it is computed, and a copy in slow memory is not used again
    yes   no    no    in fast memory only, as far as the search knows
    yes   yes   no    in fast and in slow memory
    no    yes   no    put aside: stored, and the next that happens to it is a load
    no    no    yes   absent, but stored: it will be computed again and after that, some time, loaded
    yes   no    yes   the same after it was computed: stored, and to be loaded some time
    ===== ===== ===== ==================================================================================

    Attributes
    ----------
    red : array of uint64, shape (n,)
        Inputs and middle vertices in fast memory. A sink never stays there: it is stored and given up at once.
    blue : array of uint64, shape (n,)
        Middle vertices as above; stored sinks; stored other outputs, each at a further position of its own.
    owed : array of uint64, shape (n,)
        Middle vertices as above; always empty where vertices are computed once.
    """

    red: Words
    blue: Words
    owed: Words

    def take(self, which: NDArray[Any] | slice) -> States:
        """Return some of the states."""
        return States(self.red[which], self.blue[which], self.owed[which])

    def put(self, where: NDArray[np.int64], others: States) -> None:
        """Overwrite some of the states."""
        for column, values in zip(self, others, strict=True):
            column[where] = values

    def copy(self) -> States:
        """Return a copy."""
        return States(self.red.copy(), self.blue.copy(), self.owed.copy())

    def __len__(self) -> int:
        return len(self.red)
