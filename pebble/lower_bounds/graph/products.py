"""Sums of products in any DAG: what each step of a sum takes bounds how many steps a number of words allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.bound import HONG_KUNG, LOOMIS_WHITNEY, ONCE_ONLY, Statement
from pebble.lower_bounds.graph.graph_bound import PAGE, GraphBound
from pebble.lower_bounds.graph.needed_part import Needed, needed_part
from pebble.lower_bounds.graph.sums import ProductSteps, Sums
from pebble.lower_bounds.nests.exponents import Growth, Power, Term
from pebble.lower_bounds.nests.projections import cut_by_growth

_SAYS = (
    "I/O ≥ M + 1 + X·(⌈W / F(M + X)⌉ − 1) − begun + other inputs + outputs for every integer X ≥ 1 with at least two "
    "segments, F(T) the most of W steps of sums that T words allow, from counts made on the DAG"
)
PRODUCTS = Statement(
    "sums of products",
    _SAYS,
    "a DAG with sums whose steps read two values each that begin at inputs, or one that does and such a sum",
    f"{PAGE}, sums of products",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)
PRODUCTS_ONCE = Statement(
    "sums of products, once only",
    _SAYS,
    "a DAG with sums whose steps read two values each",
    f"{PAGE}, sums of products",
    rules=ONCE_ONLY,
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)

_Bools = NDArray[np.bool_]
_HALF, _ONE = Fraction(1, 2), Fraction(1)
_MOST_CLASSES = 6


def sums_of_products(dag: Dag, M: int, rules: Rules) -> list[GraphBound]:
    """Return what the sums of products in a DAG cost, whatever is recomputed, and if nothing is.

    Notes
    -----
    Everything is counted on the DAG itself, nothing depends on names, numbers or a guess of what is computed. Costs
    O(V + E) and a sorting of the steps.

    Examples
    --------
    >>> from pebble.computations.classic_dags import matmul
    >>> [(bound.name, bound.value) for bound in sums_of_products(matmul(16, 16, 16), 32, Rules())]
    [('sums of products', 1485)]
    """
    M = fast_memory_words(M)
    part = needed_part(dag)
    sums = Sums(dag, part)
    asked = [(PRODUCTS, _recomputing(sums, part))]
    if not rules.recomputation:
        asked.append((PRODUCTS_ONCE, _once(sums, part)))
    found = []
    for says, ways in asked:
        bounds = [_bound(says, way, part, M) for way in ways]
        found += sorted(bounds, key=lambda bound: -bound.value)[:1]
    greater = [bound for bound in found if bound.value > part.loads + part.stores]
    if not greater:
        raise BoundDoesNotApply("no sums of products were found that cost more than the compulsory words")
    return greater


@dataclass(frozen=True, eq=False)
class _Counted:
    """So many steps, at most ``growth(T)`` of them near T words; what begins without a load is the charge."""

    W: int
    growth: Growth
    charge: int
    words: _Bools
    note: str


def _bound(says: Statement, way: _Counted, part: Needed, M: int) -> GraphBound:
    cut = cut_by_growth(way.W, M, way.growth)
    others = int((part.is_input & ~way.words).sum())
    value = max(0, cut.moves - way.charge + others + part.stores)
    return GraphBound.of(says, value, f"{way.note}, {cut}", {})


def _recomputing(sums: Sums, part: Needed) -> Iterator[_Counted]:
    """Yield the ways that allow recomputation: values that begin at inputs, and sums of these."""
    every = ProductSteps(sums, np.arange(len(sums.event)))
    rooted = part.is_input.copy()
    rooted[list(sums.line)] = True
    one, other = rooted[every.one], rooted[every.other]
    for steps in _classes(every.where(one & other)):
        yield _way(steps, _lines(sums, steps.values), 0)
    reads_sum = every.where(one != other)
    if len(reads_sum):
        yield from _reading_sums(reads_sum, every.where(one & other), rooted)


def _once(sums: Sums, part: Needed) -> Iterator[_Counted]:
    """Yield the ways without recomputation: each value is a word itself, and computed once."""
    for steps in _classes(ProductSteps(sums, np.arange(len(sums.event)))):
        words = np.zeros(part.n, dtype=np.bool_)
        words[steps.values] = True
        yield _way(steps, words, int((~part.is_input[steps.values]).sum()))


def _classes(steps: ProductSteps) -> Iterator[ProductSteps]:
    """Yield the families of steps with equal factors together, and those with a factor up to some number."""
    factor = np.zeros(len(steps.sums.tree), dtype=np.int64)
    np.maximum.at(factor, steps.family, steps.quadruple)
    of_family = factor[steps.family]
    factors = np.unique(of_family)[:_MOST_CLASSES]
    for place, one in enumerate(factors.tolist()):
        yield steps.where(of_family == one)
        if place:
            yield steps.where(of_family <= one)


def _lines(sums: Sums, values: NDArray[np.int64]) -> _Bools:
    """Return the vertices of the values' lines."""
    words = np.zeros(len(sums.tree), dtype=np.bool_)
    for value in values.tolist():
        words[sums.line.get(value, [value])] = True
    return words


