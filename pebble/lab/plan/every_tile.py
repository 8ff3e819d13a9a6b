"""Short axes: all tiles of a schedule that the constraints allow, so that none that fits moves less."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from math import prod

from pebble.common.errors import InvalidInput
from pebble.lab.plan.candidates import Candidate, Setting, candidate_of
from pebble.lab.plan.roofline import moved_bytes
from pebble.program.schedule import Schedule, Tiles

__all__ = ["best_of_all", "few_own_tiles", "few_whole_tiles"]

_FEW = 400
"""So many combinations of sizes are counted in about a second."""


def few_own_tiles(schedule: Schedule, setting: Setting) -> list[Tiles] | None:
    """Return all tiles of a schedule; None if they are many, or follow a published rule."""
    problem = setting.problem
    if schedule.published_tiles or not setting.short:
        return None
    least, greatest = schedule.smallest(problem), schedule.greatest(problem)
    ranges = [range(int(name not in schedule.may_be_zero), greatest[name] + 1) for name in least]
    if prod(map(len, ranges)) > _FEW:
        return None
    return [dict(zip(least, sizes, strict=True)) for sizes in product(*ranges)]


def few_whole_tiles(setting: Setting) -> list[Tiles] | None:
    """Return all tiles of whole rows and columns; None if they are many."""
    problem, constraints = setting.problem, setting.constraints
    rows, cols = constraints.sizes("rows", problem.Nq), constraints.sizes("cols", problem.Nk)
    if len(rows) * len(cols) > _FEW or not setting.short:
        return None
    return [{"rows": row, "cols": col} for row, col in product(rows, cols)]


def best_of_all(schedule: Schedule, form: str, tiles: list[Tiles], setting: Setting) -> Candidate | None:
    """Return the best of all tiles that are allowed and fit: counted first, then measured from the best on."""
    counted = sorted(_counted(schedule, tiles, setting), key=lambda one: one[0])
    fitting = (one for _, one in counted if setting.fits(schedule, one))
    best = next(fitting, None)
    return None if best is None else candidate_of(schedule, form, best, setting)


def _counted(
    schedule: Schedule, every: list[Tiles], setting: Setting
) -> Iterator[tuple[tuple[int, int, int], Tiles]]:
    """Yield the tiles that are allowed, with what they move, in the order of :attr:`Candidate.order`."""
    for tiles in every:
        with suppress(InvalidInput):  # such tiles exclude each other
            if setting.allows(schedule, tiles):
                traffic = setting.evaluations.traffic(schedule, tiles)
                moved = moved_bytes(traffic, setting.dtype, setting.constraints.accumulate)
                yield (moved, traffic.io, -tiles.get("rows", 1) * tiles.get("cols", 1)), tiles
