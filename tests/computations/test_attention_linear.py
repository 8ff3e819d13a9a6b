"""Linear attention on numbers, its families from headers, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from pebble.computations.problem import Problem
from pebble.computations.registry import family_of, random_inputs, reference_outputs
from pebble.graph.statistics import compulsory_io

PROBLEMS = [
    Problem(3, 5, 2, 4, attention="linear"),
    Problem.square(6, 3, 2, attention="linear", mask="causal"),
    Problem.square(6, 3, 2, attention="linear", mask="causal", gate=True),
    Problem.square(7, 3, 2, attention="linear", mask="causal", chunk=3),
    Problem.square(6, 3, 2, attention="linear", mask="causal", chunk=3),
    Problem.square(2, 3, 2, attention="linear", mask="causal", chunk=3),
]
SHARED = [
    Problem.square(5, 3, 2, heads=3, kv_heads=1, attention="linear", mask="causal"),
    Problem.square(5, 3, 2, heads=2, kv_heads=1, attention="linear", mask="causal", gate=True),
    Problem.square(5, 3, 2, heads=2, kv_heads=1, attention="linear", mask="causal", chunk=2),
    Problem.square(2, 3, 2, heads=2, kv_heads=1, attention="linear", mask="causal", chunk=2),
    Problem.square(5, 3, 2, heads=2, kv_heads=1, attention="linear", mask="causal", chunk=2, gate=True),
]


def whole(found: dict[str, np.ndarray], name: str) -> np.ndarray:
    """An array of all tokens, of its chunks."""
    parts = [found[part] for part in (name, f"{name}_last") if part in found]
    return np.concatenate([part.reshape(-1, part.shape[-1]) for part in parts])


@pytest.mark.parametrize("problem", PROBLEMS, ids=repr)
def test_reference_outputs_are_the_recurrence(problem: Problem) -> None:
    """Token by token, as the papers write it."""
    inputs = random_inputs(problem, np.random.default_rng(3))
    Q, K, V = (whole(inputs, name) for name in "QKV")
    state, expected = np.zeros((problem.d, problem.dv)), []
    for token in range(problem.Nk):
        if problem.gate and token:
            state = inputs["G"][token][:, None] * state
        state = state + np.outer(K[token], V[token])
        if problem.mask is not None:
            expected.append(Q[token] @ state)
    if problem.mask is None:
        expected = list(Q @ state)
    assert np.allclose(whole(reference_outputs(problem, inputs), "O"), expected, rtol=1e-12)


@pytest.mark.parametrize("N", [2, 3, 7, 9])
def test_gates_of_a_chunk_are_those_of_its_tokens(N: int) -> None:
    """Queries and keys come with the product of their chunk's gates up to their own, as papers write the chunks."""
    problem = Problem.square(N, 3, 2, attention="linear", mask="causal", chunk=3, gate=True)
    token = Problem.square(N, 3, 2, attention="linear", mask="causal", gate=True)
    family, chunks = family_of(problem), (N - 1) // 3
    assert [array.name for array in family.inputs if array.name == "G"] == ["G"] * bool(chunks)
    inputs = random_inputs(token, np.random.default_rng(5))
    upto = np.concatenate([np.cumprod(inputs["G"][at : at + 3], axis=0) for at in range(0, N, 3)])
    rows = {"Q": inputs["Q"] * upto, "K": inputs["K"] / upto, "V": inputs["V"]}
    cut = {name: array[: 3 * chunks].reshape(chunks, 3, -1) for name, array in rows.items() if chunks}
    cut |= {f"{name}_last": array[3 * chunks :] for name, array in rows.items()}
    cut |= {"G": upto[2 : 3 * chunks : 3]} if chunks else {}
    found, expected = reference_outputs(problem, cut), reference_outputs(token, inputs)
    assert np.allclose(whole(found, "O"), expected["O"], rtol=1e-12)
    words = sum(family.words_needed(array.name) for array in (*family.inputs, *family.outputs))
    assert words == sum(compulsory_io(family.dag())) == 2 * N * (3 + 2) + chunks * 3


