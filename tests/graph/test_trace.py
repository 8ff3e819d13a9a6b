from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
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

Array = NDArray[Any]


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


def test_a_matrix_product_is_the_one_of_the_gallery() -> None:
    for m, n, k in ((2, 2, 2), (3, 4, 5), (1, 1, 1), (8, 8, 8)):
        assert dag_hash(trace(product, (m, k), (k, n))) == dag_hash(load_dag(f"matmul:{m},{n},{k}"))


@pytest.mark.parametrize(
    "f", [np.dot, np.matmul, lambda A, B: np.einsum("ij,jk->ik", A, B), lambda A, B: np.inner(A, B.T)]
)
def test_other_ways_to_multiply(f: Callable[..., Any]) -> None:
    dag = trace(f, (3, 4), (4, 5))
    assert kinds(dag) == {"input": 32, "mul": 60, "add": 45}


def test_every_operation_is_a_vertex_and_constants_are_none() -> None:
    dag = trace(lambda x, y: -(2.0 * x + y**2) / 3, (), ())
    assert rows(dag) == {
        "mul#2": ["x"],
        "pow#3": ["y"],
        "add#4": ["mul#2", "pow#3"],
        "neg#5": ["add#4"],
        "div#6": ["neg#5"],
    }
    assert [dag.name(v) for v in dag.outputs] == ["div#6"]


def test_order_of_operands_is_kept() -> None:
    assert rows(trace(lambda x, y: y - x, (), ())) == {"sub#2": ["y", "x"]}
    assert rows(trace(lambda x: 1 - x, ())) == {"sub#1": ["x"]}
    assert rows(trace(lambda x: 1 / x, ())) == {"div#1": ["x"]}


def test_the_same_number_twice_is_one_predecessor() -> None:
    assert rows(trace(lambda x: x * x, ())) == {"mul#1": ["x"]}


def test_neutral_constants_cost_nothing() -> None:
    for f in (
        lambda x: x + 0,
        lambda x: 0 + x,
        lambda x: x - 0.0,
        lambda x: x * 1,
        lambda x: x / 1,
        lambda x: x**1,
    ):
        with pytest.warns(UserWarning, match="no operation"):
            assert trace(f, ()).n_vertices == 1
    for g in (
        lambda x: 0 - x,
        lambda x: x * 0,
        lambda x: 1 / x,
        lambda x: 1**x,
        lambda x: x + 1,
        lambda x: x // 1,
    ):
        assert trace(g, ()).n_vertices == 2
    assert kinds(trace(lambda x: sum(x), 5)) == {"input": 5, "add": 4}


def test_accumulators() -> None:
    def doubled(x: Array) -> Array:
        total = np.zeros_like(x)
        for i in range(len(x)):
            total[i] += x[i] * 2
        total[0] = np.zeros(1, dtype=object)[0] + x[1]
        return total

    dag = trace(doubled, 4)
    assert kinds(dag) == {"input": 3, "mul": 3}
    assert {dag.name(v) for v in dag.outputs} == {"x[1]", "mul#3", "mul#4", "mul#5"}


def test_attention_with_a_stable_softmax() -> None:
    def attention(Q: Array, K: Array, V: Array) -> Array:
        S = Q @ K.T / np.sqrt(Q.shape[1])
        P = np.exp(S - S.max(axis=1, keepdims=True))
        return np.asarray(P @ V / P.sum(axis=1, keepdims=True))

    N, d = 3, 2
    dag = trace(attention, (N, d), (N, d), (N, d))
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


def test_numpy_functions() -> None:
    counts = {
        np.mean: {"input": 4, "add": 3, "div": 1},
        np.var: {"input": 4, "add": 6, "div": 2, "sub": 4, "mul": 4},
        np.cumsum: {"input": 4, "add": 3},
        np.diff: {"input": 4, "sub": 3},
        np.max: {"input": 4, "maximum": 3},
        np.min: {"input": 4, "minimum": 3},
        np.prod: {"input": 4, "mul": 3},
        np.abs: {"input": 4, "abs": 4},
        np.square: {"input": 4, "square": 4},
        np.tanh: {"input": 4, "tanh": 4},
        np.linalg.norm: {"input": 4, "mul": 4, "add": 3, "sqrt": 1},
        np.floor: {"input": 4, "floor": 4},
        np.reciprocal: {"input": 4, "div": 4},
        np.sign: {"input": 4, "sign": 4},
    }
    for f, expected in counts.items():
        assert kinds(trace(f, 4)) == expected, f  # type: ignore[arg-type]


def test_maximum() -> None:
    assert rows(trace(lambda x: np.maximum(x[0], x[1]), 2)) == {"maximum#2": ["x[0]", "x[1]"]}
    assert kinds(trace(lambda x: np.maximum(x, 0), 3)) == {"input": 3, "maximum": 3}
    assert kinds(trace(lambda x: np.max(x, axis=0), (2, 3))) == {"input": 6, "maximum": 3}
    assert kinds(trace(lambda x: np.max(x), (2, 3))) == {"input": 6, "maximum": 5}
    assert kinds(trace(lambda x: np.maximum.accumulate(x), 3)) == {"input": 3, "maximum": 2}
    assert kinds(trace(lambda x: np.stack([x, x]).view(type(x)).max(axis=0), 3)) == {"input": 3, "maximum": 3}


def test_outputs_in_all_containers() -> None:
    dag = trace(lambda x: {"a": x[0] + 1, "b": [x[1] + 1, (x[2], 5, np.ones(3))]}, 3)
    assert {dag.name(v) for v in dag.outputs} == {"add#3", "add#4", "x[2]"}


