"""Line styles of schedules and fills of arrays, which can be told apart without colour."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["STYLED_ARRAYS", "STYLED_SCHEDULES", "fills", "lines"]

STYLED_SCHEDULES = (
    "best",
    "flash-2",
    "flash-1",
    "flash-2-pinned",
    "flash-2-sliced",
    "small-cache",
    "square-tile",
    "hybrid",
    "naive",
    "standard",
    "split",
    "p-first",
    "keys-pinned",
    "queries-pinned",
    "queries-sliced",
    "key-window",
    "flash-2-causal",
    "queries-causal",
    "split-causal",
)
"""Schedules with a style of their own, the same in every picture."""

STYLED_ARRAYS = ("Q", "K", "V", "O", "S", "P", "l", "U", "dO", "dQ", "dK", "dV", "dP", "dS", "D")
"""Arrays with a fill of their own, the same in every picture."""

_COLOURS = ("#000000", "#0072b2", "#d55e00", "#009e73", "#a8548a", "#8a6d00", "#56788f")
_DASHES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (6, 1.5, 1, 1.5, 1, 1.5)))
_MARKERS = "os^Dv<>phXP*d"

# A light, a dark and a middle shade by turns, so that neighbours differ in grey too.
_SHADES = ("#f2e8c9", "#4f81b0", "#c9a66b", "#d7ecf5", "#8c4a5b", "#a9c49b")
_HATCHES = (
    "",
    "///",
    "...",
    "\\\\\\",
    "xxx",
    "---",
    "+++",
    "ooo",
    "|||",
    "//",
    "..",
    "\\\\",
    "xx",
    "--",
    "++",
)


def lines(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return how to draw the line of each schedule: no two have the same dashes and markers.

    Examples
    --------
    >>> style = lines(["flash-2", "mine"])
    >>> style["flash-2"]["marker"], style["flash-2"]["linestyle"]
    ('s', '--')
    """
    return {
        name: {
            "color": _COLOURS[number % len(_COLOURS)],
            "linestyle": _DASHES[number % len(_DASHES)],
            "marker": _MARKERS[number % len(_MARKERS)],
        }
        for name, number in _numbers(names, STYLED_SCHEDULES).items()
    }


def fills(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return how to fill the area of each array: no two have the same shade and hatch.

    Examples
    --------
    >>> fills(["Q", "K"])["K"]["hatch"]
    '///'
    """
    return {
        name: {
            "facecolor": _SHADES[number % len(_SHADES)],
            "hatch": _HATCHES[number % len(_HATCHES)],
            "edgecolor": "#222222",
        }
        for name, number in _numbers(names, STYLED_ARRAYS).items()
    }


def _numbers(names: Iterable[str], known: tuple[str, ...]) -> dict[str, int]:
    """Give known names their own number, and others those that follow."""
    found: dict[str, int] = {}
    following = len(known)
    for name in dict.fromkeys(names):
        if name in known:
            found[name] = known.index(name)
        else:
            found[name] = following
            following += 1
    return found
