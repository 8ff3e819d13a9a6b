"""The compulsory bound: what has to be loaded and stored whatever M and the rules are."""

from __future__ import annotations

from dataclasses import replace

from pebble.common.units import fast_memory_words
from pebble.graph.dag import Dag
from pebble.graph.statistics import compulsory_io
from pebble.lower_bounds.attention.compulsory import COMPULSORY
from pebble.lower_bounds.graph.family_bounds import catalogue_name
from pebble.lower_bounds.graph.graph_bound import PAGE, GraphBound

__all__ = ["compulsory"]


def compulsory(dag: Dag, M: int) -> GraphBound:
    """Every input that some computed output depends on is loaded, every output that is not an input stored.

    Parameters
    ----------
    dag : Dag
    M : int
        Words of fast memory; the bound does not depend on it.

    Returns
    -------
    GraphBound
        Machine-checked where the DAG is of a family whose words Coq counts: see
        :func:`.coq_certificate_of_dag`.

    Raises
    ------
    InvalidInput
        If M is not a positive whole number.

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
