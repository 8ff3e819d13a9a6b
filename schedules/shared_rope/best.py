"""The cheapest schedule and tiles where heads share rotary words of keys, by closed form."""

from __future__ import annotations

from schedules._cheapest import Cheapest
from schedules.shared_rope.flash2 import Flash2SharedRope
from schedules.shared_rope.naive import NaiveSharedRope
from schedules.shared_rope.square_tile import SquareTileSharedRope

__all__ = ["BestSharedRope"]


class BestSharedRope(Cheapest):
    """Picks among schedules that each cover a regime."""

    name = "best"
    summary = "the cheapest of the others, with their cheapest tiles"
    source = "closed forms compared"
    forms = ("shared-rope",)
    candidates = (Flash2SharedRope(), SquareTileSharedRope(), NaiveSharedRope())
