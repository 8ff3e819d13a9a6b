"""Automatic schedules: I/O on named graphs, and seconds for half a million vertices.

Run as ``python tests/bench/bench_auto.py [--large]``, or with edge-list files and sizes of memory:
``python tests/bench/bench_auto.py matmul8.txt:16 fft10.txt:64``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

import numpy as np

from pebble.computations.load import load_dag
from pebble.graph.dag import Dag
from pebble.solvers.heuristic import EVICTIONS, ORDERS, schedule_dag

NAMED = [("tests/data/matmul8.txt", 16), ("tests/data/fft6.txt", 16), ("tests/data/attn8x4.txt", 32)]


def butterfly(levels: int) -> Dag:
    """FFT graph on 2^levels points."""
    n = 1 << levels
    x = np.arange(n)
    edges = [
        np.stack([level * n + source, (level + 1) * n + x], axis=1)
        for level in range(levels)
        for source in (x, x ^ 1 << level)
    ]
    return Dag.from_edges(np.concatenate(edges), (levels + 1) * n)


def products(n: int) -> Dag:
    """n×n×n matrix product, products and sums as separate vertices."""
    i, j, k = (x.ravel() for x in np.indices((n, n, n)))
    base = 2 * n * n
    step = (i * n + j) * (2 * n - 1)
    product = base + step + np.maximum(2 * k - 1, 0)
    total = base + step + 2 * k
    later = k > 0
    before = base + step + np.maximum(2 * k - 2, 0)
    pairs = [(i * n + k, product), (n * n + k * n + j, product)]
    pairs += [(product[later], total[later]), (before[later], total[later])]
    edges = np.concatenate([np.stack(pair, axis=1) for pair in pairs])
    return Dag.from_edges(edges, base + n * n * (2 * n - 1))


def timed(dag: Dag, M: int, orders: list[str], evictions: list[str]) -> Iterator[str]:
    """One line for each order and eviction."""
    for order in orders:
        for eviction in evictions:
            begin = time.perf_counter()
            found = schedule_dag(dag, M, order, eviction)
            yield f"  {time.perf_counter() - begin:7.2f} s  {found}"


def main(arguments: list[str]) -> None:
    """Print the tables."""
    if arguments == ["--large"]:
        for name, dag, M in (("butterfly 2^15", butterfly(15), 256), ("product 64^3", products(64), 1024)):
            print(f"{name}: {dag.n_vertices:,} vertices, {dag.n_edges:,} edges, M = {M}")
            print(*timed(dag, M, ["given", "depth-first", "breadth-first"], ["belady"]), sep="\n")
            print(*timed(dag, M, ["given"], ["lru", "fifo"]), sep="\n")
        return
    chosen = [(name, int(M)) for name, _, M in (text.rpartition(":") for text in arguments)] or NAMED
    for name, M in chosen:
        print(f"{name}, M = {M}")
        print(*timed(load_dag(name), M, list(ORDERS), ["belady"]), sep="\n", flush=True)
        print(*timed(load_dag(name), M, ["given"], list(EVICTIONS)[1:]), sep="\n", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
