"""Functions of numpy arrays, traced: every operation is a vertex; what cannot be followed is refused."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pebble.common.errors import InvalidInput
from pebble.computations.load import load_dag
from pebble.graph.dag import Dag
from pebble.graph.fingerprint import dag_hash
from pebble.graph.symbols import FOLLOWED
from pebble.graph.trace import trace
from tests.support.text_tables import rows_of

Array = NDArray[Any]
TABLE = Path(__file__).with_name("traces.txt")


def kinds(dag: Dag) -> Counter[str]:
    names = (dag.name(v) for v in range(dag.n_vertices))
    return Counter(name.partition("#")[0] if "#" in name else "input" for name in names)


def rows(dag: Dag) -> dict[str, list[str]]:
    return {
        dag.name(v): [dag.name(int(p)) for p in dag.predecessors_of(v)]
        for v in range(dag.n_vertices)
        if len(dag.predecessors_of(v))
    }


def product(A: Array, B: Array) -> Array:
    return A @ B


def wasteful(x: Array) -> Any:
    _ = x[0] * x[1]
    return np.exp(x[1])


def doubled(x: Array) -> Array:
    """Accumulators begin at a constant, which is no vertex; x[0] is not needed."""
    total = np.zeros_like(x)
    for i in range(len(x)):
        total[i] += x[i] * 2
    total[0] = np.zeros(1, dtype=object)[0] + x[1]
    return total


def stable_attention(Q: Array, K: Array, V: Array) -> Array:
    S = Q @ K.T / np.sqrt(Q.shape[1])
    P = np.exp(S - S.max(axis=1, keepdims=True))
    return np.asarray(P @ V / P.sum(axis=1, keepdims=True))


@pytest.mark.parametrize(
    ("f", "shapes", "expected"),
    [
        (
            lambda x, y: -(2.0 * x + y**2) / 3,
            [(), ()],
            {
                "mul#2": ["x"],
                "pow#3": ["y"],
                "add#4": ["mul#2", "pow#3"],
                "neg#5": ["add#4"],
                "div#6": ["neg#5"],
            },
        ),
        (lambda x, y: y - x, [(), ()], {"sub#2": ["y", "x"]}),
        (lambda x: 1 - x, [()], {"sub#1": ["x"]}),
        (lambda x: 1 / x, [()], {"div#1": ["x"]}),
        (lambda x: x * x, [()], {"mul#1": ["x"]}),
        (lambda x: np.maximum(x[0], x[1]), [2], {"maximum#2": ["x[0]", "x[1]"]}),
        (wasteful, [3], {"exp#1": ["x[1]"]}),
    ],
)
def test_every_operation_is_a_vertex(f: Any, shapes: list[Any], expected: dict[str, list[str]]) -> None:
    assert rows(trace(f, *shapes)) == expected


@pytest.mark.parametrize(("text", "expected"), rows_of(TABLE, "computed"))
def test_what_functions_of_numpy_compute(text: str, expected: str) -> None:
    f, words = eval(text, {"np": np, "doubled": doubled}), expected.split()
    counts = dict(zip(words[::2], map(int, words[1::2]), strict=True))
    found = kinds(trace(f, (2, 2) if "axis" in text else 4))
    assert found == {"input": 4 - (f is doubled), **counts}


@pytest.mark.parametrize(
    "f", [np.dot, np.matmul, lambda A, B: np.einsum("ij,jk->ik", A, B), lambda A, B: np.inner(A, B.T)]
)
def test_a_matrix_product_is_the_one_of_the_gallery(f: Callable[..., Any]) -> None:
    assert kinds(trace(f, (3, 4), (4, 5))) == {"input": 32, "mul": 60, "add": 45}
    for m, n, k in ((2, 2, 2), (3, 4, 5), (1, 1, 1)):
        assert dag_hash(trace(product, (m, k), (k, n))) == dag_hash(load_dag(f"matmul:{m},{n},{k}"))


def test_attention_with_a_stable_softmax() -> None:
    N, d = 3, 2
    dag = trace(stable_attention, (N, d), (N, d), (N, d))
    assert kinds(dag) == {
        "input": 3 * N * d,
        "mul": 2 * N * N * d,
        "add": N * N * (d - 1) + N * d * (N - 1) + N * (N - 1),
        "div": N * N + N * d,
        "maximum": N * (N - 1),
        "sub": N * N,
        "exp": N * N,
    }
    assert len(dag.outputs) == N * d


@pytest.mark.parametrize("text", ["x + 0", "0 + x", "x - 0.0", "x * 1", "x / 1", "x**1"])
def test_neutral_constants_cost_nothing(text: str) -> None:
    with pytest.warns(UserWarning, match="no operation"):
        assert trace(eval(f"lambda x: {text}"), ()).n_vertices == 1


@pytest.mark.parametrize("text", ["0 - x", "x * 0", "1**x", "x + 1", "x // 1"])
def test_other_constants_cost_an_operation(text: str) -> None:
    assert trace(eval(f"lambda x: {text}"), ()).n_vertices == 2


def test_outputs_in_all_containers_and_what_none_needs() -> None:
    dag = trace(lambda x: {"a": x[0] + 1, "b": [x[1] + 1, (x[2], 5, np.ones(3))]}, 3)
    assert {dag.name(v) for v in dag.outputs} == {"add#3", "add#4", "x[2]"}
    kept = trace(wasteful, 3, keep_unused=True)
    assert rows(kept) == {"mul#3": ["x[0]", "x[1]"], "exp#4": ["x[1]"]}
    assert [kept.name(v) for v in kept.outputs] == ["exp#4"]


def test_names() -> None:
    found = trace(product, (1, 1), (1, 1))
    assert (found.name(1), found.description) == ("B[0,0]", "product")
    mine = trace(product, (1, 1), (1, 1), names=["L", "R"], description="mine")
    assert (mine.name(1), mine.description) == ("R[0,0]", "mine")
    assert trace(lambda *x: x[0] + x[1], (), ()).name(1) == "x1"
    for names, words in ((["L"], "1 name for 2"), (["L", "R R"], "white space")):
        with pytest.raises(InvalidInput, match=words):
            trace(product, (1, 1), (1, 1), names=names)
    with pytest.raises(InvalidInput, match="both called"):
        trace(lambda x, y: x + y, (), (), names=["L", "L"])


@pytest.mark.parametrize(("text", "words"), rows_of(TABLE, "limits"))
def test_limits(text: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        trace(eval(text, {"np": np, "math": math}), 3)


@pytest.mark.parametrize(
    ("f", "shapes", "words"),
    [
        (np.fft.fft, [4], ["np.fft.fft cannot be traced", "load_dag('fft:8')"]),
        (np.linalg.solve, [(2, 2), 2], ["np.linalg.solve cannot be traced", "as a loop over rows"]),
        (lambda x: np.linalg.inv(np.array([[x[0], x[1]], [x[1], x[2]]])), [3], ["lost its type"]),
        (lambda x: np.interp(x, [0, 1], [1, 2]), [3], ["np.interp cannot be traced"]),
        (np.isnan, [3], ["np.isnan cannot be traced"]),
    ],
)
def test_what_cannot_be_followed_is_named_with_what_can(
    f: Callable[..., Any], shapes: list[Any], words: list[str]
) -> None:
    with pytest.raises(InvalidInput) as caught:
        trace(f, *shapes)
    for word in [*words, "einsum", "logaddexp", "cumsum", "concatenate"]:
        assert word in str(caught.value)


def test_two_traces_do_not_mix() -> None:
    escaped: list[Any] = []

    def escape(x: Any) -> Any:
        escaped.append(x)
        return x

    with pytest.warns(UserWarning, match="returns its arguments as they are"):
        trace(escape, ())
    for f in (lambda y: y + escaped[0], lambda y: escaped[0]):
        with pytest.raises(InvalidInput, match="another trace"):
            trace(f, ())


def test_shapes() -> None:
    A, B = np.ones((3, 4)), np.ones((4, 5), dtype=np.float16)
    assert trace(product, A, B) == trace(product, (3, 4), B) == trace(product, (3, 4), (4, 5))
    assert trace(lambda x: x * 2, np.float64(7.0)) == trace(lambda x: x * 2, ())
    assert trace(lambda x: x * 2, np.int64(3)) == trace(lambda x: x * 2, 3)
    with pytest.raises(InvalidInput, match=r"no elements: its shape is \(0, 2\)"):
        trace(np.exp, np.zeros((0, 2)))
    with pytest.raises(InvalidInput, match="called without arguments"):
        trace(lambda: 3)
    wrong: list[Any] = [0, -1, (2, 0), 1.5, "3", True, None]
    for shape in wrong:
        with pytest.raises(InvalidInput, match="a shape must be"):
            trace(np.exp, shape)


def test_an_error_of_the_function_itself_is_its_own() -> None:
    with pytest.raises(TypeError, match="NoneType"):
        trace(lambda x: len(x) + None, 3)  # type: ignore[operator]


TWO = "add subtract multiply divide power floor_divide mod maximum minimum fmax fmin arctan2 hypot logaddexp "
TWO += "copysign fmod dot matmul inner outer vdot tensordot convolve kron cross"
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "einsum": lambda f, x: f("ij,jk->ik", x, x),
    "reshape": lambda f, x: f(x, 9) * 2,
    "stack": lambda f, x: f([x, x]) * 2,
    "concatenate": lambda f, x: f([x, x]) * 2,
    "split": lambda f, x: f(x, 3)[1] * 2,
    "tile": lambda f, x: f(x, 2) * 2,
    "repeat": lambda f, x: f(x, 2) * 2,
    "roll": lambda f, x: f(x, 1) * 2,
    "take": lambda f, x: f(x, [0, 1]) * 2,
    "pad": lambda f, x: f(x, 1) * 2,
}


@pytest.mark.parametrize("name", " ".join(FOLLOWED.values()).split())
def test_what_is_said_to_be_followed_is_followed(name: str) -> None:
    f: Any = np.linalg.norm if name == "linalg.norm" else getattr(np, name)
    if name in TWO.split():
        found = trace((lambda x, y: f(x, y, 1)) if name == "tensordot" else f, 3, 3)
    else:
        found = trace(lambda x: CALLS[name](f, x) if name in CALLS else f(x) * 2, (3, 3))
    assert found.n_edges
