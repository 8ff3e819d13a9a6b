"""Counting schedules on several devices: each exchange is written out and played by its referee."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache

from pebble.common.clock import tell
from pebble.common.errors import BoundDoesNotApply, CacheTooSmall, InvalidInput, PebbleError
from pebble.common.units import bytes_per_word
from pebble.lab.parallel.links import Links
from pebble.lab.parallel.parallel_table import ParallelReport, ParallelRow
from pebble.lower_bounds.attention.communication import (
    communication_bounds,
    d1_total,
    d3_total,
    words_for_shares,
)
from pebble.lower_bounds.attention.crossing import D4_TOTAL
from pebble.program.parallel import (
    LAYOUTS,
    DeviceShare,
    DistributedSchedule,
    ExchangeTraffic,
    MemoryRun,
    Shape,
    SharedProblem,
    distributed_schedule,
    distributed_schedules,
    play,
    shape_of,
    shape_text,
)
from pebble.program.schedule import Schedule, get

MOST_DEVICES = 4096
"""More devices are refused."""

_MOST_EFFORT = 1 << 28
"""Larger exchanges are not played: their counts are the closed form's."""


def parallel(
    problem: SharedProblem,
    schedules: Iterable[str] | None = None,
    shape: Shape | None = None,
    *,
    pass_on: str = "needed",
    links: Links | None = None,
    memory: int | None = None,
    best: bool = False,
    layouts: Iterable[str] | None = None,
    dtype: str | None = None,
) -> ParallelReport:
    """Count what schedules for several devices move, and compare it with what must be moved.

    Every exchange is played by a referee, and its words must be the closed form's; where it is too large for that, the
    row says so and has the closed form only.

    Parameters
    ----------
    problem : SharedProblem
    schedules : iterable of str, optional
        Which ones; all that serve the pass by default, and those that do not apply are listed with the reason.
    shape : tuple of int, optional
        For the schedules whose shape has this many numbers. By default, and for the others, the fastest if links are
        given (among shapes whose exchange is small enough to play), else that whose busiest device receives least.
    pass_on : {"needed", "all"}
        Whether a tile in a ring stops where nobody further on needs it, or goes all the way round.
    links : Links, optional
        How fast wires and devices are, for times; then the fastest comes first.
    memory : int, optional
        Words that a device may hold, for the bound D2; the least that one of the schedules needs by default.
    best : bool
        Whether to try layouts too, and to say which schedule is best: the fastest, with links, else the one whose
        busiest device receives least.
    layouts : iterable of str, optional
        Which layouts are tried for the best; all under a mask, that of the problem without.
    dtype : str, optional
        What a word is, for bytes; that of the links by default.

    Examples
    --------
    >>> report = parallel(SharedProblem(4096, 64, 16), ["ring", "grid"])
    >>> report["ring"].ratio_busiest, report["grid"].shape, round(report["grid"].ratio_busiest, 4)
    (2.5, '4x4', 1.0039)
    """
    if pass_on not in ("needed", "all"):
        raise InvalidInput(f"pass_on must be 'needed' or 'all', not {pass_on!r}")
    chosen = _asked(problem, schedules)
    _check_shape(problem, chosen, shape, named=schedules is not None)
    tried = _layouts(problem, layouts) if best else (problem.layout,)
    problems = [
        problem.with_layout(layout) for layout in tried
    ]  # once: what they find out of themselves is kept
    counter, dtype = _Counter(shape, pass_on, links), links.dtype if links else dtype
    rows, reasons = [], {}
    for schedule in chosen:
        tell(f"counting {schedule.name} …")
        try:
            rows.append(counter.best_row(problems, schedule))
        except InvalidInput as error:
            reasons[schedule.name] = str(error)
    if not rows:
        raise InvalidInput("; ".join(f"{name} does not apply: {why}" for name, why in reasons.items()))
    if dtype is not None:
        rows = [replace(row, word=bytes_per_word(dtype)) for row in rows]
    played = [max(row.traffic.memory) for row in rows if row.traffic]
    found, refused = communication_bounds(problem, memory or min(played, default=None))
    return ParallelReport(
        problem=problem,
        pass_on=pass_on,
        rows=tuple(sorted(rows, key=cost) if best or links or schedules is None else rows),
        bounds=tuple(found),
        refused=refused,
        not_applicable=reasons,
        links=links,
        best=min(rows, key=cost) if best else None,
        dtype=dtype,
    )


