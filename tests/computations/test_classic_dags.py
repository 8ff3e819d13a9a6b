from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from pebble.computations.classic_dags import strassen_product
from pebble.computations.load import load_dag
from pebble.computations.named_dags import NAMED_DAGS
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.graph.fingerprint import dag_hash
from pebble.graph.statistics import compulsory_io, depth
from pebble.solvers.optimum import optimal
from tests.support.plain_attention import attention

Values = dict[str, float]

SHARED = [
    ("matmul:8,8,8", 1088, 1920, 128, 64, "ce975002a5b8ef01a4b8b7fdfa666e84"),
    ("matmul:16,16,16", 8448, 15872, 512, 256, "1603c878572f85754b1e48bc5a513fdf"),
    ("fft:64", 448, 768, 64, 64, "9dde8cd84ceac88d63cd6bf64a948279"),
    ("fft:1024", 11264, 20480, 1024, 1024, "2e7a1e476de312127342c4dd5eacf1e3"),
    ("scalar-attention:N=8,d=4", 1176, 2096, 96, 32, "fdd2cc8c454c9de30916575ccae3b791"),
    ("scalar-attention:N=16,d=8", 8816, 16608, 384, 128, "631aa064f23768da8e9aff3f964d6e3c"),
]  # fmt: skip
"""Vertices, edges, inputs, outputs and the first half of the hashes of files that other schedulers were measured with.

The hashes were taken from the files by the definition in pebble.graph.fingerprint.
"""


@pytest.mark.parametrize(("name", "V", "E", "inputs", "outputs", "digest"), SHARED)
def test_the_same_numbering_as_the_files(
    name: str, V: int, E: int, inputs: int, outputs: int, digest: str
) -> None:
    dag = load_dag(name)
    assert (dag.n_vertices, dag.n_edges, len(dag.inputs), len(dag.outputs)) == (V, E, inputs, outputs)
    assert dag_hash(dag).startswith(digest)


def evaluate(dag: Dag, inputs: Values, step: Callable[[str, list[float]], float]) -> Values:
    """Compute every vertex from its predecessors, in the order of their rows."""
    values: Values = {}
    for v in dag.topological_order().tolist():
        name = dag.name(v)
        row = [values[dag.name(int(p))] for p in dag.predecessors_of(v)]
        values[name] = step(name, row) if row else inputs[name]
    return values


def elements(letter: str, array: NDArray[np.float64]) -> Values:
    return {f"{letter}[{','.join(map(str, i))}]": float(x) for i, x in np.ndenumerate(array)}


@pytest.mark.parametrize(("m", "n", "k"), [(1, 1, 1), (1, 1, 2), (2, 3, 1), (3, 2, 5), (4, 4, 4)])
def test_matmul_computes_the_product(m: int, n: int, k: int) -> None:
    rng = np.random.default_rng(7)
    A, B = rng.normal(size=(m, k)), rng.normal(size=(k, n))
    dag = load_dag(f"matmul:{m},{n},{k}")
    assert dag.n_vertices == m * k + k * n + m * n * (2 * k - 1)
    assert dag.n_edges == 2 * m * n * (2 * k - 1)
    found = evaluate(
        dag,
        elements("A", A) | elements("B", B),
        lambda name, x: x[0] * x[1] if name[0] == "p" else x[0] + x[1],
    )
    last = "C" if k > 1 else "p"
    names = {f"{last}[{i},{j},{k - 1}]": (i, j) for i, j in product(range(m), range(n))}
    assert {dag.name(v) for v in dag.outputs} == set(names)
    for name, place in names.items():
        assert found[name] == pytest.approx((A @ B)[place])


