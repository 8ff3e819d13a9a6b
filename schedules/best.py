"""The cheapest schedule and tiles for a problem, by closed form."""

from __future__ import annotations

import math
from functools import lru_cache

from pebble import CacheTooSmall, InvalidInput, Problem, Schedule, family_of
from pebble.program import Program, Tiles, TooManyOperations, fitting_each, own_sizes
from schedules.backward.flash import Flash1Backward
from schedules.backward.masked import (
    KeysPackedBackward,
    KeyWindowBackward,
    QueriesCausalBackward,
    SplitCausalBackward,
    SplitPackedBackward,
)
from schedules.backward.mixed import KeysMixedBackward
from schedules.backward.pinned import KeysPinnedBackward, QueriesPinnedBackward, QueriesSlicedBackward
from schedules.backward.sliced import SlicedBackward
from schedules.backward.split import HybridBackward, PFirstBackward, SplitBackward
from schedules.backward.tiled import SquareTileBackward
from schedules.flash1 import Flash1
from schedules.flash2 import Flash2, Flash2Causal, Flash2Packed, Flash2Pinned, KeyWindow, Split
from schedules.flash2_heads import Flash2Heads
from schedules.flash2_late import Flash2Late
from schedules.flash2_mixed import Flash2Mixed, Flash2Sliced
from schedules.flash2_parted import Flash2Parted
from schedules.hybrid import Hybrid
from schedules.linear.chunked import Chunked, ChunkedBackward
from schedules.linear.state_tiles import StateTiles, TiledProducts
from schedules.naive import Naive
from schedules.p_tile import PTile
from schedules.split_pinned import SplitPinned
from schedules.square_tile import SquareTile

_ONE_SWEEP: tuple[Schedule, ...] = (
    Flash2Pinned(),
    Flash2Causal(),
    Flash2Packed(),
    Hybrid(),
    SquareTile(),
    Flash2Sliced(),
    Flash2Mixed(),
    Flash1(),
    Naive(),
    KeyWindow(),
)
"""For plain and online softmax."""

_TWO_SWEEPS = (
    Split(),
    SplitPinned(),
    Flash2(),
    Flash2Mixed(),
    Flash2Causal(),
    Flash2Packed(),
    Hybrid(),
    SquareTile(),
    Naive(),
)
"""For safe softmax, which has fewer schedules: every score is needed twice."""

_GRADIENTS = (
    SplitBackward(),
    HybridBackward(),
    PFirstBackward(),
    SlicedBackward(),
    SquareTileBackward(),
    KeysPinnedBackward(),
    KeysMixedBackward(),
    QueriesPinnedBackward(),
    QueriesSlicedBackward(),
    QueriesCausalBackward(),
    SplitCausalBackward(),
    SplitPackedBackward(),
    KeysPackedBackward(),
    Flash1Backward(),
    Naive(),
    KeyWindowBackward(),
)

_CANDIDATES: dict[str, tuple[Schedule, ...]] = {
    "plain": (*_ONE_SWEEP, PTile()),
    "safe": _TWO_SWEEPS,
    "online": _ONE_SWEEP,
    "own": (Flash2Pinned(), Flash2Causal(), Flash2Packed(), Naive(), KeyWindow()),
    "latent": (Flash2(), Flash2Late(), Flash2Parted(), SquareTile(), Naive()),
    "shared-rope": (Flash2Heads(), SquareTile(), Naive()),
    "linear": (StateTiles(), TiledProducts(), Naive()),
    "recurrent": (StateTiles(), Naive()),
    "gated": (StateTiles(), Naive()),
    "chunked": (Chunked(), Naive()),
    "backward": _GRADIENTS,
    "recurrent backward": (StateTiles(), Naive()),
    "chunked backward": (ChunkedBackward(), Naive()),
}
"""Of each computation the schedules that cover its regimes, and a few that are cheapest for odd shapes only."""

_ALL = tuple(dict.fromkeys(schedule for some in _CANDIDATES.values() for schedule in some))


