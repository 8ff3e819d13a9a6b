"""``pebble count``, ``pebble show`` and ``pebble bounds``."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from pebble.cli.completion import schedules
from pebble.cli.device_options import refuse_without_devices
from pebble.cli.level_options import BANDWIDTH, LevelOptions, device_crossed, refuse_without_levels
from pebble.cli.options import (
    ACCUMULATE,
    SCHEDULES,
    TILES,
    Limit,
    MemoryOptions,
    ProblemOptions,
    names_of,
    needed_memory,
)
from pebble.cli.printing import COQ, JSON, fail, print_json, print_result, print_text, write_coq
from pebble.cli.progress import long_work
from pebble.cli.signature import argument, command, group, option
from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem

if TYPE_CHECKING:
    from pebble.lab.count_table import CountTable, Summary
    from pebble.lab.level_counts import LevelReport
    from pebble.program.schedule import Tiles


@command
def count(
    problem: ProblemOptions = group(ProblemOptions),
    memory: MemoryOptions = needed_memory("levels"),
    levels: LevelOptions = group(LevelOptions),
    bandwidth: str | None = BANDWIDTH,
    names: list[str] | None = SCHEDULES,
    more_names: tuple[str, ...] = argument(nargs=-1, metavar="[NAME]...", shell_complete=schedules),
    tiles: Tiles | str | None = TILES,
    every: bool = option("Print every schedule.", "--all"),
    all_bounds: bool = option("Print every bound.", "--bounds"),
    work: bool = option(
        "Also print FLOP, and the words of slow memory that are used beside inputs and outputs.",
        "--work",
        advanced=True,
    ),
    accumulate: bool = ACCUMULATE,
    heads_apart: bool = option(
        "Also count each schedule as a kernel that loads K and V for each query head, against the bound of heads that "
        "share them.",
        advanced=True,
    ),
    as_json: bool = JSON,
    as_csv: bool = option("Print every schedule as a line of CSV.", "--csv", advanced=True),
    max_ratio: float | None = option(
        "Exit with status 1 if a named schedule (or, without names, the best) moves more than this many times the "
        "bound.",
        type=Limit(min=0, min_open=True),
        advanced=True,
    ),
) -> None:
    """Count the I/O of schedules and compare it with the proved bounds.

    Each count is verified by a machine that enforces M words of fast memory. By default only a few schedules and
    the greatest bound are printed: --all prints every schedule, --bounds every bound. JSON and CSV hold all schedules.

    \b
    pebble count -N 4096 -d 64 -M 25000
    pebble count flash-1 flash-2 -N 4096 -d 64 -M 25000

    With --dtype or --device, also print bytes and, where a bandwidth is known, the least time.

    The cheapest schedule comes first; schedules that are named keep their order.

    With --levels, count the words that cross each boundary between several memory levels.
    """  # noqa: D301
    if as_json and as_csv:
        raise InvalidInput("--json and --csv cannot be combined: choose one")
    chosen = names_of([*(names or ()), *more_names]) or None
    shown: CountTable | LevelReport | Summary
    with long_work():
        found = levels.read(memory, bandwidth)
        if found is None:
            refuse_without_levels(chosen or ())
            for name in chosen or ():
                refuse_without_devices(name, f"use pebble parallel {name}")
            every = every or as_json or as_csv
            apart = problem.heads_apart(accumulate) if heads_apart else None
            shown = _summary(problem.problem(accumulate), memory, bandwidth, chosen, tiles, every, apart)
            shown = replace(shown, counted=replace(shown.counted, work=work), all_bounds=all_bounds)
            counted: CountTable | LevelReport = shown.counted
        elif work:
            raise click.UsageError("--work cannot be combined with --levels: it is about slow memory only.")
        elif max_ratio is not None or heads_apart:
            raise click.UsageError(
                "--max-ratio and --heads-apart cannot be combined with --levels, where each boundary has its own ratio."
            )
        else:
            from pebble.lab.level_counts import count_levels

            asked = problem.problem(accumulate), found.hierarchy, chosen, tiles
            shown = counted = count_levels(*asked, **found.rates)
    if as_csv:
        click.echo(counted.to_csv(), nl=False)
    elif as_json:
        print_json(counted.to_dict())
    else:
        print_text(shown)
    if not any(row.fits for row in counted.rows):
        fail(counted.why_nothing_fits())
    if max_ratio is not None:
        _check_ratios(counted, bool(chosen), max_ratio)


def _summary(
    problem: Problem,
    memory: MemoryOptions,
    bandwidth: str | None,
    names: list[str] | None,
    tiles: Tiles | str | None,
    every: bool,
    apart: Problem | None = None,
) -> Summary:
    """Count schedules: those named, or every one, or a few; every one too where none of the few fits.

    Of heads ``apart``, rows follow with their ratio to the problem's bound.
    """
    from pebble.lab.count_row import Price
    from pebble.lab.count_table import Summary
    from pebble.lab.training import count_any_pass, offered_names, usual_names

    M, device = memory.words(), device_crossed(memory, bandwidth)
    shown = names if names or every else usual_names(problem, M)
    counted = count_any_pass(problem, M, shown, tiles)
    if not any(row.fits for row in counted.rows) and shown != names:
        shown, counted = names, count_any_pass(problem, M, names, tiles)
    if apart is not None:
        bound = counted.best_bound[1]
        rows = (
            replace(row, name=f"{row.name}, heads apart", ratio=None if row.io is None else row.io / bound)
            for row in count_any_pass(apart, M, shown, tiles).rows
        )
        counted = replace(counted, rows=(*counted.rows, *rows))
    if memory.dtype is not None:
        counted = counted.priced(Price(memory.dtype, device, memory.level))
    return Summary(counted, some=shown not in (names, offered_names(problem)), as_asked=bool(names))


def _check_ratios(counted: CountTable | LevelReport, named: bool, most: float) -> None:
    """Fail if a schedule is too far above the bound, or was not counted."""
    ratios = {row.name: getattr(row, "ratio", None) for row in counted.rows}
    if not named:
        ratios = {"best": min(filter(None, ratios.values()))}
    above = [
        f"{name} {ratio:.3f}" if ratio else f"{name} is not counted"
        for name, ratio in ratios.items()
        if not ratio or ratio > most
    ]
    if above:
        fail(f"I/O ÷ bound is above {most:g}: {', '.join(above)}")


@command
def show(
    schedule: str = argument(shell_complete=schedules),
    problem: ProblemOptions = group(ProblemOptions),
    memory: MemoryOptions = needed_memory("tiles", "levels"),
    levels: LevelOptions = group(LevelOptions),
    tiles: Tiles | str | None = TILES,
    accumulate: bool = ACCUMULATE,
    as_json: bool = JSON,
) -> None:
    """Show a schedule's pseudo-code and, array by array, its I/O as formulas and numbers.

    With --levels, show the formulas of each boundary between several memory levels.

    pebble show flash-2 -N 4096 -d 64 -M 25000
    """
    found = levels.read(memory)
    if found is not None:
        from pebble.lab.show import show_levels

        shown = show_levels(schedule, problem.problem(accumulate), found.hierarchy, tiles)
        print_result(shown, as_json)
        sys.exit(0 if shown.fits else 1)
    from pebble.lab.show import show

    refuse_without_levels([schedule])
    refuse_without_devices(schedule, f"use pebble parallel {schedule}")
    M = memory.optional_words()
    listing = show(schedule, problem.problem(accumulate), M, tiles)
    print_result(listing, as_json)
    sys.exit(1 if listing.fits is False else 0)


@command
def bounds(
    problem: ProblemOptions = group(ProblemOptions),
    memory: MemoryOptions = needed_memory(),
    accumulate: bool = ACCUMULATE,
    as_json: bool = JSON,
    coq: str | None = COQ,
) -> None:
    """List the lower bounds for a problem: proved ones first, then published curves without constants.

    pebble bounds -N 4096 -d 64 -M 25000
    """
    from pebble.lower_bounds.table import bounds

    M = memory.words()
    with long_work():
        found = bounds(problem.problem(accumulate), M)
    if coq is not None:
        from pebble.lower_bounds.coq_certificate import coq_certificate

        write_coq(coq, coq_certificate(found.problem, found.M))
    if not as_json:
        click.echo(f"{found.problem.describe()}; M = {M:,} words\n{found.regime}\n")
    print_result(found, as_json)