def every_row(problem: SharedProblem) -> list[ParallelRow]:
    """Return a row for each schedule that applies and each layout that fits, the least words first."""
    counter, rows = _Counter(None, "needed", None), list[ParallelRow]()
    problems = [problem.with_layout(layout) for layout in _layouts(problem, None)]
    for schedule in _asked(problem, None):
        for one in problems:
            with suppress(InvalidInput):
                rows.append(counter.best_row([one], schedule))
    return sorted(rows, key=cost)


def fastest(problem: SharedProblem, schedules: Iterable[str] | None, links: Links) -> ParallelRow | None:
    """Return the first row of :func:`parallel`, and play no exchange that takes longer; None if none applies."""
    counter = _Counter(None, "needed", links)
    timed: list[tuple[float, DistributedSchedule, Shape]] = []
    for schedule in _asked(problem, schedules):
        with suppress(InvalidInput):
            found = {
                shape: counter.seconds(schedule, problem, shape)
                for shape in counter.shapes(problem, schedule)
            }
            shape = min(found, key=lambda one: found[one])
            timed.append((found[shape][0], schedule, shape))
    least = min((seconds for seconds, _, _ in timed), default=0.0)
    rows = [counter.row(schedule, problem, shape) for seconds, schedule, shape in timed if seconds == least]
    return min(rows, key=cost, default=None)


def _asked(problem: SharedProblem, names: Iterable[str] | None) -> list[DistributedSchedule]:
    if problem.P > MOST_DEVICES:
        raise InvalidInput(f"{problem.P:,} devices are too many; the limit is {MOST_DEVICES:,}")
    if names is None:
        decodes = problem.queries_decoded is not None
        return [found for found in distributed_schedules(problem.pass_name) if found.decodes == decodes]
    return [distributed_schedule(name) for name in dict.fromkeys(names)]


def _check_shape(
    problem: SharedProblem, schedules: list[DistributedSchedule], shape: Shape | None, named: bool
) -> None:
    """Refuse a shape that no schedule takes, or that a schedule asked for by name cannot have."""
    if shape is None:
        return
    taking = [schedule for schedule in schedules if len(schedule.shape_names) == len(shape)]
    if not taking:
        raise InvalidInput(
            f"none of these schedules takes a shape of {len(shape)} numbers such as {shape_text(shape)}"
        )
    for schedule in taking if named else taking[:1]:
        schedule.check_shape(problem, shape)


def _layouts(problem: SharedProblem, layouts: Iterable[str] | None) -> tuple[str, ...]:
    if layouts is not None:
        return tuple(layouts)
    fitting = tuple(layout for layout in LAYOUTS if layout != "zigzag" or problem.N >= 2 * problem.P)
    return fitting if problem.mask else (problem.layout,)


def cost(row: ParallelRow) -> tuple[float, float, float, float]:
    """Return what rows are compared by: time, those without one last; then words of the busiest, work, memory."""
    played = row.traffic
    return (
        row.wire.seconds if row.wire else float("inf"),
        max(row.received),
        played.work_sum if played else float("inf"),
        max(played.memory) if played else float("inf"),
    )


