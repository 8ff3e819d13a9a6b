"""The cutting lemma: from "a segment of T words does at most F(T) events" to a lower bound on moves.

A pebbling is cut so that the first segment has ``M + X`` moves (nothing is red before it) and every other
one ``X``. In each segment at most ``M + X`` vertices are red at its start, loaded or begun in it, so it holds
at most ``F(M + X)`` of the ``W`` events. With ``n = ceil(W / F(M + X)) >= 2`` segments there are at
least ``M + X + (n - 2) X + 1`` moves. The same family of bounds, indexed by ``h = n - 1``, is

    moves >= M + 1 + h * (G(W / h) - M - 1),    G(w) the least T with F(T) >= w,

for every whole ``h >= 1``; ``h = 1`` also covers pebblings of a single segment. See docs/proofs/forward.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.lower_bounds.bound import Bound, Statement, in_any_order
from pebble.lower_bounds.requirements import Counts, require_pass
from pebble.lower_bounds.rounding import ceil_div

Events = Callable[[int], int]
"""The most events (an integer, monotone) that a segment with ``T`` words can hold."""

_WINDOW = 48
_SMOOTH = 10**6
"""With more cuts than this, one cut more or less makes no difference, and only the segments' length is tuned."""

_LEAST_T = 3
"""With three words or more, every bound of this package allows a segment at least one event."""


@dataclass(frozen=True, order=True)
class Cut:
    """A lower bound on moves and the cutting that gave it.

    Parameters
    ----------
    moves : int
        A lower bound on loads and chain starts: ``M + 1 + cuts * X``.
    cuts : int
        The number ``h`` of the formula, one less than the number of segments.
    X : int
        Moves per segment; not positive only where a single segment is argued about (``cuts = 1``).
    """

    moves: int
    cuts: int
    X: int

    def __str__(self) -> str:
        return f"h = {self.cuts} cuts, one every X = {self.X} moves"


def best_start(M: int, events: Events, low: int, high: int) -> int:
    """Return an ``X`` between ``low`` and ``high`` near which ``X / events(M + X)`` is greatest."""
    least = max(1, _LEAST_T - M)
    low = max(low, least)
    return _best_place(lambda X: X / events(M + X), low, max(high, low), low)


def _best_place(score: Callable[[int], float], low: int, high: int, best: int) -> int:
    """Return about where a score is greatest: on a geometric grid, refined around its best point.

    Only the quality of a bound depends on it, never its truth; it is at least as good as ``best``, a guess.
    """
    while True:
        ratio = max(1.0 + 1e-9, (high / low) ** (1 / 24))
        grid = {min(high, int(low * ratio**step)) for step in range(26)}
        best = max(sorted(grid | {best}), key=score)
        low, high = max(low, int(best / ratio)), min(high, int(best * ratio) + 1)
        if high - low <= 24 or ratio <= 1.0 + 1e-5:
            return best


def best_cut(W: int, M: int, events: Events, X: int) -> Cut:
    """Return the best of the cuttings around ``X``, each of them a valid bound on loads plus chain starts.

    Parameters
    ----------
    W : int
        Events of the whole pebbling, at least 1.
    M : int
        Words of fast memory.
    events : callable
    X : int
        Where to look: moves per segment, from :func:`best_start` or a closed form.

    Notes
    -----
    Rounding makes the bound a saw-tooth in both ``h`` and ``X``; a good tooth is looked for in a window
    around the smooth optimum. Some 1,000 evaluations.
    """
    X = max(1, X, _LEAST_T - M)
    h = max(1, ceil_div(W, events(M + X)) - 1)
    numbers = {1, *(_around(h) if h <= _SMOOTH else ())}
    found = [(h, least_words(events, ceil_div(W, h), M + X) - M - 1) for h in numbers]
    found += [(ceil_div(W, events(M + x)) - 1, x) for x in _around(X) if M + x >= _LEAST_T]
    return max(Cut(M + 1 + h * x, h, x) for h, x in found if h)


def _around(centre: int, window: int = _WINDOW) -> range:
    return range(max(1, centre - window), centre + window + 1)


