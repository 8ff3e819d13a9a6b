"""Normal forms of states: what is deleted at once, what is computed at once, and what must still be loaded.

Each rule is proved in ``docs/proofs/exact-optimum.md`` under the name given here in brackets. All functions work on
arrays of states.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.optimum.bit_game import BitGame
from pebble.solvers.optimum.bits import Words, members, popcount
from pebble.solvers.optimum.states import States

__all__ = ["NormalForms", "Recorder", "Worth", "normal_forms"]

Recorder = Callable[[str, int, int], object]
"""Told of each free move of the first state: ("compute", v, -1), ("slide", v, u) or ("delete", u, -1)."""

Flags = NDArray[np.bool_]

_ONE = np.uint64(1)
_NONE = np.uint64(0)
_ALL = ~_NONE


class Worth(NamedTuple):
    """Which pebbles can still be of use.

    Attributes
    ----------
    red : array of uint64
        Vertices whose red pebble can be of use.
    blue : array of uint64
        Vertices that may have to be loaded from slow memory.
    """

    red: Words
    blue: Words


class NormalForms:
    """Brings states into normal form: computes and deletes what is free until nothing changes.

    The game with recomputation and the one without differ in what may be deleted and computed.
    """

    def __init__(self, game: BitGame) -> None:
        self.game = game
        self.inputs = np.uint64(game.inputs)
        self.middle = np.uint64(game.middle)
        self.single = np.uint64(game.single if game.rules.recomputation else 0)
        self.sinks = np.uint64(game.sinks)
        self.before = [np.uint64(mask) for mask in game.before]
        self.after = [np.uint64(mask) for mask in game.after]
        self.bit = [np.uint64(1 << v) for v in range(game.n)]
        self.stored_bit = {v: np.uint64(mask) for v, mask in game.stored_at.items()}
        self.all_stored = np.uint64(sum(game.stored_at.values()))

    def worth(self, states: States) -> Worth:
        """Return which pebbles can still be of use; see [dead] and [chain]."""
        raise NotImplementedError

    def open(self, states: States) -> Words:
        """Return the vertices that may be computed next."""
        raise NotImplementedError

    def bound(self, states: States) -> NDArray[np.int64]:
        """Return a number of loads that a state cannot avoid; see [loads]."""
        raise NotImplementedError

    def must_keep(self, states: States, computing: Words) -> Words:
        """Return what may not be lost once the vertices ``computing`` are computed."""
        raise NotImplementedError

    def compute_freely(self, states: States, worth: Worth, record: Recorder | None) -> None:
        """Compute in place what costs nothing and can do no harm; see [eager] and [exchange]."""
        raise NotImplementedError

    def start(self) -> States:
        """Return the state before the first move, as arrays of length 1."""
        return self.tidy(States(*(np.zeros(1, dtype=np.uint64) for _ in range(3))))[0]

    def finished(self, states: States) -> Flags:
        """Tell for each state whether every output has been stored."""
        all_there: Flags = (states.blue & self.all_stored) == self.all_stored
        return all_there

    def unstored(self, states: States) -> Words:
        """Return the outputs that have not been stored yet, at their own positions."""
        missing = self.sinks & ~states.blue
        for v, stored in self.stored_bit.items():
            if stored != self.bit[v]:
                missing |= np.where(states.blue & stored, _NONE, self.bit[v])
        return missing

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

    def tidy(self, states: States, record: Recorder | None = None) -> tuple[States, Flags]:
        """Return the normal form of each state, and which states are worth keeping.

        A state is not worth keeping if something was put aside for later that can be of no more use.
        """
        states = states.copy()
        busy = np.arange(len(states))
        keep = np.ones(len(states), dtype=np.bool_)
        while len(busy):
            now = states.take(busy)
            worth = self.worth(now)
            keep[busy] &= ((now.blue & ~now.red | now.owed) & self.middle & ~worth.blue) == 0
            if record is not None:
                _report_deletes(int(now.red[0] & ~worth.red[0]), record)
            before = States(now.red & worth.red, now.blue & ~(self.middle & ~worth.blue), now.owed)
            after = before.copy()
            self.compute_freely(after, worth, record)
            states.put(busy, after)
            changed = (after.red != before.red) | (after.blue != before.blue)
            busy = busy[changed & keep[busy]]
        return states, keep


def _report_deletes(deleted: int, record: Recorder) -> None:
    for v in members(deleted):
        record("delete", v, -1)


def _report(record: Recorder | None, where: Flags, v: int, u: int = -1) -> None:
    if record is not None and where[0]:
        record("compute" if u < 0 else "slide", v, u)


class _Recomputing(NormalForms):
    """The game in which a vertex may be computed again."""

    def __init__(self, game: BitGame) -> None:
        super().__init__(game)
        self.needs = {v: np.uint64(mask) for v, mask in game.ancestors.items()}

    def _live(self, unstored: Words) -> Words:
        """Return what some output that is still missing depends on, itself included; see [dead]."""
        live = np.zeros_like(unstored)
        for v, needs in self.needs.items():
            live |= np.where(unstored & self.bit[v], needs, _NONE)
        return live

    def worth(self, states: States) -> Worth:
        unstored = self.unstored(states)
        live = self._live(unstored)
        aside = states.blue & self.middle
        stored = aside | states.owed
        held = states.red | aside
        no_red, no_blue = np.zeros_like(live), np.zeros_like(live)
        for u in range(self.game.red_bits - 1, -1, -1):
            next_one = self.after[u] & live
            single = (next_one & (next_one - _ONE)) == 0
            over = held | no_red & ~states.owed
            no_red |= np.where(single & ((next_one & over) != 0), self.bit[u], _NONE)
            over = stored | no_blue | (over & self.single)
            no_blue |= np.where(single & ((next_one & over) != 0), self.bit[u], _NONE)
        blue = live & ~(no_blue & ~unstored)
        keeps = unstored | (stored & blue & self.middle)
        return Worth(live & ~(no_red & ~keeps), blue)

    def open(self, states: States) -> Words:
        return self.worth(states).red & ~(states.red | (states.blue & self.middle) | self.inputs)

    def bound(self, states: States) -> NDArray[np.int64]:
        red, aside = states.red, states.blue & self.middle
        held = red | aside
        need = self.unstored(states) | (states.owed & ~red)
        for v in range(self.game.n - 1, self.game.n_inputs - 1, -1):
            asked = need & ~held & self.bit[v]
            need |= np.where(asked, self.before[v], _NONE)
        return popcount((need & self.inputs | aside) & ~red) + popcount(states.owed)

    def must_keep(self, states: States, computing: Words) -> Words:
        return np.zeros_like(states.red)

    def compute_freely(self, states: States, worth: Worth, record: Recorder | None) -> None:
        game = self.game
        sliding = game.rules.sliding
        live = self._live(self.unstored(states)) if sliding else worth.red
        taken = self.middle | self.sinks
        free = game.M - popcount(states.red)
        for v in range(game.n_inputs, game.n):
            before, bit = self.before[v], self.bit[v]
            ready = (worth.red & ~states.red & ~(states.blue & taken) & bit) != 0
            ready &= (before & ~states.red) == 0
            if not ready.any():
                continue
            if self.single & bit:
                ready &= self._takes_over(states, v)
            now = ready & (free > 0)
            for u in members(game.before[v]) if sliding else ():
                slides = ready & ~now & ((self.after[u] & live) == bit)
                slides &= self._lost_with(states, v, u)
                _report(record, slides, v, u)
                self.place(states, v, slides, u)
                ready &= ~slides
            _report(record, now, v)
            self.place(states, v, now)
            if not self.sinks & bit:
                free = free - now

    def _takes_over(self, states: States, v: int) -> Flags:
        """Tell where v, of a single purpose, would take the place of a predecessor with no copy; see [exchange]."""
        own = np.uint64(self.game.before[v]) & self.single
        found: Flags = (own & states.red & ~states.blue) != 0
        return found

    def _lost_with(self, states: States, v: int, u: int) -> Flags:
        """Tell where nothing that will be loaded again is lost if u, needed for v alone, gives way to v."""
        copies = states.owed if self.sinks & self.bit[v] else states.owed | states.blue
        lost: Flags = (copies & self.middle & self.bit[u]) == 0
        if self.single & self.bit[v] and not self.single & self.bit[u]:
            return np.zeros_like(lost)
        return lost


class _ComputingOnce(NormalForms):
    """The game in which every vertex is computed once."""

    def worth(self, states: States) -> Worth:
        needed = self._needed(self.progress(states))
        return Worth(needed, needed)

    def _needed(self, done: Words) -> Words:
        live = self.sinks & ~done
        for u in range(self.game.red_bits):
            live |= np.where(self.after[u] & ~done, self.bit[u], _NONE)
        return live

    def must_keep(self, states: States, computing: Words) -> Words:
        return self._needed(self.progress(states) | computing) & self.middle

    def open(self, states: States) -> Words:
        return (self.middle | self.sinks) & ~self.progress(states)

    def bound(self, states: States) -> NDArray[np.int64]:
        needed = self.worth(states).red & self.inputs
        return popcount((needed | states.blue & self.middle) & ~states.red)

    def compute_freely(self, states: States, worth: Worth, record: Recorder | None) -> None:
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


def normal_forms(game: BitGame) -> NormalForms:
    """Return the normal forms that fit the rules."""
    return _Recomputing(game) if game.rules.recomputation else _ComputingOnce(game)
