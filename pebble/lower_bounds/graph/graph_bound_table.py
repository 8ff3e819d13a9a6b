"""All bounds on the I/O of one DAG; and one of them computed again from what a certificate says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from pebble.common.clock import tell
from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.common.tables import Table, TableResult
from pebble.common.units import fast_memory_words
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.attention.compulsory import COMPULSORY
from pebble.lower_bounds.graph.butterfly import BUTTERFLY, butterfly
from pebble.lower_bounds.graph.exhaustive import EXHAUSTIVE, exhaustive
from pebble.lower_bounds.graph.family_bounds import catalogue_name, compulsory, family_bounds
from pebble.lower_bounds.graph.forced_loads import FORCED_LOADS, forced_loads
from pebble.lower_bounds.graph.graph_bound import GraphBound
from pebble.lower_bounds.graph.min_cut import CONVEX_MIN_CUT, CUTS_OF_PARTS, convex_min_cut, cuts_of_parts
from pebble.lower_bounds.graph.partition import PARTITIONS, hong_kung
from pebble.lower_bounds.graph.products import PRODUCTS, PRODUCTS_ONCE, sums_of_products
from pebble.lower_bounds.graph.spectral import EIGENVALUES, SPECTRAL, spectral


class DagBounds(TableResult, list[GraphBound]):
    """The bounds that hold, the greatest first, and why the others were left out.

    Attributes
    ----------
    refused : dict of str to str
        For each bound that does not apply, the reason.
    """

    def __init__(self, bounds: Iterable[GraphBound], refused: dict[str, str]) -> None:
        super().__init__(sorted(bounds, key=lambda bound: -bound.value))
        self.refused = refused

    @property
    def best(self) -> GraphBound:
        """The greatest one."""
        return self[0]

    def content(self) -> dict[str, Any]:
        """Return the plain data, all but the schema version."""
        refused = [{"name": name, "reason": reason} for name, reason in self.refused.items()]
        return {"bounds": [bound.to_dict() for bound in self], "refused": refused}

    def records(self) -> list[dict[str, Any]]:
        """Return the bounds as plain data."""
        return [bound.to_dict() for bound in self]

    def parts(self) -> list[str | Table | TableResult]:
        """Return what is printed: the bounds, and why the others were left out."""
        columns = {"bound": "name", "words": "value", "rules it needs": "rules", "how": "note"}
        table = Table.of(self, columns, drop=("how", "rules it needs"))
        refused = [f"not used: {name}: {reason}" for name, reason in self.refused.items()]
        return [table, "\n".join(refused)] if refused else [table]


def dag_bounds(
    dag: Dag,
    M: int,
    rules: Rules | None = None,
    eigenvalues: int = EIGENVALUES,
    sample: int | None = None,
    seed: int = 0,
) -> DagBounds:
    """Return every bound that holds for a DAG with M words under the given rules, the greatest first.

    Parameters
    ----------
    dag : Dag
    M : int
        Words of fast memory. No pebbling exists below :meth:`~pebble.graph.dag.Dag.least_M`; the bounds then say
        nothing.
    rules : Rules, optional
        Which game is played; by default recomputation is allowed, which leaves out the cuts and the spectrum.
    eigenvalues : int
        For the spectral bound.
    sample : int, optional
        How many vertices the convex min-cut bound looks at; by default all up to 2000, and 64 drawn ones in
        larger DAGs.
    seed : int
        Of the drawing.

    Examples
    --------
    >>> from pebble.computations.classic_dags import diamond
    >>> found = dag_bounds(diamond(8, 8), 3, Rules(recomputation=False))
    >>> [(bound.name, bound.value) for bound in found][:3]
    [('forced loads', 44), ('convex min-cut', 12), ('convex min-cuts of parts', 12)]
    >>> sorted(found.refused)
    ['Hong-Kung', 'families', 'sums of products']
    """
    M = fast_memory_words(M)
    rules = Rules() if rules is None else rules
    if sample is None and dag.n_vertices > _ALL_UP_TO:
        sample = _SAMPLE
    asked: dict[str, Callable[[], Iterable[GraphBound]]] = {
        "families": lambda: _of_families(dag, M, rules),
        "sums of products": lambda: sums_of_products(dag, M, rules),
        "convex min-cut": lambda: [convex_min_cut(dag, M, rules, sample, seed)],
        CUTS_OF_PARTS.name: lambda: [cuts_of_parts(dag, M, rules, seed)],
        SPECTRAL.name: lambda: [spectral(dag, M, rules, eigenvalues)],
        "Hong-Kung": lambda: [hong_kung(dag, M, rules)],
        FORCED_LOADS.name: lambda: [forced_loads(dag, M, rules)],
    }
    found, refused = [compulsory(dag, M)], {}
    for name, ask in asked.items():
        tell(f"bounds: {name}")
        try:
            found.extend(ask())
        except BoundDoesNotApply as error:
            refused[name] = str(error)
    return DagBounds(found, refused)


def _of_families(dag: Dag, M: int, rules: Rules) -> list[GraphBound]:
    """Return the bounds of the family that a DAG is of by its name, or by its edges."""
    try:
        return family_bounds(dag, M, rules)
    except BoundDoesNotApply:
        if catalogue_name(dag) is None:
            with suppress(BoundDoesNotApply):
                return [butterfly(dag, M)]
        raise


_ALL_UP_TO = 2000
_SAMPLE = 64


_Inputs = Mapping[str, Any]


def bound_from_inputs(name: str, inputs: _Inputs, dag: Dag, M: int, rules: Rules) -> GraphBound:
    """Compute a bound again from its name and inputs; nothing else that a certificate claims is used.

    Name and inputs are those of :class:`~pebble.lower_bounds.graph.graph_bound.GraphBound`; for a family the DAG's
    description is its name in the catalogue.

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
    FORCED_LOADS.name: lambda dag, M, rules, inputs: [forced_loads(dag, M, rules)],
    BUTTERFLY.name: lambda dag, M, rules, inputs: [butterfly(dag, M)],
    EXHAUSTIVE.name: lambda dag, M, rules, inputs: [
        exhaustive(dag, M, rules, _whole_number(inputs, "below", least=0))
    ],
}
