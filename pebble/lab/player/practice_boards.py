"""Boards to practise on: a DAG, its drawing, choices of M, and the bound and exact optimum for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from pebble.common.errors import InvalidInput
from pebble.game.files.header import Header
from pebble.graph.dag import Dag
from pebble.graph.drawing import layered_layout
from pebble.lab.player.recording import check_drawable, record_pebbling
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.graph.graph_bound_table import dag_bounds
from pebble.solvers.optimum import FEW_STATES, optimal

MOST_SOLVED = 24
"""Largest DAG, in vertices, for which the exact optimum is searched."""

_CHOICES = 4

CLASSIC_BOARDS = (
    ("pyramid:3", "Pyramid of height 3"),
    ("diamond:4,4", "Diamond, 4 × 4"),
    ("tree:3", "Binary tree of height 3"),
    ("fft:4", "Fast Fourier transform on 4 points"),
    ("fma-matmul:2,2,2", "Product of two 2 × 2 matrices"),
    ("attention:Nq=1,Nk=2,d=1", "Attention: one query, two keys, d = 1"),
)
"""Names of DAGs and their titles on the page; small enough that the optimum is found within a second."""


@dataclass(frozen=True)
class PracticeBoard:
    """A DAG to practise on.

    A pebbling file calls the DAG by its name and parameters; the bound for M words is by default the best for any
    DAG.
    """

    title: str
    dag: Dag
    name: str
    parameters: dict[str, str] = field(default_factory=dict)
    bound: Callable[[int], Bound] | None = None


def solve(board: PracticeBoard, M: int, time_limit: float | None) -> dict[str, Any] | None:
    """Search the exact optimum, with a pebbling that reaches it; None if the DAG or the search is too large."""
    if board.dag.n_vertices > MOST_SOLVED:
        return None
    best = optimal(board.dag, M, time_limit=time_limit, most_states=None if time_limit else FEW_STATES)
    if not best.proved:
        return None
    recording = record_pebbling([best.pebbling], "the optimum")
    return {"io": best.io, **recording.to_dict(board.dag, M)}


def board_dict(board: PracticeBoard, wanted: Iterable[int], time_limit: float | None) -> dict[str, Any]:
    """Return a board as plain data.

    ``wanted`` are words of fast memory that must be among the choices. The others go up from the least with which
    the DAG can be pebbled, as long as more memory saves I/O. Each optimum may take the time limit, or a fixed
    amount of work.
    """
    dag = board.dag
    check_drawable(board.title, dag.n_vertices, dag.n_edges)
    layout = layered_layout(dag, inputs_lowest=True)
    return {
        "title": board.title,
        "name": board.name,
        "names": [dag.name(v) for v in range(dag.n_vertices)],
        "layer": layout.layer,
        "x": layout.x,
        "predecessors": [dag.predecessors_of(v).tolist() for v in range(dag.n_vertices)],
        "outputs": dag.outputs.tolist(),
        "choices": _choices(board, sorted(set(wanted)), time_limit),
    }


def _choices(board: PracticeBoard, wanted: list[int], time_limit: float | None) -> list[dict[str, Any]]:
    """Return what is known for the wanted M, and from the least M up to where I/O is only compulsory."""
    least = board.dag.least_M()
    if wanted and wanted[0] < least:
        raise InvalidInput(f"M = {wanted[0]} is too small for {board.title}: the least M is {least}")
    made = {M: _choice(board, M, time_limit) for M in wanted}
    M = least
    while len(made) < _CHOICES:
        made.setdefault(M, _choice(board, M, time_limit))
        optimum = made[M]["optimum"]
        if optimum is None or optimum["io"] == _compulsory(board.dag):
            break
        M += 1
    return [made[M] for M in sorted(made)]


def _choice(board: PracticeBoard, M: int, time_limit: float | None) -> dict[str, Any]:
    bound = dag_bounds(board.dag, M).best if board.bound is None else board.bound(M)
    return {
        "M": M,
        "header": str(Header(board.name, board.parameters, M)),
        "bound": {"name": bound.name, "value": int(bound.value), "source": bound.source},
        "optimum": solve(board, M, time_limit),
    }


def _compulsory(dag: Dag) -> int:
    """Loads and stores that no pebbling avoids: every input that is needed, every output."""
    needed = dag.ancestors_of_outputs
    computed = int((dag.indegree[dag.outputs] > 0).sum())
    return int(needed[dag.inputs].sum()) + computed
