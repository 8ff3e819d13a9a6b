"""The cheapest forward schedule and tiles for a problem, by closed form."""

from __future__ import annotations

from schedules._cheapest import Cheapest
from schedules.flash1 import Flash1
from schedules.flash2 import Flash2
from schedules.flash2_causal import Flash2Causal
from schedules.flash2_mixed import Flash2Mixed
from schedules.flash2_packed import Flash2Packed
from schedules.flash2_pinned import Flash2Pinned
from schedules.flash2_sliced import Flash2Sliced
from schedules.hybrid import Hybrid
from schedules.key_window import KeyWindow
from schedules.naive import Naive
from schedules.split import Split
from schedules.split_pinned import SplitPinned
from schedules.square_tile import SquareTile

__all__ = ["Best", "BestSafe"]


class Best(Cheapest):
    """Picks among schedules that each cover a regime, and a few that are cheapest for odd shapes only."""

    name = "best"
    summary = "the cheapest of the others, with their cheapest tiles"
    source = "closed forms compared"
    forms = ("plain", "online")
    candidates = (
        Flash2Pinned(),
        Flash2Causal(),
        Flash2Packed(),
        Flash2Sliced(),
        Flash2Mixed(),
        Hybrid(),
        SquareTile(),
        Flash1(),
        Naive(),
        KeyWindow(),
    )


class BestSafe(Cheapest):
    """The same for safe softmax, which has fewer schedules: every score is needed twice."""

    name = "best"
    summary = "the cheapest of the others, with their cheapest tiles"
    source = "closed forms compared"
    forms = ("safe",)
    candidates = (
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
