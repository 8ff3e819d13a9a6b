"""The cheapest schedule and tiles where the values are part of the keys, by closed form."""

from __future__ import annotations

from schedules._cheapest import Cheapest
from schedules.latent.flash2 import Flash2Latent
from schedules.latent.naive import NaiveLatent
from schedules.latent.square_tile import SquareTileLatent

__all__ = ["BestLatent"]


class BestLatent(Cheapest):
    """Picks among schedules that each cover a regime."""

    name = "best"
    summary = "the cheapest of the others, with their cheapest tiles"
    source = "closed forms compared"
    forms = ("latent",)
    candidates = (Flash2Latent(), SquareTileLatent(), NaiveLatent())