@pytest.mark.parametrize(("Nq", "Nk", "d", "dv"), [(1, 1, 1, 1), (2, 3, 1, 2), (3, 1, 2, 1), (2, 4, 3, 2)])
def test_scalar_attention_computes_attention(Nq: int, Nk: int, d: int, dv: int) -> None:
    rng = np.random.default_rng(8)
    Q, K, V = rng.normal(size=(Nq, d)), rng.normal(size=(Nk, d)), rng.normal(size=(Nk, dv))
    steps: dict[str, Callable[[list[float]], float]] = {
        "s": lambda x: x[0] * x[1],
        "S": sum,
        "P": lambda x: float(np.exp(x[0] / np.sqrt(d))),
        "l": sum,
        "u": lambda x: x[0] * x[1],
        "U": sum,
        "O": lambda x: x[0] / x[1],
    }
    dag = load_dag(f"scalar-attention:Nq={Nq},Nk={Nk},d={d},dv={dv}")
    inputs = elements("Q", Q) | elements("K", K) | elements("V", V)
    found = evaluate(dag, inputs, lambda name, x: steps[name[0]](x))
    expected, _ = attention(Q, K, V)
    assert sorted(dag.name(v) for v in dag.outputs) == sorted(elements("O", expected))
    for name, value in elements("O", expected).items():
        assert found[name] == pytest.approx(value)


@pytest.mark.parametrize("n", [2, 4, 16])
def test_fft_computes_the_transform(n: int) -> None:
    """Decimation in time on bit-reversed input, with the twiddle factors as the constants of the vertices."""
    x = np.random.default_rng(9).normal(size=n)
    dag = load_dag(f"fft:{n}")
    bits = n.bit_length() - 1
    values = np.array([x[int(f"{i:0{bits}b}"[::-1], 2)] for i in range(n)], dtype=complex)
    for s in range(1, bits + 1):
        size, half = 1 << s, 1 << (s - 1)
        new = np.empty(n, dtype=complex)
        for i in range(n):
            own, other = (dag.name(int(p)) for p in dag.predecessors_of(f"x[{s},{i}]"))
            a, b = (int(name.split(",")[1][:-1]) for name in (own, other))
            assert own.startswith(f"x[{s - 1},")
            assert other.startswith(f"x[{s - 1},")
            low, high = sorted((a, b))
            sign = 1 if i == low else -1
            new[i] = values[low] + sign * np.exp(-2j * np.pi * (i % half) / size) * values[high]
        values = new
    assert np.allclose(values, np.fft.fft(x))
    assert (dag.n_vertices, dag.n_edges) == (n * (bits + 1), 2 * n * bits)


def rows(dag: Dag) -> dict[str, set[str]]:
    return {dag.name(v): {dag.name(int(p)) for p in dag.predecessors_of(v)} for v in range(dag.n_vertices)}


def test_pyramid_and_tree_by_definition() -> None:
    for h in (1, 2, 5):
        found = rows(load_dag(f"pyramid:{h}"))
        assert found == {
            f"x[{r},{i}]": {f"x[{r - 1},{i}]", f"x[{r - 1},{i + 1}]"} if r else set()
            for r in range(h + 1)
            for i in range(h + 1 - r)
        }
        found = rows(load_dag(f"tree:{h}"))
        assert found == {
            f"x[{r},{i}]": {f"x[{r - 1},{2 * i}]", f"x[{r - 1},{2 * i + 1}]"} if r else set()
            for r in range(h + 1)
            for i in range(2 ** (h - r))
        }


def test_grids_by_definition() -> None:
    found = rows(load_dag("diamond:3,4"))
    cells = list(product(range(3), range(4)))
    assert found == {
        f"x[{i},{j}]": {f"x[{a},{b}]" for a, b in ((i - 1, j), (i, j - 1)) if a >= 0 <= b} for i, j in cells
    }
    found = rows(load_dag("stencil:4,2"))
    cells = list(product(range(3), range(4)))
    assert found == {
        f"x[{s},{i}]": {f"x[{s - 1},{j}]" for j in (i - 1, i, i + 1) if s and 0 <= j < 4} for s, i in cells
    }
    found = rows(load_dag("hypercube:4"))
    assert found == {f"x{v:04b}": {f"x{v ^ 1 << b:04b}" for b in range(4) if v >> b & 1} for v in range(16)}


