"""The search from the end of the game to its beginning: what must be in which memory for the rest to succeed.

Why nothing is left out is proved in ``docs/proofs/exact-optimum.md``; names in brackets are those of its rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.optimum.bit_game import BitGame, Unions, Words, columns, popcount
from pebble.solvers.optimum.states import Batch, Codec, LayeredSet, States
from pebble.solvers.optimum.symmetry import Symmetry
from pebble.solvers.optimum.wavefronts import Wavefronts, ancestors

Ints = NDArray[np.int64]

_NONE = np.uint64(0)
_ANY = 1 << 30
"""More than any step can raise the bound."""


class Reached(NamedTuple):
    """Requirements that were reached, what was spent on the way, and a lower bound of any pebbling through them."""

    batch: Batch
    cost: Ints
    bound: Ints


class StepsBack(NamedTuple):
    """Steps as columns: the requirement each one starts from, what it takes back, and what is required before.

    Attributes
    ----------
    parent : array of int64
        Index of the requirement after the step.
    vertex : array of int64
        Position that the step computes.
    stored : array of bool
        Whether it is stored then.
    dropped, sunk, loads : array of uint64
        Sets: what is computed just before, from what is red; sinks that are computed and stored where there is
        room, after the dropped ones, otherwise before them; what is loaded before all that.
    states : States
        The requirement before the step.
    cost, raised : array of int64
        Loads plus stores, without the first stores of outputs; by how much the bound rises at least.
    """

    parent: Ints
    vertex: Ints
    stored: NDArray[np.bool_]
    dropped: Words
    sunk: Words
    loads: Words
    states: States
    cost: Ints
    raised: Ints

    def take(self, i: int) -> StepsBack:
        """Return one of the steps, as arrays of length 1."""
        columns: list[Any] = [
            part.take(slice(i, i + 1)) if isinstance(part, States) else part[i : i + 1] for part in self
        ]
        return StepsBack(*columns)


class RequirementSpace:
    """The requirements of one game, packed into rows, and the steps back between them.

    A requirement is a state of which only these parts are used: ``red``, what must be in fast memory; the middle
    vertices of ``blue``, what must have a copy in slow memory because it will be loaded; the other bits of ``blue``,
    the outputs that must have been stored. It stands for every position that has at least this. What it depends on has
    been computed; where nothing may be computed twice, everything else is computed later, see [once]. Costs and bounds
    leave out the stores of outputs, one each, that no pebbling avoids.
    """

    effort = 4
    """How much time a state takes, compared with other searches."""

    deepening = False
    """Whether the search is made anew for each limit of the cost, because it leaves states out by :meth:`cost_more`."""

    def __init__(self, game: BitGame) -> None:
        self.game = game
        self.codec = Codec(game)
        self.symmetry = Symmetry(game, self.codec)
        self._middle, self._inputs = np.uint64(game.middle), np.uint64(game.inputs)
        computed = range(game.n_inputs, game.n)
        self._bits = np.array([1 << v for v in computed], dtype=np.uint64)
        self._operands = np.array([game.before[v] for v in computed], dtype=np.uint64)
        copies = [(1 << v & game.middle) | game.stored_at.get(v, 0) for v in computed]
        self._copy_bits = np.array(copies, dtype=np.uint64)
        inner = [(1 << v, bit) for v, bit in game.stored_at.items() if bit != 1 << v]
        self._inner = [(np.uint64(bit), np.uint64(stored)) for bit, stored in inner]
        self._needed = Unions(_asked_for(game, [1 << v for v in range(game.n)]))
        self._below = Unions(_asked_for(game, [0] * game.n))
        self._used_by = Unions([*game.before, *[0] * (game.width - game.n)])
        self._successors = [np.uint64(game.after[x]) for x in range(game.n_inputs)]

    def start(self) -> Words:
        """Return the row of the end of the game: every output has been stored, and nothing else matters."""
        none = np.zeros(1, dtype=np.uint64)
        stored = np.array([sum(self.game.stored_at.values())], dtype=np.uint64)
        return self.symmetry.least(self.codec.pack(States(none, stored)))

    def finished(self, rows: Words) -> NDArray[np.bool_]:
        """Tell which requirements hold before the first move."""
        empty: NDArray[np.bool_] = rows == 0 if rows.ndim == 1 else (rows == 0).all(axis=1)
        return empty

    def bound(self, rows: Words) -> Ints:
        """Return the number of loads and stores without which each requirement cannot be met; see [before]."""
        return self._bound(self.codec.unpack(rows))

    def cost_more(self, rows: Words, amount: int) -> NDArray[np.bool_]:
        """Tell which requirements are known to cost so much more than their bound: none."""
        return np.zeros(len(rows), dtype=np.bool_)

    def _bound(self, states: States) -> Ints:
        needed = self._needed(states.red | states.blue)
        return popcount(needed & self._inputs) + popcount(states.blue & self._middle)

    def dominated(self, rows: Words, closed: LayeredSet) -> NDArray[np.bool_]:
        """Tell which requirements are harder than one met at no more cost; see [weaker].

        All are of the layer of now. One member is left out at a time.
        """
        harder = np.zeros(len(rows), dtype=np.bool_)
        states = self.codec.unpack(rows)
        bound = self._bound(states)
        for part, which in ((0, states.red), (1, states.blue & self._middle)):
            for member in columns(which, int(popcount(which).max(initial=0))):
                at = np.flatnonzero(~harder & (member != 0))
                some, left = states.take(at), ~member[at]
                weaker = States(some.red & left, some.blue)
                if part:
                    weaker = States(some.red, some.blue & left)
                age = bound[at] - self._bound(weaker)
                packed = self.symmetry.least(self.codec.pack(weaker))
                for least in (0, 1, 2):
                    same = np.flatnonzero(age == least)
                    harder[at[same]] |= closed.contains(packed[same], least)
        return harder

    def children(
        self,
        rows: Words,
        cost: Ints,
        serial: Ints,
        least: int = 0,
        most: int = _ANY,
        potential: Ints | None = None,
    ) -> Iterator[Reached]:
        """Yield the requirements one step back, not yet replaced by their representatives.

        Parameters
        ----------
        rows, cost, serial
            The requirements, what was spent to reach them, and their serial numbers.
        least, most
            Only the steps that raise the bound by so much because of what they load; see [later].
        potential : array of int64, shape (n,), optional
            Raised to the largest amount by which a step from each requirement can so raise the bound.
        """
        for steps in self.steps(self.codec.unpack(rows), least, most, potential):
            spent = cost[steps.parent] + steps.cost
            batch = Batch(self.codec.pack(steps.states), serial[steps.parent])
            yield Reached(batch, spent, spent + self._bound(steps.states))

    def canonical(self, batch: Batch) -> Batch:
        """Return the representatives of the requirements under the symmetries, sorted, each once."""
        once = batch.distinct()
        if self.symmetry.trivial:
            return once
        return Batch(self.symmetry.least(once.rows), once.parent).distinct()

    def steps(
        self, states: States, least: int = 0, most: int = _ANY, potential: Ints | None = None
    ) -> Iterator[StepsBack]:
        """Yield the steps back that raise the bound by ``least`` to ``most`` because of what they load; see [step]."""
        pairs = self._computed(states)
        dropped, red = self._dropped(pairs.states)
        sunk = self._sunk(pairs.states, red)
        before = States(red, pairs.states.blue & ~sunk)
        used = self._operands[pairs.vertex - self.game.n_inputs] | self._used_by(dropped | sunk)
        could = self._raises(self._may_load(red, used), before)
        if potential is not None:
            np.maximum.at(potential, pairs.parent, could)
        enough = np.flatnonzero(could >= least)
        found = self._loaded(before.take(enough), used[enough], least, most)
        at = enough[found.chosen]
        yield StepsBack(
            pairs.parent[at],
            pairs.vertex[at],
            pairs.stored[at],
            dropped[at],
            sunk[at],
            found.loads,
            found.states,
            popcount(found.loads) + pairs.price[at],
            found.raised,
        )

    def _computed(self, states: States) -> _Computed:
        """Return what is required just before each vertex is computed that can be; see [step] and [once]."""
        red, blue = states.red[:, None], states.blue[:, None]
        room = self._room(red)
        keep, ask = room & (red & self._bits != 0), room & (blue & self._copy_bits != 0)
        if not self.game.rules.recomputation:
            last = self._below(states.red | states.blue)[:, None] & self._bits == 0
            keep &= last & (blue & self._copy_bits == 0)
            ask &= last
        self._restrict(states, keep, ask)
        kept, kept_vertex = np.nonzero(keep)
        asked, asked_vertex = np.nonzero(ask)
        parent, place = np.concatenate([kept, asked]), np.concatenate([kept_vertex, asked_vertex])
        stored = np.arange(len(parent)) >= len(kept)
        gone = np.where(stored, self._copy_bits[place], _NONE)
        chosen = states.take(parent)
        return _Computed(
            parent,
            place + self.game.n_inputs,
            stored,
            popcount(chosen.blue & gone & self._middle),
            States((chosen.red & ~self._bits[place]) | self._operands[place], chosen.blue & ~gone),
        )

    def _restrict(self, states: States, keep: NDArray[np.bool_], ask: NDArray[np.bool_]) -> None:
        """Leave one computation to each requirement that has one that may as well come last; see [last]."""
        red, blue = states.red[:, None], states.blue[:, None]
        needed = self._needed(states.red | states.blue)
        roomy = popcount(red | self._bits | self._operands) <= self.game.M
        unused = roomy & (self._used_by(needed)[:, None] & self._bits == 0)
        missing = popcount(self._operands & ~red & ~self._lone(needed)[:, None])
        kept = keep & unused & (blue & self._copy_bits == 0) & (missing <= 1)
        asked = ask & unused & (red & self._bits == 0) & (missing == 0)
        some = np.flatnonzero((kept | asked).any(axis=1))
        first = (kept | asked)[some].argmax(axis=1)
        for choices, last in ((keep, kept), (ask, asked)):
            choices[some] = False
            choices[some, first] = last[some, first]

    def _lone(self, needed: Words) -> Words:
        """Return the inputs that only one of the needed vertices is computed from."""
        lone = np.zeros_like(needed)
        for x, after in enumerate(self._successors):
            users = needed & after
            lone |= np.where((users != 0) & (users & (users - np.uint64(1)) == 0), np.uint64(1 << x), _NONE)
        return lone

    def _room(self, red: Words) -> NDArray[np.bool_]:
        """Tell which vertices can be computed while everything else that must be red is."""
        M = self.game.M
        room: NDArray[np.bool_] = popcount(red | self._bits | self._operands) <= M
        if self.game.rules.sliding:
            fits = (popcount((red & ~self._bits) | self._operands) <= M) & (popcount(red | self._bits) <= M)
            room |= fits & (self._operands & ~red != 0)
        return room

    def _dropped(self, states: States) -> tuple[Words, Words]:
        """Return what is computed for nothing from the rest of what must be red, and that rest; see [free], [once]."""
        red, dropped = states.red.copy(), np.zeros_like(states.red)
        for u in range(self.game.red_bits - 1, self.game.n_inputs - 1, -1):
            bit, before = np.uint64(1 << u), self._operands[u - self.game.n_inputs]
            free = np.flatnonzero((red & (bit | before)) == (bit | before))
            if len(free) and not self.game.rules.recomputation:
                blue, copy = states.blue[free], self._copy_bits[u - self.game.n_inputs]
                needed = self._below(red[free] ^ bit | blue) & bit
                free = free[(needed == 0) & (blue & copy == 0)]
            if len(free):
                red[free] ^= bit
                dropped[free] |= bit
        return dropped, red

    def _sunk(self, states: States, red: Words) -> Words:
        """Return the sinks that are computed from what must be red; ``red`` is without what is dropped."""
        M = self.game.M
        wide = popcount(states.red) < M
        held = np.where(wide, states.red, red)
        room = wide | (popcount(red) < M)
        sunk = np.zeros_like(held)
        for v in range(self.game.red_bits, self.game.n):
            bit, before = np.uint64(1 << v), self._operands[v - self.game.n_inputs]
            sunk |= np.where(room & (before & ~held == 0), bit, _NONE)
        return sunk & states.blue

    def _raises(self, loads: Words, states: States) -> Ints:
        """Return by how much these loads raise the bound, if every input loaded is not asked for any more."""
        loads = loads & self._middle
        return 2 * popcount(loads) - popcount(loads & self._copies(states.blue))

    def _copies(self, blue: Words) -> Words:
        """Return the middle vertices that have a copy already: one that will be loaded, or a stored output's."""
        found = blue & self._middle
        for bit, stored in self._inner:
            found |= np.where(blue & stored, bit, _NONE)
        return found

    def _loaded(self, states: States, used: Words, least: int, most: int) -> _Loaded:
        """Return every way to load some of what must be red, the idle inputs included, that raises the bound so.

        See [idle] and [room].
        """
        held = self._held()
        index, loads = np.arange(len(states)), self._idle(states)
        choice = self._may_load(states.red, used) & ~loads
        for column in columns(choice, int(popcount(choice).max(initial=0))):
            more = np.flatnonzero(column[index] != 0)
            with_it = index[more]
            index = np.concatenate([index, with_it])
            loads = np.concatenate([loads, loads[more] | column[with_it]])
            few = self._raises(loads, states.take(index)) <= most
            few &= (popcount(states.red[index] & ~loads) >= held) | (column[index] & loads == 0)
            index, loads = index[few], loads[few]
        enough = self._raises(loads, states.take(index)) >= least
        index, loads = index[enough], loads[enough]
        chosen = states.take(index)
        asked = loads & self._middle
        asked &= ~self._copies(chosen.blue) | chosen.blue
        after = States(chosen.red & ~loads, chosen.blue | asked)
        return _Loaded(index, loads, after, self._raises(loads, chosen))

    def _may_load(self, red: Words, used: Words) -> Words:
        """Return what may be loaded before a step, beside idle inputs; what the step uses is known."""
        return red

    def _held(self) -> int:
        """Return how many words are required at least where anything but idle inputs is loaded; see [room]."""
        return self.game.M - 1 - max(before.bit_count() for before in self.game.before)

    def _idle(self, states: States) -> Words:
        """Return the inputs that must be red and that nothing needed is computed from."""
        return states.red & self._inputs & ~self._used_by(self._needed(states.red | states.blue))


