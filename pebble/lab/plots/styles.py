"""Line styles of schedules and fills of arrays, which can be told apart without colour."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pebble.program.schedule import registered

STYLED_ARRAYS = ("Q", "K", "V", "O", "S", "P", "l", "U", "dO", "dQ", "dK", "dV", "dP", "dS", "D")
"""Arrays with a fill of their own, the same in every picture."""

# Chosen one after the other, each as far from those before as can be, for eyes with and without colour blindness.
_COLOURS = (
    *("#000000", "#0072b2", "#d55e00", "#009e73", "#0000ff", "#0f0f96", "#5a2d00", "#6969ff"),
    *("#3c4b5a", "#2da5b4", "#3c0f5a", "#7896ff", "#f00f4b", "#2d2d1e", "#2d2dd2", "#2d4bb4"),
    *("#3c783c", "#007896", "#4ba5e1", "#4b7878", "#b42d00", "#0fb469", "#2d3c87", "#2d4b78"),
    *("#1e0f2d", "#4bb4a5", "#000069", "#f08700"),
)
_DASHES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (6, 1.5, 1, 1.5, 1, 1.5)))
_LONG = (3, 8, 12, 5)
# After the last of these come stars with more and more points.
_MARKERS: tuple[Any, ...] = (*"os^Dv<>phXP*dH8", (4, 1, 0), (3, 1, 0), (6, 1, 0), (3, 1, 180), (4, 1, 45))

# Okabe and Ito's, in part paler or greyer; then dark ones, each as far from those before as can be, likewise.
_FILLS = (
    *("#56b4e9", "#e69f00", "#f0e442", "#009e73", "#cc79a7", "#b8dff5", "#505050", "#d55e00"),
    *("#14288c", "#782800", "#003c64", "#64783c", "#503c28", "#006478", "#647878"),
)


def lines(names: Iterable[str], known: Iterable[str] | None = None) -> dict[str, dict[str, Any]]:
    """Return how to draw the line of each schedule: no two have the same colour, dashes or marker.

    Those that are known, by default the registered ones, look the same in every picture. The first 28 colours differ by
    at least 14 in CIELAB, for people who do not see red or green too; more than these are paler and nearer to each
    other, and differ by their dashes and markers.

    >>> style = lines(["flash-2", "mine"])
    >>> style["flash-2"]["marker"] != style["mine"]["marker"]
    True
    """
    if known is None:
        known = dict.fromkeys(schedule.name for schedule in registered())
    return {
        name: {
            "color": _again(_COLOURS, number),
            "linestyle": _dashes(number),
            "marker": _MARKERS[number] if number < len(_MARKERS) else (number - len(_MARKERS) + 7, 1, 0),
        }
        for name, number in _numbers(names, tuple(known)).items()
    }


def bound_lines(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return how to draw the line of each bound: thin, grey, no two with the same dashes or shade.

    >>> bound_lines(["T1", "T2"])["T2"]["color"]
    '0.433'
    """
    found = list(dict.fromkeys(names))
    return {
        name: {"color": f"{0.6 - 0.25 * 1.5**-number:.3f}", "linestyle": _dashes(number), "linewidth": 0.7}
        for number, name in enumerate(found)
    }


def _again(colours: tuple[str, ...], number: int) -> Any:
    """Return a colour; after the last of the list the list again, each time half-way to grey."""
    again, place = divmod(number, len(colours))
    if not again:
        return colours[place]
    parts = (int(colours[place][i : i + 2], 16) / 255 for i in (1, 3, 5))
    return tuple(0.5 + (part - 0.5) * 0.5**again for part in parts)


def _dashes(number: int) -> Any:
    """Return dashes; after the last of the list a long one and more and more dots."""
    if number < len(_DASHES):
        return _DASHES[number]
    dots, place = divmod(number - len(_DASHES), len(_LONG))
    return (0, (_LONG[place], 1.5, *(1, 1.5) * (dots + 1)))


def fills(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return how to fill the area of each array: no two have the same colour.

    >>> fills(["Q", "K"])["K"]["facecolor"]
    '#e69f00'
    """
    return {
        name: {"facecolor": _again(_FILLS, number), "edgecolor": "white", "linewidth": 0.4}
        for name, number in _numbers(names, STYLED_ARRAYS).items()
    }


def on_fill(style: dict[str, Any]) -> str:
    """Return the colour of letters that can be read on a fill: black or white."""
    colour = style["facecolor"]
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)] if isinstance(colour, str) else colour
    light = sum(weight * part**2.2 for weight, part in zip((0.21, 0.72, 0.07), parts, strict=True))
    return "black" if light > 0.18 else "white"


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