def test_what_no_output_needs_is_left_out() -> None:
    def wasteful(x: Array) -> Any:
        _ = x[0] * x[1]
        return np.exp(x[1])

    assert rows(trace(wasteful, 3)) == {"exp#1": ["x[1]"]}
    kept = trace(wasteful, 3, keep_unused=True)
    assert rows(kept) == {"mul#3": ["x[0]", "x[1]"], "exp#4": ["x[1]"]}
    assert [kept.name(v) for v in kept.outputs] == ["exp#4"]


def test_names() -> None:
    assert trace(product, (1, 1), (1, 1)).name(1) == "B[0,0]"
    assert trace(product, (1, 1), (1, 1), names=["L", "R"]).name(1) == "R[0,0]"
    assert trace(lambda *x: x[0] + x[1], (), ()).name(1) == "x1"
    assert trace(product, (1, 1), (1, 1)).description == "product"
    assert trace(product, (1, 1), (1, 1), description="mine").description == "mine"
    with pytest.raises(InvalidInput, match="1 name for 2"):
        trace(product, (1, 1), (1, 1), names=["L"])
    with pytest.raises(InvalidInput, match="white space"):
        trace(product, (1, 1), (1, 1), names=["L", "R R"])
    with pytest.raises(InvalidInput, match="both called"):
        trace(lambda x, y: x + y, (), (), names=["L", "L"])


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (lambda x: math.exp(x[0]), "plain number"),
        (lambda x: float(x[0]), "plain number"),
        (lambda x: x.astype(float), "plain number"),
        (lambda x: x if x[0] > 0 else -x, "compared"),
        (lambda x: x if x[0] else -x, "condition"),
        (lambda x: x[0] == x[1], "compared"),
        (lambda x: np.where(x > 0, x, 0), "compared"),
        (np.sort, "compared"),
        (np.argmax, "compared"),
        (np.isnan, "np.isnan cannot be traced"),
        (lambda x: x + "a", "cannot be traced"),
        (lambda x: 3, "returns nothing computed"),
        (lambda x: None, "returns a NoneType"),
        (lambda x: "a", "returns a str"),
    ],
)
def test_limits(f: Callable[..., Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        trace(f, 3)


def test_two_traces_do_not_mix() -> None:
    escaped: list[Any] = []

    def escape(x: Any) -> Any:
        escaped.append(x)
        return x

    with pytest.warns(UserWarning, match="returns its arguments as they are"):
        trace(escape, ())
    with pytest.raises(InvalidInput, match="another trace"):
        trace(lambda y: y + escaped[0], ())
    with pytest.raises(InvalidInput, match="another trace"):
        trace(lambda y: escaped[0], ())


def test_sample_arrays_stand_for_their_shapes() -> None:
    A, B = np.ones((3, 4)), np.ones((4, 5), dtype=np.float16)
    assert trace(product, A, B) == trace(product, (3, 4), B) == trace(product, (3, 4), (4, 5))
    assert trace(lambda x: x * 2, np.float64(7.0)) == trace(lambda x: x * 2, ())
    assert trace(lambda x: x * 2, np.int64(3)) == trace(lambda x: x * 2, 3)
    with pytest.raises(InvalidInput, match=r"no elements: its shape is \(0, 2\)"):
        trace(np.exp, np.zeros((0, 2)))


def _followed(name: str) -> Dag:
    """Trace a function of numpy with arguments that suit it."""
    f: Any = np.linalg.norm if name == "linalg.norm" else getattr(np, name)
    two = "add subtract multiply divide power floor_divide mod maximum minimum fmax fmin arctan2 hypot logaddexp "
    two += "copysign fmod dot matmul inner outer vdot tensordot convolve kron cross"
    if name in two.split():
        sizes = (3, 3)
        return trace((lambda x, y: f(x, y, 1)) if name == "tensordot" else f, *sizes)
    calls: dict[str, Callable[[Any], Any]] = {
        "einsum": lambda x: f("ij,jk->ik", x, x),
        "reshape": lambda x: f(x, 9) * 2,
        "stack": lambda x: f([x, x]) * 2,
        "concatenate": lambda x: f([x, x]) * 2,
        "split": lambda x: f(x, 3)[1] * 2,
        "tile": lambda x: f(x, 2) * 2,
        "repeat": lambda x: f(x, 2) * 2,
        "roll": lambda x: f(x, 1) * 2,
        "take": lambda x: f(x, [0, 1]) * 2,
        "pad": lambda x: f(x, 1) * 2,
    }
    return trace(calls.get(name, lambda x: f(x) * 2), (3, 3))


@pytest.mark.parametrize("name", " ".join(FOLLOWED.values()).split())
def test_what_is_said_to_be_followed_is_followed(name: str) -> None:
    assert _followed(name).n_edges


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


def test_an_error_of_the_function_itself_is_its_own() -> None:
    with pytest.raises(TypeError, match="NoneType"):
        trace(lambda x: len(x) + None, 3)  # type: ignore[operator]


def test_an_empty_graph_is_said() -> None:
    with pytest.raises(InvalidInput, match=r"the graph would be empty$"):
        trace(lambda x: np.zeros(3), 3)
    with pytest.raises(InvalidInput, match="called without arguments"):
        trace(lambda: 3)


@pytest.mark.parametrize("shape", [0, -1, (2, 0), 1.5, "3", True, None])
def test_shapes(shape: Any) -> None:
    with pytest.raises(InvalidInput, match="a shape must be"):
        trace(np.exp, shape)
