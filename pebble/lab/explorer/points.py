"""The points that the explorer shows: the stops of its sliders, and what :func:`pebble.count` says at each."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from pebble.common.files import atomic_writer
from pebble.computations.masks import make_mask
from pebble.computations.problem import Problem
from pebble.lab.count import count
from pebble.program.schedule import Schedule, get

MASKS = ("none", "causal", "window:1024")
PASSES = ("forward", "backward")
WIDTHS = (1, 2, 4)

_PLAIN = {
    "N": (512, 1024, 2048, 4096, 8192, 16_384),
    "d": (64, 128),
    "M": (512, 1024, 2048, 4096, 8192, 12_288, 16_384, 24_576, 32_768, 49_152, 83_456, 116_224),
}
_FEWER = {
    "N": (1024, 4096, 16_384),
    "d": (64, 128),
    "M": (1024, 4096, 8192, 16_384, 32_768, 49_152, 83_456, 116_224),
}

STOPS = {"none/1": _PLAIN, "causal/1": _FEWER, "window:1024/1": _FEWER, "none/2": _FEWER, "none/4": _FEWER}
"""By mask and width of sums, the stops of each slider: most without either, where counting is quick.

From 16,384 on, those of M are what devices have, in words of bfloat16.
"""

DATA = "points.jsonl"
"""The file of this package that holds the counts, a point on each line."""


@dataclass(frozen=True)
class Stop:
    """One stop of every slider."""

    N: int
    d: int
    M: int
    mask: str
    pass_name: str
    sum_width: int = 1

    def problem(self) -> Problem:
        """Return the problem to count."""
        mask = None if self.mask == "none" else make_mask(self.mask, self.N, self.N)
        return replace(
            Problem.square(self.N, self.d, mask=mask), pass_name=self.pass_name, sum_width=self.sum_width
        )

    def schedules(self) -> list[str]:
        """Return the schedules shown there; ``small-cache`` is for fast memories below d²."""
        small = ["small-cache"] if self.d**2 > self.M else []
        return ["standard", "flash-2", *small, "best"]


def every_point() -> Iterator[Stop]:
    """Yield the points, M changing first."""
    for (key, stops), pass_name in itertools.product(STOPS.items(), PASSES):
        mask, width = key.split("/")
        for N, d, M in itertools.product(*stops.values()):
            yield Stop(N, d, M, mask, pass_name, int(width))


@lru_cache
def registered_schedule(name: str, pass_name: str) -> Schedule:
    """Return a schedule by name; looking one up reads the entry points of everything installed."""
    return get(name, pass_name)


def count_point(point: Stop) -> dict[str, Any]:
    """Count a point: the greatest proved bound, and of each schedule that fits its tiles, peak and words by array.

    >>> found = count_point(Stop(1024, 64, 32_768, "none", "forward"))
    >>> found["bound"], found["schedules"]["flash-2"]["moved"]["K"]
    (['T1', 557041], [327680, 0])
    """
    report = count(
        point.problem(), point.M, [registered_schedule(name, point.pass_name) for name in point.schedules()]
    )
    return {
        "bound": [report.bounds.best.name, int(report.bounds.best.value)],
        "schedules": {
            row.name: {
                "chosen": row.chosen,
                "tiles": row.tiles,
                "peak": row.peak,
                "moved": {array: [words["reads"], words["writes"]] for array, words in row.by_array.items()},
            }
            for row in report.rows
            if row.fits
        },
    }


def load_points(path: Path | None = None) -> dict[Stop, dict[str, Any]]:
    """Read counted points: those of the package, or of a file."""
    source = path or resources.files("pebble.lab.explorer").joinpath(DATA)
    lines = map(json.loads, source.read_text(encoding="utf-8").splitlines())
    return {Stop(*at): found for at, found in lines}


def write_points(path: Path, progress: Callable[[str], None]) -> None:
    """Count the points that a file lacks, adding a line for each as it goes, then put the lines in order."""
    known = load_points(path) if path.exists() else {}
    for point in sorted(every_point(), key=lambda one: (one.N, one.d)):
        if point not in known:
            progress(str(point))
            known[point] = count_point(point)
            with path.open("a", encoding="utf-8") as stream:
                stream.write(_line(point, known[point]))
    with atomic_writer(path) as stream:
        stream.writelines(_line(point, known[point]) for point in every_point())


def _line(point: Stop, found: dict[str, Any]) -> str:
    return json.dumps([list(vars(point).values()), found], separators=(",", ":")) + "\n"
