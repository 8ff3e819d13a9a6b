"""Processor time of verified counts under masks, at several numbers of queries and keys, in one run.

Run as ``python tests/bench/bench_masks.py [-N 10000 1000000 1000000000] [-d 128] [-M 100000] [--schedules flash-2]
[--masks strided:1024 fixed:1024,8]``.
For each schedule: seconds of one processor, tiles chosen beforehand; below, their sum, and the ratio of a column to
the first one. The last tables have a thousand documents of different lengths; with --documents 3 4 ten thousand of
twenty lengths, and two thousand of one.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import pebble
from pebble import PebbleError, Problem, Schedule
from pebble.program.schedule import fitting_tiles, registered

MASKS = ("causal", "window:4096", "prefix:1000")
DOCUMENTS = 1000


def documents() -> list[tuple[str, str, int]]:
    """Title, text and length of masks of documents: of as many lengths as there are, of twenty lengths, and of one."""
    lengths = np.random.default_rng(0).integers(200, 2001, DOCUMENTS)
    some = np.random.default_rng(1).choice(lengths[:20], 10 * DOCUMENTS)
    kinds = [
        ("1,000 documents", "document:", lengths),
        ("1,000 causal documents", "document:causal,", lengths),
        ("10,000 documents of 20 lengths", "document:", some),
        ("2,000 documents of one length", "document:", np.full(2 * DOCUMENTS, 1000)),
    ]
    return [(title, kind + ",".join(map(str, sizes)), int(sizes.sum())) for title, kind, sizes in kinds]


def seconds(schedule: Schedule, problem: Problem, M: int) -> float | None:
    """Seconds of one processor that a verified count takes; None if the schedule does not fit."""
    try:
        tiles = fitting_tiles(schedule, problem, M)
        program = schedule.program(problem, tiles)
        family = schedule.family(problem)
        begin = time.process_time()
        pebble.run(program, family, M)
    except PebbleError as error:
        print(f"    {schedule.name}: {str(error)[:90]}")
        return None
    return time.process_time() - begin


def table(title: str, problems: list[Problem], M: int, names: list[str] | None) -> None:
    """Print the times of all schedules on some problems."""
    print(f"\n{title}; N = {', '.join(f'{problem.Nq:,}' for problem in problems)}")
    sums = [0.0] * len(problems)
    for schedule in registered(problems[0].pass_name, "plain"):
        if schedule.name == "best" or (names and schedule.name not in names):
            continue
        times = [seconds(schedule, problem, M) for problem in problems]
        sums = [total + (one or 0) for total, one in zip(sums, times, strict=True)]
        shown = "".join("         -" if one is None else f"{one:10.3f}" for one in times)
        print(f"  {schedule.name:16}{shown}", flush=True)
    print(f"  {'together':16}" + "".join(f"{total:10.3f}" for total in sums))
    print(f"  {'ratio':16}" + "".join(f"{total / sums[0]:10.2f}" for total in sums if sums[0]))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("-N", type=int, nargs="+", default=[10**4, 10**6])
    parser.add_argument("-d", type=int, default=128)
    parser.add_argument("-M", type=int, default=100_000)
    parser.add_argument("--schedules", nargs="+")
    parser.add_argument("--masks", nargs="*", default=MASKS, help="none: documents only")
    parser.add_argument(
        "--documents", type=int, nargs="+", default=[1, 2], help="which of the four masks of documents"
    )
    parser.add_argument("--passes", nargs="+", default=["forward", "backward"])
    given = parser.parse_args()
    for pass_name in given.passes:
        for mask in given.masks:
            problems = [Problem.square(N, given.d, mask=mask, pass_name=pass_name) for N in given.N]
            table(f"{pass_name}, {mask}", problems, given.M, given.schedules)
    chosen = [documents()[number - 1] for number in given.documents]
    for title, mask, N in chosen if given.masks in (MASKS, []) else ():
        for pass_name in given.passes:
            problem = Problem.square(N, given.d, mask=mask, pass_name=pass_name)
            table(f"{pass_name}, {title}", [problem], given.M, given.schedules)


if __name__ == "__main__":
    main()
