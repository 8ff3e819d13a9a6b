"""A bound on the I/O of a DAG, with what it was computed from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pebble.lower_bounds.bound import Bound

__all__ = ["ANY_RULES", "ONCE_ONLY", "PAGE", "GraphBound"]

ANY_RULES = "recomputation allowed, sliding allowed"
"""The bound holds in every variant of the game."""

ONCE_ONLY = "recomputation forbidden, sliding allowed"
"""The bound needs that no vertex is computed twice."""

PAGE = "docs/graph-bounds.md"


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

    inputs: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the bound as plain data."""
        return {
            "name": self.name,
            "value": self.value,
            "proved": self.proved,
            "status": self.status,
            "rules": self.rules,
            "source": self.source,
            "note": self.note,
        }
