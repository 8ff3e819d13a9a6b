"""Runs of lines told by their numbers of partners are those told line by line."""

from __future__ import annotations

import random

from pebble.computations.masks import make_mask
from pebble.computations.masks.band_mask import BandMask
from pebble.program.machine.pair_numbers import runs_by_number
from pebble.program.machine.tile_runs import TileRun, runs_of_units

MASKS = (
    "causal",
    "document:5,9,2,14",
    "document:causal,5,9,2,14",
    "window:4",
    "prefix:7",
    "window:left=3,right=0",
)


def told(runs: list[TileRun], whole: tuple[int, int]) -> dict[int, object]:
    """The signature of every line that has pairs."""
    lines = range(whole[1] - whole[0])
    return {
        at: run.signature_of(at) for run in runs for at in lines if run.first <= at < run.first + run.times
    }


def test_runs_by_number_are_those_of_units() -> None:
    rnd = random.Random(1)
    for _ in range(120):
        mask = make_mask(rnd.choice(MASKS), 30, 30)
        assert isinstance(mask, BandMask)
        axis = rnd.choice("ij")
        (a, b), (c, d) = (sorted(rnd.sample(range(31), 2)) for _ in range(2))
        whole, partners = (a, b), (c, d)
        found = runs_by_number(mask, axis, whole, partners)
        plain = runs_of_units(mask, axis, whole, partners, False, False, False, {})
        assert told(found, whole) == told(plain, whole)
        assert sum(run.times for run in found) == len(told(plain, whole))
