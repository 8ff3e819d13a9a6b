"""Runs of lines told by their numbers of partners are those told line by line."""

from __future__ import annotations

import random

import numpy as np
import pytest

from pebble.computations.masks import make_mask
from pebble.computations.masks.band_mask import BandMask
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.machine import tile_runs
from pebble.program.machine.pair_numbers import has_few_turns, runs_by_number
from pebble.program.machine.tile_runs import TileRun, runs_of_units
from tests.program.long_masks import long_band

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


def a_band(rnd: random.Random) -> BandMask:
    mask = (
        make_mask(rnd.choice(MASKS), 30, 30)
        if rnd.random() < 0.5
        else long_band(rnd, rnd.randint(12, 30), rnd.randint(8, 30))
    )
    return mask if isinstance(mask, BandMask) else a_band(rnd)


def a_box(rnd: random.Random, mask: BandMask) -> tuple[str, tuple[int, int], tuple[int, int]]:
    """An axis, some of its lines, and some of the other one."""
    axis = rnd.choice("ij")
    (a, b), (c, d) = (sorted(rnd.sample(range(mask.extents[one] + 1), 2)) for one in (axis, OTHER_AXIS[axis]))
    return axis, (a, b), (c, d)


def check_begun(mask: BandMask, axis: str, whole: tuple[int, int], partners: tuple[int, int]) -> None:
    found = told(runs_by_number(mask, axis, whole, partners, True), whole)
    plain = told(runs_of_units(mask, axis, whole, partners, False, True, False, {}), whole)
    # The order of partners of whom only some have begun follows from how many have.
    assert found == {at: (*signature[:-1], None) for at, signature in plain.items()}  # type: ignore[index]


def test_runs_tell_which_partners_have_begun() -> None:
    rnd = random.Random(2)
    for _ in range(250):
        mask = a_band(rnd)
        check_begun(mask, *a_box(rnd, mask))


def test_runs_are_joined_only_if_all_numbers_go_on() -> None:
    starts, stops = [*range(8), *[9] * 9], [*range(8), *range(9, 18)]
    mask = BandMask("band", 24, np.array(starts), np.array(stops))
    check_begun(mask, "i", (5, 16), (2, 16))


def test_lines_next_to_lines_without_partners_are_looked_at_alone() -> None:
    for starts, stops in (([0, 1, 2, 3, 3, 3, 3, 3], [3] * 8), ([0] * 8, [0, 0, 0, 1, 2, 3, 4, 5])):
        mask = BandMask("band", 11, np.array(starts), np.array(stops))
        check_begun(mask, "i", (0, 8), (0, 11))
        check_begun(mask, "i", (0, 8), (0, 3))


def test_few_tiles_of_a_band_are_told_apart_as_many_are(monkeypatch: pytest.MonkeyPatch) -> None:
    rnd, few = random.Random(3), tile_runs._few_tiles
    looked_at = 0
    for _ in range(250):
        mask, tile, asked = a_band(rnd), rnd.randint(2, 6), rnd.random() < 0.5
        axis, whole, partners = a_box(rnd, mask)
        runs = few(mask, axis, whole, tile, partners, asked)
        with monkeypatch.context() as patch:
            patch.setattr(tile_runs, "_few_tiles", lambda *_: None)
            patch.setattr(BandMask, "all_present", lambda *_: False)
            plain = told(tile_runs.runs_of_tiles(mask, axis, whole, tile, partners, asked), whole)
        if runs is None:
            continue
        found = told(runs, whole)
        assert found.keys() == plain.keys()
        looked_at += len(found)
        for one in found:
            for other in found:
                lengths = [min(tile, whole[1] - whole[0] - at * tile) for at in (one, other)]
                alike = plain[one] == plain[other] and lengths[0] == lengths[1]
                assert (found[one] == found[other]) == alike
    assert looked_at > 100


def test_bands_of_grouped_queries_turn_too_often() -> None:
    """Where the number of partners changes at every fourth line, there would be a run for each four."""
    for spec, few in (("causal", True), ("document:causal,1000,3000", True), ("group:4:causal", False)):
        mask = make_mask(spec, 4000, 1000 if spec.startswith("group") else 4000)
        assert isinstance(mask, BandMask)
        assert has_few_turns(mask, "i", (0, 4000), (100, 200)) is few
        assert has_few_turns(mask, "i", (0, 40), (0, 200))


def test_turns_are_counted_as_they_are_listed() -> None:
    mask = make_mask("document:causal,5,9,2,14", 30, 30)
    assert isinstance(mask, BandMask)
    for stairs in mask.ends("j"):
        for start in range(31):
            for stop in range(31):
                assert stairs.n_turns(start, stop) == len(stairs.turns(start, stop))