class _Computed(NamedTuple):
    parent: Ints
    vertex: Ints
    stored: NDArray[np.bool_]
    price: Ints
    states: States


class _Loaded(NamedTuple):
    chosen: Ints
    loads: Words
    states: States
    raised: Ints


def _asked_for(game: BitGame, own: list[int]) -> list[int]:
    """Return, as masks, what each bit of a requirement depends on, and what is its own for each vertex."""
    found = [bit | below for bit, below in zip(own, ancestors(game), strict=True)]
    found += [0] * (game.width - game.n)
    for v, stored in game.stored_at.items():
        found[stored.bit_length() - 1] = found[v]
    return found


class LateLoadSpace(RequirementSpace):
    """The requirements of a game, and the steps back that load only what they use; see [late] and [wavefront]."""

    effort = 1
    deepening = True

    def __init__(self, game: BitGame) -> None:
        super().__init__(game)
        self._wavefronts: Wavefronts | None = None

    def cost_more(self, rows: Words, amount: int) -> NDArray[np.bool_]:
        """Tell which requirements are known to cost so much more than their bound; see [wavefront]."""
        if self._wavefronts is None:
            self._wavefronts = Wavefronts(self.game)
        states = self.codec.unpack(rows)
        return self._wavefronts.cost_more(states, self._needed(states.red | states.blue), amount)

    def dominated(self, rows: Words, closed: LayeredSet) -> NDArray[np.bool_]:
        """Tell which requirements are left out as harder than others: none, which [late] relies on."""
        return np.zeros(len(rows), dtype=np.bool_)

    def _may_load(self, red: Words, used: Words) -> Words:
        return red & used

    def _held(self) -> int:
        return 0