class Best(Schedule):
    """Picks among the schedules of a computation; the names of the tiles tell which one was picked."""

    name = "best"
    summary = "the cheapest of the others, with their cheapest tiles"
    source = "closed forms compared"
    passes = ("forward", "backward")
    forms = tuple(form for form in _CANDIDATES if not form.endswith("backward"))
    follows_mask = True
    in_sequences = True
    may_be_zero = tuple(sorted({name for schedule in _ALL for name in schedule.may_be_zero}))
    tile_names = optional_tiles = tuple(
        dict.fromkeys(name for schedule in _ALL for name in schedule.tile_names)
    )

    @staticmethod
    def candidates(problem: Problem) -> tuple[Schedule, ...]:
        """Return the schedules that are compared."""
        backward = problem.pass_name == "backward"
        if problem.attention == "linear":
            return _CANDIDATES[f"{problem.form} backward" if backward else problem.form]
        return _CANDIDATES["backward" if backward else problem.form]

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the tiles of the cheapest candidate that fits."""
        offered = [one for one in self.candidates(problem) if one.is_offered(problem)]
        found = fitting_each(offered, problem, M, _inputs_and_outputs(problem))
        chosen = [one for one in found if one and not isinstance(one, Exception)]
        if not chosen:
            self.require(problem, M)
            raise min((one for one in found if isinstance(one, Exception)), key=_least)
        return min(chosen, key=lambda one: one.words).tiles

    def smallest(self, problem: Problem) -> Tiles:
        """Return the smallest tiles of the candidate that needs the least room."""
        plain = problem.without_mask()
        candidates = (schedule for schedule in self.candidates(problem) if not schedule.follows_mask)
        return min(candidates, key=lambda schedule: schedule.least_M(plain)).smallest(plain)

    def least_M(self, problem: Problem) -> int:
        """Return the least number of words that a candidate needs, whatever the mask."""
        plain = problem.without_mask()
        return self.measure(plain, self.smallest(plain)).peak

    def chosen(self, problem: Problem, tiles: Tiles) -> Schedule:
        """Return the candidate that the tiles belong to.

        Raises
        ------
        InvalidInput
            If no candidate has just these tiles.
        """
        by_names = _by_names(self.candidates(problem))
        try:
            return by_names[frozenset(own_sizes(tiles))]
        except KeyError:
            takes = "; ".join(",".join(n for n in self.tile_names if n in names) for names in by_names)
            raise InvalidInput(
                f"{self.name}: no schedule has exactly the tiles {','.join(tiles)}; give one of these "
                f"sets: {takes}"
            ) from None

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program of the candidate that the tiles belong to."""
        tiles = self.check_tiles(tiles)
        return self.chosen(problem, tiles).program(problem, tiles)


def _inputs_and_outputs(problem: Problem) -> int:
    """Return the words that every schedule moves."""
    family = family_of(problem)
    return sum(family.words_needed(one.name) for one in (*family.inputs, *family.outputs))


def _least(failure: CacheTooSmall | TooManyOperations) -> float:
    """Return the least M that a candidate needs; what cannot be counted comes last."""
    return failure.least_M or 0 if isinstance(failure, CacheTooSmall) else math.inf


@lru_cache(maxsize=len(_CANDIDATES))
def _by_names(candidates: tuple[Schedule, ...]) -> dict[frozenset[str], Schedule]:
    """Return the candidates by the names of the tiles that they choose.

    Raises
    ------
    TypeError
        If two have the same.
    """
    found: dict[frozenset[str], Schedule] = {}
    for schedule in candidates:
        softmax = schedule.forms[0] if schedule.forms[0] in ("safe", "online") else "plain"
        problem = Problem(1, 1, 1, 1, pass_name=schedule.passes[0], softmax=softmax)
        for tiles in (schedule.smallest(problem), *schedule.other_smallest(problem)):
            if found.setdefault(frozenset(tiles), schedule) is not schedule:
                raise TypeError(f"two candidates for best have the tiles {', '.join(sorted(tiles))}")
    return found
