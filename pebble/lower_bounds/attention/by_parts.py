"""A bound for masks: the mask is taken apart, and what is left over counts as compulsory words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pebble.common.units import fast_memory_words
from pebble.computations.masks import BandMask, BlockToeplitzMask
from pebble.computations.masks.band_parts import band_parts
from pebble.computations.masks.grouped_mask import GroupedMask
from pebble.computations.masks.staircase import Intervals, where_apart
from pebble.lower_bounds.attention.compulsory import compulsory_words
from pebble.lower_bounds.bound import Bound, Statement, Status
from pebble.lower_bounds.requirements import Part, require_mask

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks import Mask
    from pebble.computations.masks.band_parts import BandParts

    Whole = NDArray[np.int64]
    from pebble.computations.problem import Problem


def part_counts(mask: Mask, thresholds: list[int]) -> tuple[list[Whole], Whole]:
    """Count what every part of a mask has: all of it, and what is left without the lines of few pairs.

    Parameters
    ----------
    mask : Mask
    thresholds : list of int
        Each above 1. Queries with fewer pairs are left out, and then keys that have fewer pairs with the others.

    Returns
    -------
    tables : list of ndarray of int64, shape (n, 3)
        Pairs, queries and keys of every part; the first table of all, then one for each threshold.
    repeats : ndarray of int64, shape (n,)
        How many parts each row stands for.

    Notes
    -----
    For a band, and for equal blocks on the diagonal, the cost is in proportion to the pieces of its ends, for others
    to the pairs looked at.
    """
    if (found := in_pieces(mask)) is not None:
        band, group, times = found
        tables, repeats = _of_band(band, thresholds, group)
        return [table * (group, group, 1) for table in tables], repeats * times
    if mask.connected and not thresholds:
        return [np.array([[mask.pairs, mask.present("i"), mask.present("j")]])], np.ones(1, dtype=np.int64)
    return _by_lines(mask, thresholds)


def in_pieces(mask: Mask) -> tuple[BandMask, int, int] | None:
    """Return the band that a mask repeats, how many queries each of its own stands for, and how often; or None."""
    if isinstance(mask, BandMask):
        return mask, 1, 1
    if isinstance(mask, GroupedMask) and isinstance(mask.inner, BandMask):
        return mask.inner, mask.group, 1
    if isinstance(mask, BlockToeplitzMask) and mask.block is not None:
        return mask.block, 1, mask.Nq // mask.period
    return None


def _by_lines(mask: Mask, thresholds: list[int]) -> tuple[list[Whole], Whole]:
    degrees = mask.degrees("i", np.ones(mask.Nk, dtype=bool))
    found = [_sums_of_lines(mask, degrees, mask.parts["j"] >= 0)]
    for least in thresholds:
        queries = degrees >= least
        keys = mask.degrees("j", queries) >= least
        found.append(_sums_of_lines(mask, np.where(queries, mask.degrees("i", keys), 0), keys))
    return found, np.ones(len(found[0]), dtype=np.int64)


def _sums_of_lines(mask: Mask, degrees: Whole, keys: NDArray[np.bool_]) -> Whole:
    """Sum up by parts, given each query's number of pairs and the keys that have any."""
    queries_of, keys_of = mask.parts["i"], mask.parts["j"]
    n_parts = int(queries_of.max()) + 1
    taken = degrees > 0
    pairs = np.bincount(queries_of[taken], weights=degrees[taken], minlength=n_parts)
    queries = np.bincount(queries_of[taken], minlength=n_parts)
    return np.stack([pairs.astype(np.int64), queries, np.bincount(keys_of[keys], minlength=n_parts)], axis=1)


