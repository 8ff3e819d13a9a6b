"""The compulsory bound of a DAG, and bounds with constants where the catalogue knows its family by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.common.units import fast_memory_words
from pebble.computations.problem import Problem
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.graph.statistics import compulsory_io
from pebble.lower_bounds.attention.compulsory import COMPULSORY
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.graph.graph_bound import PAGE, GraphBound
from pebble.lower_bounds.matmul_fft import fft, matmul, matmul_with_products
from pebble.lower_bounds.proved import proved_bounds


def family_bounds(dag: Dag, M: int, rules: Rules) -> list[GraphBound]:
    """Return the bounds that are proved for the family that a DAG belongs to, the greatest first.

    Examples
    --------
    >>> from pebble.computations.load import load_dag
    >>> [bound.name for bound in family_bounds(load_dag("fft:1024"), 16, Rules())]
    ['FFT']
    """
    M = fast_memory_words(M)
    name = catalogue_name(dag)
    if name is None:
        raise BoundDoesNotApply(
            "bounds of families need a DAG given by name, such as fft:64, or as a kernel (pebble dag "
            "info --list shows the names)"
        )
    kind, _, text = name.partition(":")
    found = [
        _with_inputs(bound, name)
        for bound in (_kernel(name, M) if kind == "kernel" else _BOUNDS[kind](_sizes(text), M))
        if "compulsory" not in bound.name and bound.holds_under(rules)
    ]
    if not found:
        raise BoundDoesNotApply(
            f"no bound of the family {kind} gives more for {name} than the compulsory one"
        )
    return sorted(found, key=lambda bound: -bound.value)


def catalogue_name(dag: Dag) -> str | None:
    """Return a DAG's name in the catalogue if it is of a family with bounds, and really that DAG.

    The name is the description; the DAG of that name is built and compared, vertex for vertex.

    Examples
    --------
    >>> from pebble.computations.classic_dags import fft, tree
    >>> catalogue_name(fft(8)), catalogue_name(tree(2))
    ('fft:8', None)
    """
    from pebble.computations.load import named_dag
    from pebble.graph.fingerprint import dag_hash

    if dag.description.partition(":")[0] not in (*_BOUNDS, "kernel"):
        return None
    try:
        meant = named_dag(dag.description)
    except InvalidInput:
        return None
    if (meant.n_vertices, meant.n_edges) != (dag.n_vertices, dag.n_edges):
        return None
    return meant.description if dag_hash(meant) == dag_hash(dag) else None


_Sizes = dict[str, int]


def _sizes(text: str) -> _Sizes:
    """Read ``8,8,8`` or ``N=2,d=1``; sizes without a name are called m, n, k in this order."""
    if "=" in text:
        return {key: int(value) for key, _, value in (part.partition("=") for part in text.split(","))}
    return dict(zip("mnk", map(int, text.split(",")), strict=False))


def _with_inputs(bound: Bound, name: str) -> GraphBound:
    row = {"row": bound.facts["row"]} if "row" in bound.facts else {}
    return GraphBound.from_bound(bound, {"family": name, **row})


def _kernel(name: str, M: int) -> list[Bound]:
    from pebble.computations.nests.named_kernel import kernel_nest
    from pebble.lower_bounds.nests.nest_bounds import nest_bounds

    return nest_bounds(kernel_nest(name), M)


def _attention(pass_name: str, sizes: _Sizes, M: int, softmax: str = "plain") -> list[Bound]:
    N, d, stats = sizes.get("N", 0), sizes["d"], bool(sizes.get("stats", 0))
    Nq, Nk, dv = (sizes.get(name, default) for name, default in (("Nq", N), ("Nk", N), ("dv", d)))
    return proved_bounds(Problem(Nq, Nk, d, dv, stats=stats, pass_name=pass_name, softmax=softmax), M)


def _fma_matmul(sizes: _Sizes, M: int) -> list[Bound]:
    m, n, k = (sizes[key] for key in "mnk")
    return [matmul(m, n, k, M)]


def _matmul(sizes: _Sizes, M: int) -> list[Bound]:
    m, n, k = (sizes[key] for key in "mnk")
    return [matmul_with_products(m, n, k, M)]


def _fft(sizes: _Sizes, M: int) -> list[Bound]:
    n = sizes["m"]
    return [fft(n, M)] if n > 1 else []


_BOUNDS: dict[str, Callable[[_Sizes, int], list[Bound]]] = {
    "attention": partial(_attention, "forward"),
    "attention-safe": partial(_attention, "forward", softmax="safe"),
    "attention-online": partial(_attention, "forward", softmax="online"),
    "backward": partial(_attention, "backward"),
    "fma-matmul": _fma_matmul,
    "matmul": _matmul,
    "fft": _fft,
}
"""What is proved of each family, whatever the rules; every bound says under which rules it holds."""


def compulsory(dag: Dag, M: int) -> GraphBound:
    """Every input that some computed output depends on is loaded, every output that is not an input stored.

    Machine-checked where the DAG is of a family whose words Coq counts: see :func:`.coq_certificate_of_dag`.

    Examples
    --------
    >>> compulsory(Dag.from_edges([(0, 2), (1, 2)]), 3).value
    3
    """
    fast_memory_words(M)
    loads, stores = compulsory_io(dag)
    note, inputs = f"{loads:,} inputs and {stores:,} outputs", {"loads": loads, "stores": stores}
    found = GraphBound.of(COMPULSORY, loads + stores, note, inputs, source=f"{PAGE}, compulsory")
    kind = (catalogue_name(dag) or "").partition(":")[0]
    return replace(found, status="proved") if kind in ("", "matmul", "kernel") else found
