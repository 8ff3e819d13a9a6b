"""A schedule of one's own, checked by one call and compared with the others.

Run it: python examples/own_schedule.py
"""

from __future__ import annotations

import pebble
from pebble.problem import Problem
from pebble.program import Program, compute, delete, load, loop, phase, program, store
from pebble.schedule import Schedule, Tiles, largest
from pebble.testing import check_schedule


class Rows(Schedule):
    """Blocks of query rows stay in fast memory; keys and values pass by one at a time."""

    name = "rows"
    summary = "blocks of query rows; keys and values pass by one at a time"
    source = "an example"
    tile_names = ("rows",)

    def tiles(self, problem: Problem, M: int) -> Tiles:
        return largest(self, problem, M, "rows", high=problem.Nq, guess=M // (problem.d + problem.dv))

    def smallest(self, problem: Problem) -> Tiles:
        return {"rows": 1}

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        rows = self.check_tiles(tiles)["rows"]
        scores = compute("S"), compute("P", "S"), compute("l")
        keys = loop("j", 1, load("K", "V"), scores, compute("U"), delete("P", "K", "V"))
        end = compute("O", "U"), store("O"), store("l") if problem.stats else None, delete("O", "l", "Q")
        return program(phase("", loop("i", rows, load("Q"), keys, end)))


def main() -> None:
    schedule = Rows()
    for problem in (Problem(7, 5, 3, 2), Problem(1, 6, 2, 4, stats=True), Problem(6, 1, 1, 1)):
        contract = check_schedule(schedule, problem, M=60)
        assert contract.peak <= 60
        print(f"{problem.describe()}: {contract.io} words with {contract.tiles}, needs {contract.least_M}")

    print()
    print(pebble.show(schedule, Problem.square(4096, 64), M=25_000))

    print()
    report = pebble.count(Problem.square(4096, 64), M=25_000, schedules=["naive", "flash-2", schedule])
    assert report["rows"].io is not None
    assert report["rows"].io >= report.bounds.best.value
    print(report)


if __name__ == "__main__":
    main()
