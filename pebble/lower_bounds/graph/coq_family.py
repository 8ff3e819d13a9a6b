"""Bounds of a DAG that the catalogue knows by name, as a Coq file."""

from __future__ import annotations

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.graph.dag import Dag
from pebble.lower_bounds.coq_certificate import coq_certificate
from pebble.lower_bounds.coq_matmul_fft import coq_fft, coq_matmul
from pebble.lower_bounds.graph.family_bounds import catalogue_name

__all__ = ["coq_certificate_of_dag"]


def coq_certificate_of_dag(dag: Dag, M: int) -> str:
    """Return a Coq file that states the machine-checked bounds of a DAG, with what proves them.

    Examples
    --------
    >>> from pebble.computations.load import load_dag
    >>> print(coq_certificate_of_dag(load_dag("fft:16"), 4).splitlines()[13])
    Theorem FFT : fft_costs 4 4 33.
    """
    from pebble.computations.load import named_problem

    M = fast_memory_words(M)
    name = catalogue_name(dag) or ""
    kind, _, text = name.partition(":")
    if kind == "fma-matmul":
        m, n, k = map(int, text.split(","))
        return coq_matmul(m, n, k, M)
    if kind == "fft":
        return coq_fft(int(text), M)
    problem = named_problem(name) if name else None
    if problem is None:
        raise BoundDoesNotApply(
            f"no bound on {dag.description or 'this DAG'} can be written for Coq; this works for "
            "fma-matmul, fft, attention, attention-safe, attention-online and backward, given by name"
        )
    return coq_certificate(problem, M)
