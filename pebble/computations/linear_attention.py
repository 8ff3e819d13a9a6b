"""Linear attention, which has no softmax: as families of arrays of vertices, and on numbers as the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.array import Array
from pebble.computations.attention import attention_symbols
from pebble.computations.family import Family
from pebble.computations.problem import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "chunked_family",
    "linear_inputs",
    "linear_outputs",
    "query_heads",
    "recurrent_family",
    "right_product_family",
]


def right_product_family(problem: Problem) -> Family:
    """Linear attention without a mask, by the right product: O = Q·(Kᵀ·V).

    Axes: ``i`` queries, ``j`` keys, ``k`` features of Q and K, ``e`` dimension of V. H, the *state*, has d·dv words.

    Examples
    --------
    >>> family = right_product_family(Problem.square(2, 2, attention="linear"))
    >>> family
    <Family linear-attention Nq=2 Nk=2 d=2 dv=2: 28 vertices, 40 edges>
    >>> family.predecessors("O", (0, 1, 1))
    [('O', (0, 1, 0)), ('Q', (0, 1)), ('H', (1, 1, 1))]
    """
    arrays = (
        Array("Q", ("i", "k"), meaning="queries"),
        Array("K", ("j", "k"), meaning="keys"),
        Array("V", ("j", "e"), meaning="values"),
        Array("H", ("k", "e"), chain="j", operands=("K", "V"), meaning="state, KᵀV"),
        Array("O", ("i", "e"), chain="k", operands=("Q", "H"), output=True, meaning="output, QH"),
    )
    return Family(
        "linear-attention",
        arrays,
        extents={"i": problem.Nq, "j": problem.Nk, "k": problem.d, "e": problem.dv},
        symbols=attention_symbols(problem),
        parameters={name: str(getattr(problem, name)) for name in ("Nq", "Nk", "d", "dv")},
    )


def recurrent_family(problem: Problem) -> Family:
    """Causal linear attention token by token: the state takes in a key and its value, then the query reads it.

    Axes: ``n`` tokens, ``k`` features of Q and K, ``e`` dimension of V. With a gate, every feature of the state is
    multiplied with ``G[n, k]`` before it takes in token n. Before the first token there is nothing to be multiplied:
    ``G[0, k]`` is read by no vertex.

    Examples
    --------
    >>> family = recurrent_family(Problem.square(2, 2, attention="linear", mask="causal"))
    >>> family
    <Family linear-attention-recurrent N=2 d=2 dv=2: 28 vertices, 40 edges>
    >>> family.predecessors("O", (0, 1, 1))
    [('O', (0, 1, 0)), ('Q', (0, 1)), ('H', (1, 1, 0))]

    Query heads that share keys and values read one state: Q and O have the axis ``g``, the query heads, first.
    """
    heads = query_heads(problem)
    gate = (Array("G", ("n", "k"), meaning="gates"),) if problem.gate else ()
    arrays = (
        Array("Q", (*heads, "n", "k"), meaning="queries"),
        Array("K", ("n", "k"), meaning="keys"),
        Array("V", ("n", "e"), meaning="values"),
        *gate,
        Array(
            "H",
            ("k", "e"),
            chain="n",
            operands=("K", "V", "G@later") if gate else ("K", "V"),
            step=(lambda state, key, value, gate: gate * state + key * value) if gate else None,
            meaning="state after each token",
        ),
        Array("O", (*heads, "n", "e"), chain="k", operands=("Q", "H@after"), output=True, meaning="output"),
    )
    symbols = attention_symbols(problem)
    return Family(
        f"linear-attention-{problem.form}",
        arrays,
        extents={**heads, "n": problem.Nk, "k": problem.d, "e": problem.dv},
        symbols={**dict.fromkeys(heads, "G"), "n": "N", "k": symbols["k"], "e": symbols["e"]},
        parameters=_parameters(problem),
    )


def chunked_family(problem: Problem) -> Family:
    """Causal linear attention, C tokens at a time: scores inside a chunk, the state after the chunks before.

    Axes: ``c`` chunks of C tokens, ``p`` queries and ``q`` keys of a chunk, ``k`` and ``e`` as ever. The last chunk, of
    1 to C tokens, has arrays of its own, on the axes ``s`` and ``t``. All C·C scores of a chunk are computed, as
    kernels do with products of matrices; those of later keys are multiplied with zero.

    Z is what the keys and values of a chunk add to the state H. Nothing needs that of the last chunk.

    Examples
    --------
    >>> problem = Problem.square(7, 2, attention="linear", mask="causal", chunk=3)
    >>> family = chunked_family(problem)
    >>> [family.shape(name) for name in ("K", "K_last", "S", "Z", "H")]
    [(2, 3, 2), (1, 2), (2, 3, 3, 2), (2, 2, 2, 3), (2, 2, 2)]
    """
    chunks, size, rest = problem.chunk_sizes
    symbols = attention_symbols(problem)
    heads = query_heads(problem)
    full = _full_chunks(tuple(heads)) if chunks else ()
    return Family(
        "linear-attention-chunked",
        (*full, *_last_chunk(tuple(heads), bool(chunks))),
        extents={
            **heads,
            **({"c": chunks, "p": size, "q": size} if chunks else {}),
            **{"s": rest, "t": rest, "k": problem.d, "e": problem.dv},
        },
        symbols={
            **dict.fromkeys(heads, "G"),
            **{"c": "n", "p": "C", "q": "C", "s": "R", "t": "R", "k": symbols["k"], "e": symbols["e"]},
        },
        parameters={**_parameters(problem), "chunk": str(problem.chunk)},
    )


def query_heads(problem: Problem) -> dict[str, int]:
    """Return the axis of the query heads that share the state of causal linear attention, and how many; none for one.

    Examples
    --------
    >>> query_heads(Problem.square(4, 2, heads=6, kv_heads=2, attention="linear", mask="causal"))
    {'g': 3}
    """
    sharing = problem.Nq // problem.Nk if problem.mask is not None else 1
    return {"g": sharing} if sharing > 1 else {}


def _parameters(problem: Problem) -> dict[str, str]:
    """Return what the header of a pebbling file says of causal linear attention."""
    sizes = {"N": str(problem.Nk), "d": str(problem.d), "dv": str(problem.dv)}
    heads = query_heads(problem)
    return {**sizes, "group": str(heads["g"])} if heads else sizes


def _full_chunks(heads: tuple[str, ...]) -> tuple[Array, ...]:
    """All chunks but the last one, and the state."""
    return (
        Array("Q", (*heads, "c", "p", "k"), meaning="queries"),
        Array("K", ("c", "q", "k"), meaning="keys"),
        Array("V", ("c", "q", "e"), meaning="values"),
        Array("S", (*heads, "c", "p", "q"), chain="k", operands=("Q", "K"), meaning="scores inside a chunk"),
        _causal_sum("A", (*heads, "c", "p", "e"), ("p", "q"), ("S", "V")),
        Array("Z", ("c", "k", "e"), chain="q", operands=("K", "V"), meaning="what a chunk adds to the state"),
        Array("H", ("k", "e"), chain="c", operands=("Z",), meaning="state after each chunk"),
        Array(
            "B",
            (*heads, "c", "p", "e"),
            chain="k",
            operands=("Q", "H@before"),
            meaning="outputs from the state",
        ),
        Array(
            "O", (*heads, "c", "p", "e"), operands=("A", "B"), output=True, function=np.add, meaning="output"
        ),
    )


def _last_chunk(heads: tuple[str, ...], follows: bool) -> tuple[Array, ...]:
    """The last chunk; it reads the state if others come before it."""
    first = (
        Array("Q_last", (*heads, "s", "k"), meaning="queries of the last chunk"),
        Array("K_last", ("t", "k"), meaning="its keys"),
        Array("V_last", ("t", "e"), meaning="its values"),
        Array("S_last", (*heads, "s", "t"), chain="k", operands=("Q_last", "K_last"), meaning="its scores"),
    )
    if not follows:
        return (
            *first,
            _causal_sum("O_last", (*heads, "s", "e"), ("s", "t"), ("S_last", "V_last"), output=True),
        )
    return (
        *first,
        _causal_sum("A_last", (*heads, "s", "e"), ("s", "t"), ("S_last", "V_last")),
        Array(
            "B_last",
            (*heads, "s", "e"),
            chain="k",
            operands=("Q_last", "H"),
            meaning="its outputs from the state",
        ),
        Array(
            "O_last",
            (*heads, "s", "e"),
            operands=("A_last", "B_last"),
            output=True,
            function=np.add,
            meaning="its output",
        ),
    )


def _causal_sum(
    name: str, axes: tuple[str, ...], pair: tuple[str, str], operands: tuple[str, str], output: bool = False
) -> Array:
    """Sums of values weighted with the scores of keys, those of later keys with zero."""
    return Array(
        name,
        axes,
        chain=pair[1],
        operands=operands,
        output=output,
        function=lambda query, key, score, value: np.where(key <= query, score * value, 0.0),
        positions=pair,
        meaning="outputs from keys of the chunk",
    )


def linear_inputs(problem: Problem, rng: np.random.Generator) -> dict[str, NDArray[np.float64]]:
    """Return random inputs of linear attention, in the shapes of its family."""
    found = {
        "Q": rng.normal(size=_queries(problem, problem.d)),
        "K": rng.normal(size=(problem.Nk, problem.d)),
        "V": rng.normal(size=(problem.Nk, problem.dv)),
    }
    if problem.gate:
        found["G"] = rng.uniform(0.5, 1.0, size=(problem.Nk, problem.d))
    if problem.form != "chunked":
        return found
    return {
        name: part for whole, values in found.items() for name, part in _cut(problem, whole, values).items()
    }


def linear_outputs(
    problem: Problem, inputs: dict[str, NDArray[np.float64]]
) -> dict[str, NDArray[np.float64]]:
    """Return the outputs of linear attention computed in another way than any schedule does: by (Q·Kᵀ)·V.

    A gate multiplies a score, feature by feature, with the gates of the tokens behind the key up to the query.
    """
    chunked = problem.form == "chunked"
    Q, K, V = (_whole(name, inputs, chunked) for name in ("Q", "K", "V"))
    if problem.gate:
        decay = np.cumsum(np.log(inputs["G"]), axis=0)
        weights = np.exp(np.minimum(decay[:, None, :] - decay[None, :, :], 0.0))
        scores = np.einsum("...ik,jk,ijk->...ij", Q, K, weights)
    else:
        scores = Q @ K.T
    if problem.mask is not None:
        scores = np.tril(scores)
    output = np.asarray(scores @ V)
    return _cut(problem, "O", output) if chunked else {"O": output}


def _queries(problem: Problem, width: int) -> tuple[int, ...]:
    """Return the shape of queries or outputs: that of each query head if some share keys."""
    heads = tuple(query_heads(problem).values())
    return (*heads, problem.Nk if heads else problem.Nq, width)


def _cut(problem: Problem, name: str, values: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Cut the tokens of an array into full chunks and the last one."""
    chunks, size, _ = problem.chunk_sizes
    heads, width = values.shape[:-2], values.shape[-1]
    full = values[..., : chunks * size, :].reshape(*heads, chunks, size, width)
    return ({name: full} if chunks else {}) | {f"{name}_last": values[..., chunks * size :, :]}


def _whole(name: str, inputs: dict[str, NDArray[np.float64]], chunked: bool) -> NDArray[np.float64]:
    """Put the chunks of an array together."""
    if not chunked:
        return inputs[name]
    last = inputs[f"{name}_last"]
    if name not in inputs:
        return last
    full = inputs[name].reshape(*last.shape[:-2], -1, last.shape[-1])
    return np.concatenate([full, last], axis=-2)
