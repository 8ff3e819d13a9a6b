"""D4 and D5: what must cross to or from a device because of the tokens that it has, however the work is shared.

The proofs are in docs/proofs/communication.md. Everything is whole numbers.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.lower_bounds.bound import Bound, Statement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.shared_problem import SharedProblem
    from pebble.computations.token_layout import TokenLayout

    Whole = NDArray[np.int64]

Interval = tuple[int, int]

_LONGEST = 1 << 22
_GAME = (
    "any legal run of the game on several devices, sums in any order, recomputation and repeated sends allowed; every "
    "token's inputs and outputs on the device that has it; Q, K, V distinct"
)
_RULES = "recomputation allowed, sliding allowed"

D4_TOTAL = Statement(
    "D4-total",
    "W ≥ Σ over devices of (d + dv)·τ, τ the most pairs of an own query and a foreign key (or of a foreign query and "
    "an own key) without a row in common, over all heads of keys; backward d·2τ + dv·τ', in τ' a key may stand twice",
    _GAME,
    "docs/proofs/communication.md, D4",
    rules=_RULES,
)
D4_BUSIEST = Statement(
    "D4-busiest",
    "some device receives plus sends ≥ both sums of D4-total together",
    _GAME,
    "docs/proofs/communication.md, D4",
    rules=_RULES,
)
D5_TOTAL = Statement(
    "D5-total",
    "W ≥ Hk·Σ over all devices but the first of min(d·dv, n(d + dv)), n its tokens",
    _GAME + "; linear attention under the causal mask, computed by states; contiguous tokens",
    "docs/proofs/communication.md, D5",
    rules=_RULES,
)


def d4(problem: SharedProblem) -> tuple[Bound, Bound]:
    """Bound what moves in total, and what some device receives plus sends, by the rows that must cross.

    Examples
    --------
    A window of 4 over 4 devices: three keys and values cross to each but the first.

    >>> from pebble.computations.shared_problem import SharedProblem
    >>> [bound.value for bound in d4(SharedProblem(32, 5, 4, mask="window:4"))]
    [90, 60]
    """
    if problem.layout == "striped":
        raise BoundDoesNotApply("D4 is computed for tokens in a row, not for the striped layout")
    if max(problem.query_count, problem.N) > _LONGEST:
        raise BoundDoesNotApply(f"D4 is computed up to N = {_LONGEST:,}")
    by_queries, by_keys = (_crossing(problem, axis) for axis in "ij")
    busiest = max(map(sum, zip(by_queries, by_keys, strict=True)))
    total = D4_TOTAL.bound(max(sum(by_queries), sum(by_keys)), "any balance")
    return total, D4_BUSIEST.bound(busiest, "received plus sent")


def d5_total(problem: SharedProblem) -> Bound:
    """Bound what moves in linear attention under the causal mask, computed by states.

    >>> from pebble.computations.shared_problem import SharedProblem
    >>> d5_total(SharedProblem(1024, 4, 8, causal=True)).value
    112
    """
    if not problem.regular or not problem.causal or problem.layout != "contiguous":
        raise InvalidInput("D5 is a bound for the causal mask and the contiguous layout")
    d, dv = problem.d, problem.width
    words = np.minimum(d * dv, problem.tiling.sizes[1:] * (d + dv)).sum()
    return D5_TOTAL.bound(problem.kv_heads * int(words), "any balance")


def _crossing(problem: SharedProblem, axis: str) -> list[int]:
    """Return for each device the words that cross for its own lines of an axis, of all heads."""
    d, dv, side = problem.d, problem.width, {"i": "query", "j": "key"}
    own, other = problem.tiling_of(side[axis]), problem.tiling_of(side[OTHER_AXIS[axis]])
    weights = [(1, 1, d + dv)] if problem.pass_name == "forward" else [(2, 2, d), (1, 2, dv)]
    found = []
    for device in range(problem.P):
        runs = [
            _Run(problem, axis, *one)
            for one in _runs_and_gaps(_runs(own, device), _runs(other, device), axis, other.N)
        ]
        words = 0
        for group, heads in Counter(problem.group_sizes).items():
            for query, key, width in weights:
                costs = (query * group, key) if axis == "i" else (key, query * group)
                words += heads * width * sum(run.matched(*costs) for run in runs)
        found.append(words)
    return found


def _runs(tiling: TokenLayout, device: int) -> list[Interval]:
    """Return the runs of consecutive tokens of a device."""
    tiles = np.flatnonzero(tiling.owner == device)
    starts, stops = tiling.places[tiles], tiling.places[tiles + 1]
    apart = starts[1:] != stops[:-1]
    first, last = np.append(True, apart)[: len(tiles)], np.append(apart, True)[: len(tiles)]
    return list(zip(starts[first].tolist(), stops[last].tolist(), strict=True))


def _runs_and_gaps(
    lines: list[Interval], partners: list[Interval], axis: str, extent: int
) -> list[tuple[Interval, Interval, Interval]]:
    """Return each run of lines with a gap between partners before it, and one behind it; no gap twice.

    Queries mostly see keys before them: the gap before is that of each run, and the last run has the last gap too. Of
    keys, the gap behind is.
    """
    gaps = list(
        zip([0, *(stop for _, stop in partners)], [*(start for start, _ in partners), extent], strict=True)
    )
    gaps += [(extent, extent)] * (len(lines) + 1 - len(gaps))
    nothing = [(0, 0)] * (len(lines) - 1)
    before, behind = (gaps, [*nothing, gaps[-1]]) if axis == "i" else ([gaps[0], *nothing], gaps[1:])
    return list(zip(lines, before, behind, strict=False))


class _Run:
    """How many partners in the gaps before and behind a run of lines each line has.

    In the gap before, the sets of partners are *nested* if each line sees all that the lines behind it see; in the gap
    behind, if each sees all that the lines before it see. That is found out for bands.
    """

    def __init__(
        self, problem: SharedProblem, axis: str, lines: Interval, before: Interval, behind: Interval
    ) -> None:
        asked, other, line = problem.pattern.questions, OTHER_AXIS[axis], np.arange(*lines)
        start, stop, *gaps = (np.full_like(line, place) for place in (*lines, *before, *behind))
        self.before = asked.pairs(axis, line, line + 1, gaps[0], gaps[1])
        self.behind = asked.pairs(axis, line, line + 1, gaps[2], gaps[3])
        self.nested = False, False
        if problem.mask is None or problem.pattern.banded:  # of others, lines would be looked at one by one
            seen_on = asked.lines_seen(other, gaps[0], gaps[1], line, stop)
            seen_so_far = asked.lines_seen(other, gaps[2], gaps[3], start, line + 1)
            self.nested = bool((seen_on == self.before).all()), bool((seen_so_far == self.behind).all())

    def matched(self, line: int, partner: int) -> int:
        """Return a weight that is matched: lines before some place with the gap before, the others with that behind.

        A line has the weight ``line`` to share out among its pairs, and a partner the weight ``partner``.
        """
        before = _matched_upto(self.before, self.nested[0], line, partner)
        behind = _matched_upto(self.behind[::-1], self.nested[1], line, partner)[::-1]
        return int((before + behind).max())


def _matched_upto(degrees: Whole, nested: bool, line: int, partner: int) -> Whole:
    """Return what the first 0, 1, … lines match with partners of which each line sees these degrees."""
    size = len(degrees)
    place = np.arange(size + 1)
    if nested:
        # The least cover of nested sets takes some first lines, and all partners that the next one sees.
        covers = np.append(line * size, line * place[:-1] + partner * degrees)
        return np.minimum(line * place, np.minimum.accumulate(covers))
    most = max(int(degrees.max()), 1)
    whole = min(line * int(degrees.sum()) // most, partner * int(degrees.sum()) // size)
    return np.where(place == size, whole, 0)
