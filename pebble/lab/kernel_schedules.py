"""The schedule of a loop nest: tiles and loop order where it is a family, else an order found vertex by vertex."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO

from pebble.computations.nests.header import NEST_NAME, nest_parameters
from pebble.computations.nests.nest_dag import count_edges, nest_dag
from pebble.computations.nests.statement import LoopNest
from pebble.solvers.heuristic.dag_schedule import DagSchedule, schedule_dag

__all__ = ["MOST_SCHEDULED", "ScheduleOfDag", "found_schedule"]

MOST_SCHEDULED = 1_000_000
"""Vertices and edges up to which an order is found vertex by vertex."""


@dataclass(frozen=True)
class ScheduleOfDag:
    """A schedule of the explicit DAG of a loop nest.

    Attributes
    ----------
    nest : LoopNest
    found : DagSchedule
    """

    nest: LoopNest
    found: DagSchedule

    @property
    def io(self) -> int:
        """Loads plus stores."""
        return self.found.io

    @property
    def reads(self) -> int:
        """Loads."""
        return self.found.reads

    @property
    def writes(self) -> int:
        """Stores."""
        return self.found.writes

    @property
    def peak(self) -> int:
        """The most words in fast memory at any time."""
        return self.found.peak

    @property
    def program(self) -> str:
        """How the order was found; there is no loop nest."""
        return (
            f"vertex by vertex, {self.found.dag.n_vertices:,} vertices: order {self.found.order}, eviction "
            f"{self.found.eviction}"
        )

    def write(self, target: str | os.PathLike[str] | IO[str]) -> int:
        """Write the pebbling file and return the number of moves."""
        return self.found.write(target, NEST_NAME, nest_parameters(self.nest))


def found_schedule(
    nest: LoopNest, M: int, progress: Callable[..., object] | None = None
) -> tuple[ScheduleOfDag | None, str]:
    """Return the best schedule found, verified; or None, and why.

    Raises
    ------
    CacheTooSmall
        If there is none with M words.
    """
    size = sum(count_edges(nest))
    if size > MOST_SCHEDULED:
        return None, (
            f"no schedule: {size:,} vertices and edges are too many to order one by one (limit {MOST_SCHEDULED:,}), "
            "choose smaller extents"
        )
    return ScheduleOfDag(nest, schedule_dag(nest_dag(nest).dag, M)), ""
