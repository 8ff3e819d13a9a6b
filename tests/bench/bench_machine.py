"""The machine: with and without induction, or this checkout beside another one; run by hand.

    python tests/bench/bench_machine.py [N]
    python tests/bench/bench_machine.py --against CHECKOUT [N] [--rounds ROUNDS]

The first form: for every schedule, operations executed, time by induction and in full, their ratio, and the
time by induction at N = 10^9, where a full run would take years. The default N = 60 takes about half a minute.

The second form: time of one verified run without a mask at N = 10^6, d = 128, M = 100,000, for every schedule, in
this checkout and in the other one. Processes of both take turns, so that a slow moment of the machine hits both. Each
ratio is the median of the ratios of the rounds; below 1 this checkout is faster. Both must count the same words.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pebble

PASSES = ("forward", "backward")
LARGE = {"d": 128, "M": 100_000}
Prepared = Callable[[], Callable[[], Any]]


def prepared(schedule: pebble.Schedule, N: int, d: int, M: int, pass_name: str) -> Prepared:
    """What makes program and family anew and returns the run of them, so that only the run is timed."""
    problem = pebble.Problem.square(N, d, pass_name=pass_name)
    room = max(M, schedule.least_M(problem))
    tiles = schedule.tiles(problem, room)

    def prepare() -> Callable[[], Any]:
        text, family = schedule.program(problem, tiles), schedule.family(problem)
        return lambda: pebble.run(text, family, room)

    return prepare


def timed(action: Callable[[], Any], least: float = 0.05) -> tuple[Any, float]:
    """Run once to warm up, then often enough to see; seconds for one run."""
    start = time.perf_counter()
    result = action()
    once = time.perf_counter() - start
    if once > least:
        return result, once
    repeats = max(1, int(least / once))
    start = time.perf_counter()
    for _ in range(repeats):
        action()
    return result, (time.perf_counter() - start) / repeats


def with_and_without_induction(N: int) -> None:
    """Print the table of the first form."""
    d, M = max(2, N // 8), 40 * max(2, N // 8)
    print(f"N = {N}, d = {d}, M = {M}; the last two columns: N = 10^9, d = {LARGE['d']}, M = {LARGE['M']}")
    print(
        f"{'pass':9}{'schedule':16}{'steps':>7}{'all':>9}{'ms':>8}{'all, ms':>9}{'ratio':>8}{'steps':>8}{'ms':>8}"
    )
    for pass_name in PASSES:
        for name, schedule in pebble.schedules(pass_name).items():
            problem = pebble.Problem.square(N, d, pass_name=pass_name)
            room = max(M, schedule.least_M(problem))
            text, family = schedule.program(problem, schedule.tiles(problem, room)), schedule.family(problem)
            short, short_time = timed(lambda t=text, f=family, m=room: pebble.run(t, f, m))  # type: ignore[misc]
            try:
                full, full_time = timed(lambda t=text, f=family, m=room: pebble.run(t, f, m, induction=False))  # type: ignore[misc]
            except pebble.InvalidInput:
                print(f"{pass_name:9}{name:16} too many operations to run in full")
                continue
            assert (short.reads, short.writes, short.peak) == (full.reads, full.writes, full.peak)
            far, far_time = timed(prepared(schedule, 10**9, pass_name=pass_name, **LARGE)())
            print(
                f"{pass_name:9}{name:16}{short.steps:7}{full.steps:9}{1e3 * short_time:8.1f}{1e3 * full_time:9.0f}"
                f"{full_time / short_time:8.0f}{far.steps:8}{1e3 * far_time:8.1f}"
                + ("" if far.proved else "  executed")
            )


def measured(N: int, least: float = 0.1) -> Iterator[tuple[str, list[float]]]:
    """For each schedule its seconds, words moved and peak; the least of several runs, each on new objects."""
    for pass_name in PASSES:
        for name, schedule in pebble.schedules(pass_name).items():
            prepare = prepared(schedule, N, pass_name=pass_name, **LARGE)
            prepare()()
            best, begin = float("inf"), time.perf_counter()
            while time.perf_counter() - begin < least:
                action = prepare()
                start = time.process_time()
                result = action()
                best = min(best, time.process_time() - start)
            yield f"{pass_name} {name}", [best, result.io, result.peak]


def measured_in(checkout: Path, N: int) -> dict[str, list[float]]:
    """The same in a process that imports the packages of some checkout."""
    for package in ("pebble", "schedules"):
        if not (checkout / package / "__init__.py").exists():
            raise SystemExit(f"{checkout} is no checkout: it has no package {package}")
    done = subprocess.run(
        [sys.executable, str(Path(__file__).resolve()), "--measure", str(N)],
        env=os.environ | {"PYTHONPATH": str(checkout)},
        cwd=checkout,
        stdout=subprocess.PIPE,
        check=True,
    )
    document = json.loads(done.stdout)
    assert Path(document["package"]).is_relative_to(checkout), document["package"]
    times: dict[str, list[float]] = document["times"]
    return times


def against(other: Path, N: int, rounds: int) -> None:
    """Print the table of the second form."""
    here, there = Path(__file__).resolve().parents[2], other.resolve()
    found: dict[Path, list[dict[str, list[float]]]] = {here: [], there: []}
    for number in range(rounds):
        for checkout in (here, there) if number % 2 else (there, here):
            found[checkout].append(measured_in(checkout, N))
    print(f"N = {N:,}, d = {LARGE['d']}, M = {LARGE['M']:,}; {rounds} rounds")
    print(f"this: {here}\nother: {there}\n\n{'schedule':26}{'this, ms':>10}{'other, ms':>11}{'ratio':>8}")
    ratios = []
    for name in found[here][0]:
        if name not in found[there][0]:
            print(f"{name:26} only here")
            continue
        ours, theirs = ([times[name] for times in found[checkout]] for checkout in (here, there))
        assert ours[0][1:] == theirs[0][1:], f"{name}: other words are counted"
        seconds = [[entry[0] for entry in entries] for entries in (ours, theirs)]
        ratios.append(median(a / b for a, b in zip(*seconds, strict=True)))
        this, that = (1e3 * median(values) for values in seconds)
        print(f"{name:26}{this:10.2f}{that:11.2f}{ratios[-1]:8.3f}")
    print(f"\n{'median':47}{median(ratios):8.3f}\n{'greatest':47}{max(ratios):8.3f}")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("N", nargs="?", type=int)
    parser.add_argument("--against", type=Path, metavar="CHECKOUT")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps({"package": pebble.__file__, "times": dict(measured(options.measure))}))
    elif options.against:
        against(options.against, options.N or 10**6, options.rounds)
    else:
        with_and_without_induction(options.N or 60)


if __name__ == "__main__":
    main()
