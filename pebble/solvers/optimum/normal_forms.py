"""Normal forms of states: what is deleted at once, what is computed at once, and what must still be loaded.

Each rule is proved in ``docs/proofs/exact-optimum.md`` under the name given here in brackets. All functions work on
arrays of states.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.optimum.bit_game import BitGame, Words, members, popcount
from pebble.solvers.optimum.states import States

__all__ = ["NormalForms"]

Recorder = Callable[[str, int, int], object]
"""Told of each free move of the first state: ("compute", v, -1), ("slide", v, u) or ("delete", u, -1)."""

Flags = NDArray[np.bool_]

_NONE = np.uint64(0)


class NormalForms:
    """Brings states into normal form: computes and deletes what is free until nothing changes."""

    def __init__(self, game: BitGame) -> None:
        self.game = game
        self.inputs = np.uint64(game.inputs)
        self.middle = np.uint64(game.middle)
        self.sinks = np.uint64(game.sinks)
        self.before = [np.uint64(mask) for mask in game.before]
        self.after = [np.uint64(mask) for mask in game.after]
        self.bit = [np.uint64(1 << v) for v in range(game.n)]
        self.stored_bit = {v: np.uint64(mask) for v, mask in game.stored_at.items()}
        self.all_stored = np.uint64(sum(game.stored_at.values()))

    def needed(self, done: Words) -> Words:
        """Return the sinks and the operands of what has not been computed; see [dead]."""
        live = self.sinks & ~done
        for u in range(self.game.red_bits):
            live |= np.where(self.after[u] & ~done, self.bit[u], _NONE)
        return live

    def open(self, states: States) -> Words:
        """Return the vertices that may be computed next."""
        return (self.middle | self.sinks) & ~self.progress(states)

    def bound(self, states: States) -> NDArray[np.int64]:
        """Return a number of loads that a state cannot avoid; see [loads]."""
        needed = self.needed(self.progress(states)) & self.inputs
        return popcount((needed | states.blue & self.middle) & ~states.red)

    def must_keep(self, states: States, computing: Words) -> Words:
        """Return what may not be lost once the vertices ``computing`` are computed."""
        return self.needed(self.progress(states) | computing) & self.middle

    def start(self) -> States:
        """Return the state before the first move, as arrays of length 1."""
        return self.tidy(States(*(np.zeros(1, dtype=np.uint64) for _ in range(2))))

    def finished(self, states: States) -> Flags:
        """Tell for each state whether every output has been stored."""
        all_there: Flags = (states.blue & self.all_stored) == self.all_stored
        return all_there

    def progress(self, states: States) -> Words:
        """Return what has been computed: held, stored, or with a computed successor; see [computed]."""
        found = (states.red | states.blue) & (self.middle | self.sinks)
        for v in range(self.game.red_bits - 1, self.game.n_inputs - 1, -1):
            found |= np.where(self.after[v] & found, self.bit[v], _NONE)
        return found

    def place(self, states: States, v: int, where: Flags, slid: int = -1) -> None:
        """Compute v in some states, in place; store it if it is an output for the first time; see [outputs]."""
        if slid >= 0:
            states.red[:] = np.where(where, states.red & ~self.bit[slid], states.red)
            states.blue[:] = np.where(where, states.blue & ~(self.bit[slid] & self.middle), states.blue)
        if not self.sinks & self.bit[v]:
            states.red[:] = np.where(where, states.red | self.bit[v], states.red)
        if v in self.stored_bit:
            stored = self.stored_bit[v]
            first = where & ((states.blue & stored) == 0)
            states.blue[:] = np.where(first, states.blue | stored | self.bit[v], states.blue)

    def tidy(self, states: States, record: Recorder | None = None) -> States:
        """Return the normal form of each state."""
        states = states.copy()
        busy = np.arange(len(states))
        while len(busy):
            now = states.take(busy)
            needed = self.needed(self.progress(now))
            if record is not None:
                for v in members(int(now.red[0] & ~needed[0])):
                    record("delete", v, -1)
            before = States(now.red & needed, now.blue & ~(self.middle & ~needed))
            after = before.copy()
            self._compute_freely(after, record)
            states.put(busy, after)
            busy = busy[(after.red != before.red) | (after.blue != before.blue)]
        return states

    def _compute_freely(self, states: States, record: Recorder | None) -> None:
        """Compute in place what costs nothing and can do no harm; see [exchange]."""
        game = self.game
        done = self.progress(states)
        for v in range(game.n_inputs, game.n):
            ready = ((self.before[v] & ~states.red) == 0) & ((done & self.bit[v]) == 0)
            if not ready.any():
                continue
            for u in members(game.before[v]):
                placed = self._replace(states, v, u, ready & self._may_replace(states, done, v, u), record)
                done |= np.where(placed, self.bit[v], _NONE)
                ready &= ~placed
            if self.sinks & self.bit[v]:
                now = ready & (popcount(states.red) < game.M)
                _report(record, now, v)
                self.place(states, v, now)
                done |= np.where(now, self.bit[v], _NONE)

    def _may_replace(self, states: States, done: Words, v: int, u: int) -> Flags:
        """Tell where u is needed for v alone and nothing is lost if v takes its word; see [exchange]."""
        last: Flags = (self.after[u] & ~done) == self.bit[v]
        if self.sinks & self.bit[v]:
            return last
        if self.inputs & self.bit[u]:
            return np.zeros_like(last)
        last &= (states.blue & self.bit[u]) == 0
        return last

    def _replace(self, states: States, v: int, u: int, last: Flags, record: Recorder | None) -> Flags:
        """Compute v beside u where there is room; otherwise into the word of u where the rules allow it."""
        free = popcount(states.red) < self.game.M
        beside = last & free
        slides = last & ~free & self.game.rules.sliding
        _report(record, beside, v)
        self.place(states, v, beside)
        _report(record, slides, v, u)
        self.place(states, v, slides, u)
        return beside | slides


def _report(record: Recorder | None, where: Flags, v: int, u: int = -1) -> None:
    if record is not None and where[0]:
        record("compute" if u < 0 else "slide", v, u)
