"""Graphs of the kinds that people order by hand, as edge lists, with products and sums as separate vertices."""

from __future__ import annotations

from itertools import product

import numpy as np

from pebble.graph.dag import Dag

__all__ = [
    "KINDS",
    "attention_backward",
    "cholesky",
    "convolution",
    "layered",
    "lu",
    "matmul",
    "sparse",
    "stencil",
    "triangular_solve",
]


class _Builder:
    def __init__(self) -> None:
        self.n = 0
        self.edges: list[tuple[int, int]] = []

    def vertex(self, *predecessors: int) -> int:
        self.edges += [(p, self.n) for p in predecessors]
        self.n += 1
        return self.n - 1

    def array(self, *shape: int) -> dict[tuple[int, ...], int]:
        return {index: self.vertex() for index in product(*map(range, shape))}

    def sum_of_products(
        self, pairs: list[tuple[int, int]], start: int | None = None, fused: bool = False
    ) -> int:
        total = start
        for pair in pairs:
            if fused:
                total = self.vertex(*pair) if total is None else self.vertex(total, *pair)
            else:
                term = self.vertex(*sorted(set(pair), key=pair.index))
                total = term if total is None else self.vertex(total, term)
        assert total is not None
        return total

    def dag(self) -> Dag:
        return Dag.from_edges(np.array(self.edges), self.n)


def matmul(m: int, n: int, k: int) -> Dag:
    """Return C = A·B for an m×k and a k×n matrix."""
    build = _Builder()
    a, b = build.array(m, k), build.array(k, n)
    for i, j in product(range(m), range(n)):
        build.sum_of_products([(a[i, s], b[s, j]) for s in range(k)])
    return build.dag()


def convolution(size: int, channels: int, filters: int, width: int = 3) -> Dag:
    """Return a convolution of a square image with several channels."""
    build = _Builder()
    image, weight = build.array(channels, size, size), build.array(filters, channels, width, width)
    out = size - width + 1
    for f, x, y in product(range(filters), range(out), range(out)):
        taps = product(range(channels), range(width), range(width))
        build.sum_of_products([(weight[f, c, p, q], image[c, x + p, y + q]) for c, p, q in taps])
    return build.dag()


def stencil(steps: int, *sides: int) -> Dag:
    """Return a star stencil on a line or a grid over time."""
    build = _Builder()
    now = build.array(*sides)
    moves = [tuple(0 for _ in sides)]
    for axis, by in product(range(len(sides)), (-1, 1)):
        moves.append(tuple(by if other == axis else 0 for other in range(len(sides))))
    for _ in range(steps):
        near = {at: [tuple(map(sum, zip(at, move, strict=True))) for move in sorted(moves)] for at in now}
        now = {at: build.vertex(*(now[p] for p in places if p in now)) for at, places in near.items()}
    return build.dag()


def cholesky(n: int) -> Dag:
    """Return A = L·Lᵀ by columns."""
    build = _Builder()
    a = {(i, j): build.vertex() for i in range(n) for j in range(i + 1)}
    lower: dict[tuple[int, int], int] = {}
    for j in range(n):
        for i in range(j, n):
            pairs = [(lower[i, k], lower[j, k]) for k in range(j)]
            rest = build.sum_of_products(pairs, a[i, j]) if pairs else a[i, j]
            lower[i, j] = build.vertex(rest) if i == j else build.vertex(rest, lower[j, j])
    return build.dag()


def lu(n: int) -> Dag:
    """Return A = L·U without pivoting."""
    build = _Builder()
    a = build.array(n, n)
    both: dict[tuple[int, ...], int] = {}
    for i, j in product(range(n), range(n)):
        pairs = [(both[i, k], both[k, j]) for k in range(min(i, j))]
        rest = build.sum_of_products(pairs, a[i, j]) if pairs else a[i, j]
        both[i, j] = rest if i <= j else build.vertex(rest, both[j, j])
    return build.dag()


