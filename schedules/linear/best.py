"""The cheapest schedule and tiles of linear attention, by closed form."""

from __future__ import annotations

from typing import ClassVar

from pebble import Schedule
from schedules._cheapest import Cheapest
from schedules.linear.naive import NaiveRightProduct
from schedules.linear.state_tiles import StateTiles
from schedules.linear.tiled_products import TiledProducts

__all__ = ["BestRightProduct"]


class _Best(Cheapest):
    name = "best"
    summary = "the cheapest of the others, with their cheapest tiles"
    source = "closed forms compared"
    candidates: ClassVar[tuple[Schedule, ...]] = ()


class BestRightProduct(_Best):
    """The state in tiles, or two products on tiles."""

    forms = ("linear",)
    candidates = (StateTiles(), TiledProducts(), NaiveRightProduct())