class _Counter:
    """How schedules are counted."""

    def __init__(self, shape: Shape | None, pass_on: str, links: Links | None) -> None:
        self.shape, self.pass_on, self.links = shape, pass_on, links

    def best_row(self, problems: list[SharedProblem], schedule: DistributedSchedule) -> ParallelRow:
        """Count a schedule on each of several layouts; return the best."""
        found: list[tuple[SharedProblem, Shape]] = []
        reason: InvalidInput | None = None
        for problem in problems:
            try:
                found += [(problem, shape) for shape in self.shapes(problem, schedule)]
            except InvalidInput as error:
                reason = reason or error
        if not found and reason is not None:
            raise reason
        if self.links is not None and len(found) > 1:
            found = [min(found, key=lambda one: self.seconds(schedule, *one))]
        return min((self.row(schedule, *one) for one in found), key=cost)

    def shapes(self, problem: SharedProblem, schedule: DistributedSchedule) -> list[Shape]:
        """Return the shape asked for, those that can be timed, or the one with which the busiest receives least."""
        if self.shape is not None and len(schedule.shape_names) == len(self.shape):
            schedule.check(problem, self.shape)
            return [self.shape]
        shapes = schedule.shapes(problem) if self.links is not None else []
        timed = [shape for shape in shapes if schedule.effort(problem, shape) <= _MOST_EFFORT]
        return timed or [schedule.best_shape(problem, self.pass_on)]

    def seconds(
        self, schedule: DistributedSchedule, problem: SharedProblem, shape: Shape
    ) -> tuple[float, float]:
        """Return the time of an exchange and that of its wires; for one too large to be played, its words."""
        if self.links is None or schedule.effort(problem, shape) > _MOST_EFFORT:
            return float("inf"), schedule.dense_words(problem, shape)
        wire = self.links.wire(schedule.exchange(problem, shape, self.pass_on))
        return wire.seconds, wire.wire_seconds

    def row(self, schedule: DistributedSchedule, problem: SharedProblem, shape: Shape) -> ParallelRow:
        """Count one schedule."""
        form = schedule.closed_form(problem, shape, self.pass_on)
        named = (schedule.name, shape_text(shape), problem.layout)
        if schedule.effort(problem, shape) > _MOST_EFFORT:
            return ParallelRow(*named, form.received, form.rounds, None)
        exchange = schedule.exchange(problem, shape, self.pass_on)
        traffic = play(exchange)
        if (form.received, form.rounds) != (traffic.received, traffic.rounds):
            raise PebbleError(
                f"{schedule.name}: the closed form gives {sum(form.received)} words and the referee {traffic.total}; "
                "please report this"
            )
        total = _bound_total(problem, traffic)
        return ParallelRow(
            *named,
            traffic.received,
            traffic.rounds,
            traffic,
            balance=float(_balance(problem, traffic)),
            bound_total=total,
            bound_busiest=None if total is None else -(-total // problem.P),
            wire=None if self.links is None else self.links.wire(exchange),
        )


def _balance(problem: SharedProblem, traffic: ExchangeTraffic) -> Fraction:
    """Return λ: no pair is computed twice, so the pairs of a device are those whose products are traced to it."""
    if sum(traffic.pairs) != problem.pairs * problem.heads:
        raise PebbleError("pairs are computed twice: the balance of the traced products is not known")
    return Fraction(max(traffic.pairs) * problem.P, problem.pairs * problem.heads)


def _bound_total(problem: SharedProblem, traffic: ExchangeTraffic) -> int | None:
    """Return the words that runs move at least whose work is shared as here; None if no bound applies."""
    balance, found = _balance(problem, traffic), list[float]()
    with suppress(BoundDoesNotApply):
        found.append((d3_total if problem.pass_name == "backward" else d1_total)(problem, balance).value)
    with suppress(BoundDoesNotApply):
        found.append(words_for_shares(problem, traffic.pairs))
    return max(map(int, [*found, *_crossing(problem)]), default=None)


@cache
def _crossing(problem: SharedProblem) -> list[float]:
    """Return the value of D4-total, where it is stated."""
    found, _ = communication_bounds(problem)
    return [bound.value for bound in found if bound.name == D4_TOTAL.name]


def with_inner(report: ParallelReport, inner: str, M: int) -> ParallelReport:
    """Return a report with what each device moves between its memory and M words of fast memory, where that is known.

    The schedule's tiles are those for M words and the share of queries and keys that a device works on at a time.
    """
    schedule, rows, reasons = get(inner), [], dict(report.not_applicable)
    for row in report.rows:
        try:
            rows.append(replace(row, inner=_inside(report.problem, row, schedule, M)))
        except (InvalidInput, CacheTooSmall) as error:
            rows.append(row)
            reasons[f"inner I/O of {row.name}"] = str(error)
    return replace(report, rows=tuple(rows), not_applicable=reasons)


def _inside(problem: SharedProblem, row: ParallelRow, schedule: Schedule, M: int) -> MemoryRun:
    shape = shape_of(row.shape) if row.shape else ()
    laid_out = problem.with_layout(row.layout)
    share = DeviceShare(laid_out, distributed_schedule(row.name).placement(laid_out, shape))
    return share.run(schedule.program(share.problem, schedule.tiles(share.problem, M)), M)