def best_cut_of_less(
    work: Callable[[int], int],
    events: Events,
    M: int,
    least: int = 1,
    start: int | None = None,
    window: int = _WINDOW,
) -> Cut | None:
    """Return the best of some cuttings where segments of ``T`` words share ``work(T)`` events, less the more ``T`` is.

    Parameters
    ----------
    work, events : callable
        ``work(T)`` never rises, ``events(T)`` never falls.
    M : int
        Words of fast memory.
    least : int
        The shortest segment that the bound is proved for.
    start : int, optional
        Where to look; by default where the bound is about greatest.
    window : int
        So many lengths and numbers of cuts on either side are tried.

    Returns
    -------
    Cut or None
        None if a segment of ``least`` moves may do it all.
    """

    def cut(X: int) -> Cut:
        cuts = ceil_div(work(M + X), max(1, events(M + X))) - 1
        return Cut(M + 1 + X * cuts, cuts, X)

    def longest(cuts: int) -> int:
        low, high = least, 2 * least
        while cut(high).cuts >= cuts:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if cut(middle).cuts >= cuts else (low, middle)
        return low

    most = cut(least).cuts
    if most < 1:
        return None
    end = longest(1)
    X = _best_place(lambda X: cut(X).moves, least, end, min(end, 2 * M)) if start is None else start
    h = max(1, cut(X).cuts)
    lengths = {least, end, *(x for x in _around(X, window) if least <= x <= end)}
    lengths |= {longest(number) for number in {1, 2, *_around(h, window)} if number <= most}
    return max(cut(length) for length in lengths)


def least_words(events: Events, w: int, near: int) -> int:
    """Return the ``T`` with ``events(T) >= w > events(T - 1)``, looked for from a guess on.

    The steps suppose that ``events`` grows with a power of ``T`` between 1 and 2; only their number depends on that.

    >>> least_words(lambda T: T * T // 16, 100, 7), least_words(lambda T: 1, 1, 7)
    (40, 0)
    """
    above = max(near, 1)
    for _ in range(40):
        further = math.ceil(above * (w / max(1, events(above))) ** (4 / 7))
        if abs(further - above) <= 1:
            break
        above = further
    step = 1
    while events(above) < w:
        above, step = above + step, 2 * step
    below, step = above - step, 1
    while below >= 0 and events(below) >= w:
        above, below, step = below, below - step, 2 * step
    below = max(below, -1)
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if events(middle) >= w else (middle, above)
    return above


@dataclass(frozen=True)
class SegmentBound:
    """A bound by the cutting lemma as data; called with a problem of one copy and M, it gives the bound's value.

    Parameters
    ----------
    statement : Statement
    pass_name : {"forward", "backward"}
    work : callable
        The events of the whole computation.
    events : callable
        ``events(T, problem)``, what a segment that reaches ``T`` words does at most.
    more : callable
        By how many words the I/O is at least above the moves of the lemma, or below them.
    starts : callable, optional
        ``starts(M, problem)``, numbers of moves of a segment among which to look for the best; by default a good one
        between M/2 and 3M.
    place : callable, optional
        ``place(T, problem)``, two integers that tell Coq where the events of ``T`` words are most.
    form : str, optional
        The only form of a problem that the bound is about; by default any form of softmax.
    any_order : bool
        Whether Coq has the theorem for sums in any order too, of one copy.

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
    more: Callable[[Counts], int]
    starts: Callable[[int, Counts], Iterable[int]] | None = None
    place: Callable[[int, Counts], tuple[int, int]] | None = None
    form: str | None = None
    any_order: bool = False

    def __call__(self, problem: Counts, M: int) -> Bound:
        """Return the bound; 0 where what is charged for eats up the gain."""
        cut = self.cut(problem, M)
        bound = self.statement.bound(max(0, cut.moves + self.more(problem)), str(cut))
        checked = self.any_order and getattr(problem, "copies", 1) == 1
        return in_any_order(bound, problem.sums, problem.sum_width, checked=checked)

    def cut(self, problem: Counts, M: int) -> Cut:
        """Return the best cutting that is found."""
        M, name = fast_memory_words(M), self.statement.name
        require_pass(problem, self.pass_name, name)
        if self.form is not None and getattr(problem, "form", None) != self.form:
            raise BoundDoesNotApply(f"{name} is proved only for {self.form} attention")

        def events(T: int) -> int:
            return self.events(T, problem)

        starts = self.starts(M, problem) if self.starts else [best_start(M, events, M // 2, 3 * M)]
        X = max(starts, key=lambda X: X / max(1, events(M + X)))
        return best_cut(self.work(problem), M, events, X)
