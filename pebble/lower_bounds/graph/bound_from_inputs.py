"""Computing a bound again from what a certificate says it was computed from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.attention.compulsory import COMPULSORY
from pebble.lower_bounds.graph.butterfly import BUTTERFLY, butterfly
from pebble.lower_bounds.graph.compulsory import compulsory
from pebble.lower_bounds.graph.exhaustive import EXHAUSTIVE, exhaustive
from pebble.lower_bounds.graph.family_bounds import family_bounds
from pebble.lower_bounds.graph.graph_bound import GraphBound
from pebble.lower_bounds.graph.min_cut import CONVEX_MIN_CUT, convex_min_cut
from pebble.lower_bounds.graph.partition import PARTITIONS, hong_kung
from pebble.lower_bounds.graph.parts import CUTS_OF_PARTS, cuts_of_parts
from pebble.lower_bounds.graph.products import PRODUCTS, PRODUCTS_ONCE, sums_of_products
from pebble.lower_bounds.graph.spectral import SPECTRAL, spectral

__all__ = ["bound_from_inputs"]

_Inputs = Mapping[str, Any]


def bound_from_inputs(name: str, inputs: _Inputs, dag: Dag, M: int, rules: Rules) -> GraphBound:
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
        bounds: Iterable[GraphBound] = family_bounds(dag, M, rules)
    elif name in _BOUNDS:
        bounds = _BOUNDS[name](dag, M, rules, inputs)
    else:
        raise InvalidInput(f"no bound is called {name!r}; known: {', '.join(_BOUNDS)}, and those of families")
    found = next((bound for bound in bounds if bound.name == name), None)
    if found is not None:
        return found
    if "family" in inputs:
        raise InvalidInput(f"the family of {inputs['family']} has no bound called {name!r}")
    raise BoundDoesNotApply(f"{name} gives no more than the compulsory words")


def _whole_number(inputs: _Inputs, key: str, least: int = 1) -> int:
    value = inputs.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InvalidInput(f"the bound's input {key!r} must be a whole number from {least} on, not {value!r}")
    return value


def _one_cut(dag: Dag, M: int, rules: Rules, inputs: _Inputs) -> list[GraphBound]:
    vertices = [_whole_number(inputs, "vertex", least=0)] if "vertex" in inputs else []
    return [convex_min_cut(dag, M, rules, vertices=vertices)]


def _products(dag: Dag, M: int, rules: Rules, inputs: _Inputs) -> list[GraphBound]:
    return sums_of_products(dag, M, rules)


_BOUNDS: dict[str, Callable[[Dag, int, Rules, _Inputs], list[GraphBound]]] = {
    COMPULSORY.name: lambda dag, M, rules, inputs: [compulsory(dag, M)],
    CONVEX_MIN_CUT.name: _one_cut,
    SPECTRAL.name: lambda dag, M, rules, inputs: [
        spectral(dag, M, rules, _whole_number(inputs, "eigenvalues"))
    ],
    PARTITIONS.name: lambda dag, M, rules, inputs: [hong_kung(dag, M, rules, _whole_number(inputs, "X"))],
    CUTS_OF_PARTS.name: lambda dag, M, rules, inputs: [
        cuts_of_parts(dag, M, rules, _whole_number(inputs, "seed", least=0))
    ],
    PRODUCTS.name: _products,
    PRODUCTS_ONCE.name: _products,
    BUTTERFLY.name: lambda dag, M, rules, inputs: [butterfly(dag, M)],
    EXHAUSTIVE.name: lambda dag, M, rules, inputs: [
        exhaustive(dag, M, rules, _whole_number(inputs, "below", least=0))
    ],
}
