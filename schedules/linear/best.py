"""The cheapest schedule and tiles of linear attention, by closed form."""

from __future__ import annotations

from typing import ClassVar

from pebble import Schedule
from schedules._cheapest import Cheapest
from schedules.linear.chunked import Chunked
from schedules.linear.naive import NaiveChunked, NaiveGated, NaiveRecurrent, NaiveRightProduct
from schedules.linear.state_tiles import StateTiles
from schedules.linear.tiled_products import TiledProducts

__all__ = ["BestChunked", "BestGated", "BestRecurrent", "BestRightProduct"]


class _Best(Cheapest):
    name = "best"
    summary = "the cheapest of the others, with their cheapest tiles"
    source = "closed forms compared"
    candidates: ClassVar[tuple[Schedule, ...]] = ()


class BestRightProduct(_Best):
    """The state in tiles, or two products on tiles."""

    forms = ("linear",)
    candidates = (StateTiles(), TiledProducts(), NaiveRightProduct())


class BestRecurrent(_Best):
    """The state in tiles: all of it, if it fits."""

    forms = ("recurrent",)
    candidates = (StateTiles(), NaiveRecurrent())


class BestGated(_Best):
    """The same with gates."""

    forms = ("gated",)
    candidates = (StateTiles(), NaiveGated())


class BestChunked(_Best):
    """The state in fast memory, or everything written out. Chunks in parallel move more words and need as much room."""

    forms = ("chunked",)
    candidates = (Chunked(), NaiveChunked())
