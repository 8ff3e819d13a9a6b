"""Loop nests under the causal mask of attention: one condition ``j <= i`` wherever both indices are."""

from __future__ import annotations

from dataclasses import replace

from pebble.computations.nests.affine import Affine
from pebble.computations.nests.statement import Access, Assignment, LoopNest

__all__ = ["without_causal_mask"]


def without_causal_mask(nest: LoopNest) -> LoopNest | None:
    """Return the same nest without the condition, its two indices called i and j; None if it is under no such mask.

    Examples
    --------
    >>> from pebble.computations.nests.read_text import loop_nest
    >>> text = "P[q,k] = Q[q]*K[k] for k <= q; O[q] += P[q,k] for k <= q"
    >>> for statement in without_causal_mask(loop_nest(text, {"q": 4, "k": 4})).statements:
    ...     print(statement)
    P[i,j] = Q[i]*K[j]
    O[i] += P[i,j]
    >>> without_causal_mask(loop_nest("x[i] += L[i,j]*y[j] for j < i", {"i": 4, "j": 4})) is None
    True
    """
    pairs = {
        tuple(sorted(condition.terms, key=lambda term: -term[1]))
        for statement in nest.statements
        for condition in statement.conditions
        if not condition.constant
    }
    if len(pairs) != 1:
        return None
    terms = pairs.pop()
    if len(terms) != 2 or (terms[0][1], terms[1][1]) != (1, -1):
        return None
    row, column = terms[0][0], terms[1][0]
    condition = Affine.of(terms)
    if nest.extents[row] != nest.extents[column]:
        return None
    for statement in nest.statements:
        both = row in statement.indices and column in statement.indices
        if statement.conditions != ((condition,) if both else ()):
            return None
    names = _names(nest, row, column)
    return LoopNest(
        tuple(_renamed(statement, names) for statement in nest.statements),
        {names[index]: extent for index, extent in nest.extents.items()},
        nest.outputs,
    )


def _names(nest: LoopNest, row: str, column: str) -> dict[str, str]:
    """Return new names of the indices: i and j for two of them, free ones for what was called so."""
    names = {row: "i", column: "j"}
    free = (name for at in range(1, 4) for name in (f"i{at}", f"j{at}") if name not in nest.extents)
    for index in nest.extents:
        if index not in names:
            names[index] = next(free) if index in ("i", "j") else index
    return names


def _renamed(statement: Assignment, names: dict[str, str]) -> Assignment:
    def access(one: Access) -> Access:
        return Access(
            one.array, tuple(Affine.of({names[n]: f for n, f in p.terms}, p.constant) for p in one.places)
        )

    return replace(
        statement,
        target=access(statement.target),
        reads=tuple(map(access, statement.reads)),
        indices=tuple(names[index] for index in statement.indices),
        conditions=(),
        expression="",
    )
