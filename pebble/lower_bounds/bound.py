"""What a lower bound is: a value with its status, domain and source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Bound", "Status"]

Status = Literal["proved", "computer-assisted", "asymptotic"]


@dataclass(frozen=True)
class Bound:
    """A lower bound on the I/O (loads plus stores) of one problem with M words of fast memory.

    Parameters
    ----------
    name : str
        Short name: ``"compulsory"``, ``"T1"``, ...
    value : int or float
        Words. An integer, rounded so that floating point cannot lift it above the truth, where the bound
        carries a proved constant; a float for an asymptotic curve.
    status : {"proved", "computer-assisted", "asymptotic"}
        Only the first two may be asserted. An asymptotic curve has no constant: compare its shape, not its value.
    source : str
        Where the statement and its proof are found.
    rules : str
        The rules of the game the bound holds under, in words.
    note : str
        What the value was obtained with (the best number of segments, the certificate's row), for the curious.
    """

    name: str
    value: int | float
    status: Status
    source: str
    rules: str = "recomputation allowed, sliding allowed"
    note: str = ""

    @property
    def proved(self) -> bool:
        """Whether the value may be asserted against a count."""
        return self.status != "asymptotic"