def triangular_solve(n: int, columns: int) -> Dag:
    """Return X of L·X = B."""
    build = _Builder()
    lower = {(i, j): build.vertex() for i in range(n) for j in range(i + 1)}
    right = build.array(n, columns)
    for j in range(columns):
        x: list[int] = []
        for i in range(n):
            pairs = [(lower[i, k], x[k]) for k in range(i)]
            rest = build.sum_of_products(pairs, right[i, j]) if pairs else right[i, j]
            x.append(build.vertex(rest, lower[i, i]))
    return build.dag()


def attention_backward(n: int, d: int) -> Dag:
    """Return dQ, dK and dV of softmax attention, with the exponentials computed again."""
    build = _Builder()
    q, k, v, g = (build.array(n, d) for _ in range(4))
    at = list(product(range(n), range(n)))

    def rows(a: dict[tuple[int, ...], int], b: dict[tuple[int, ...], int]) -> dict[tuple[int, int], int]:
        return {
            (i, j): build.sum_of_products([(a[i, c], b[j, c]) for c in range(d)], fused=True) for i, j in at
        }

    e = {place: build.vertex(score) for place, score in rows(q, k).items()}
    total = []
    for i in range(n):
        so_far = build.vertex(e[i, 0])
        for j in range(1, n):
            so_far = build.vertex(so_far, e[i, j])
        total.append(so_far)
    p = {(i, j): build.vertex(e[i, j], total[i]) for i, j in at}
    dp = rows(g, v)
    delta = [build.sum_of_products([(p[i, j], dp[i, j]) for j in range(n)], fused=True) for i in range(n)]
    ds = {(i, j): build.vertex(p[i, j], dp[i, j], delta[i]) for i, j in at}
    for i, c in product(range(n), range(d)):
        build.sum_of_products([(ds[i, j], k[j, c]) for j in range(n)], fused=True)
    for left, right in ((ds, q), (p, g)):
        for j, c in product(range(n), range(d)):
            build.sum_of_products([(left[i, j], right[i, c]) for i in range(n)], fused=True)
    return build.dag()


def sparse(n: int, each: int, seed: int = 0) -> Dag:
    """Return a product of a random sparse matrix with a vector."""
    rng, build = np.random.default_rng(seed), _Builder()
    x = build.array(n)
    for _ in range(n):
        columns = np.unique(rng.integers(0, n, each)).tolist()
        build.sum_of_products([(build.vertex(), x[(c,)]) for c in columns])
    return build.dag()


def layered(width: int, layers: int, degree: int, seed: int = 0) -> Dag:
    """Return layers of vertices with random predecessors in the layer before."""
    rng, build = np.random.default_rng(seed), _Builder()
    layer = [build.vertex() for _ in range(width)]
    for _ in range(layers):
        rows = [rng.choice(width, degree, replace=False).tolist() for _ in range(width)]
        layer = [build.vertex(*(layer[p] for p in row)) for row in rows]
    return build.dag()


KINDS: dict[str, tuple[Dag, tuple[int, ...]]] = {
    "matmul 5x30x9": (matmul(5, 30, 9), (16, 32, 64)),
    "matmul 40x3x20": (matmul(40, 3, 20), (16, 32, 64)),
    "convolution 9x9x3x3": (convolution(9, 3, 3), (16, 32, 64)),
    "stencil 100x20": (stencil(20, 100), (8, 16, 32)),
    "stencil 12x12x8": (stencil(8, 12, 12), (32, 64, 128)),
    "cholesky 21": (cholesky(21), (16, 32, 64)),
    "lu 16": (lu(16), (16, 32, 64)),
    "trsm 11x23": (triangular_solve(11, 23), (16, 32, 64)),
    "backward 12x6": (attention_backward(12, 6), (32, 64, 128)),
    "spmv 200": (sparse(200, 6), (16, 32, 64)),
    "layered 40x20": (layered(40, 20, 3), (16, 32, 64)),
}
"""Graphs for which no best order is known, with sizes of memory."""