def _of_band(band: BandMask, thresholds: list[int], group: int = 1) -> tuple[list[Whole], Whole]:
    """Count groups of queries; a key has the pairs of all queries in them."""
    parts = band_parts(*band.ends("i"))
    found = [_sums_of_band(band, parts, Intervals.all(band.Nq), where_apart(*band.ends("j"), 1))]
    for least in thresholds:
        queries = where_apart(*band.ends("i"), least)
        counting = queries.counting(band.Nq)
        low, high = (counting.of(ends) for ends in band.ends("j"))
        found.append(_sums_of_band(band, parts, queries, where_apart(low, high, -(-least // group))))
    return found, parts.repeats


def _sums_of_band(band: BandMask, parts: BandParts, queries: Intervals, keys: Intervals) -> Whole:
    """Sum up by parts, given the queries and keys that are not left out; keys have a pair with these queries."""
    keys_before = keys.counting(band.Nk)
    low, high = (keys_before.of(ends) for ends in band.ends("i"))
    queries &= where_apart(low, high, 1)
    queries_before = queries.counting(band.Nq)
    begin, end = parts.queries
    pairs_before = [queries.sum_before(high, at) - queries.sum_before(low, at) for at in (begin, end)]
    pairs = pairs_before[1] - pairs_before[0]
    n_queries = queries_before.at(end) - queries_before.at(begin)
    n_keys = keys_before.at(parts.keys[1]) - keys_before.at(parts.keys[0])
    # Of parts along a diagonal, each has its share.
    return np.stack([pairs, n_queries, n_keys], axis=1) // parts.repeats[:, None]


BY_PARTS = Statement(
    "by parts",
    "I/O ≥ the sum over the parts of a mask of B(Z') + c(Z) − c(Z'), B(Z') a bound on a part without some queries and "
    "keys, c the compulsory words of the part with and without them",
    "attention, any pass with other bounds, any mask whose queries and keys fall into parts that share no pair; "
    "computer-assisted if the bound on a part is",
    "docs/proofs/forward.md, under a mask",
)

MOST_LINES = 2**21
"""With more queries and keys than this, no pairs are left out of a mask that is not a band; only the quality of the
bound depends on it."""

_MOST_SHAPES = 32
"""So many different shapes of parts, the most frequent ones, are looked at; of others the compulsory words count."""


@dataclass(frozen=True)
class _Choice:
    """The best found for one shape of part."""

    words: int
    name: str
    status: Status
    left_out: bool
    row: Mapping[str, str] | None = None


def by_parts(problem: Problem, M: int, bounds: Callable[[Part, int], list[Bound]]) -> Bound:
    """Bound a masked problem by the sum over its parts of the best bound known for each.

    Parameters
    ----------
    problem : Problem
        One copy of a forward or a backward pass, with a mask.
    M : int
        Words of fast memory.
    bounds : callable
        The bounds of a part, the best first; the compulsory words must be among them.

    Returns
    -------
    Bound
        One of several to take the greatest of: with several parts it may be a little less than a bound on the whole.

    Notes
    -----
    Costs a few milliseconds for every shape of part, and some passes over the mask, or over the pieces of a band.
    """
    M = fast_memory_words(M)
    mask = require_mask(problem, "the bound by parts")
    tables, repeats = part_counts(mask, _thresholds(problem, mask, M))
    n_parts = int(repeats.sum())
    rows, repeats = _different(np.hstack(tables), repeats)
    order = np.argsort(-repeats, kind="stable")
    total, statuses, names, left_out = 0, set[Status](), set[str](), False
    rows_of_constants = list[Mapping[str, str]]()
    for number, index in enumerate(order.tolist()):
        parts = [_part(problem, counted) for counted in rows[index].reshape(-1, 3)]
        choice = _best(parts[0], dict.fromkeys(parts) if number < _MOST_SHAPES else (), M, bounds)
        total += choice.words * int(repeats[index])
        statuses.add(choice.status)
        names.add(choice.name)
        left_out |= choice.left_out
        if choice.row is not None and choice.row not in rows_of_constants:
            rows_of_constants.append(choice.row)
    status: Status = "computer-assisted" if "computer-assisted" in statuses else "proved"
    of = f"{n_parts:,} parts that share nothing" if n_parts > 1 else "1 part"
    note = f"{of}, bounded by {', '.join(sorted(names))}"
    if left_out:
        note += "; of queries and keys with few pairs only the compulsory words"
    bound = BY_PARTS.bound(total, note, status=status)
    return replace(bound, facts={**bound.facts, "rows": rows_of_constants}) if rows_of_constants else bound


def _thresholds(problem: Problem, mask: Mask, M: int) -> list[int]:
    """With how many pairs a query or key may be worth more than its pairs: near where T1's marginal value is."""
    if problem.Nq + problem.Nk > MOST_LINES and in_pieces(mask) is None:
        return []
    large = M // (2 * min(problem.d, problem.dv))
    found = {math.isqrt(M) // 2, large // 2, large, M // (problem.d + problem.dv)}
    return sorted(least for least in found if 1 < least <= max(problem.Nq, problem.Nk))


def _different(
    table: NDArray[np.int64], repeats: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the different rows of a table and how often each occurs; numpy's own is slow for a million rows."""
    codes = np.zeros(len(table), dtype=np.int64)
    for column in table.T:
        values, code = np.unique(column, return_inverse=True)
        codes = np.unique(codes * len(values) + code, return_inverse=True)[1]
    _, first, of = np.unique(codes, return_index=True, return_inverse=True)
    times = np.zeros(len(first), dtype=np.int64)
    np.add.at(times, of, repeats)
    return table[first], times


def _part(problem: Problem, counted: NDArray[np.int64]) -> Part:
    """Return a part with this many pairs, queries and keys."""
    pairs, queries, keys = counted.tolist()
    sizes = problem.d, problem.dv, problem.stats, pairs, queries, keys
    return Part(problem.pass_name, *sizes, sums=problem.sums, sum_width=problem.sum_width)


def _best(
    whole: Part, candidates: Iterable[Part], M: int, bounds: Callable[[Part, int], list[Bound]]
) -> _Choice:
    """Choose among the compulsory words of a part and its candidates: itself, and what is left without some lines."""
    best = _Choice(compulsory_words(whole), "compulsory", "machine-checked", False)
    for part in candidates:
        if part.pairs:
            found = bounds(part, M)[0]
            words = int(found.value) + compulsory_words(whole) - compulsory_words(part)
            if words > best.words:
                best = _Choice(words, found.name, found.status, part != whole, found.facts.get("row"))
    return best
