"""Tiles on short axes: every combination of sizes, so that none that fits moves fewer words."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np

from pebble.common.errors import CacheTooSmall
from pebble.program.schedule.batch_counts import batch_counts
from pebble.program.schedule.tile_groups import TileGroup
from pebble.program.schedule.tile_trials import Trials

__all__ = ["combinations", "every_size", "phases_are_apart"]


def every_size(
    trials: Trials, base: dict[str, int], given: dict[str, int], group: TileGroup
) -> dict[str, int]:
    """Return the best of all tiles of a group that fit: those given, or else the most equal, where several are.

    Parameters
    ----------
    trials : Trials
    base, given : dict of str to int
        The smallest tiles; tiles to begin with, which need not fit.
    group : TileGroup
        The tiles to choose; the others are as small as can be.

    Raises
    ------
    CacheTooSmall
        If no tiles of the group fit.
    NoClosedForm
        If the text of a program does not say what it needs.
    """
    sizes = list(product(*(_range(trials, name) for name in group.names)))
    programs = [
        trials.schedule.program(trials.problem, {**base, **dict(zip(group.names, some, strict=True))})
        for some in sizes
    ]
    words, room, _ = batch_counts(programs, trials.family, group.phases)
    fitting = np.flatnonzero(room <= trials.M)
    if not len(fitting):
        least = int(room.min())
        raise CacheTooSmall(
            f"{trials.schedule.name} needs at least {least} words of fast memory under this mask; "
            f"M is {trials.M}",
            least,
        )
    cheapest = fitting[words[fitting] == words[fitting].min()]
    own = tuple(given[name] for name in group.names)

    def order(place: int) -> tuple[bool, int, int]:
        cuts = sizes[place][: len(group.cuts)]
        return sizes[place] != own, max(cuts, default=0) - min(cuts, default=0), int(room[place])

    best = min(cheapest.tolist(), key=order)
    return {**given, **dict(zip(group.names, sizes[best], strict=True))}


def combinations(trials: Trials, group: TileGroup) -> int:
    """Return how many combinations of sizes there are."""
    return prod(len(_range(trials, name)) for name in group.names)


def phases_are_apart(trials: Trials, base: dict[str, int]) -> bool:
    """Whether no phase leaves anything in fast memory, so that the room of each one does not depend on the others.

    Raises
    ------
    NoClosedForm
        If the text of the program does not say.
    """
    program = trials.schedule.program(trials.problem, base)
    return all(
        not batch_counts([program], trials.family, [number]).growth.any()
        for number in range(len(program.phases))
    )


def _range(trials: Trials, name: str) -> range:
    return range(0 if name in trials.schedule.may_be_zero else 1, trials.greatest[name] + 1)
