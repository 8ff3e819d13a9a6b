"""A bound on the I/O of a DAG, with what it was computed from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from pebble.lower_bounds.bound import Bound, Statement

PAGE = "docs/proofs/graphs.md"

_TOLERANCE = 1e-6


@dataclass(frozen=True)
class GraphBound(Bound):
    """A lower bound on the loads plus stores of every complete pebbling of one DAG with M words.

    Parameters
    ----------
    name, value, status, source, rules, note
        As for :class:`~pebble.lower_bounds.bound.Bound`.
    inputs : mapping of str to int or str
        What the value can be computed from again, together with the DAG and M: the vertex of a cut, the number
        of eigenvalues, ... Plain data, written into certificates.
    """

    KEYS = "name value proved status rules source note"

    inputs: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls, statement: Statement, value: int | float, note: str, inputs: Mapping[str, Any], **special: Any
    ) -> GraphBound:
        """Return what a statement says of one DAG; ``special`` has its source or rules where they are others."""
        bound = replace(statement.bound(value, note), **special)
        return cls.from_bound(bound, inputs)

    @classmethod
    def from_bound(cls, bound: Bound, inputs: Mapping[str, Any]) -> GraphBound:
        """Return a bound with what it can be computed from."""
        known = {one.name: getattr(bound, one.name) for one in fields(Bound)}
        return cls(**known, inputs=inputs)

    @property
    def least_io(self) -> int:
        """The whole number of words that the bound proves.

        I/O is an integer, so that a bound of 19.2 proves 20. A float just above an integer is not trusted
        to be above it: another machine may find it just below.

        >>> GraphBound("smith", 19.2, "proved", "").least_io, GraphBound("smith", 19.0, "proved", "").least_io
        (20, 19)
        """
        return self.value if isinstance(self.value, int) else math.ceil(self.value - _TOLERANCE)
