"""A bound by the cutting lemma as data: T1, T2, B1, B2 and MLA differ in what a segment of T words does at most."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.lower_bounds.bound import Bound, in_any_order
from pebble.lower_bounds.counts import Counts
from pebble.lower_bounds.cutting import Cut, best_cut
from pebble.lower_bounds.requirements import require_pass
from pebble.lower_bounds.statement import Statement

__all__ = ["SegmentBound"]


@dataclass(frozen=True)
class SegmentBound:
    """A bound by the cutting lemma as data; called with a problem of one copy and M, it gives the bound's value.

    Parameters
    ----------
    statement : Statement
    pass_name : {"forward", "backward"}
    work : callable
        The events of the whole computation.
    events, words : callable
        ``events(T, problem)``, what a segment that reaches ``T`` words does at most, and its inverse
        ``words(w, problem)``, a ``T`` with ``events(T) >= w > events(T - 1)``.
    starts : callable
        ``starts(M, problem)``, numbers of moves of a segment among which to look for the best.
    more : callable
        By how many words the I/O is at least above the moves of the lemma, or below them.
    place : callable, optional
        ``place(T, problem)``, two integers that tell Coq where the events of ``T`` words are most.
    form : str, optional
        The only form of a problem that the bound is about; by default any form of softmax.

    Raises
    ------
    InvalidInput
        By a call, if ``M`` is not a positive whole number.
    BoundDoesNotApply
        By a call, if the problem is of another pass or form.

    Notes
    -----
    A call costs some milliseconds at any size. Values are exact: integers, on the safe side.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> from pebble.lower_bounds import b1, b2, t1, t2
    >>> t1(Problem.square(4096, 64), 25000).value, t1.cut(Problem.square(4096, 64), 25000).cuts
    (11020013, 441)
    >>> backward = Problem(4096, 4096, 64, 64, pass_name="backward")
    >>> t2(Problem.square(4096, 64), 400).value, b1(backward, 10**5).value, b2(backward, 400).value
    (196436713, 8346249, 408151494)
    """

    statement: Statement
    pass_name: str
    work: Callable[[Counts], int]
    events: Callable[[int, Counts], int]
    words: Callable[[int, Counts], int]
    starts: Callable[[int, Counts], Iterable[int]]
    more: Callable[[Counts], int]
    place: Callable[[int, Counts], tuple[int, int]] | None = None
    form: str | None = None

    def __call__(self, problem: Counts, M: int) -> Bound:
        """Return the bound; 0 where what is charged for eats up the gain."""
        cut = self.cut(problem, M)
        bound = self.statement.bound(max(0, cut.moves + self.more(problem)), str(cut))
        return in_any_order(bound, problem.sums, problem.sum_width)

    def cut(self, problem: Counts, M: int) -> Cut:
        """Return the best cutting that is found."""
        M, name = fast_memory_words(M), self.statement.name
        require_pass(problem, self.pass_name, name)
        if self.form is not None and getattr(problem, "form", None) != self.form:
            raise BoundDoesNotApply(f"{name} is proved only for {self.form} attention")

        def events(T: int) -> int:
            return self.events(T, problem)

        X = max(self.starts(M, problem), key=lambda X: X / max(1, events(M + X)))
        return best_cut(self.work(problem), M, events, lambda w: self.words(w, problem), X)
