"""Moves a second of processor time: batch replay, plain game, notation; run by hand.

    python tests/bench/bench_replay.py [n]

The pebbling is a tiled n x n x n matrix product, one vertex per multiply-add: three predecessors a
computation, about two moves a vertex, which is what pebblings of attention look like.
"""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np

from pebble.game.board import Status
from pebble.game.files.header import Header
from pebble.game.files.reader import PebblingReader
from pebble.game.files.writer import write_pebbling
from pebble.game.game import Game
from pebble.game.moves import Moves, Op
from pebble.game.replay import Replay, replay
from pebble.graph.dag import Dag


def product_dag(n: int) -> Dag:
    """C[i,j,k] from C[i,j,k-1], A[i,k], B[k,j]; A, B, C one after the other in row-major order."""
    i, j, k = (axis.ravel() for axis in np.indices((n, n, n)))
    rows = np.stack([2 * n * n + np.arange(n**3) - 1, i * n + k, n * n + k * n + j], axis=1)
    keep = np.ones(rows.shape, dtype=bool)
    keep[k == 0, 0] = False
    start = np.zeros(2 * n * n + n**3 + 1, dtype=np.int64)
    np.cumsum(keep.sum(axis=1), out=start[2 * n * n + 1 :])
    return Dag(start, rows[keep])


def product_moves(n: int, rows: int) -> Iterator[Moves]:
    """A block of rows of A stays; the columns of B stream; each C chain is carried to its end."""
    first_c = 2 * n * n
    for top in range(0, n, rows):
        block = np.arange(top, min(top + rows, n))
        a = (block[:, None] * n + np.arange(n)).ravel()
        yield Moves(np.full(a.size, Op.LOAD, np.int8), a)
        for j in range(n):
            b = n * n + np.arange(n) * n + j
            c = first_c + ((block * n + j) * n)[:, None] + np.arange(n)
            work = np.stack([c, c - 1], axis=2).reshape(len(block), 2 * n)[:, np.r_[0, 2 : 2 * n]]
            what = np.tile(np.array([Op.COMPUTE, Op.DELETE], np.int8), n)[np.r_[0, 2 : 2 * n]]
            ends = np.repeat(c[:, -1:], 2, axis=1)
            op = np.hstack([np.tile(what, (len(block), 1)), np.tile([Op.STORE, Op.DELETE], (len(block), 1))])
            vertex = np.hstack([work, ends])
            yield Moves(
                np.concatenate([np.full(n, Op.LOAD), op.ravel(), np.full(n, Op.DELETE)]).astype(np.int8),
                np.concatenate([b, vertex.ravel(), b]),
            )
        yield Moves(np.full(a.size, Op.DELETE, np.int8), a)


def loop_replay(dag: Dag, M: int, op: np.ndarray, vertex: np.ndarray) -> int:
    """The tight loop that the batch replay is measured against: the same rules on byte arrays."""
    red, blue = bytearray(dag.n_vertices), bytearray((dag.indegree == 0).tobytes())
    start, flat = dag.predecessor_start.tolist(), dag.predecessors.tolist()
    n_red = peak = 0
    for o, v in zip(op.tolist(), vertex.tolist(), strict=True):
        if o == 2:
            row = flat[start[v] : start[v + 1]]
            if not row:
                raise ValueError(v)
            for p in row:
                if not red[p]:
                    raise ValueError(v)
            if not red[v]:
                red[v] = 1
                n_red += 1
                if n_red > peak:
                    peak = n_red
                    if peak > M:
                        raise ValueError(v)
        elif o == 3:
            if not red[v]:
                raise ValueError(v)
            red[v] = 0
            n_red -= 1
        elif o == 0:
            if not blue[v]:
                raise ValueError(v)
            if not red[v]:
                red[v] = 1
                n_red += 1
                if n_red > peak:
                    peak = n_red
                    if peak > M:
                        raise ValueError(v)
        else:
            if not red[v]:
                raise ValueError(v)
            blue[v] = 1
    return peak


def measure(what: str, moves: int, work: Callable[[], object]) -> None:
    best = min(timed(work) for _ in range(3))
    print(f"{what:34} {moves / best / 1e6:8.2f} million moves a second")


def timed(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def main(n: int) -> None:
    dag, chunks = product_dag(n), list(product_moves(n, 16))
    op, vertex = (np.concatenate([getattr(c, name) for c in chunks]) for name in ("op", "vertex"))
    M, moves = 16 * n + n + 2, Moves(op, vertex)
    status: Status = replay(dag, M, moves).require_complete()
    print(f"{dag}; {status}")
    measure("batch replay, one chunk", len(op), lambda: replay(dag, M, moves))
    measure(f"batch replay, {len(chunks)} chunks", len(op), lambda: replay(dag, M, chunks))
    measure("plain loop (no counts, no names)", len(op), lambda: loop_replay(dag, M, op, vertex))
    shuffled = np.random.default_rng(0).permutation(dag.n_vertices)
    far = shuffle(dag, shuffled)
    measure("batch replay, vertices shuffled", len(op), lambda: replay(far, M, (op, shuffled[vertex])))
    few = list(moves.part(0, 100_000))
    measure("game, move by move", len(few), lambda: Game(dag, M).play(few))
    text = io.StringIO()
    write_pebbling(text, Header("product", {}, M), dag, chunks)
    measure(
        "write a pebbling",
        len(op),
        lambda: write_pebbling(io.StringIO(), Header("product", {}, M), dag, chunks),
    )
    data = text.getvalue().encode()
    measure("read a pebbling", len(op), lambda: sum(map(len, PebblingReader(io.BytesIO(data)).moves(dag))))
    measure("read and replay", len(op), lambda: read_and_replay(data, dag, M))


def read_and_replay(data: bytes, dag: Dag, M: int) -> Status:
    play = Replay(dag, M)
    for chunk in PebblingReader(io.BytesIO(data)).moves(dag):
        play.play(chunk)
    return play.result()


def shuffle(dag: Dag, number: np.ndarray) -> Dag:
    """Give every vertex another number."""
    heads = np.repeat(np.arange(dag.n_vertices), dag.indegree)
    return Dag.from_edges(np.stack([number[dag.predecessors], number[heads]], axis=1), dag.n_vertices)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 128)
