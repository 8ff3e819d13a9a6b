"""Lines, fills and shades can be told apart without colour."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pebble
from pebble.lab import plots
from pebble.lab.plots import styles
from pebble.program.schedule import available
from tests.lab.pictures import MEMORIES, PROBLEM, lines_of

pytest.importorskip("matplotlib")


def test_lines_and_fills_differ_without_colour() -> None:
    names = [*dict.fromkeys([*available("forward"), *available("backward")]), "mine", "yours"]
    seen = [(str(style["linestyle"]), style["marker"]) for style in styles.lines(names).values()]
    assert len(set(seen)) == len(names)
    arrays = [*styles.STYLED_ARRAYS, "X"]
    seen = [(style["facecolor"], style["hatch"]) for style in styles.fills(arrays).values()]
    assert len(set(seen)) == len(arrays)
    hatches = [style["hatch"] for style in styles.fills(styles.STYLED_ARRAYS).values()]
    assert len(set(hatches)) == len(hatches), "fills differ by hatch alone"


def test_every_built_in_schedule_and_array_has_its_own_style() -> None:
    assert set(available("forward")) | set(available("backward")) <= {*styles.STYLED_SCHEDULES}
    for pass_name in ("forward", "backward"):
        family = pebble.schedules(pass_name)["best"].family(replace(PROBLEM, pass_name=pass_name))
        assert {array.name for array in family.arrays} <= {*styles.STYLED_ARRAYS}


def test_the_lines_drawn_have_these_styles() -> None:
    drawn = lines_of(plots.io(PROBLEM, [60, 200], ["flash-1", "flash-2", "naive"]))
    looks = {
        (drawn[name].get_linestyle(), drawn[name].get_marker()) for name in ("flash-1", "flash-2", "naive")
    }
    assert len(looks) == 3


def test_the_heat_map_grows_darker() -> None:
    (mesh,) = plots.gap(PROBLEM, MEMORIES).collections
    shades = mesh.get_cmap()(np.linspace(0, 1, 50))[:, :3] @ np.array([0.2126, 0.7152, 0.0722])
    assert (np.diff(shades) < 0.002).all()
    assert shades[0] - shades[-1] > 0.5
