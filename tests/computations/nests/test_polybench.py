"""PolyBench's kernels: texts that can be read and computed, and say what numpy says."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pebble.computations.nests.nest_dag import nest_dag
from pebble.computations.nests.polybench import KERNELS
from pebble.computations.nests.read_text import loop_nest
from tests.computations.nests.plain_nests import Element, PlainNest

N = 5
RNG = np.random.default_rng(0)
Arrays = dict[str, NDArray[np.float64]]
A, B, C, D = (RNG.random((N, N)) + N * np.eye(N) for _ in range(4))
b, x, y, z = (RNG.random(N) for _ in range(4))
SPD = A @ A.T


def symmetric(lower: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.tril(lower) + np.tril(lower, -1).T)


def lu() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    lower, upper = np.eye(N), A.copy()
    for k in range(N):
        lower[k + 1 :, k] = upper[k + 1 :, k] / upper[k, k]
        upper[k + 1 :] -= np.outer(lower[k + 1 :, k], upper[k])
    return lower, upper


def shortest() -> NDArray[np.float64]:
    found = C.copy()
    for k in range(N):
        found = np.minimum(found, found[:, [k]] + found[[k], :])
    return found


def durbin() -> NDArray[np.float64]:
    """Solve the system of Durbin's recursion; b[0] and a[0] are 1 and -r[0], the sign of a being turned in the text."""
    alpha, beta, found = -x[0], 1.0, [-x[0]]
    for k in range(1, N):
        beta *= 1 - alpha * alpha
        alpha = (x[k] + sum(x[k - i - 1] * found[i] for i in range(k))) / beta
        found = [found[i] + alpha * found[k - i - 1] for i in range(k)] + [alpha]
    return np.array(found)


def centred() -> NDArray[np.float64]:
    return np.asarray(A - A.sum(axis=0))


CASES: dict[str, tuple[Arrays, dict[str, Callable[[], NDArray[np.floating[Any]]]]]] = {
    "2mm": ({"A": A, "B": B, "C": C, "D": D}, {"E": lambda: D + A @ B @ C}),
    "3mm": ({"A": A, "B": B, "C": C, "D": D}, {"G": lambda: A @ B @ C @ D}),
    "atax": ({"A": A, "x": x}, {"y": lambda: A.T @ (A @ x)}),
    "bicg": ({"A": A, "p": x, "r": y}, {"q": lambda: A @ x, "s": lambda: y @ A}),
    "cholesky": ({"A": SPD}, {"L": lambda: np.linalg.cholesky(SPD)}),
    "covariance": ({"X": A}, {"C": lambda: np.triu(centred().T @ centred())}),
    "durbin": ({"r": x, "b": np.array([1.0]), "a": -x[:1], "y": -x[:1, None]}, {}),
    "floyd-warshall": ({"P": C[None]}, {}),
    "gemm": ({"A": A, "B": B, "C": C}, {"D": lambda: C + A @ B}),
    "gesummv": ({"A": A, "B": B, "x": x}, {"y": lambda: A @ x + B @ x}),
    "lu": ({"A": A}, {"U": lambda: np.triu(lu()[1]), "L": lambda: np.tril(lu()[0], -1)}),
    "ludcmp": ({"A": A, "b": b}, {"x": lambda: np.linalg.solve(A, b)}),
    "mvt": ({"A": A, "b": b, "c": z, "x": x, "y": y}, {"p": lambda: b + A @ x, "q": lambda: z + A.T @ y}),
    "symm": ({"A": A, "B": B, "C": C}, {"D": lambda: C + symmetric(A) @ B}),
    "syr2k": ({"A": A, "B": B, "C": C}, {"D": lambda: np.tril(C + A @ B.T + B @ A.T)}),
    "syrk": ({"A": A, "C": C}, {"D": lambda: np.tril(C + A @ A.T)}),
    "trisolv": ({"L": A, "b": b}, {"x": lambda: np.linalg.solve(np.tril(A), b)}),
    "trmm": ({"A": A, "B": B}, {"D": lambda: B + np.tril(A, -1).T @ B}),
}


def plain(name: str) -> tuple[PlainNest, Callable[[Element], float]]:
    kernel = KERNELS[name]
    found = PlainNest(loop_nest(kernel.text, dict.fromkeys(kernel.extents, N), kernel.outputs))
    arrays = CASES[name][0]
    return found, found.values(lambda element: float(arrays[element[0]][element[1]]))


@pytest.mark.parametrize("name", CASES)
def test_kernels_compute_what_numpy_does(name: str) -> None:
    found, value = plain(name)
    for array, expected in CASES[name][1].items():
        whole = np.broadcast_to(expected(), expected().shape)
        computed = [element for element in found.writers if element[0] == array]
        assert computed
        for element in computed:
            assert value(element) == pytest.approx(whole[element[1]], rel=1e-9), element


def test_recursions_end_where_they_should() -> None:
    _, value = plain("floyd-warshall")
    assert [[value(("P", (N, i, j))) for j in range(N)] for i in range(N)] == pytest.approx(shortest())
    _, value = plain("durbin")
    assert [value(("y", (N - 1, i))) for i in range(N)] == pytest.approx(durbin())


def test_gram_schmidt_is_orthogonal() -> None:
    kernel = KERNELS["gramschmidt"]
    found = PlainNest(loop_nest(kernel.text, dict.fromkeys(kernel.extents, N), kernel.outputs))
    value = found.values(lambda element: float(A[element[1][1:]]))
    Q = np.array([[value(("Q", (i, k))) for k in range(N)] for i in range(N)])
    assert pytest.approx(np.eye(N), abs=1e-9) == Q.T @ Q


def test_there_are_thirty_and_each_has_a_dag() -> None:
    assert len(KERNELS) == 30
    for kernel in KERNELS.values():
        nest = loop_nest(kernel.text, dict.fromkeys(kernel.extents, 3), kernel.outputs)
        assert nest_dag(nest).dag.n_vertices > 3
        assert kernel.description
