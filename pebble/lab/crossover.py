"""From which length on linear attention moves fewer words than attention with softmax."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, SupportsIndex

from pebble.common.clock import doing
from pebble.common.errors import CacheTooSmall, InvalidInput, PebbleError
from pebble.common.plain import PlainRow
from pebble.common.tables import Table, TableResult
from pebble.common.units import fast_memory_words
from pebble.common.whole_numbers import LARGEST_SIZE
from pebble.computations.problem import Problem
from pebble.lab.count import count
from pebble.lab.count_row import Row
from pebble.lab.hardware import Model, model
from pebble.lower_bounds.proved import best_bound
from pebble.program.schedule import fitting, get

MASKS = (None, "causal")
"""The masks under which both kinds of attention are compared."""


@dataclass(frozen=True)
class Crossover(PlainRow):
    """Linear attention against attention with softmax, at one size of fast memory.

    Attributes
    ----------
    d, M : int
        Head dimension, and words of fast memory.
    devices : tuple of str
        Devices with that fast memory, if any were asked for.
    cheaper_from : int
        The length at which the best schedule of linear attention moves fewer words than the best one with softmax; one
        token less, it does not.
    provably_from : int
        Likewise, the length at which it moves fewer words than the best proved bound for softmax: than any schedule.
    N : int
        Another length, and the best schedules there:
    model : str or None
        Whose heads they are, if a model was asked for.
    group : int
        How many query heads share a head of keys and values.
    """

    KEYS = (
        "devices model group d M mask cheaper_from provably_from N linear softmax softmax_over_linear=ratio"
    )

    d: int
    M: int
    devices: tuple[str, ...]
    mask: str | None
    cheaper_from: int
    provably_from: int
    N: int
    linear: Row
    softmax: Row
    model: str | None = None
    group: int = 1

    @property
    def ratio(self) -> float | None:
        """I/O with softmax divided by that of linear attention, at N; None if either does not fit."""
        if self.linear.io is None or self.softmax.io is None:
            return None
        return self.softmax.io / self.linear.io

    def record(self) -> dict[str, Any]:
        """Return the row as plain data without anything nested."""
        return {
            **self.to_dict(),
            "devices": " ".join(self.devices),
            "linear": self.linear.io,
            "softmax": self.softmax.io,
        }


@dataclass(frozen=True)
class CrossoverTable(TableResult):
    """What :func:`crossovers` returns: a row for each head dimension and size of fast memory.

    N is the length at which both are counted besides.
    """

    KEYS = "N mask rows"

    N: int
    mask: str | None
    rows: tuple[Crossover, ...]

    def content(self) -> dict[str, Any]:
        """Return the plain data, all but the schema version."""
        return {"attention": "linear", **super().content()}

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as plain data."""
        return [row.record() for row in self.rows]

    def parts(self) -> list[str | Table | TableResult]:
        """Return what is printed: what is compared, and the table."""
        columns: dict[str, Any] = {
            "devices": lambda row: " ".join(row.devices),
            "model": lambda row: row.model or "",
            "d": "d",
            "group": "group",
            "M": "M",
            "M/2d": lambda row: row.M // (2 * row.d),
            "cheaper from N": "cheaper_from",
            "provably from N": "provably_from",
            "linear": "linear.chosen",
            "softmax": "softmax.chosen",
            f"softmax ÷ linear at N = {self.N:,}": "ratio:.1f",
        }
        said = {name: any(getattr(row, name) for row in self.rows) for name in ("devices", "model")}
        said["group"] = any(row.group > 1 for row in self.rows)
        columns = {name: how for name, how in columns.items() if said.get(name, True)}
        mask = f"{self.mask} mask" if self.mask else "no mask"
        heading = (
            f"linear attention against softmax, {mask}: lengths N from which it moves fewer words than the best "
            "softmax schedule, and provably fewer than any"
        )
        return [heading, Table.of(self.rows, columns, drop=("softmax", "linear", "M/2d"))]


