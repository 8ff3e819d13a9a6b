"""From which length on linear attention moves fewer words than attention with softmax."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, SupportsIndex

from pebble.common.errors import InvalidInput
from pebble.common.tables import Table, TableResult, words
from pebble.common.units import fast_memory_words
from pebble.computations.problem import LARGEST_SIZE, Problem

if TYPE_CHECKING:
    from pebble.lab.count_table import Row

__all__ = ["Crossover", "CrossoverTable", "crossover", "crossovers"]

MASKS = (None, "causal")
"""The masks under which both kinds of attention are compared."""


@dataclass(frozen=True)
class Crossover:
    """Linear attention against attention with softmax, of one head, at one size of fast memory.

    Attributes
    ----------
    d, M : int
        Head dimension, and words of fast memory.
    devices : tuple of str
        Devices with that fast memory, if any were asked for.
    mask : str or None
    cheaper_from : int
        The length at which the best schedule of linear attention moves fewer words than the best one with softmax; one
        token less, it does not.
    provably_from : int
        Likewise, the length at which it moves fewer words than the best proved bound for softmax: than any schedule.
    N : int
        Another length, and the best schedules there:
    linear, softmax : Row
    """

    d: int
    M: int
    devices: tuple[str, ...]
    mask: str | None
    cheaper_from: int
    provably_from: int
    N: int
    linear: Row
    softmax: Row

    @property
    def ratio(self) -> float | None:
        """I/O with softmax divided by that of linear attention, at N; None if either does not fit."""
        if self.linear.io is None or self.softmax.io is None:
            return None
        return self.softmax.io / self.linear.io

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain data."""
        return {
            "devices": list(self.devices),
            "d": self.d,
            "M": self.M,
            "mask": self.mask,
            "cheaper_from": self.cheaper_from,
            "provably_from": self.provably_from,
            "N": self.N,
            "linear": self.linear.to_dict(),
            "softmax": self.softmax.to_dict(),
            "softmax_over_linear": self.ratio,
        }

    def record(self) -> dict[str, Any]:
        """Return the row as plain data without anything nested."""
        return {
            **self.to_dict(),
            "devices": " ".join(self.devices),
            "linear": self.linear.io,
            "softmax": self.softmax.io,
        }

    def cells(self) -> list[str]:
        """Return the row as text."""
        numbers = (self.d, self.M, self.M // (2 * self.d), self.cheaper_from, self.provably_from)
        ratio = "" if self.ratio is None else f"{self.ratio:.1f}"
        return [" ".join(self.devices), *map(words, numbers), self.linear.chosen, self.softmax.chosen, ratio]


@dataclass(frozen=True)
class CrossoverTable(TableResult):
    """What :func:`crossovers` returns: a row for each head dimension and size of fast memory.

    Attributes
    ----------
    N : int
        The length at which both are counted besides.
    mask : str or None
    rows : tuple of Crossover
    """

    N: int
    mask: str | None
    rows: tuple[Crossover, ...]

    def content(self) -> dict[str, Any]:
        """Return the plain data, all but the schema version."""
        return {
            "attention": "linear",
            "N": self.N,
            "mask": self.mask,
            "rows": [row.to_dict() for row in self.rows],
        }

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as plain data."""
        return [row.record() for row in self.rows]

    def parts(self) -> list[str | Table | TableResult]:
        """Return what is printed: what is compared, and the table."""
        head = ["devices", "d", "M", "M/2d", "cheaper from N", "provably from N", "linear", "softmax"]
        cells = [[*head, f"softmax ÷ linear at N = {self.N:,}"], *(row.cells() for row in self.rows)]
        if not any(row.devices for row in self.rows):
            cells = [line[1:] for line in cells]
        right = tuple(i for i, name in enumerate(cells[0]) if name not in ("devices", "linear", "softmax"))
        mask = f"{self.mask} mask" if self.mask else "no mask"
        heading = (
            f"linear attention against softmax, {mask}. Cheaper: than the best schedule with softmax; provably: "
            "than any, by the best proved bound"
        )
        return [heading, Table(cells, right=right, drop=("softmax", "linear", "M/2d"))]


def crossover(
    d: int, M: int, mask: str | None = None, *, N: int = 8192, devices: tuple[str, ...] = ()
) -> Crossover:
    """Say from which length on linear attention moves fewer words than attention with softmax.

    Parameters
    ----------
    d : int
        Head dimension, of V too.
    M : int
        Words of fast memory.
    mask : {None, "causal"}
        Of both; linear attention is then the right product, or the recurrence.
    N : int
        A length at which both are counted besides.
    devices : tuple of str
        Names of devices with that fast memory, for the row.

    Raises
    ------
    InvalidInput
        If a size is no positive whole number, or the mask is another one.

    Notes
    -----
    Every count is verified by a run that enforces M. The lengths are found by bisection: the answer is yes there, and
    no one token before. Cost: some seconds.

    Examples
    --------
    >>> found = crossover(64, 25_000)
    >>> found.cheaper_from, found.linear.io == 4 * 8192 * 64
    (195, True)
    """
    M = fast_memory_words(M)
    if mask not in MASKS:
        raise InvalidInput(f"linear attention takes no mask, or the causal one; the mask is {mask}")
    linear = Problem.square(N, d, attention="linear", mask=mask)
    softmax = Problem.square(N, d, mask=mask)

    @cache
    def moved(length: int) -> int:
        return _best(_of_length(linear, length), M).io or 0

    def cheaper(length: int) -> bool:
        return moved(length) < (_best(_of_length(softmax, length), M).io or 0)

    def provably(length: int) -> bool:
        from pebble.lower_bounds.proved import best_bound

        return moved(length) < best_bound(_of_length(softmax, length), M).value

    first = _first(cheaper, max(d, M // (2 * d)))
    return Crossover(
        d=d,
        M=M,
        devices=devices,
        mask=mask,
        cheaper_from=first,
        provably_from=_first(provably, first),
        N=N,
        linear=_best(linear, M),
        softmax=_best(softmax, M),
    )


def crossovers(
    memories: Iterable[tuple[SupportsIndex, tuple[str, ...]]],
    dimensions: Iterable[int],
    mask: str | None = None,
    *,
    N: int = 8192,
    progress: Callable[[str], None] | None = None,
) -> CrossoverTable:
    """Compare linear attention with attention with softmax: :func:`crossover` for several memories and dimensions.

    Parameters
    ----------
    memories : iterable of (int, tuple of str)
        Words of fast memory, and the names of devices that have them.
    dimensions : iterable of int
        Head dimensions.
    mask, N
        As for :func:`crossover`.
    progress : callable, optional
        Called with a line before each row is counted.
    """
    rows, dimensions = [], tuple(dimensions)
    for M, devices in memories:
        for d in dimensions:
            if progress is not None:
                progress(f"{' '.join(devices)} M = {int(M):,}, d = {d}".strip())
            rows.append(crossover(d, int(M), mask, N=N, devices=devices))
    return CrossoverTable(N, mask, tuple(rows))


def _of_length(problem: Problem, length: int) -> Problem:
    """Return the same problem of another length."""
    mask = None if problem.mask is None else problem.mask.spec
    return Problem.square(length, problem.d, attention=problem.attention, mask=mask)


def _best(problem: Problem, M: int) -> Row:
    """Count the best schedule; it must fit."""
    from pebble.lab.count import count

    report = count(problem, M, ["best"])
    if not report["best"].fits:
        raise InvalidInput(report.why_nothing_fits())
    return report["best"]


def _first(holds: Callable[[int], bool], guess: int) -> int:
    """Return a length at which something holds and one less at which it does not, from near a guess."""
    low, high, step = 0, max(1, guess), 1
    if holds(high):
        while high - step > 0 and holds(high - step):
            high, step = high - step, 2 * step
        low = max(0, high - step)
    else:
        while not holds(high):
            low, high, step = high, high + step, 2 * step
            if high > LARGEST_SIZE:
                raise InvalidInput("linear attention does not move fewer words at any length that is counted")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