@pytest.mark.parametrize("problem", SHARED, ids=repr)
def test_query_heads_read_one_state(problem: Problem) -> None:
    """The outputs of each query head are those of the problem that it is alone."""
    inputs = random_inputs(problem, np.random.default_rng(4))
    together = reference_outputs(problem, inputs)
    alone = Problem.square(
        problem.Nk, 3, 2, attention="linear", mask="causal", gate=problem.gate, chunk=problem.chunk
    )
    for head in range(problem.Nq // problem.Nk):
        own = {name: part[head] if name.startswith("Q") else part for name, part in inputs.items()}
        for name, output in reference_outputs(alone, own).items():
            assert np.allclose(together[name][head], output, rtol=1e-12)


@pytest.mark.parametrize("problem", PROBLEMS + SHARED, ids=repr)
def test_every_word_is_needed_but_the_first_gates(problem: Problem) -> None:
    family = family_of(problem)
    words = sum(family.words_needed(array.name) for array in (*family.inputs, *family.outputs))
    assert sum(compulsory_io(family.dag())) == words
    tokens = problem.Nq * (problem.d + problem.dv) + problem.Nk * (problem.d + problem.dv)
    gates = problem.Nk - 1 if problem.chunk is None else problem.chunk_sizes[0]
    assert words == tokens + problem.gate * gates * problem.d


def test_a_last_chunk_has_one_token_at_least() -> None:
    for N in range(1, 12):
        for chunk in range(1, 14):
            problem = Problem.square(N, 1, attention="linear", mask="causal", chunk=chunk)
            chunks, size, rest = problem.chunk_sizes
            assert chunks * size + rest == N
            assert 1 <= rest <= size


def test_query_heads_that_share_a_state() -> None:
    problem = Problem.square(8, 2, attention="linear", heads=6, kv_heads=2)
    assert (problem.Nq, problem.Nk, problem.copies, problem.form) == (24, 8, 2, "linear")
    causal = Problem.square(8, 2, attention="linear", heads=6, kv_heads=2, mask="causal")
    assert (causal.Nq, causal.Nk, causal.copies, causal.form) == (24, 8, 2, "recurrent")
    assert causal == Problem(24, 8, 2, 2, heads=2, attention="linear", mask="group:3:causal")


@pytest.mark.parametrize("chunk", [None, 1, 2, 6])
def test_gradients(chunk: int | None) -> None:
    """As numpy has them of all pairs; those of K and V come from the last token, or chunk, to the first."""
    problem = Problem.square(6, 3, 2, attention="linear", mask="causal", pass_name="backward", chunk=chunk)
    inputs, family = random_inputs(problem, np.random.default_rng(7)), family_of(problem)
    Q, K, V, dO = (inputs[name].reshape(6, -1) for name in ("Q", "K", "V", "dO"))
    P, dP = np.tril(Q @ K.T), np.tril(dO @ V.T)
    found = reference_outputs(problem, inputs)
    for name, expected in {"dQ": dP @ K, "dK": dP.T @ Q, "dV": P.T @ dO}.items():
        ordered = found[name] if name == "dQ" else found[name][::-1]
        assert np.allclose(ordered.reshape(6, -1), expected, rtol=1e-12)
    words = sum(family.words_needed(array.name) for array in (*family.inputs, *family.outputs))
    assert words == sum(compulsory_io(family.dag())) == 6 * (4 * 3 + 3 * 2)
    assert family.n_vertices == family.dag().n_vertices


def test_inputs_read_backward_are_the_same_vertices() -> None:
    family = family_of(Problem.square(6, 3, 2, attention="linear", mask="causal", pass_name="backward"))
    assert family.predecessors("R", (1, 0, 2)) == [("R", (1, 0, 1)), ("Q", (3, 1)), ("dO", (3, 0))]
    assert family.predecessors("dV", (0, 1, 0)) == [("K", (5, 0)), ("R", (0, 1, 0))]
