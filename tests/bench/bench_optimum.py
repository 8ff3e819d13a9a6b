"""The exact optimum: every golden line again, or the targets.

Run as ``python tests/bench/bench_optimum.py [--golden]``; without options, the targets.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from pebble.computations.load import load_dag
from pebble.game.rules import Rules
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--golden", action="store_true")
    options = parser.parse_args()
    if options.golden:
        golden()
    else:
        for name, M, rules in TARGETS:
            show(name, optimal(load_dag(name), M, rules))


if __name__ == "__main__":
    main()
