"""The cheapest backward schedule and tiles for a problem, by closed form."""

from __future__ import annotations

from schedules._cheapest import Cheapest
from schedules.backward.causal import QueriesCausalBackward, SplitCausalBackward
from schedules.backward.flash import Flash1Backward
from schedules.backward.key_window import KeyWindowBackward
from schedules.backward.mixed import KeysMixedBackward
from schedules.backward.naive import NaiveBackward
from schedules.backward.packed import KeysPackedBackward, SplitPackedBackward
from schedules.backward.pinned import KeysPinnedBackward, QueriesPinnedBackward, QueriesSlicedBackward
from schedules.backward.sliced import SlicedBackward
from schedules.backward.split import HybridBackward, PFirstBackward, SplitBackward
from schedules.backward.tiled import SquareTileBackward

__all__ = ["BestBackward"]


class BestBackward(Cheapest):
    """Picks among the backward schedules, each of which covers a regime."""

    name = "best"
    summary = "the cheapest of the others, with their cheapest tiles"
    source = "closed forms compared"
    passes = ("backward",)
    candidates = (
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
        NaiveBackward(),
        KeyWindowBackward(),
    )
