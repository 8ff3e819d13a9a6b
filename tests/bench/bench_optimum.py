"""The exact optimum: every golden line again, the targets, and random DAGs of twenty vertices.

Run as ``python tests/bench/bench_optimum.py [--golden] [--random SECONDS]``; without options, the targets.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

from pebble.computations.load import load_dag
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.solvers.optimum import Optimum, optimal

TARGETS = [
    ("fma-matmul:2,2,4", 5, Rules()),
    ("fft:8", 5, Rules()),
    ("fft:8", 6, Rules()),
    ("fma-matmul:3,3,3", 4, Rules()),
]


def show(name: str, best: Optimum) -> None:
    print(f"{best.seconds:7.2f} s  {name:20} {best}", flush=True)


def golden() -> None:
    path = Path(__file__).parents[1] / "golden" / "optima.json"
    for line in json.loads(path.read_text(encoding="utf-8"))["optima"]:
        rules = Rules(recomputation=line["recomputation"], sliding=line["sliding"])
        best = optimal(load_dag(line["dag"]), line["M"], rules)
        assert (best.io, best.proved) == (line["io"], True), line
        show(line["dag"], best)


def random_dag(rng: np.random.Generator, n: int) -> Dag:
    kind = rng.integers(3)
    inputs = int(rng.integers(3, 9))
    if kind == 0:
        edges = [(int(i), j) for j in range(inputs, n) for i in rng.choice(j, 2, replace=False)]
    elif kind == 1:
        edges = [
            (int(i), j)
            for j in range(inputs, n)
            for i in rng.choice(np.arange(max(0, j - 8), j), int(rng.integers(2, 4)), replace=False)
        ]
    else:
        density = rng.choice([0.15, 0.25, 0.4, 0.6])
        edges = [(i, j) for j in range(n) for i in range(j) if rng.random() < density]
    return Dag.from_edges(edges, n_vertices=n)


def random_ones(seconds: float, n: int = 20) -> None:
    rng = np.random.default_rng(2026)
    end = time.monotonic() + seconds
    taken = []
    while time.monotonic() < end:
        dag = random_dag(rng, n)
        rules = Rules(recomputation=rng.random() < 0.6, sliding=rng.random() < 0.3)
        M = min(n, dag.least_M(sliding=rules.sliding) + int(rng.integers(0, 4)))
        best = optimal(dag, M, rules)
        taken.append(best.seconds)
        if best.seconds == max(taken):
            show(f"{dag.n_edges} edges", best)
    print(
        f"{len(taken)} random DAGs of {n} vertices: median {np.median(taken):.2f} s, worst {max(taken):.2f} s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--golden", action="store_true")
    parser.add_argument("--random", type=float, metavar="SECONDS")
    options = parser.parse_args()
    if options.golden:
        golden()
    if options.random:
        random_ones(options.random)
    if not options.golden and not options.random:
        for name, M, rules in TARGETS:
            show(name, optimal(load_dag(name), M, rules))


if __name__ == "__main__":
    main()
