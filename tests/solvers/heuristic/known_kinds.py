"""Graphs of the kinds that people order by hand, as edge lists, with products and sums as separate vertices.

Each function takes a list that is filled with the true coordinates of all vertices, one row each, if one is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from pebble.graph.dag import Dag

__all__ = [
    "Places",
    "attention",
    "attention_backward",
    "cholesky",
    "convolution",
    "convolution_on_a_line",
    "fft",
    "layered",
    "lu",
    "matmul",
    "renumbered",
    "sparse",
    "stencil",
    "triangular_solve",
]

Places = list[tuple[int, ...]]
"""Coordinates of each vertex, none for inputs."""


class _Builder:
    def __init__(self, places: Places | None) -> None:
        self.n = 0
        self.edges: list[tuple[int, int]] = []
        self.places = [] if places is None else places

    def vertex(self, *predecessors: int, at: tuple[int, ...] = ()) -> int:
        self.edges += [(p, self.n) for p in predecessors]
        self.places.append(at)
        self.n += 1
        return self.n - 1

    def array(self, *shape: int) -> dict[tuple[int, ...], int]:
        return {index: self.vertex() for index in product(*map(range, shape))}

    def sum_of_products(
        self,
        pairs: list[tuple[int, int]],
        places: Sequence[tuple[int, ...]],
        start: int | None = None,
        fused: bool = False,
    ) -> int:
        total = start
        for pair, at in zip(pairs, places, strict=True):
            if fused:
                total = self.vertex(*pair, at=at) if total is None else self.vertex(total, *pair, at=at)
            else:
                term = self.vertex(*sorted(set(pair), key=pair.index), at=at)
                total = term if total is None else self.vertex(total, term, at=at)
        assert total is not None
        return total

    def dag(self) -> Dag:
        return Dag.from_edges(np.array(self.edges), self.n)


def matmul(m: int, n: int, k: int, places: Places | None = None) -> Dag:
    """Return C = A·B for an m×k and a k×n matrix; coordinates i, j, k."""
    build = _Builder(places)
    a, b = build.array(m, k), build.array(k, n)
    for i, j in product(range(m), range(n)):
        build.sum_of_products([(a[i, s], b[s, j]) for s in range(k)], [(i, j, s) for s in range(k)])
    return build.dag()


def convolution(
    size: int,
    channels: int,
    filters: int,
    width: int = 3,
    places: Places | None = None,
    stride: int = 1,
    padding: int = 0,
    fused: bool = False,
) -> Dag:
    """Return a convolution of a square image; coordinates filter, x, y, channel, shifts, pixel, step.

    Pixels of the padding are 0 and left out.
    """
    build = _Builder(places)
    image, weight = build.array(channels, size, size), build.array(filters, channels, width, width)
    out = (size + 2 * padding - width) // stride + 1
    taps = list(product(range(channels), range(width), range(width)))
    for f, x, y in product(range(filters), range(out), range(out)):
        u, v = stride * x - padding, stride * y - padding
        inside = [(c, p, q) for c, p, q in taps if (c, u + p, v + q) in image]
        build.sum_of_products(
            [(weight[f, c, p, q], image[c, u + p, v + q]) for c, p, q in inside],
            [(f, x, y, c, p, q, u + p, v + q, step) for step, (c, p, q) in enumerate(inside)],
            fused=fused,
        )
    return build.dag()


def convolution_on_a_line(
    size: int, channels: int, filters: int, width: int, places: Places | None = None
) -> Dag:
    """Return a convolution of a signal with several channels; coordinates filter, x, channel, shift, sample, step."""
    build = _Builder(places)
    signal, weight = build.array(channels, size), build.array(filters, channels, width)
    taps = list(product(range(channels), range(width)))
    for f, x in product(range(filters), range(size - width + 1)):
        build.sum_of_products(
            [(weight[f, c, p], signal[c, x + p]) for c, p in taps],
            [(f, x, c, p, x + p, step) for step, (c, p) in enumerate(taps)],
        )
    return build.dag()


def stencil(
    steps: int,
    *sides: int,
    box: bool = False,
    shrinking: bool = False,
    radius: int = 1,
    places: Places | None = None,
) -> Dag:
    """Return a stencil on a line or a grid over time: a star or a box, with its boundaries kept or given up.

    The coordinates are the time, x, …, x + time, …, and x − time, … moved to positive numbers.
    """
    build = _Builder(places)
    now = build.array(*sides)
    near_by = range(-radius, radius + 1)
    moves = [move for move in product(near_by, repeat=len(sides)) if box or np.count_nonzero(move) <= 1]
    for t in range(steps):
        near = {at: [tuple(map(sum, zip(at, move, strict=True))) for move in moves] for at in now}
        if shrinking:
            near = {at: places for at, places in near.items() if all(p in now for p in places)}
        now = {
            at: build.vertex(
                *(now[p] for p in places if p in now),
                at=(t, *at, *(x + t for x in at), *(x - t + steps for x in at)),
            )
            for at, places in near.items()
        }
    return build.dag()


def fft(points: int) -> Dag:
    """Return the butterflies of a Fourier transform."""
    build = _Builder(None)
    now = [build.vertex() for _ in range(points)]
    for level in range(points.bit_length() - 1):
        now = [build.vertex(now[i], now[i ^ (1 << level)]) for i in range(points)]
    return build.dag()


def cholesky(n: int, places: Places | None = None) -> Dag:
    """Return A = L·Lᵀ by columns; coordinates i, j, k."""
    build = _Builder(places)
    a = {(i, j): build.vertex() for i in range(n) for j in range(i + 1)}
    lower: dict[tuple[int, int], int] = {}
    for j in range(n):
        for i in range(j, n):
            pairs = [(lower[i, k], lower[j, k]) for k in range(j)]
            at = [(i, j, k) for k in range(j)]
            rest = build.sum_of_products(pairs, at, a[i, j]) if pairs else a[i, j]
            divided = (rest,) if i == j else (rest, lower[j, j])
            lower[i, j] = build.vertex(*divided, at=(i, j, j))
    return build.dag()


def lu(n: int, places: Places | None = None) -> Dag:
    """Return A = L·U without pivoting; coordinates i, j, k."""
    build = _Builder(places)
    a = build.array(n, n)
    both: dict[tuple[int, ...], int] = {}
    for i, j in product(range(n), range(n)):
        pairs = [(both[i, k], both[k, j]) for k in range(min(i, j))]
        at = [(i, j, k) for k in range(min(i, j))]
        rest = build.sum_of_products(pairs, at, a[i, j]) if pairs else a[i, j]
        both[i, j] = rest if i <= j else build.vertex(rest, both[j, j], at=(i, j, j))
    return build.dag()


def triangular_solve(n: int, columns: int, places: Places | None = None) -> Dag:
    """Return X of L·X = B; coordinates i, j, k."""
    build = _Builder(places)
    lower = {(i, j): build.vertex() for i in range(n) for j in range(i + 1)}
    right = build.array(n, columns)
    for j in range(columns):
        x: list[int] = []
        for i in range(n):
            pairs = [(lower[i, k], x[k]) for k in range(i)]
            at = [(i, j, k) for k in range(i)]
            rest = build.sum_of_products(pairs, at, right[i, j]) if pairs else right[i, j]
            x.append(build.vertex(rest, lower[i, i], at=(i, j, i)))
    return build.dag()


def attention(n: int, d: int, fused: bool = True, places: Places | None = None) -> Dag:
    """Return softmax attention; coordinates row, column of the score, channel, phase."""
    build = _Builder(places)
    q, k, v = (build.array(n, d) for _ in range(3))
    at, rest = list(product(range(n), range(n))), (-1, -1)
    e = {}
    for i, j in at:
        score = build.sum_of_products(
            [(q[i, c], k[j, c]) for c in range(d)], [(i, j, c, 0) for c in range(d)], fused=fused
        )
        e[i, j] = build.vertex(score, at=(i, j, *rest))
    total, output = [], {}
    for i in range(n):
        so_far = e[i, 0]
        for j in range(1, n):
            so_far = build.vertex(so_far, e[i, j], at=(i, j, *rest))
        total.append(so_far)
    for i, c in product(range(n), range(d)):
        output[i, c] = build.sum_of_products(
            [(e[i, j], v[j, c]) for j in range(n)], [(i, j, c, 1) for j in range(n)], fused=fused
        )
    for (i, c), vertex in output.items():
        build.vertex(vertex, total[i], at=(i, n - 1, c, 1))
    return build.dag()


def attention_backward(n: int, d: int, places: Places | None = None) -> Dag:
    """Return dQ, dK and dV of softmax attention, with the exponentials computed again.

    The coordinates are row, column of the score, channel, phase.
    """
    build = _Builder(places)
    q, k, v, g = (build.array(n, d) for _ in range(4))
    at, channels = list(product(range(n), range(n))), range(d)

    def rows(
        a: dict[tuple[int, ...], int], b: dict[tuple[int, ...], int], phase: int
    ) -> dict[tuple[int, int], int]:
        return {
            (i, j): build.sum_of_products(
                [(a[i, c], b[j, c]) for c in channels], [(i, j, c, phase) for c in channels], fused=True
            )
            for i, j in at
        }

    e = {place: build.vertex(score, at=(*place, -1, 0)) for place, score in rows(q, k, 0).items()}
    total = []
    for i in range(n):
        so_far = build.vertex(e[i, 0], at=(i, 0, -1, 0))
        for j in range(1, n):
            so_far = build.vertex(so_far, e[i, j], at=(i, j, -1, 0))
        total.append(so_far)
    p = {(i, j): build.vertex(e[i, j], total[i], at=(i, j, -1, 1)) for i, j in at}
    dp = rows(g, v, 1)
    delta = [
        build.sum_of_products(
            [(p[i, j], dp[i, j]) for j in range(n)], [(i, j, -1, 1) for j in range(n)], fused=True
        )
        for i in range(n)
    ]
    ds = {(i, j): build.vertex(p[i, j], dp[i, j], delta[i], at=(i, j, -1, 2)) for i, j in at}
    for i, c in product(range(n), channels):
        build.sum_of_products(
            [(ds[i, j], k[j, c]) for j in range(n)], [(i, j, c, 2) for j in range(n)], fused=True
        )
    for phase, (left, right) in ((2, (ds, q)), (1, (p, g))):
        for j, c in product(range(n), channels):
            build.sum_of_products(
                [(left[i, j], right[i, c]) for i in range(n)],
                [(i, j, c, phase) for i in range(n)],
                fused=True,
            )
    return build.dag()


def sparse(n: int, each: int, seed: int = 0) -> Dag:
    """Return a product of a random sparse matrix with a vector."""
    rng, build = np.random.default_rng(seed), _Builder(None)
    x = build.array(n)
    for _ in range(n):
        columns = np.unique(rng.integers(0, n, each)).tolist()
        pairs = [(build.vertex(), x[(c,)]) for c in columns]
        build.sum_of_products(pairs, [()] * len(pairs))
    return build.dag()


def layered(width: int, layers: int, degree: int, seed: int = 0) -> Dag:
    """Return layers of vertices with random predecessors in the layer before."""
    rng, build = np.random.default_rng(seed), _Builder(None)
    layer = [build.vertex() for _ in range(width)]
    for _ in range(layers):
        rows = [rng.choice(width, degree, replace=False).tolist() for _ in range(width)]
        layer = [build.vertex(*(layer[p] for p in row)) for row in rows]
    return build.dag()


def renumbered(dag: Dag, seed: int, operands: bool = True) -> tuple[Dag, np.ndarray]:
    """Return the same graph with other numbers, and the new number of each vertex.

    The predecessors of a vertex keep their order if ``operands``; else they come in any order.
    """
    rng = np.random.default_rng(seed)
    number = rng.permutation(dag.n_vertices)
    head = np.repeat(np.arange(dag.n_vertices), dag.indegree)
    edges = np.stack([number[dag.predecessors], number[head]], axis=1)
    if not operands:
        edges = rng.permutation(edges)
    return Dag.from_edges(edges[np.argsort(edges[:, 1], kind="stable")], dag.n_vertices), number
