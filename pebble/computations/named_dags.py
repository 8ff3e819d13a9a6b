"""The DAGs that have a name: the classic ones, and those of attention by the parameters of a problem."""

from __future__ import annotations

from functools import partial

from pebble.common.errors import InvalidInput
from pebble.computations.classic_dags import scalar_attention
from pebble.computations.dag_names import NAMED_DAGS, NamedDag, family_dag
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.graph.dag import Dag

__all__ = ["NAMED_DAGS", "NamedDag"]

_SHAPE = ("N", "d", "dv", "Nq", "Nk")
_SAHA = "Θ(min(N²d/√M, N²d²/M)) (Saha & Ye 2024, arXiv 2402.07443)"


def _shape(
    name: str,
    d: int,
    N: int | None = None,
    Nq: int | None = None,
    Nk: int | None = None,
    dv: int | None = None,
) -> tuple[int, int, int, int]:
    """Return Nq, Nk, d, dv; N stands for both, dv is d if not given."""
    queries, keys = N if Nq is None else Nq, N if Nk is None else Nk
    if queries is None or keys is None:
        raise InvalidInput(f"{name}: missing N (or Nq and Nk); for example {name}:N=2,d=1")
    if N is not None and Nq is not None and Nk is not None:
        raise InvalidInput(f"{name}: give N, or Nq and Nk, not all three")
    return queries, keys, d, d if dv is None else dv


def _problem(
    name: str,
    fields: dict[str, str],
    stats: int = 0,
    causal: int = 0,
    gate: int = 0,
    chunk: int | None = None,
    **sizes: int,
) -> Problem:
    """Return the problem of a name; ``fields`` are what the name stands for."""
    shape = _shape(name, **sizes)
    for key, value in (("stats", stats), ("causal", causal), ("gate", gate)):
        if value not in (0, 1):
            raise InvalidInput(f"{name}: {key} must be 0 or 1, not {value}")
    mask = "causal" if causal else None
    return Problem(*shape, stats=bool(stats), mask=mask, gate=bool(gate), chunk=chunk, **fields)  # type: ignore[arg-type]


def _dag(name: str, fields: dict[str, str], **parameters: int) -> Dag:
    problem = _problem(name, fields, **parameters)
    sizes = f"N={problem.Nq}" if problem.Nq == problem.Nk else f"Nq={problem.Nq},Nk={problem.Nk}"
    values = "" if problem.dv == problem.d else f",dv={problem.dv}"
    chosen = "".join(
        f",{key}={parameters[key]}" for key in ("stats", "causal", "gate", "chunk") if parameters.get(key)
    )
    return family_dag(family_of(problem), f"{name}:{sizes},d={problem.d}{values}{chosen}")


def _scalar(**sizes: int) -> Dag:
    return scalar_attention(*_shape("scalar-attention", **sizes))


def _add(
    name: str,
    example: str,
    summary: str,
    literature: str = "",
    required: tuple[str, ...] = (),
    optional: tuple[str, ...] = _SHAPE,
    **fields: str,
) -> None:
    build, problem = partial(_dag, name, fields), partial(_problem, name, fields)
    NAMED_DAGS[name] = NamedDag(
        name, build, f"{name}:{example}", summary, literature, required, optional, problem
    )


_STATS = (*_SHAPE, "stats")
_add("attention", "N=2,d=1", "attention forward, one vertex per multiply-add", _SAHA, optional=_STATS)
_add(
    "attention-safe",
    "N=2,d=1",
    "attention forward with safe softmax in two passes: the maximum of a row before its exponentials",
    optional=_STATS,
    softmax="safe",
)
_add(
    "attention-online",
    "N=2,d=1",
    "attention forward with online softmax: sums rescaled key by key as the maximum grows",
    optional=_STATS,
    softmax="online",
)
_add(
    "backward",
    "N=1,d=2",
    "attention's gradients dQ, dK, dV, one vertex per multiply-add",
    pass_name="backward",
)
_add(
    "weights",
    "N=2,d=1",
    "attention's gradient of the weights",
    required=("N", "d"),
    optional=(),
    pass_name="weights",
)
_add(
    "linear-attention",
    "N=3,d=2",
    "attention without softmax: the product Q(KᵀV); causal=1: with a state for every token",
    optional=(*_SHAPE, "causal", "gate", "chunk"),
    attention="linear",
)
NAMED_DAGS["scalar-attention"] = NamedDag(
    "scalar-attention",
    _scalar,
    "scalar-attention:N=8,d=4",
    "attention forward, every product, sum, exponential and quotient a vertex",
    "",
    (),
    _SHAPE,
)
