"""Classic computation DAGs, built by arithmetic on vertex numbers, and how each is named."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pebble.common.errors import InvalidInput
from pebble.computations.dag_names import check_dag_size, family_dag, named
from pebble.computations.matmul import matmul_family
from pebble.graph.dag import Dag
from pebble.graph.edge_arrays import compressed_rows, grouped
from pebble.graph.names import DeferredNames
from pebble.graph.trace import trace

_ORDER = "Θ(mnk/√M) for M below mn, nk and mk (Hong & Kung 1981)"
_SMITH = "; at least 2mnk/√M - 2M without recomputation (Smith et al. 2019, arXiv 1702.02017)"
_GRID = "Θ({}/M) for M below the sides (Hong & Kung 1981, products of lines)"
_PEBBLES = "least M with compulsory I/O only: h + 2"


@named("matmul:8,8,8", "matrix product (m×k times k×n), products and sums as separate vertices", _ORDER)
def matmul(m: int, n: int, k: int) -> Dag:
    """C = A·B with A of shape (m, k) and B of shape (k, n); products and sums are separate vertices.

    Element (i, j) takes k products ``p[i,j,t]`` and k - 1 sums ``C[i,j,t]``, the sum t of ``C[i,j,t-1]`` (of
    ``p[i,j,0]`` for t = 1) and ``p[i,j,t]``, numbered in the order they would be computed: a product, then the
    sum it enters. Outputs are the last of each element, ``C[i,j,k-1]`` (``p[i,j,0]`` for k = 1).

    Examples
    --------
    >>> matmul(2, 2, 4)
    Dag(matmul:2,2,4: 44 vertices, 56 edges, 16 inputs, 4 outputs)
    """
    _positive("matmul", m=m, n=n, k=k)
    inputs, each = m * k + k * n, 2 * k - 1
    check_dag_size("matmul", inputs + m * n * each, 2 * m * n * each)
    i, j, t = np.ogrid[:m, :n, :k]
    base = inputs + (i * n + j) * each
    rows = np.empty((m, n, each, 2), dtype=np.int64)
    factors = np.stack(np.broadcast_arrays(i * k + t, m * k + t * n + j), axis=-1)
    rows[:, :, 0] = factors[:, :, 0]
    rows[:, :, 1::2] = factors[:, :, 1:]
    rows[:, :, 2::2, 0] = base + np.maximum(2 * t[:, :, 1:] - 2, 0)
    rows[:, :, 2::2, 1] = base + 2 * t[:, :, 1:] - 1
    return _regular(inputs, rows.reshape(-1, 2), partial(_matmul_names, m, n, k), f"matmul:{m},{n},{k}")


def _matmul_names(m: int, n: int, k: int) -> list[str]:
    names = [*_block("A", m, k), *_block("B", k, n)]
    for i, j in product(range(m), range(n)):
        names.append(f"p[{i},{j},0]")
        names.extend(f"{letter}[{i},{j},{t}]" for t in range(1, k) for letter in "pC")
    return names


@named(
    "fma-matmul:8,8,8", "matrix product, one vertex per multiply-add, reductions as chains", _ORDER + _SMITH
)
def fma_matmul(m: int, n: int, k: int) -> Dag:
    """C = A·B with A of shape (m, k) and B of shape (k, n), one vertex per multiply-add.

    Examples
    --------
    >>> fma_matmul(2, 2, 4)
    Dag(fma-matmul:2,2,4: 32 vertices, 44 edges, 16 inputs, 4 outputs)
    """
    return family_dag(matmul_family(m, n, k), f"fma-matmul:{m},{n},{k}")


@named(
    "strassen:4",
    "Strassen's product of n×n matrices, n a power of two",
    "Θ((n/√M)^log₂7 · M), recomputation or not (Ballard, Demmel, Holtz & Schwartz 2012; Bilardi & De Stefani 2017)",
)
def strassen(n: int) -> Dag:
    """Strassen's product of two n × n matrices, n a power of two, recursing down to single numbers.

    Seven products and eighteen sums of halves, as first published (Strassen 1969).

    Examples
    --------
    >>> strassen(2)
    Dag(strassen:2: 33 vertices, 50 edges, 8 inputs, 4 outputs)
    """
    if n < 1 or n & (n - 1):
        raise InvalidInput(f"strassen needs a power of two, not {n}")
    check_dag_size("strassen", 7 * 7 ** min(n.bit_length(), 40), 0)
    return trace(strassen_product, (n, n), (n, n), description=f"strassen:{n}")


def strassen_product(A: NDArray[Any], B: NDArray[Any]) -> NDArray[Any]:
    """Multiply two square arrays, their size a power of two, by Strassen's algorithm down to single numbers.

    >>> import numpy as np
    >>> A = np.arange(16.0).reshape(4, 4)
    >>> bool(np.all(strassen_product(A, A) == A @ A))
    True
    """
    if len(A) == 1:
        single: NDArray[Any] = A * B
        return single
    A11, A12, A21, A22 = _quarters(A)
    B11, B12, B21, B22 = _quarters(B)
    M1 = strassen_product(A11 + A22, B11 + B22)
    M2 = strassen_product(A21 + A22, B11)
    M3 = strassen_product(A11, B12 - B22)
    M4 = strassen_product(A22, B21 - B11)
    M5 = strassen_product(A11 + A12, B22)
    M6 = strassen_product(A21 - A11, B11 + B12)
    M7 = strassen_product(A12 - A22, B21 + B22)
    return np.asarray(np.block([[M1 + M4 - M5 + M7, M3 + M5], [M2 + M4, M1 - M2 + M3 + M6]]))


def _quarters(A: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    h = len(A) // 2
    return A[:h, :h], A[:h, h:], A[h:, :h], A[h:, h:]


@named(
    "fft:64", "fast Fourier transform on n points, n a power of two", "Θ(n·log n / log M) (Hong & Kung 1981)"
)
def fft(n: int) -> Dag:
    """Fast Fourier transform on n points, n a power of two: log₂ n levels of n vertices with two predecessors.

    ``x[s,i]`` is computed from ``x[s-1,i]`` and ``x[s-1,j]``, j being i with bit s - 1 flipped; x[0] is the input,
    the last level the output.

    Examples
    --------
    >>> fft(8)
    Dag(fft:8: 32 vertices, 48 edges, 8 inputs, 8 outputs)
    """
    if n < 2 or n & (n - 1):
        raise InvalidInput(f"fft needs a power of two, at least 2, not {n}")
    levels = n.bit_length() - 1
    check_dag_size("fft", n * (levels + 1), 2 * n * levels)
    s, i = np.ogrid[:levels, :n]
    rows = np.stack(np.broadcast_arrays(n * s + i, n * s + (i ^ (1 << s))), axis=-1)
    return _regular(n, rows.reshape(-1, 2), partial(_block, "x", levels + 1, n), f"fft:{n}")


@named(
    "pyramid:5",
    "pyramid of height h over h + 1 inputs",
    f"{_PEBBLES} (h + 1 if pebbles may slide; Cook 1974)",
)
def pyramid(h: int) -> Dag:
    """Pyramid of height h: h + 1 inputs, each row one shorter, a vertex on top of two neighbours; one output.

    Examples
    --------
    >>> pyramid(3)
    Dag(pyramid:3: 10 vertices, 12 edges, 4 inputs, 1 output)
    """
    _positive("pyramid", h=h)
    check_dag_size("pyramid", (h + 1) * (h + 2) // 2, h * (h + 1))
    lengths = np.arange(h, 0, -1)
    left = np.arange(lengths.sum()) + np.repeat(np.arange(h), lengths)
    return _regular(h + 1, np.stack([left, left + 1], axis=1), partial(_row_names, h), f"pyramid:{h}")


def _row_names(h: int) -> list[str]:
    return [f"x[{row},{i}]" for row in range(h + 1) for i in range(h + 1 - row)]


@named(
    "tree:4",
    "complete binary tree of height h over 2^h inputs",
    f"{_PEBBLES} (h + 1 if pebbles may slide; Paterson & Hewitt 1970)",
)
def tree(h: int) -> Dag:
    """Complete binary tree of height h: 2^h inputs, one output.

    Examples
    --------
    >>> tree(3)
    Dag(tree:3: 15 vertices, 14 edges, 8 inputs, 1 output)
    """
    _positive("tree", h=h)
    check_dag_size("tree", 2 ** min(h + 1, 64), 2 ** min(h + 1, 64))
    rows = np.arange(2 ** (h + 1) - 2, dtype=np.int64).reshape(-1, 2)
    return _regular(2**h, rows, partial(_tree_names, h), f"tree:{h}")


def _tree_names(h: int) -> list[str]:
    return [f"x[{row},{i}]" for row in range(h + 1) for i in range(2 ** (h - row))]


@named("diamond:8,8", "m×n grid, each vertex computed from two neighbours", _GRID.format("mn"))
def diamond(m: int, n: int) -> Dag:
    """Grid of m × n vertices, ``x[i,j]`` from its neighbours ``x[i-1,j]`` and ``x[i,j-1]``.

    ``x[0,0]`` is the only input and ``x[m-1,n-1]`` the only output.

    Examples
    --------
    >>> diamond(3, 4)
    Dag(diamond:3,4: 12 vertices, 17 edges, 1 input, 1 output)
    """
    _positive("diamond", m=m, n=n)
    if m * n == 1:
        raise InvalidInput("diamond:1,1 is a single input; there is nothing to compute")
    check_dag_size("diamond", m * n, 2 * m * n)
    v = np.arange(m * n, dtype=np.int64).reshape(m, n)
    edges = np.concatenate([_pairs(v[:-1], v[1:]), _pairs(v[:, :-1], v[:, 1:])])
    names = DeferredNames(m * n, partial(_block, "x", m, n))
    return _with_names(edges, names, f"diamond:{m},{n}")


@named("stencil:16,4", "three-point stencil, n points, t steps", _GRID.format("nt"))
def stencil(n: int, t: int) -> Dag:
    """Three-point stencil on n points for t steps, without wrapping around.

    ``x[s,i]`` is computed from ``x[s-1,i-1]``, ``x[s-1,i]`` and ``x[s-1,i+1]``, as far as they exist; x[0] is the
    input, x[t] the output.

    Examples
    --------
    >>> stencil(4, 2)
    Dag(stencil:4,2: 12 vertices, 20 edges, 4 inputs, 4 outputs)
    """
    _positive("stencil", n=n, t=t)
    check_dag_size("stencil", n * (t + 1), 3 * n * t)
    v = np.arange(n * (t + 1), dtype=np.int64).reshape(t + 1, n)
    edges = np.concatenate(
        [_pairs(v[:-1, :-1], v[1:, 1:]), _pairs(v[:-1], v[1:]), _pairs(v[:-1, 1:], v[1:, :-1])]
    )
    return _with_names(edges, DeferredNames(v.size, partial(_block, "x", t + 1, n)), f"stencil:{n},{t}")


@named("hypercube:6", "hypercube of dimension n, as in the Bellman-Held-Karp recurrence")
def hypercube(n: int) -> Dag:
    """Hypercube of dimension n: vertex v, a number of n bits, is computed from v with one of its bits cleared.

    The only input is 0, the only output 2^n - 1, as in the Bellman-Held-Karp recurrence.

    Examples
    --------
    >>> hypercube(3)
    Dag(hypercube:3: 8 vertices, 12 edges, 1 input, 1 output)
    """
    _positive("hypercube", n=n)
    size = 2 ** min(n, 64)
    check_dag_size("hypercube", size, n * size // 2)
    v = np.arange(size, dtype=np.int64)
    edges = np.concatenate([_pairs(v[v >> b & 1 == 1] ^ (1 << b), v[v >> b & 1 == 1]) for b in range(n)])
    return _with_names(edges, DeferredNames(size, partial(_bit_names, n)), f"hypercube:{n}")


def _bit_names(n: int) -> list[str]:
    return [f"x{v:0{n}b}" for v in range(2**n)]


@named("layered:4,8,2,seed=1", "random layers, the same for the same seed")
def layered(layers: int, width: int, indegree: int, seed: int = 0) -> Dag:
    """Random DAG of layers of equal width, each vertex with ``indegree`` distinct predecessors one layer below.

    ``layers`` counts the layers above the inputs. Every vertex below the last layer is used at least once.

    Examples
    --------
    >>> layered(3, 4, 2, seed=1)
    Dag(layered:layers=3,width=4,indegree=2,seed=1: 16 vertices, 24 edges, 4 inputs, 4 outputs)
    """
    _positive("layered", layers=layers, width=width, indegree=indegree)
    if indegree > width:
        raise InvalidInput(f"layered: indegree {indegree} is more than the width, {width}")
    check_dag_size("layered", width * (layers + 1), width * layers * indegree)
    rng = np.random.default_rng(seed)
    rows: list[NDArray[Any]] = []
    for layer in range(layers):
        below = np.arange(width)
        for first in rng.permutation(width).tolist():
            others = rng.choice(np.delete(below, first), size=indegree - 1, replace=False)
            rows.append(layer * width + np.sort(np.append(others, first)))
    return _regular(
        width,
        np.array(rows, dtype=np.int64),
        partial(_block, "x", layers + 1, width),
        f"layered:layers={layers},width={width},indegree={indegree},seed={seed}",
    )


def scalar_attention(Nq: int, Nk: int, d: int, dv: int) -> Dag:
    """Attention forward with every product, sum, exponential and division a vertex of its own.

    Row by row: for each key d products ``s`` and their sums ``S`` and ``P[i,j]``, the exponential; then the sums
    ``l[i,j]`` of the row; then for each column of V the products ``u``, their sums ``U``, and the quotient
    ``O[i,e]``, an output. The inputs Q, K, V come first.

    Examples
    --------
    >>> scalar_attention(8, 8, 4, 4)
    Dag(scalar-attention:Nq=8,Nk=8,d=4,dv=4: 1176 vertices, 2096 edges, 96 inputs, 32 outputs)
    """
    _positive("scalar-attention", Nq=Nq, Nk=Nk, d=d, dv=dv)
    row = Nk * 2 * d + Nk - 1 + dv * 2 * Nk
    check_dag_size("scalar-attention", Nq * (d + row) + Nk * (d + dv), 2 * Nq * row)
    names = [*_block("Q", Nq, d), *_block("K", Nk, d), *_block("V", Nk, dv)]
    rows: list[tuple[int, ...]] = [()] * len(names)

    def add(name: str, *predecessors: int) -> int:
        names.append(name)
        rows.append(predecessors)
        return len(rows) - 1

    def add_products(letters: str, index: str, pairs: list[tuple[int, int]]) -> int:
        total = add(f"{letters[0]}[{index},0]", *pairs[0])
        for t, pair in enumerate(pairs[1:], 1):
            total = add(f"{letters[1]}[{index},{t}]", total, add(f"{letters[0]}[{index},{t}]", *pair))
        return total

    keys, values = Nq * d, Nq * d + Nk * d
    for i in range(Nq):
        P = []
        for j in range(Nk):
            score = add_products("sS", f"{i},{j}", [(i * d + t, keys + j * d + t) for t in range(d)])
            P.append(add(f"P[{i},{j}]", score))
        total = P[0]
        for j in range(1, Nk):
            total = add(f"l[{i},{j}]", total, P[j])
        for e in range(dv):
            pairs = [(P[j], values + j * dv + e) for j in range(Nk)]
            add(f"O[{i},{e}]", add_products("uU", f"{i},{e}", pairs), total)
    return _listed(rows, names, f"scalar-attention:Nq={Nq},Nk={Nk},d={d},dv={dv}")


# -- building


def _regular(n_inputs: int, rows: NDArray[Any], make: Callable[[], list[str]], description: str) -> Dag:
    """Inputs first, then vertices that all have the same number of predecessors, the rows."""
    count, degree = rows.shape
    start = np.zeros(n_inputs + count + 1, dtype=np.int64)
    start[n_inputs + 1 :] = degree * np.arange(1, count + 1)
    names = DeferredNames(n_inputs + count, make)
    return Dag(start, rows.ravel(), names=names, description=description)


def _listed(rows: list[tuple[int, ...]], names: list[str], description: str) -> Dag:
    return Dag(*compressed_rows(rows), names=names, description=description)


def _with_names(edges: NDArray[Any], names: DeferredNames, description: str) -> Dag:
    return Dag(*grouped(edges[:, 0], edges[:, 1], len(names)), names=names, description=description)


def _pairs(tails: NDArray[Any], heads: NDArray[Any]) -> NDArray[Any]:
    return np.stack([tails.ravel(), heads.ravel()], axis=1)


def _block(letter: str, *shape: int) -> list[str]:
    return [f"{letter}[{','.join(map(str, index))}]" for index in np.ndindex(*shape)]


def _positive(name: str, **sizes: int) -> None:
    for key, value in sizes.items():
        if value < 1:
            raise InvalidInput(f"{name}: {key} must be at least 1, not {value}")
