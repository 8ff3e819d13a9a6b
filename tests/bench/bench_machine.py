"""The machine with and without induction on the same programs; run by hand.

    python tests/bench/bench_machine.py [N]

For every schedule: operations executed, time by induction and in full, their ratio, and the time by induction
at N = 10^9, where a full run would take years. The default N = 60 takes about half a minute.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem
from pebble.program.machine.counted import Run
from pebble.program.machine.run import run
from pebble.program.schedule import available


def timed(action: Callable[[], Run], least: float = 0.05) -> tuple[Run, float]:
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


def main(N: int) -> None:
    d, M = max(2, N // 8), 40 * max(2, N // 8)
    large, large_d, large_M = 10**9, 128, 100_000
    print(f"N = {N}, d = {d}, M = {M}; the last two columns: N = 10^9, d = {large_d}, M = {large_M}")
    print(
        f"{'pass':9}{'schedule':16}{'steps':>7}{'all':>9}{'ms':>8}{'all, ms':>9}{'ratio':>8}{'steps':>8}{'ms':>8}"
    )
    for pass_name in ("forward", "backward"):
        for name, schedule in available(pass_name).items():
            problem = Problem.square(N, d, pass_name=pass_name)
            room = max(M, schedule.least_M(problem))
            text, family = schedule.program(problem, schedule.tiles(problem, room)), schedule.family(problem)
            short, short_time = timed(lambda t=text, f=family, m=room: run(t, f, m))  # type: ignore[misc]
            try:
                full, full_time = timed(lambda t=text, f=family, m=room: run(t, f, m, induction=False))  # type: ignore[misc]
            except InvalidInput:
                print(f"{pass_name:9}{name:16} too many operations to run in full")
                continue
            assert (short.reads, short.writes, short.peak) == (full.reads, full.writes, full.peak)
            huge = Problem.square(large, large_d, pass_name=pass_name)
            room = max(large_M, schedule.least_M(huge))
            text, family = schedule.program(huge, schedule.tiles(huge, room)), schedule.family(huge)
            far, far_time = timed(lambda t=text, f=family, m=room: run(t, f, m))  # type: ignore[misc]
            print(
                f"{pass_name:9}{name:16}{short.steps:7}{full.steps:9}{1e3 * short_time:8.1f}{1e3 * full_time:9.0f}"
                f"{full_time / short_time:8.0f}{far.steps:8}{1e3 * far_time:8.1f}"
                + ("" if not far.unrolled else "  unrolled")
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
