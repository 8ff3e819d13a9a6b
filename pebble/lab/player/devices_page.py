"""A page that shows several devices exchanging tiles, turn by turn."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.common.whole_numbers import singular
from pebble.lab.player.page import Page
from pebble.lower_bounds.attention.communication import d1_total, d3_total
from pebble.program.parallel import Exchange, Shape, SharedProblem, distributed_schedule, play, shape_text

_MOST_DEVICES = 16
_MOST_TILES = 32
_MOST_TURNS = 64


@dataclass(frozen=True)
class DevicesPage(Page):
    """A page to watch devices exchanging tiles; ``document`` has a turn for every superstep."""

    template: ClassVar[str] = "devices.html"
    unit: ClassVar[str] = "Step"
    scripts: ClassVar[tuple[str, ...]] = ("elements.js", "stepper.js", "panels.js", "devices.js")
    styles: ClassVar[tuple[str, ...]] = ("player.css", "small.css", "devices.css")

    def summary(self) -> str:
        """Return what there is to watch, in one line."""
        turns, words = self.document["turns"], self.document["total"]
        return singular(f"{self.title}; {len(turns)} supersteps, {words:,} words received")


def play_devices(problem: SharedProblem, schedule: str, shape: Shape | None = None) -> DevicesPage:
    """Make a page that steps through the exchange of a schedule for several devices.

    The exchange is played by its referee, and the words on the page must be those of the referee.

    The shape is by default the one with which the busiest device receives least.

    Examples
    --------
    >>> page = play_devices(SharedProblem(8, 2, 4), "ring")
    >>> page.summary()
    'ring on 4 devices: attention forward, N = 8, d = 2; 4 supersteps, 96 words received'
    >>> page.document["turns"][0]["sends"][0]
    {'from': 0, 'to': 1, 'what': 'K V 0', 'words': 8}
    """
    made = distributed_schedule(schedule)
    if problem.P > _MOST_DEVICES or problem.tiling.tiles > _MOST_TILES:
        raise InvalidInput(
            f"{problem.P:,} devices are too many to show; the limit is {_MOST_DEVICES} devices with "
            f"{_MOST_TILES} tiles"
        )
    if shape is None:
        shape = made.best_shape(problem)
    exchange = made.exchange(problem, shape)
    if len(exchange.supersteps) > _MOST_TURNS:
        raise InvalidInput(
            f"{len(exchange.supersteps)} supersteps are too many to show; the limit is {_MOST_TURNS}"
        )
    traffic, film = play(exchange), _Film(exchange)
    turns = [film.turn(number) for number in range(len(exchange.supersteps))]
    if film.received != list(traffic.received):
        raise AssertionError(f"{schedule}: the page counts {film.received}, the referee {traffic.received}")
    before, _, _ = problem.describe().partition(", on ")
    sized = f"{schedule} {shape_text(shape)}".strip()
    document = {
        "devices": problem.P,
        "columns": _columns(made.shape_names, shape),
        "tiles": problem.tiling.tiles,
        "owners": problem.tiling.owner.tolist(),
        "sizes": problem.tiling.sizes.tolist(),
        "allowed": (problem.tile_pairs > 0).tolist(),
        "turns": turns,
        "total": traffic.total,
        "bound": _bound(problem),
        "summary": made.summary,
    }
    return DevicesPage(f"{sized} on {problem.P} devices: {before}", document)


def _columns(names: tuple[str, ...], shape: Shape) -> int:
    """Return how many devices stand side by side: those of a grid's row, or all of a head's grid; 0 for a circle."""
    if names[-2:] != ("R", "C"):
        return 0
    columns = shape[-1] if len(shape) == 2 else shape[-2] * shape[-1]
    return columns if 1 < columns < prod(shape) else 0


def _bound(problem: SharedProblem) -> int | None:
    """Return the least words in total if the devices share the work equally; None where no bound applies."""
    try:
        found = d1_total(problem) if problem.pass_name == "forward" else d3_total(problem)
    except BoundDoesNotApply:
        return None
    return max(0, int(found.value))


class _Film:
    """What every device holds, superstep by superstep, for the eye."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange, self.problem = exchange, exchange.problem
        self.moves: dict[int, list[tuple[str, dict[str, Any]]]] = {}
        for number, kind, what in exchange.moves():
            self.moves.setdefault(number, []).append((kind, what))
        self.visits: list[dict[str, None]] = [{} for _ in range(self.problem.P)]
        self.received = [0] * self.problem.P

    def turn(self, number: int) -> dict[str, Any]:
        """Return what devices do in a superstep, what they send, and what visits them before and after it."""
        done: list[list[list[int]]] = [[] for _ in self.visits]
        before = [list(one) for one in self.visits]
        sends: list[dict[str, Any]] = []
        leaving: list[tuple[int, str]] = []
        for kind, what in self.moves.get(number, []):
            p = what["device"]
            if kind == "work":
                pair = [what["query"], what["key"]]
                if pair not in done[p]:
                    done[p].append(pair)
            elif kind == "receive":
                sends.append(self._send(what))
            elif kind == "discard":
                leaving.append((p, _label(what["arrays"], what["tile"])))
        for p, label in leaving:
            self.visits[p].pop(label, None)
        for send in sends:
            self.received[send["to"]] += send["words"]
            if self.problem.tiling.owner[send.pop("tile")] != send["to"]:
                self.visits[send["to"]][send["what"]] = None
        return {
            "work": done,
            "visits": before,
            "sends": _together(sends),
            "after": [list(one) for one in self.visits],
            "received": list(self.received),
        }

    def _send(self, what: dict[str, Any]) -> dict[str, Any]:
        tile = what["tile"]
        arrays, final = self.exchange.kind_of(what["arrays"])
        return {
            "from": what["source"],
            "to": what["device"],
            "what": _label(what["arrays"], tile),
            "words": int(self.exchange.tile_words(arrays, tile, final)),
            "tile": tile,
        }


def _label(arrays: tuple[str, ...], tile: int) -> str:
    return f"{' '.join(arrays)} {tile}"


def _together(sends: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put together what goes from one device to another under one name: several blocks of heads."""
    found: dict[tuple[int, int, str], dict[str, Any]] = {}
    for send in sends:
        key = (send["from"], send["to"], send["what"])
        if key in found:
            found[key]["words"] += send["words"]
        else:
            found[key] = send
    return list(found.values())
