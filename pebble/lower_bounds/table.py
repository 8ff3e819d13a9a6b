"""All bounds and published curves for a problem, as a table, and its regime."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from pebble.common.tables import Table, TableResult, words
from pebble.common.units import fast_memory_words
from pebble.common.whole_numbers import singular
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.plugins import plugin_bounds
from pebble.lower_bounds.proved import proved_bounds
from pebble.lower_bounds.published import published_curves
from pebble.lower_bounds.requirements import has_all_pairs

_IN_ANY_ORDER = ("compulsory", "by parts", "T1", "T2", "T3", "T4", "B1", "B2", "B3", "B4", "W")
"""Bounds for plain softmax that also hold for sums in any order; see docs/proofs/any-order.md."""


@dataclass(frozen=True)
class Regime:
    """Large or small cache, and how far from the dividing point.

    Parameters
    ----------
    mu : Fraction
        ``M / d²``, exact.
    sparse_mu : Fraction, optional
        For a mask ``M / (Z_in² / Z_QK)``, where ``Z_in² / Z_QK`` is the published dividing point for that many pairs.
    """

    mu: Fraction
    sparse_mu: Fraction | None = None

    @property
    def large_cache(self) -> bool:
        """Whether ``M >= d²``."""
        return self.mu >= 1

    def __str__(self) -> str:
        name = "large cache (M ≥ d²)" if self.large_cache else "small cache (M < d²)"
        text = f"{name}, M/d² = {float(self.mu):.3g}"
        if self.sparse_mu is None:
            return text
        side = "≥" if self.sparse_mu >= 1 else "<"
        return f"{text}; for this number of pairs M {side} Z_in²/Z_QK, M·Z_QK/Z_in² = {float(self.sparse_mu):.3g}"


def regime(problem: Problem, M: int) -> Regime:
    """Return the regime of a problem, by the head dimension ``d`` of Q and K, whatever ``dv`` is.

    The dividing point is where keeping whole rows of Q and K, to make scores at no further cost, becomes
    better than moving scores. A row of ``d`` words makes that decision, and the two forms of T1 cross at a
    multiple of ``d²`` that does not depend on ``dv``. For ``dv = d`` this is the published ``M = d²``; for
    other ``dv`` the best known schedules cross at ``((d + dv) / 2)²``, and no theorem says where they must.
    The published dividing point of the backward pass is ``M = d²`` too (Li et al. 2024), up to a constant.

    Under a mask there is another, ``Z_in² / Z_QK`` (Li et al. 2024), where two forms of a worst case over all
    patterns with that number of pairs meet. Masks made of large blocks still divide at ``d²``; the name goes by ``d²``.

    Examples
    --------
    >>> print(regime(Problem.square(1024, 64), 64 * 64))
    large cache (M ≥ d²), M/d² = 1
    >>> print(regime(Problem.square(1024, 64, mask="window:64"), 64 * 64))
    large cache (M ≥ d²), M/d² = 1; for this number of pairs M < Z_in²/Z_QK, M·Z_QK/Z_in² = 0.0606
    >>> print(regime(Problem.square(1024, 64), 1024))
    small cache (M < d²), M/d² = 0.25
    """
    words = Fraction(fast_memory_words(M))
    dense = has_all_pairs(problem) or problem.attention == "linear"
    sparse = None if dense else words / sparse_dividing_point(problem)
    return Regime(words / problem.d**2, sparse)


def sparse_dividing_point(problem: Problem) -> Fraction:
    """Return ``Z_in² / Z_QK``, where the two forms of :func:`li_et_al_sparse` meet: ``d²`` without a mask.

    Examples
    --------
    >>> sparse_dividing_point(Problem.square(1024, 64)), sparse_dividing_point(Problem.square(63, 64, mask="causal"))
    (Fraction(4096, 1), Fraction(8064, 1))
    """
    return Fraction(problem.queries * problem.keys * problem.d**2, problem.pairs)


@dataclass(frozen=True)
class BoundTable(TableResult):
    """What :func:`bounds` returns: proved bounds, the best first, then the published curves.

    Attributes
    ----------
    problem : Problem
    M : int
    proved, curves : tuple of Bound
        Values for all heads and batch elements together.
    regime : Regime
    failures : tuple of str
        What is wrong with bounds that other projects register; empty if they are right, or there are none.
    """

    KEYS = "problem M regime=regime_name dividing_point sparse_dividing_point least_M no_pebbling bounds=all"
    ROWS = "all"

    problem: Problem
    M: int
    proved: tuple[Bound, ...]
    curves: tuple[Bound, ...]
    regime: Regime
    failures: tuple[str, ...] = ()

    @property
    def best(self) -> Bound:
        """Return the greatest bound that carries a proved constant."""
        return self.proved[0]

    @property
    def regime_name(self) -> str:
        """Return ``"large cache"`` if M ≥ d², else ``"small cache"``."""
        return "large cache" if self.regime.large_cache else "small cache"

    @property
    def least_M(self) -> int:
        """Return the least M with which any pebbling exists, without sliding, at any I/O."""
        return family_of(self.problem).max_indegree + 1

    @property
    def dividing_point(self) -> int:
        """Return where the regimes divide: d² words."""
        return self.problem.d**2

    @property
    def sparse_dividing_point(self) -> float | None:
        """Return the published point, words, for as many pairs as there are under a mask; None without."""
        return None if self.regime.sparse_mu is None else float(sparse_dividing_point(self.problem))

    @property
    def all(self) -> tuple[Bound, ...]:
        """Return the proved bounds and then the curves."""
        return (*self.proved, *self.curves)

    @property
    def no_pebbling(self) -> str | None:
        """Return why no pebbling exists with M words; None if one does."""
        return no_pebbling(self.problem, self.M)

    def held_to(self, io: int, what: str) -> BoundTable:
        """Return the table without bounds of other projects that a verified count is below; each is an error."""
        above = [bound for bound in self.proved if "plugin" in bound.facts and bound.value > io]
        errors = [
            f"the plug-in bound {bound.facts['plugin']} says {words(bound.value)} words, but {what} moves {words(io)}"
            for bound in above
        ]
        kept = tuple(bound for bound in self.proved if bound not in above)
        return replace(self, proved=kept, failures=(*self.failures, *errors)) if above else self

    def content(self) -> dict[str, Any]:
        """Return the plain data, all but the schema version."""
        return super().content() | ({"errors": list(self.failures)} if self.failures else {})

    def to_list(self) -> list[dict[str, Any]]:
        """Return the bounds as plain data."""
        return self.records()

    def parts(self) -> list[str | Table | TableResult]:
        """Return what is printed: the table, whether there is no pebbling, and what heads that share are about."""
        alone = [] if self.no_pebbling is None else [f"note: {self.no_pebbling}"]
        errors = [f"error: {failure}" for failure in self.failures]
        return [self.table(), *alone, *sharing_notes(self.problem), *errors]

    def table(self) -> Table:
        """Return the table of bounds."""
        columns = {"bound": "name", "status": "status", "words": "value", "source": "source"}
        any_order = _IN_ANY_ORDER if self.problem.form == "plain" else ("compulsory",)
        ordered = [one.name for one in self.proved if one.value and one.name not in any_order]
        notes = [f"only for sums in index order: {', '.join(ordered)}"] if ordered else []
        return Table.of(self.all, columns, drop=("source", "status"), notes=notes)

    def __repr__(self) -> str:
        return f"<BoundTable {self.problem!r} M={self.M}: best {self.best.name} {self.best.value}>"


def no_pebbling(problem: Problem, M: int) -> str | None:
    """Return why no pebbling of a problem exists with M words; None if one does.

    Its least M is exact: see :meth:`.Dag.least_M`. No DAG is built.

    >>> print(no_pebbling(Problem.square(64, 64), 3))
    no pebbling exists with 3 words of fast memory: some vertex needs room for itself and its 3 predecessors at once;
    the least is 4 words, or 3 if a pebble may slide
    >>> no_pebbling(Problem.square(64, 64), 4)
    """
    before = family_of(problem).max_indegree
    if before < M:
        return None
    return singular(
        f"no pebbling exists with {words(M)} words of fast memory: some vertex needs room for itself and "
        f"its {words(before)} predecessors at once; the least is {words(before + 1)} words, or "
        f"{words(before)} if a pebble may slide"
    )


def sharing_notes(problem: Problem) -> list[str]:
    """Return what counts and bounds of query heads that share keys and values are about; nothing if none share."""
    if problem.group == 1:
        return []
    text = f"note: {problem.group} query heads share each head of keys and values, and are counted as one problem. "
    if problem.pass_name == "forward":
        text += (
            "The bounds also hold for kernels that take query heads one by one; pebble count --heads-apart "
            "counts such a kernel beside them."
        )
    else:
        text += (
            "dK and dV are sums over all of them: a kernel that stores them for every query head "
            f"computes something else. --heads {problem.query_heads} alone counts heads that share nothing; those "
            "bounds do not hold here."
        )
    return [text]


def bounds(problem: Problem, M: int) -> BoundTable:
    """Collect every bound on a problem's I/O with M words of fast memory.

    Returns
    -------
    BoundTable
        Values for all heads and batch elements: copies share nothing, and a pebbling of all of them restricted
        to one is a legal pebbling of that one, so bounds add up.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> bounds(Problem.square(4096, 64), 25000).best.value
    11020013
    """
    copies, known, published = problem.copies, proved_bounds(problem, M), published_curves(problem, M)
    others, failures = plugin_bounds(problem, M, (bound.name for bound in (*known, *published)))
    known = sorted((*known, *others), key=lambda bound: -bound.value)
    proved = (replace(b, value=b.value * copies) for b in known)
    curves = (replace(b, value=b.value * copies) for b in published)
    return BoundTable(problem, M, tuple(proved), tuple(curves), regime(problem, M), tuple(failures))
