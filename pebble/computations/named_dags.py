"""The DAGs that have a name: their parameters, how they are built, and bounds from the literature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from pebble.common.errors import InvalidInput
from pebble.computations.classic_dags import (
    MOST_EDGES,
    diamond,
    fft,
    hypercube,
    layered,
    matmul,
    pyramid,
    scalar_attention,
    stencil,
    tree,
)
from pebble.computations.matmul import matmul_family
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.computations.strassen import strassen
from pebble.graph.dag import Dag

if TYPE_CHECKING:
    from pebble.computations.family import Family

__all__ = ["NAMED_DAGS", "NamedDag"]


@dataclass(frozen=True)
class NamedDag:
    """A DAG that has a name.

    Attributes
    ----------
    name : str
        What stands before the colon.
    required : tuple of str
        Its parameters; may be given without their names, in this order.
    build : callable
        Takes the parameters by name.
    example : str
    summary : str
    literature : str
        Values from the literature, with their source.
    optional : tuple of str
        Further parameters.
    problem : callable, optional
        Takes the parameters as ``build`` does and returns the problem whose family the DAG is.
    """

    name: str
    required: tuple[str, ...]
    build: Callable[..., Dag]
    example: str
    summary: str
    literature: str = ""
    optional: tuple[str, ...] = field(default=())
    problem: Callable[..., Problem] | None = None

    @property
    def usage(self) -> str:
        """How it is written: ``layered:layers,width,indegree[,seed=…]``."""
        if not self.required:
            return f"{self.name}:N=…,d=…; also {', '.join(f'{key}=…' for key in self.optional[2:])}"
        return f"{self.name}:{','.join(self.required)}" + "".join(f"[,{key}=…]" for key in self.optional)


def _family_dag(family: Family, description: str) -> Dag:
    edges, limit = family.n_edges, MOST_EDGES
    if max(edges, family.n_vertices) > limit:
        raise InvalidInput(
            f"{description}: {family.n_vertices:,} vertices and {edges:,} edges are too many to build one by "
            f"one (limit {limit:,}); choose smaller sizes"
        )
    dag = family.dag()
    return Dag(
        dag.predecessor_start, dag.predecessors, names=dag.names, outputs=dag.outputs, description=description
    )


def _fma_matmul(m: int, n: int, k: int) -> Dag:
    return _family_dag(matmul_family(m, n, k), f"fma-matmul:{m},{n},{k}")


def _shape(
    name: str, N: int | None, Nq: int | None, Nk: int | None, d: int, dv: int | None
) -> tuple[int, int, int, int]:
    """Return Nq, Nk, d, dv; N stands for both, dv is d if not given."""
    queries, keys = N if Nq is None else Nq, N if Nk is None else Nk
    if queries is None or keys is None:
        raise InvalidInput(f"{name}: missing N (or Nq and Nk); for example {name}:N=2,d=1")
    if N is not None and Nq is not None and Nk is not None:
        raise InvalidInput(f"{name}: give N, or Nq and Nk, not all three")
    return queries, keys, d, d if dv is None else dv


def _written(name: str, Nq: int, Nk: int, d: int, dv: int, stats: int = 0) -> str:
    sizes = f"N={Nq}" if Nq == Nk else f"Nq={Nq},Nk={Nk}"
    return f"{name}:{sizes},d={d}{'' if dv == d else f',dv={dv}'}{',stats=1' if stats else ''}"


def _problem_dag(problem: Problem, description: str) -> Dag:
    return _family_dag(family_of(problem), description)


def _attention_problem(
    d: int,
    N: int | None = None,
    Nq: int | None = None,
    Nk: int | None = None,
    dv: int | None = None,
    stats: int = 0,
    softmax: str = "plain",
) -> Problem:
    name = _attention_name(softmax)
    shape = _shape(name, N, Nq, Nk, d, dv)
    if stats not in (0, 1):
        raise InvalidInput(f"{name}: stats must be 0 or 1, not {stats}")
    return Problem(*shape, stats=bool(stats), softmax=softmax)


def _attention_name(softmax: str) -> str:
    return "attention" if softmax == "plain" else f"attention-{softmax}"


def _attention(softmax: str = "plain", **parameters: int) -> Dag:
    problem = _attention_problem(softmax=softmax, **parameters)
    shape = problem.Nq, problem.Nk, problem.d, problem.dv
    return _problem_dag(problem, _written(_attention_name(softmax), *shape, problem.stats))


def _backward_problem(
    d: int, N: int | None = None, Nq: int | None = None, Nk: int | None = None, dv: int | None = None
) -> Problem:
    return Problem(*_shape("backward", N, Nq, Nk, d, dv), pass_name="backward")


def _backward(**parameters: int) -> Dag:
    problem = _backward_problem(**parameters)
    return _problem_dag(problem, _written("backward", problem.Nq, problem.Nk, problem.d, problem.dv))


def _weights_problem(N: int, d: int) -> Problem:
    return Problem.square(N, d, pass_name="weights")


def _weights(N: int, d: int) -> Dag:
    return _problem_dag(_weights_problem(N, d), f"weights:N={N},d={d}")


def _linear_attention_problem(
    d: int,
    N: int | None = None,
    Nq: int | None = None,
    Nk: int | None = None,
    dv: int | None = None,
    causal: int = 0,
    gate: int = 0,
    chunk: int | None = None,
) -> Problem:
    shape = _shape("linear-attention", N, Nq, Nk, d, dv)
    if causal not in (0, 1) or gate not in (0, 1):
        raise InvalidInput(
            f"linear-attention: causal and gate must be 0 or 1, not causal={causal}, gate={gate}"
        )
    mask = "causal" if causal else None
    return Problem(*shape, attention="linear", mask=mask, gate=bool(gate), chunk=chunk)


def _linear_attention(causal: int = 0, gate: int = 0, chunk: int | None = None, **parameters: int) -> Dag:
    problem = _linear_attention_problem(causal=causal, gate=gate, chunk=chunk, **parameters)
    chosen = f"{',causal=1' * causal}{',gate=1' * gate}{'' if chunk is None else f',chunk={chunk}'}"
    shape = problem.Nq, problem.Nk, problem.d, problem.dv
    return _problem_dag(problem, _written("linear-attention", *shape) + chosen)


def _scalar_attention(
    d: int, N: int | None = None, Nq: int | None = None, Nk: int | None = None, dv: int | None = None
) -> Dag:
    return scalar_attention(*_shape("scalar-attention", N, Nq, Nk, d, dv))


_ORDER = "Θ(mnk/√M) for M below mn, nk and mk (Hong & Kung 1981)"
_SMITH = "; at least 2mnk/√M - 2M without recomputation (Smith et al. 2019, arXiv 1702.02017)"
_GRID = "Θ({}/M) for M below the sides (Hong & Kung 1981, products of lines)"
_PEBBLES = "least M with compulsory I/O only: h + 2"

NAMED_DAGS: dict[str, NamedDag] = {
    entry.name: entry
    for entry in (
        NamedDag(
            "matmul",
            ("m", "n", "k"),
            matmul,
            "matmul:8,8,8",
            "matrix product (m×k times k×n), products and sums as separate vertices",
            _ORDER,
        ),
        NamedDag(
            "fma-matmul",
            ("m", "n", "k"),
            _fma_matmul,
            "fma-matmul:8,8,8",
            "matrix product, one vertex per multiply-add, reductions as chains",
            _ORDER + _SMITH,
        ),
        NamedDag(
            "strassen",
            ("n",),
            strassen,
            "strassen:4",
            "Strassen's product of n×n matrices, n a power of two",
            "Θ((n/√M)^log₂7 · M), recomputation or not (Ballard, Demmel, Holtz & Schwartz 2012; "
            "Bilardi & De Stefani 2017)",
        ),
        NamedDag(
            "fft",
            ("n",),
            fft,
            "fft:64",
            "fast Fourier transform on n points, n a power of two",
            "Θ(n·log n / log M) (Hong & Kung 1981)",
        ),
        NamedDag(
            "pyramid",
            ("h",),
            pyramid,
            "pyramid:5",
            "pyramid of height h over h + 1 inputs",
            f"{_PEBBLES} (h + 1 if pebbles may slide; Cook 1974)",
        ),
        NamedDag(
            "tree",
            ("h",),
            tree,
            "tree:4",
            "complete binary tree of height h over 2^h inputs",
            f"{_PEBBLES} (h + 1 if pebbles may slide; Paterson & Hewitt 1970)",
        ),
        NamedDag(
            "diamond",
            ("m", "n"),
            diamond,
            "diamond:8,8",
            "m×n grid, each vertex computed from two neighbours",
            _GRID.format("mn"),
        ),
        NamedDag(
            "stencil",
            ("n", "t"),
            stencil,
            "stencil:16,4",
            "three-point stencil, n points, t steps",
            _GRID.format("nt"),
        ),
        NamedDag(
            "hypercube",
            ("n",),
            hypercube,
            "hypercube:6",
            "hypercube of dimension n, as in the Bellman-Held-Karp recurrence",
        ),
        NamedDag(
            "layered",
            ("layers", "width", "indegree"),
            layered,
            "layered:4,8,2,seed=1",
            "random layers, the same for the same seed",
            optional=("seed",),
        ),
        NamedDag(
            "attention",
            (),
            _attention,
            "attention:N=2,d=1",
            "attention forward, one vertex per multiply-add",
            "Θ(min(N²d/√M, N²d²/M)) (Saha & Ye 2024, arXiv 2402.07443)",
            optional=("N", "d", "dv", "Nq", "Nk", "stats"),
            problem=_attention_problem,
        ),
        NamedDag(
            "attention-safe",
            (),
            partial(_attention, softmax="safe"),
            "attention-safe:N=2,d=1",
            "attention forward with safe softmax in two passes: the maximum of a row before its exponentials",
            optional=("N", "d", "dv", "Nq", "Nk", "stats"),
            problem=partial(_attention_problem, softmax="safe"),
        ),
        NamedDag(
            "attention-online",
            (),
            partial(_attention, softmax="online"),
            "attention-online:N=2,d=1",
            "attention forward with online softmax: sums rescaled key by key as the maximum grows",
            optional=("N", "d", "dv", "Nq", "Nk", "stats"),
            problem=partial(_attention_problem, softmax="online"),
        ),
        NamedDag(
            "backward",
            (),
            _backward,
            "backward:N=1,d=2",
            "attention's gradients dQ, dK, dV, one vertex per multiply-add",
            optional=("N", "d", "dv", "Nq", "Nk"),
            problem=_backward_problem,
        ),
        NamedDag(
            "weights",
            ("N", "d"),
            _weights,
            "weights:N=2,d=1",
            "attention's gradient of the weights",
            problem=_weights_problem,
        ),
        NamedDag(
            "linear-attention",
            (),
            _linear_attention,
            "linear-attention:N=3,d=2",
            "attention without softmax: the product Q(KᵀV); causal=1: with a state for every token",
            optional=("N", "d", "dv", "Nq", "Nk", "causal", "gate", "chunk"),
            problem=_linear_attention_problem,
        ),
        NamedDag(
            "scalar-attention",
            (),
            _scalar_attention,
            "scalar-attention:N=8,d=4",
            "attention forward, every product, sum, exponential and quotient a vertex",
            optional=("N", "d", "dv", "Nq", "Nk"),
        ),
    )
}
"""All of them, in the order of the documentation."""
