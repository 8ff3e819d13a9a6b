"""Pebbling files: moves a second of processor time, and the ratios between the ways, in one run; run by hand.

    python tests/bench/bench_files.py [N] [--moves MILLIONS]

Reading and writing are measured many lines at a time and line by line, and the replay by itself, in turn, so that a
noisy machine is noisy for all; of each the best of some rounds counts. With --moves a pebbling of so many millions of
moves goes through a pipe into the check, and what memory that takes is printed.
"""

from __future__ import annotations

import argparse
import io
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from unittest.mock import patch

import numpy as np

from pebble.computations.implicit_dag import ImplicitDag
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.game.files.array_lines import ArrayLines
from pebble.game.files.array_text import ArrayText
from pebble.game.files.reader import PebblingReader
from pebble.game.files.writer import write_pebbling
from pebble.game.moves import Moves, as_chunks
from pebble.game.replay import Replay
from pebble.lab.pebblings import moves

ROUNDS = 3


def main(N: int) -> None:
    pebbling = moves("flash-2", Problem.square(N, 32), 128 * 32)
    family, dag = pebbling.family, pebbling.family.dag()
    chunks = list(as_chunks(pebbling))
    n = sum(map(len, chunks))
    stream = io.StringIO()
    write_pebbling(stream, pebbling.header, family, chunks)
    data = stream.getvalue().encode()
    print(f"{n:,} moves, {len(data) / n:.1f} bytes each")

    def read() -> int:
        return sum(map(len, PebblingReader(io.BytesIO(data)).moves(dag)))

    def read_one_by_one() -> int:
        with patch.object(ArrayLines, "of", lambda names: None):
            return read()

    def replay() -> object:
        play = Replay(dag, pebbling.M)
        for chunk in chunks:
            play.play(chunk)
        return play.result()

    def replay_on_demand() -> object:
        play = Replay(ImplicitDag(family), pebbling.M)
        for chunk in chunks:
            play.play(chunk)
        return play.result()

    def check() -> object:
        play = Replay(dag, pebbling.M)
        for chunk in PebblingReader(io.BytesIO(data)).moves(dag):
            play.play(chunk)
        return play.result()

    def write() -> int:
        return write_pebbling(io.StringIO(), pebbling.header, family, chunks)

    def write_one_by_one() -> int:
        with patch.object(ArrayText, "of", lambda names: None):
            return write()

    def make_and_write() -> int:
        return write_pebbling(io.StringIO(), pebbling.header, family, pebbling)

    def make() -> int:
        return sum(len(op) for op, _ in pebbling)

    ways: dict[str, Callable[[], object]] = {
        "check: read and replay": check,
        "read": read,
        "read line by line": read_one_by_one,
        "replay": replay,
        "replay, rows on demand": replay_on_demand,
        "write": write,
        "write line by line": write_one_by_one,
        "make the moves": make,
        "moves: make and write": make_and_write,
    }
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(ROUNDS):
        for what, work in ways.items():
            begin = time.process_time()
            work()
            best[what] = min(best[what], time.process_time() - begin)
    for what, seconds in best.items():
        print(
            f"  {what:24} {n / seconds / 1e6:8.2f} million a second, {seconds / best['replay']:6.2f} replays"
        )


def through_a_pipe(count: int) -> None:
    """Load and delete the inputs of a small DAG until there are so many moves; check them and print the memory."""
    problem = Problem.square(256, 32)
    inputs = np.repeat(np.arange(2 * 256 * 32), 2)
    text = ArrayText.of(family_of(problem).names)
    assert text is not None
    block = text.lines(Moves(np.tile([0, 3], len(inputs) // 2), inputs)).encode()
    command = [sys.executable, "-m", "pebble", "check", "-"]
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(b"# pebbling 1\n# dag attention-forward Nq=256 Nk=256 d=32 dv=32\n# M 4\n")
    for _ in range(count // len(inputs)):
        process.stdin.write(block)
    process.stdin.close()
    process.wait()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{time.perf_counter() - begin:.1f} s, {used.ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("N", type=int, nargs="?", default=128)
    parser.add_argument("--moves", type=float, default=0)
    given = parser.parse_args()
    main(given.N)
    if given.moves:
        through_a_pipe(int(given.moves * 1e6))
