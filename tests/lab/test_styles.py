"""Lines, fills and shades can be told apart without colour."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import pebble
from pebble.lab.plots import styles
from pebble.program.schedule import available
from tests.lab.pictures import PROBLEM

pytest.importorskip("matplotlib")


# Linear RGB as people see it who do not see green, or red: Machado, Oliveira & Fernandes 2009, severity 1.
BLIND = (
    np.eye(3),
    np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
)
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def linear(colour: Any) -> NDArray[np.float64]:
    from matplotlib.colors import to_rgb

    rgb = np.array(to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    xyz = np.clip(rgb, 0, 1) @ TO_XYZ.T / TO_XYZ.sum(axis=1)
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_no_colour_dashes_or_marker_is_used_twice() -> None:
    names = [*available("forward"), *(f"mine-{number}" for number in range(60))]
    found = styles.lines(names).values()
    for part in ("color", "linestyle", "marker"):
        assert len({str(style[part]) for style in found}) == len(names), part
    thin = styles.bound_lines(["T1", "T2", "T3", "compulsory", "by parts", "causal triangles"]).values()
    for part in ("color", "linestyle"):
        assert len({str(style[part]) for style in thin}) == 6
    assert not {str(style["color"]) for style in thin} & {str(style["color"]) for style in found}


def test_colours_of_schedules_are_told_apart_with_colour_blindness_and_on_white() -> None:
    names = [str(number) for number in range(28)]
    colours = [linear(style["color"]) for style in styles.lines(names, names).values()]
    for one, other in itertools.combinations(colours, 2):
        assert min(float(np.linalg.norm(lab(eye @ one) - lab(eye @ other))) for eye in BLIND) >= 14
    for colour in colours:
        assert 1.05 / (float(TO_XYZ[1] @ colour) + 0.05) >= 2.5


def test_lines_differ_without_colour() -> None:
    names = [*dict.fromkeys([*available("forward"), *available("backward")]), "mine", "yours"]
    seen = [(str(style["linestyle"]), style["marker"]) for style in styles.lines(names).values()]
    assert len(set(seen)) == len(names)


def test_every_array_has_its_own_style() -> None:
    for pass_name in ("forward", "backward"):
        family = pebble.schedules(pass_name)["best"].family(replace(PROBLEM, pass_name=pass_name))
        assert {array.name for array in family.arrays} <= {*styles.STYLED_ARRAYS}
