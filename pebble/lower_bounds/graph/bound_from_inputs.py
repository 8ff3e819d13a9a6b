"""Computing a bound again from what a certificate says it was computed from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.graph.butterfly import BUTTERFLY, butterfly
from pebble.lower_bounds.graph.compulsory import compulsory
from pebble.lower_bounds.graph.exhaustive import exhaustive
from pebble.lower_bounds.graph.family_bounds import family_bounds
from pebble.lower_bounds.graph.graph_bound import GraphBound
from pebble.lower_bounds.graph.min_cut import convex_min_cut
from pebble.lower_bounds.graph.partition import hong_kung
from pebble.lower_bounds.graph.parts import CUTS_OF_PARTS, cuts_of_parts
from pebble.lower_bounds.graph.products import PRODUCTS, PRODUCTS_ONCE, sums_of_products
from pebble.lower_bounds.graph.spectral import spectral, spectral_above_compulsory
from pebble.lower_bounds.graph.stencil import STENCIL, STENCIL_ONCE, stencil

__all__ = ["bound_from_inputs"]

_NAMES = (
    "compulsory",
    "convex min-cut",
    "spectral",
    "spectral, above compulsory",
    "Hong-Kung",
    CUTS_OF_PARTS.name,
    PRODUCTS.name,
    PRODUCTS_ONCE.name,
    BUTTERFLY.name,
    STENCIL.name,
    STENCIL_ONCE.name,
    "exhaustive search",
)


def bound_from_inputs(name: str, inputs: Mapping[str, Any], dag: Dag, M: int, rules: Rules) -> GraphBound:
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
    >>> bound_from_inputs("compulsory", {}, Dag.from_edges([(0, 1)]), 2, Rules()).value
    2
    """
    if "family" in inputs:
        found = [bound for bound in family_bounds(dag, M, rules) if bound.name == name]
        if not found:
            raise InvalidInput(f"the family of {inputs['family']} has no bound called {name!r}")
        return found[0]
    match name:
        case "compulsory":
            return compulsory(dag, M)
        case "convex min-cut":
            vertices = [_whole_number(inputs, "vertex", least=0)] if "vertex" in inputs else []
            return convex_min_cut(dag, M, rules, vertices=vertices)
        case "spectral":
            return spectral(dag, M, rules, _whole_number(inputs, "eigenvalues"))
        case "spectral, above compulsory":
            return spectral_above_compulsory(dag, M, rules, _whole_number(inputs, "eigenvalues"))
        case "Hong-Kung":
            return hong_kung(dag, M, rules, _whole_number(inputs, "X"))
        case CUTS_OF_PARTS.name:
            return cuts_of_parts(dag, M, rules, _whole_number(inputs, "seed", least=0))
        case BUTTERFLY.name:
            return butterfly(dag, M)
        case PRODUCTS.name | PRODUCTS_ONCE.name:
            return _called(name, sums_of_products(dag, M, rules))
        case STENCIL.name | STENCIL_ONCE.name:
            return _called(name, stencil(dag, M, rules))
        case "exhaustive search":
            return exhaustive(dag, M, rules, _whole_number(inputs, "below", least=0))
    raise InvalidInput(f"no bound is called {name!r}; known: {', '.join(_NAMES)}, and those of families")


def _called(name: str, bounds: Iterable[GraphBound]) -> GraphBound:
    found = next((bound for bound in bounds if bound.name == name), None)
    if found is None:
        raise BoundDoesNotApply(f"{name} costs no more than the compulsory words")
    return found


def _whole_number(inputs: Mapping[str, Any], key: str, least: int = 1) -> int:
    value = inputs.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InvalidInput(f"the bound's input {key!r} must be a whole number from {least} on, not {value!r}")
    return value
