"""The automatic order beside every single one, through the command: it must not lose to any.

Run as ``python -m tests.bench.bench_orders FILE [SOURCE:M …]``, each SOURCE a name or a file that ``pebble dag`` reads.
Rows that FILE lacks are appended to it, one JSON object a line; then all are printed. The exit status is 1 if the
automatic order lost somewhere.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from click.testing import CliRunner

from pebble.cli.dag import schedule as command
from pebble.common.errors import PebbleError
from pebble.computations.load import named_problem
from pebble.lab.pebblings import moves
from pebble.program.schedule import registered
from pebble.solvers.heuristic import ORDERS

SOURCES = (
    "matmul:4,4,4:12",
    "matmul:2,7,5:10",
    "matmul:6,6,6:20",
    "fma-matmul:5,5,5:14",
    "strassen:4:16",
    "fft:16:6",
    "fft:32:8",
    "fft:64:16",
    "pyramid:12:7",
    "pyramid:16:6",
    "diamond:9,9:5",
    "diamond:12,8:6",
    "hypercube:6:9",
    "tree:6:4",
    "stencil:20,10:6",
    "stencil:12,12:8",
    "layered:6,20,3:8",
    "layered:12,15,2:6",
    "layered:20,12,4:12",
    "layered:30,10,3,seed=4:10",
    "scalar-attention:6,3:10",
    "attention:N=4,d=3:9",
    "attention:N=8,d=4:24",
    "attention:N=6,d=2:12",
    "attention:N=8,d=4:64",
    "attention-safe:N=5,d=3:16",
    "attention-online:N=6,d=3:20",
    "backward:N=6,d=2:24",
    "backward:N=4,d=3:16",
    "weights:N=4,d=2:16",
    "linear-attention:N=6,d=3,causal=1,chunk=3:30",
)


def io_by_command(source: str, M: int, order: str) -> int:
    """Return what ``pebble dag schedule SOURCE -M M --order ORDER --json`` says."""
    done = CliRunner().invoke(
        command, [source, "-M", str(M), "--order", order, "--json"], catch_exceptions=False
    )
    return int(json.loads(done.stdout)["io"])


def io_of_own(source: str, M: int) -> dict[str, int]:
    """Return the I/O of the schedules registered for the family that the source names, as far as they run."""
    problem, found = named_problem(source), dict[str, int]()
    if problem is None:
        return found
    for schedule in registered(problem.pass_name, problem.form):
        try:
            found[schedule.name] = moves(schedule, problem, M).io
        except PebbleError:
            continue
    return found


def row(source: str, M: int) -> dict[str, object]:
    """Return all counts of one graph."""
    counts = {order: io_by_command(source, M, order) for order in ORDERS}
    return {"source": source, "M": M, "orders": counts, "own": io_of_own(source, M)}


def main(arguments: list[str]) -> int:
    """Fill the file, print it, and say where the automatic order lost."""
    file = Path(arguments[0])
    rows = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    for text in arguments[1:] or SOURCES:
        source, _, M = text.rpartition(":")
        if all((one["source"], one["M"]) != (source, int(M)) for one in rows):
            rows.append(row(source, int(M)))
            with file.open("a") as out:
                print(json.dumps(rows[-1]), file=out)
    lost = 0
    for one in rows:
        auto = one["orders"]["auto"]
        others = {**one["orders"], **one["own"]}
        name = min((key for key in others if key != "auto"), key=lambda key: others[key])
        lost += auto > others[name]
        print(
            f"{one['source']:46} M = {one['M']:3}  auto {auto:6,}  best of the others {others[name]:6,}  {name}"
        )
    print(f"{len(rows)} graphs; the automatic order lost {lost} times")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