def test_layered_is_random_by_its_seed() -> None:
    dag = load_dag("layered:layers=5,width=6,indegree=3,seed=4")
    assert dag == load_dag("layered:5,6,3,4")
    assert dag != load_dag("layered:5,6,3,5")
    assert load_dag("layered:5,6,3") == load_dag("layered:5,6,3,seed=0")
    for v in range(6, dag.n_vertices):
        row = dag.predecessors_of(v)
        assert len(set(row.tolist())) == 3
        assert set(row // 6) == {v // 6 - 1}
    assert dag.sinks.tolist() == list(range(30, 36))


@pytest.mark.parametrize("n", [1, 2, 4, 8])
def test_strassen(n: int) -> None:
    A, B = np.random.default_rng(3).normal(size=(2, n, n))
    assert np.allclose(strassen_product(A, B), A @ B)
    dag = load_dag(f"strassen:{n}")
    levels = n.bit_length() - 1
    sums = sum(7**i * 18 * (n >> i + 1) ** 2 for i in range(levels))
    assert dag.n_vertices == 2 * n * n + 7**levels + sums
    assert len(dag.outputs) == n * n
    kinds = [dag.name(v).partition("#")[0] for v in range(2 * n * n, dag.n_vertices)]
    assert kinds.count("mul") == 7**levels


# -- values of the literature


@pytest.mark.parametrize("name", ["pyramid", "tree"])
@pytest.mark.parametrize("h", [1, 2, 3])
def test_least_M_with_compulsory_io(name: str, h: int) -> None:
    """h + 2 pebbles, h + 1 if they may slide (Cook 1974; Paterson & Hewitt 1970)."""
    dag = load_dag(f"{name}:{h}")
    for sliding, least in ((False, h + 2), (True, h + 1)):
        for M in (least, least - 1):
            rules, enough = Rules(sliding=sliding), least == M
            if dag.least_M(sliding=sliding) <= M:
                assert (optimal(dag, M, rules).io == sum(compulsory_io(dag))) == enough


# -- figures


def test_compulsory_io_counts_what_cannot_be_avoided() -> None:
    assert compulsory_io(Dag.from_edges([(0, 2), (1, 2)], 4, outputs=[2, 3])) == (2, 1)
    assert compulsory_io(Dag.from_edges([(0, 2), (1, 3)], outputs=[1, 2])) == (1, 1)
    assert compulsory_io(Dag.from_edges([(0, 1), (1, 2)], outputs=[1, 2])) == (1, 2)
    assert compulsory_io(Dag.from_edges([(0, 1)], outputs=[0])) == (0, 0)


def test_depth_is_that_of_the_longest_path() -> None:
    assert depth(Dag.from_edges([(3, 2), (2, 1), (1, 0), (3, 0)])) == 3
    assert depth(Dag.from_edges([(v, v + 1) for v in range(50_000)])) == 50_000


# -- the catalogue


@pytest.mark.parametrize("entry", NAMED_DAGS.values(), ids=lambda entry: entry.name)
def test_every_entry(entry: object) -> None:
    example = str(getattr(entry, "example"))  # noqa: B009
    dag = load_dag(example)
    assert load_dag(dag.description) == dag
    names = [dag.names[v] for v in range(dag.n_vertices)]
    assert len(set(names)) == dag.n_vertices
    assert all(dag.vertex(name) == v for v, name in enumerate(names))
    assert len(np.intersect1d(dag.inputs, dag.sinks)) == 0


def test_a_name_goes_before_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("fft:4").write_text("2 1\n0 1\n")
    assert load_dag("fft:4").n_vertices == 12
    assert load_dag("./fft:4", "edgelist").n_vertices == 2
    assert load_dag(Path("fft:4"), "edgelist").n_vertices == 2
