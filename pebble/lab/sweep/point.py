"""One point of a grid, and its rows: any worker counts the same."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from pebble.common.errors import InvalidInput
from pebble.common.tables import words
from pebble.computations.masks import BlockMask, Mask, make_mask
from pebble.computations.problem import Problem
from pebble.computations.problem_form import all_form_options
from pebble.lab.level_counts import count_levels
from pebble.lab.training import count_any_pass
from pebble.program.hierarchy import Hierarchy

NO_MASK = "none"
_FROM_OUTSIDE = re.compile(r"(?:^|:)(?:file|predicate):|\bfile=")
_CHUNK = 1 << 22
_ROWS_VERSION = 1
Record = dict[str, Any]

_ORDER = (
    "schema_version pass Nq Nk d dv stats heads batch mask pairs M schedule chosen fits tiles reads writes io peak "
    "least_M ratio bound_name bound_value note softmax attention gate chunk shared_values shared_rope level hierarchy"
)
_KINDS = {
    "text": ("pass", "mask", "schedule", "chosen", "bound_name", "note", "softmax", "attention", "hierarchy"),
    "truth": ("stats", "fits", "gate", "shared_values"),
    "tiles": ("tiles",),
    "number": ("ratio",),
}
COLUMNS = {
    name: next((kind for kind, names in _KINDS.items() if name in names), "integer")
    for name in _ORDER.split()
}
"""The kind of value that each column of a row has, in order."""


@dataclass(frozen=True)
class Point:
    """One problem with M words of fast memory, and the schedules to count on it, as they are sent to a worker.

    Attributes
    ----------
    settings : mapping
        Parameters of :class:`pebble.Problem`, all but the mask.
    M : int
        Words of fast memory; of the outermost level, if there are several.
    schedules : tuple of str
        Names; one row each.
    mask, empty_rows : str
        The mask of a query head as the command line writes it, and whether a query may attend to no key.
    content : str
        What :func:`mask_made` gave where the sweep was begun.
    levels, exclusive
        As :func:`pebble.lab.sweep.sweep_grid` takes them.
    """

    settings: Mapping[str, Any]
    M: int
    schedules: tuple[str, ...]
    mask: str = NO_MASK
    empty_rows: str = "error"
    content: str = ""
    levels: tuple[int, ...] = ()
    exclusive: bool = False

    def problem(self) -> Problem:
        """Make the problem, with its mask."""
        mask, content = mask_made(self.mask, self.settings["Nq"], self.settings["Nk"], self.empty_rows)
        if content != self.content:
            raise InvalidInput(
                f"mask {self.mask} differs from the one the sweep was started with: use the same file or code"
            )
        return Problem(**self.settings, mask=mask)

    def describe(self) -> str:
        """Return one line for people."""
        mask = "" if self.mask == NO_MASK else f", mask {self.mask}"
        sizes = f"N = {words(self.settings['Nq'])}, d = {words(self.settings['d'])}{mask}"
        return f"{sizes}, {'M' if not self.levels else 'outermost level'} = {words(self.M)}"


@lru_cache(maxsize=4)
def mask_made(mask: str, Nq: int, Nk: int, empty_rows: str) -> tuple[Mask | None, str]:
    """Return a mask, and a hash of its pairs if they come from a file or a function; ``""`` if its text says all."""
    made = make_mask(mask, Nq, Nk, empty_rows=empty_rows)
    return made, "" if made is None or not _FROM_OUTSIDE.search(mask) else _hash(made)


def _hash(mask: Mask) -> str:
    import numpy as np

    if isinstance(mask, BlockMask):
        return mask.digest
    digest = hashlib.sha256()
    step = max(1, _CHUNK // mask.Nk)
    for start in range(0, mask.Nq, step):
        rows = mask.matrix((start, min(start + step, mask.Nq)), (0, mask.Nk))
        digest.update(np.packbits(rows, axis=1).tobytes())
    return digest.hexdigest()


def count_point(point: Point) -> list[Record]:
    """Count every schedule of a point: one row each, with the keys of :data:`COLUMNS` in their order.

    With several memory levels it is one for each boundary.

    A schedule that needs more than M words is a row with ``fits`` false and its ``least_M``; one that could not be
    verified has no ``fits``, and a ``note``.

    >>> row, = count_point(Point({"Nq": 1024, "Nk": 1024, "d": 64, "dv": 64}, 98304, ("flash-2",)))
    >>> row["io"], row["tiles"], row["bound_name"]
    (393216, {'rows': 761}, 'D')
    """
    if point.levels:
        records = _level_records(point)
    else:
        records = count_any_pass(point.problem(), point.M, point.schedules).records()
    same = {"schema_version": _ROWS_VERSION}
    return [{name: (record | same).get(name) for name in COLUMNS} for record in records]


def _level_records(point: Point) -> list[Record]:
    """Count every schedule of a point at every boundary: a row for each, also where it does not fit."""
    hierarchy = Hierarchy(point.levels, not point.exclusive)
    report = count_levels(point.problem(), hierarchy, point.schedules)
    setting = report.problem.to_dict() | all_form_options(report.problem) | {"hierarchy": hierarchy.kind}
    found = []
    for row in report.rows:
        counts = [one.to_dict() for one in row.boundaries] or [dict[str, Any]()] * hierarchy.levels
        own = {"schedule": row.name, "fits": row.fits, "tiles": row.tiles}
        for level, (count, bound) in enumerate(zip(counts, report.bounds, strict=True), start=1):
            limits = {"M": point.levels[level - 1], "least_M": row.least[level - 1], "level": level}
            bounded = {"bound_name": bound.name, "bound_value": bound.value}
            found.append({**count, **setting, **own, **limits, **bounded})
    return found


@cache
def program_version() -> str:
    """Return the version of the installed program."""
    from importlib.metadata import version

    return version("pebble-io")


def work(point: Point) -> tuple[str, list[Record]]:
    """Count a point on a worker: the worker's version of the program, and the rows."""
    return program_version(), count_point(point)
