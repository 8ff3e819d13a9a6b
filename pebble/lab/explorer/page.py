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
    scripts: ClassVar[tuple[str, ...]] = ("explorer/chart.js", "address.js", "explorer/explorer.js")
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
    listings: dict[str, int] = {}
    points = {
        "/".join(map(str, vars(point).values())): {
            "bound": found["bound"],
            "schedules": {
                name: row
                | {"tiles": tiles_text(row["tiles"]), "loops": _loops(point, name, row["tiles"], listings)}
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
        "listings": [*listings],
        "devices": fast,
    }
    return ExplorerPage("How many words must attention move?", document)


def _loops(point: Stop, name: str, tiles: dict[str, int], listings: dict[str, int]) -> list[int]:
    """Return the place of a program's text, kept once whatever its numbers are, and the numbers."""
    text = str(registered_schedule(name, point.pass_name).program(point.problem(), tiles)).replace(
        "# ", "// "
    )
    place = listings.setdefault(_NUMBER.sub("#", text), len(listings))
    return [place, *map(int, _NUMBER.findall(text))]
