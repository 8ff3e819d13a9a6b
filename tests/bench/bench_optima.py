"""The table of exact optima in docs/measurements.md: DAG, M, optimum or what is known, states, processor time.

Run as ``python tests/bench/bench_optima.py [--limit SECONDS] [DAG:M …]``; a DAG is a name or a file, M a number or
``r`` for the least M, ``2r`` for twice as much. Without arguments, the instances of the page.
"""

from __future__ import annotations

import argparse
import time

from pebble.common.errors import PebbleError
from pebble.computations.load import load_dag
from pebble.solvers.optimum import optimal

INSTANCES = [
    "pyramid:8:6",
    "diamond:6,6:4",
    "attention:N=3,d=1:8",
    "attention:N=3,d=1:6",
    "fft:8:6",
    "fma-matmul:3,3,3:4",
]
"""Those of the page, each with its M."""


def words(text: str, least: int) -> int:
    return int(text[:-1] or 1) * least if text.endswith("r") else int(text)


def show(instance: str, limit: float) -> None:
    name, M_text = instance.rsplit(":", 1)
    try:
        dag = load_dag(name)
        M = words(M_text, dag.least_M())
        begin = time.process_time()
        best = optimal(dag, M, time_limit=limit)
    except PebbleError as error:
        print(f"| {name} | {M_text} | {error} |", flush=True)
        return
    taken = time.process_time() - begin
    known = str(best.io) if best.proved else f"{best.lower}..{best.io}"
    label = name.rsplit("/", 1)[-1]
    print(f"| `{label}` | {M} | {known} | {best.states:,} | {taken:.0f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("instances", nargs="*", metavar="DAG:M")
    parser.add_argument(
        "--limit", type=float, default=120, metavar="SECONDS", help="wall-clock time for each"
    )
    options = parser.parse_args()
    print("| DAG | M | optimum | states | seconds |\n|---|---|---|---|---|")
    for instance in options.instances or INSTANCES:
        show(instance, options.limit)


if __name__ == "__main__":
    main()
