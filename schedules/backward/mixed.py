"""Backward in one pass, keys outside, the last keys in two sweeps: for caches of order N·d."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import (
    Node,
    Nodes,
    Program,
    Tiles,
    compute,
    delete,
    load,
    loop,
    not_first,
    phase,
    program,
    resume,
    store,
    when,
)
from schedules._resident_rows import resident_and_streamed
from schedules.backward._loop_nests import pair_by_pair, row_sums, tiles_outside


class KeysMixedBackward(Schedule):
    """``keys-pinned`` whose last keys are taken in two sweeps of the queries: one for dV, one for dK and dQ.

    The last ``last_cols`` keys need three vectors each rather than four, K, V and dK, so there may be a third more of
    them than in a tile; dQ is read and written in one of their sweeps only. With a tiles of ``cols`` keys before them,
    M = (4/(a + 4/3) + x)·Nd words of fast memory move (10 + 4a − 2ax)·Nd words, x the share of dQ that stays.

    Under a mask it is ``keys-pinned``: a query may have no key among the last ones, or none before them, and a program
    cannot tell when its dQ is complete.
    """

    name = "keys-mixed"
    summary = "keys-pinned with the last keys in two sweeps, one for dV, one for dK and dQ"
    source = "derived here"
    passes = ("backward",)
    tile_names = ("cols", "last_cols", "pinned")
    tile_axes = ("j", "j", "i")
    resident_tiles = ("pinned",)
    may_be_zero = ("pinned",)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; if the last keys are all keys, there are no tiles before them."""
        size = {**self.smallest(problem), **self.check_tiles(tiles)}
        start = problem.Nk - min(size["last_cols"], problem.Nk)
        pinned = min(size["pinned"], problem.Nq)
        if problem.mask is not None:
            return program(tiles_outside(problem, "j", size["cols"], "first", both=True, pinned=pinned))
        return program(
            phase(
                "",
                _tiles(problem, size["cols"], start, pinned) if start else None,
                loop("j", problem.Nk - start, *_last_keys(problem, bool(start), pinned), start=start),
            )
        )


def _tiles(problem: Problem, cols: int, stop: int, pinned: int) -> Node:
    """Write the tiles before the last keys, with all three gradients in one sweep of the queries."""
    work = pair_by_pair("j", "key", dQ=compute("dQ"))

    def queries(stays: bool, start: int, stop: int | None) -> Node:
        before, after = (None, None) if stays else (when(not_first("j"), resume("dQ")), _stored("dQ"))
        body = load("Q", "dO", "l"), *row_sums("kept", "j"), before, work, after, delete("Q", "dO", "l", "D")
        return loop("i", 1, *body, start=start, stop=stop)

    sweep = resident_and_streamed(pinned, problem.Nq, queries)
    return loop("j", cols, load("K", "V"), *sweep, _stored("dK", "dV"), delete("K", "V"), stop=stop)


def _last_keys(problem: Problem, follow: bool, pinned: int) -> tuple[Nodes, ...]:
    """Write the two sweeps of the last keys: dV first, then dK and the end of dQ."""
    weights = compute("S"), compute("P", "S")
    values = loop("j", 1, *weights, compute("dV"), delete("P"), label="key")
    scores = compute("dP"), compute("dS", "dP"), delete("P"), compute("dK"), compute("dQ"), delete("dS")
    rest = loop("j", 1, *weights, *scores, label="key")
    sums: Nodes = load("D") if follow else row_sums("again", "j")

    def queries(stays: bool, start: int, stop: int | None) -> Node:
        begun = resume("dQ") if follow and not stays else None
        body = load("Q", "dO", "l"), sums, begun, rest, _stored("dQ"), delete("Q", "dO", "l", "D")
        return loop("i", 1, *body, start=start, stop=stop)

    return (
        load("K"),
        loop("i", 1, load("Q", "dO", "l"), values, delete("Q", "dO", "l")),
        _stored("dV"),
        load("V"),
        *resident_and_streamed(pinned, problem.Nq, queries),
        _stored("dK"),
        delete("K", "V"),
    )


def _stored(*names: str) -> Nodes:
    return store(*names), delete(*names)
