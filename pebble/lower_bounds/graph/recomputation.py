"""Computing a bound again from what a certificate says it was computed from."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from pebble.common.errors import InvalidInput
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.graph.compulsory_words import compulsory
from pebble.lower_bounds.graph.graph_bound import GraphBound
from pebble.lower_bounds.graph.known_families import family_bounds
from pebble.lower_bounds.graph.min_cut import convex_min_cut
from pebble.lower_bounds.graph.partition import hong_kung
from pebble.lower_bounds.graph.spectral import spectral, spectral_above_compulsory

__all__ = ["bound_again", "whole_value"]

_TOLERANCE = 1e-6


def whole_value(bound: GraphBound) -> int:
    """Return the whole number of words that a bound proves.

    I/O is a whole number, so that a bound of 19.2 proves 20. A float just above a whole number is not trusted
    to be above it: another machine may find it just below.

    >>> whole_value(GraphBound("spectral", 19.2, "proved", "")), whole_value(GraphBound("x", 19.0, "proved", ""))
    (20, 19)
    """
    return bound.value if isinstance(bound.value, int) else math.ceil(bound.value - _TOLERANCE)


def bound_again(name: str, inputs: Mapping[str, Any], dag: Dag, M: int, rules: Rules) -> GraphBound:
    """Compute a bound again from its name and inputs; nothing else that a certificate claims is used.

    Parameters
    ----------
    name : str
        As in :attr:`~pebble.lower_bounds.graph.graph_bound.GraphBound.name`.
    inputs : mapping
        As in :attr:`~pebble.lower_bounds.graph.graph_bound.GraphBound.inputs`.
    dag : Dag
        For a family, its description is the name in the catalogue.
    M : int
    rules : Rules

    Raises
    ------
    InvalidInput
        If there is no bound of that name, or its inputs are missing or of the wrong kind.
    BoundDoesNotApply
        If it is not proved under these rules or for this DAG.

    Examples
    --------
    >>> bound_again("compulsory", {}, Dag.from_edges([(0, 1)]), 2, Rules()).value
    2
    """
    if "family" in inputs:
        found = [bound for bound in family_bounds(dag, M, rules) if bound.name == name]
        if not found:
            raise InvalidInput(f"the family of {inputs['family']} has no bound called {name!r}")
        return found[0]
    if name not in _AGAIN:
        raise InvalidInput(f"no bound is called {name!r}; known: {', '.join(_AGAIN)}, and those of families")
    return _AGAIN[name](inputs, dag, M, rules)


def _min_cut(inputs: Mapping[str, Any], dag: Dag, M: int, rules: Rules) -> GraphBound:
    vertices = [_whole(inputs, "vertex", least=0)] if "vertex" in inputs else []
    return convex_min_cut(dag, M, rules, vertices=vertices)


_AGAIN: dict[str, Callable[[Mapping[str, Any], Dag, int, Rules], GraphBound]] = {
    "compulsory": lambda inputs, dag, M, rules: compulsory(dag, M, rules),
    "convex min-cut": _min_cut,
    "spectral": lambda inputs, dag, M, rules: spectral(dag, M, rules, _whole(inputs, "eigenvalues")),
    "spectral, above compulsory": lambda inputs, dag, M, rules: spectral_above_compulsory(
        dag, M, rules, _whole(inputs, "eigenvalues")
    ),
    "Hong-Kung": lambda inputs, dag, M, rules: hong_kung(dag, M, rules, _whole(inputs, "X")),
}


def _whole(inputs: Mapping[str, Any], key: str, least: int = 1) -> int:
    value = inputs.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InvalidInput(f"the bound's input {key!r} must be a whole number from {least} on, not {value!r}")
    return value
