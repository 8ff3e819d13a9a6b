"""What a lower bound states: its permanent name, what it says and of what, and whose it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pebble.common.whole_numbers import singular
from pebble.lower_bounds.bound import ANY_RULES, Bound, Status
from pebble.lower_bounds.references import Reference

__all__ = ["AUTHORS", "Statement"]

AUTHORS = "The authors of pebble"
"""The author of a bound that is stated and proved in this project."""


@dataclass(frozen=True)
class Statement:
    """A lower bound as it can be cited; its values for problems are made from it.

    Parameters
    ----------
    name : str
        The permanent name. It is never given to another statement.
    says : str
        The statement, as a formula or a sentence.
    hypotheses : str
        What it holds for.
    source : str
        Where the statement and its proof are found.
    status : {"machine-checked", "proved", "computer-assisted", "asymptotic"}
        As for :class:`~pebble.lower_bounds.bound.Bound`.
    rules : str
        The rules of the game that it holds under, as for :class:`~pebble.lower_bounds.bound.Bound`.
    by : Reference, optional
        Where it was published; without it, it is stated and proved in this project.
    after : tuple of Reference
        What the proof uses.
    version : int
        Raised when the statement changes, so that a value may differ from before.
    """

    name: str
    says: str
    hypotheses: str
    source: str
    status: Status = "proved"
    rules: str = ANY_RULES
    by: Reference | None = None
    after: tuple[Reference, ...] = ()
    version: int = 1

    @property
    def authors(self) -> str:
        """Whose it is, with the year if it was published elsewhere."""
        return AUTHORS if self.by is None else self.by.short

    def bound(
        self, value: int | float, note: str = "", *, source: str | None = None, status: Status | None = None
    ) -> Bound:
        """Return what it says of one problem; another source or status where it is a special case.

        Parameters
        ----------
        value : int or float
            Words.
        note, source, status : str
            As for :class:`~pebble.lower_bounds.bound.Bound`.
        """
        return Bound(
            self.name,
            value,
            status or self.status,
            source or self.source,
            self.rules,
            singular(note),
            facts=self.facts(),
        )

    def facts(self) -> dict[str, Any]:
        """Return what a bound of this name carries besides its value, as plain data."""
        return {
            "statement": self.says,
            "hypotheses": self.hypotheses,
            "authors": self.authors,
            "version": self.version,
        }