def crossover(
    d: int,
    M: int,
    mask: str | None = None,
    *,
    N: int = 8192,
    devices: tuple[str, ...] = (),
    dv: int | None = None,
    heads: int = 1,
    kv_heads: int | None = None,
    model: str | None = None,
    against: str = "best",
) -> Crossover:
    """Say from which length on linear attention moves fewer words than attention with softmax.

    Parameters
    ----------
    d : int
        Head dimension, of V too where ``dv`` is not given.
    M : int
        Words of fast memory.
    mask : {None, "causal"}
        Of both; linear attention is then the right product, or the recurrence.
    N : int
        A length at which both are counted besides.
    devices : tuple of str
        Names of devices with that fast memory, for the row.
    dv, heads, kv_heads
        As in :class:`pebble.Problem`; how many heads share keys matters, not how many there are.
    model : str, optional
        Name of a model, for the row.
    against : str
        The schedule with softmax; with "best", the best one at each length.

    Notes
    -----
    The lengths are found by bisection: the answer is yes there, and no one token before. The counts at both are
    verified by runs that enforce M. Cost: some seconds with "best".

    Examples
    --------
    >>> found = crossover(64, 25_000)
    >>> found.cheaper_from, found.linear.io == 4 * 8192 * 64
    (195, True)
    """
    M = fast_memory_words(M)
    if mask not in MASKS:
        raise InvalidInput(f"linear attention supports no mask or the causal mask, not {mask}")

    sizes: dict[str, Any] = {"d": d, "dv": dv, "heads": heads, "kv_heads": kv_heads, "mask": mask}
    linear, softmax = (
        _Side(partial(Problem.square, attention=attention, **sizes), M, name)
        for attention, name in (("linear", "best"), ("softmax", against))
    )
    group = linear.problem(1).group
    # Near the length up to which the outputs of all queries stay, and of one schedule their row sums beside them.
    guess = max(d, M // ((2 * d + (against != "best")) * group))
    first = _first(lambda length: linear.moved(length) < softmax.moved(length), guess)
    proved = _first(lambda length: linear.moved(length) < softmax.bound(length), first)
    linear.verify({first, first - 1, proved, proved - 1})
    softmax.verify({first, first - 1})
    return Crossover(
        d=d,
        M=M,
        devices=devices,
        mask=mask,
        cheaper_from=first,
        provably_from=proved,
        N=N,
        linear=linear.counted(N),
        softmax=softmax.counted(N),
        model=model,
        group=group,
    )


@dataclass(frozen=True)
class _Side:
    """One kind of attention, at any length: its problem, M, and the schedule that is counted."""

    problem: Callable[[int], Problem]
    M: int
    name: str
    known: dict[int, int] = field(default_factory=dict)

    def counted(self, length: int) -> Row:
        """Count the schedule; it must fit."""
        report = count(self.problem(length), self.M, [self.name])
        if not report[self.name].fits:
            raise InvalidInput(report.why_nothing_fits())
        return report[self.name]

    def moved(self, length: int) -> int:
        """Return the words that the schedule moves, which no run has verified yet."""
        if length not in self.known:
            problem = self.problem(length)
            try:
                schedule = get(self.name, problem.pass_name, problem.form)
                self.known[length] = fitting(schedule, problem, self.M).words * problem.copies
            except CacheTooSmall:
                return self.counted(length).io or 0  # which says what is too small
        return self.known[length]

    def bound(self, length: int) -> int | float:
        """Return the best proved bound, for all heads."""
        problem = self.problem(length)
        return best_bound(problem, self.M).value * problem.copies

    def verify(self, lengths: set[int]) -> None:
        """Hold the words at some lengths to runs."""
        for length in lengths - {0}:
            found, words = self.counted(length).io, self.moved(length)
            if found != words:
                raise PebbleError(f"{self.name}: a run moves {found} words, not {words}; please report this")


def crossovers(
    memories: Iterable[tuple[SupportsIndex, tuple[str, ...]]],
    dimensions: Iterable[int],
    mask: str | None = None,
    *,
    N: int = 8192,
    models: Iterable[str | Model] = (),
    heads: int | None = None,
    kv_heads: int | None = None,
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
    models : iterable of str or Model
        Models, whose heads are compared besides.
    heads, kv_heads : int, optional
        Of all rows; those of a model are its own where these are not given.
    """
    own = {"heads": heads, "kv_heads": kv_heads}
    shapes: list[dict[str, Any]] = [{"d": d, "heads": heads or 1, "kv_heads": kv_heads} for d in dimensions]
    shapes += [_shape(name, own) for name in models]
    rows = []
    for M, devices in memories:
        for shape in shapes:
            which = shape.get("model") or f"d = {shape['d']}"
            with doing(f"{' '.join(devices)} M = {int(M):,}, {which}".strip()):
                rows.append(crossover(M=int(M), mask=mask, N=N, devices=devices, **shape))
    return CrossoverTable(N, mask, tuple(rows))


def _shape(of: str | Model, own: dict[str, int | None]) -> dict[str, Any]:
    """Return the heads of a model, with other numbers in place of its own."""
    one = (model(of) if isinstance(of, str) else of).changed(**own)
    if one.shared_values or one.shared_rope:
        raise InvalidInput(
            f"the heads of {one.key} share parts of their keys, which linear attention does not support"
        )
    return {"d": one.d, "dv": one.dv, "heads": one.heads, "kv_heads": one.kv_heads, "model": one.key}


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
                raise InvalidInput(
                    "linear attention moves fewer words at none of the lengths that were tried"
                )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
