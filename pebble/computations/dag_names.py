"""How a DAG gets a name: what is registered beside its builder, and how large it may be."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from pebble.common.errors import InvalidInput
from pebble.graph.dag import Dag

if TYPE_CHECKING:
    from pebble.computations.family import Family
    from pebble.computations.problem import Problem

B = TypeVar("B", bound=Callable[..., Dag])

MOST_EDGES = 40_000_000
"""More vertices or edges than this are not built: it would take gigabytes."""


@dataclass(frozen=True)
class NamedDag:
    """A DAG that has a name.

    Attributes
    ----------
    name : str
        What stands before the colon.
    build : callable
        Takes the parameters by name.
    example, summary : str
    literature : str
        Values from the literature, with their source.
    required, optional : tuple of str
        Its parameters; the required ones may be given without their names, in this order.
    problem : callable, optional
        Takes the parameters as ``build`` does and returns the problem whose family the DAG is.
    """

    name: str
    build: Callable[..., Dag]
    example: str
    summary: str
    literature: str
    required: tuple[str, ...]
    optional: tuple[str, ...]
    problem: Callable[..., Problem] | None = None

    @property
    def usage(self) -> str:
        """How it is written: ``layered:layers,width,indegree[,seed=…]``."""
        if not self.required:
            return f"{self.name}:N=…,d=…; also {', '.join(f'{key}=…' for key in self.optional[2:])}"
        return f"{self.name}:{','.join(self.required)}" + "".join(f"[,{key}=…]" for key in self.optional)


NAMED_DAGS: dict[str, NamedDag] = {}
"""All of them, in the order of the documentation; ``named_dags`` adds those of attention."""


def named(example: str, summary: str, literature: str = "") -> Callable[[B], B]:
    """Register a builder: it is called like the function, its parameters are the function's."""

    def register(build: B) -> B:
        name = build.__name__.replace("_", "-")
        parameters = inspect.signature(build).parameters.values()
        required, optional = (
            tuple(one.name for one in parameters if (one.default is one.empty) == without)
            for without in (True, False)
        )
        NAMED_DAGS[name] = NamedDag(name, build, example, summary, literature, required, optional)
        return build

    return register


def check_dag_size(name: str, vertices: int, edges: int) -> None:
    """Refuse a DAG that is too large to be built."""
    if max(vertices, edges) > MOST_EDGES:
        raise InvalidInput(
            f"{name}: {_upto(vertices)} vertices and {_upto(edges)} edges are too many to build one by one "
            f"(limit {MOST_EDGES:,}); choose smaller sizes"
        )


def _upto(count: int) -> str:
    return f"{count:,}" if count < 10**15 else "more than 10^15"


def family_dag(family: Family, description: str) -> Dag:
    """Return the DAG of a family with another description."""
    check_dag_size(description, family.n_vertices, family.n_edges)
    dag = family.dag()
    return Dag(dag.predecessor_start, dag.predecessors, dag.names, dag.outputs, description)
