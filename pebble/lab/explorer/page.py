"""The explorer as one HTML file: the counted points, the schedules' loops and a few devices."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from pebble.common.tables import tiles_text
from pebble.common.whole_numbers import singular
from pebble.lab.explorer.points import MASKS, PASSES, STOPS, WIDTHS, Stop, load_points, registered_schedule
from pebble.lab.hardware.device import device
from pebble.lab.player.page import Page

_DEVICES = {"apple-m4-max": "Apple M4", "mi300x": "MI300X", "v100": "V100", "a100": "A100", "h100": "H100"}
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class ExplorerPage(Page):
    """The page with sliders; ``document`` has a point for every stop of them."""

    template: ClassVar[str] = "explorer/page.html"
    scripts: ClassVar[tuple[str, ...]] = (
        "explorer/chart.js",
        "address.js",
        "explorer/explorer.js",
    )
    styles: ClassVar[tuple[str, ...]] = ("explorer/explorer.css",)

    def summary(self) -> str:
        """Return what there is to explore, in one line."""
        return singular(f"{self.title}; {len(self.document['points']):,} points")


def explore() -> ExplorerPage:
    """Make the page on which to explore what attention must move.

    Its numbers are those of :func:`pebble.count` at every stop of the sliders, counted beforehand.

    >>> page = explore()
    >>> page.document["points"]["4096/64/49152/none/forward/1"]["bound"]
    ['T1', 5641537]
    """
    listings = _Listings()
    points = {
        "/".join(map(str, vars(point).values())): {
            "bound": found["bound"],
            "schedules": {
                name: row
                | {"tiles": tiles_text(row["tiles"]), "loops": listings.add(point, name, row["tiles"])}
                for name, row in found["schedules"].items()
            },
        }
        for point, found in load_points().items()
    }
    fast = [{"name": name, "bytes": device(key).smem_per_block} for key, name in _DEVICES.items()]
    document = {
        "stops": STOPS,
        "masks": MASKS,
        "passes": PASSES,
        "widths": [*map(str, WIDTHS)],
        "points": points,
        "listings": listings.texts,
        "devices": fast,
    }
    return ExplorerPage("How many words must attention move?", document)


class _Listings:
    """Pseudo-code, kept once for programs that differ in their numbers only."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._places: dict[str, int] = {}

    def add(self, point: Stop, name: str, tiles: dict[str, int]) -> list[int]:
        """Return the place of a program's text, and the numbers to fill in where it has ``#``."""
        problem = point.problem()
        text = str(registered_schedule(name, point.pass_name).program(problem, tiles)).replace("# ", "// ")
        blank = _NUMBER.sub("#", text)
        if blank not in self._places:
            self._places[blank] = len(self.texts)
            self.texts.append(blank)
        return [self._places[blank], *map(int, _NUMBER.findall(text))]
