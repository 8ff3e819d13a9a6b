"""Tiles on short axes: every combination of sizes, so that none that fits moves fewer words."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np

from pebble.common.errors import CacheTooSmall
from pebble.program.schedule.batch_counts import BatchCounts, batch_counts
from pebble.program.schedule.tile_groups import TileGroup
from pebble.program.schedule.tile_trials import Trials

__all__ = ["combinations", "every_size", "phases_are_apart"]


def every_size(
    trials: Trials, base: dict[str, int], given: dict[str, int], groups: list[TileGroup]
) -> dict[str, int]:
    """Return the best of all tiles that fit: of each group those given, or else the most equal, where several are.

    Parameters
    ----------
    trials : Trials
    base, given : dict of str to int
        The smallest tiles; tiles to begin with, which need not fit.
    groups : list of TileGroup
        The tiles to choose.

    Raises
    ------
    CacheTooSmall
        If no tiles of a group fit.
    NoClosedForm
        If the text of a program does not say what it needs.
    """
    sizes = [list(product(*(_range(trials, name) for name in group.names))) for group in groups]
    programs = []
    # Groups shape different phases: one program has a combination of each.
    for number in range(max(map(len, sizes), default=0)):
        tiles = dict(base)
        for group, own in zip(groups, sizes, strict=True):
            tiles |= zip(group.names, own[number % len(own)], strict=True)
        programs.append(trials.schedule.program(trials.problem, tiles))
    found = dict(given)
    for group, own in zip(groups, sizes, strict=True):
        counts = batch_counts(programs[: len(own)], trials.family, group.phases)
        found |= zip(group.names, own[_best(trials, group, own, given, counts)], strict=True)
    return found


def _best(
    trials: Trials, group: TileGroup, sizes: list[tuple[int, ...]], given: dict[str, int], counts: BatchCounts
) -> int:
    """Return the number of the best sizes of a group."""
    words, room, _ = counts
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

    return min(map(int, cheapest), key=order)


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