def _way(steps: ProductSteps, values: _Bools, computed: int) -> _Counted:
    """Return what follows from the words of values and of sums, and from how many of the values are computed once."""
    chains, branches = steps.chain_words(), steps.branch_words()
    square = Fraction(int(steps.quadruple.max()), 4)
    exponents = (Fraction(3, 2),) if (values & chains).any() else (_ONE, _HALF)
    note = f"{len(steps):,} steps of {len(steps.roots):,} sums"
    growth = _growth([_term(square, exponents)], bool(branches.any()))
    return _Counted(len(steps), growth, len(steps.roots) + computed, values | chains | branches, note)


def _term(square: Fraction, exponents: tuple[Fraction, ...]) -> Term:
    """Return the root of a number times powers of the words of groups."""
    constant: tuple[Power, ...] = ((square, _HALF),)
    return Term(constant, exponents)


def _growth(cases: list[Term], branches: bool) -> Growth:
    """Return the greatest of the cases; words on branches allow one step each."""
    more = [Term((), (_ONE,))] if branches else []
    return Growth((tuple((term,) for term in (*cases, *more)),))


def _reading_sums(steps: ProductSteps, inner: ProductSteps, rooted: _Bools) -> Iterator[_Counted]:
    """Yield the way where each step reads a sum of products of values that begin at inputs."""
    sums = steps.sums
    read = np.where(rooted[steps.one], steps.other, steps.one)
    inner = inner.where(np.isin(inner.root, read))
    fewest = _components_of_each(inner)
    known = np.isin(read, inner.root[fewest > 0])
    steps, inner, fewest, read = steps.where(known), inner.where(fewest > 0), fewest[fewest > 0], read[known]
    if not len(steps):
        return
    inner = inner.where(np.isin(inner.root, read))
    values = steps.values
    groups = [
        _lines(sums, values[rooted[values]]),
        np.isin(sums.tree, read),
        steps.chain_words(),
        _lines(sums, inner.values),
    ]
    if any((groups[a] & groups[b]).any() for a, b in ((0, 1), (0, 2), (1, 2), (1, 3), (2, 3))):
        return
    shared = bool((groups[0] & groups[3]).any())
    factor = Fraction(int((steps.in_one_sum * steps.of_one_pair).max()))
    whole = int(inner.of_one_pair.max()) * (1 if inner.bipartite.all() else 2)
    square = factor * Fraction(whole, 4 * int(fewest.min()) ** 2)
    twice = 2 if shared else 1
    cases = [
        _term(factor * twice, (_HALF, _HALF, _HALF)),
        _term(square * twice, (Fraction(3, 2), _HALF) if shared else (_ONE, _HALF, _HALF)),
    ]
    branches = steps.branch_words()
    growth = _growth(cases, bool(branches.any()))
    words = groups[0] | groups[1] | groups[2] | groups[3] | branches
    note = f"{len(steps):,} steps of {len(steps.roots):,} sums, reading {len(np.unique(read)):,} sums"
    yield _Counted(len(steps), growth, len(steps.roots), words, note)


def _components_of_each(inner: ProductSteps) -> NDArray[np.int64]:
    """Return for each event how many components all sums of its family have steps in."""
    pairs = np.unique(np.stack([inner.component, inner.root]), axis=1)
    n = len(inner.sums.tree)
    sums_of = np.bincount(pairs[0], minlength=n)
    family_of_root = np.zeros(n, dtype=np.int64)
    family_of_root[inner.root] = inner.family
    family_of = np.zeros(n, dtype=np.int64)
    family_of[inner.component] = inner.family
    size = np.bincount(family_of_root[inner.roots], minlength=n)
    components = np.unique(inner.component)
    everywhere = components[sums_of[components] == size[family_of[components]]]
    return np.bincount(family_of[everywhere], minlength=n)[inner.family]
