"""How long the command ``pebble count`` takes, process start included, at N = 10³ and at N = 10⁹.

Counting by induction costs the same at any N, so the ratio must stay below 1.2. Run it by hand, on a quiet machine:
python tests/bench/bench_cli.py
"""

from __future__ import annotations

import subprocess
import sys
import time

RUNS = 15
LIMIT = 1.2


def seconds(N: int, runs: int = 1) -> float:
    """Least time of several runs of the whole process."""
    command = [sys.executable, "-m", "pebble", "count", "-N", str(N), "-d", "128", "-M", "100000", "--json"]
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
        best = min(best, time.perf_counter() - start)
    return best


def main() -> int:
    """Measure in turns, so that a slow moment of the machine hits both; exit status 1 above the limit."""
    seconds(10**3)
    short = long = float("inf")
    for _ in range(RUNS):
        short, long = min(short, seconds(10**3)), min(long, seconds(10**9))
    ratio = long / short
    print(
        f"pebble count, all schedules: {short:.3f} s at N = 10^3, {long:.3f} s at N = 10^9, ratio {ratio:.3f}"
    )
    print(f"pebble --help: {_help():.3f} s")
    return 0 if ratio < LIMIT else 1


def _help() -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "pebble", "--help"], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
