"""Steps of the search: make room, load the missing operands, compute one vertex; every way of doing it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.optimum.bit_game import Words, columns, popcount
from pebble.solvers.optimum.normal_forms import NormalForms
from pebble.solvers.optimum.states import States

__all__ = ["ANY", "Steps", "successors"]

ANY = 1 << 30
"""More than any step can raise the bound."""

Ints: TypeAlias = NDArray[np.int64]

_NONE = np.uint64(0)
_BLOCK = 1 << 16


class Steps(NamedTuple):
    """Steps as columns: where each one starts, what it does, and where it leads (not yet in normal form).

    Attributes
    ----------
    parent : array of int64
        Index of the state it starts from.
    vertex : array of int64
        Position that is computed.
    loads, gone, stores : array of uint64
        Sets: what is loaded, what leaves fast memory, and the part of that which is stored before.
    states : States
        After the step.
    cost : array of int64
        Loads plus stores.
    raised : array of int64
        By how much the bound rises because of what goes and will be loaded again.
    """

    parent: Ints
    vertex: Ints
    loads: Words
    gone: Words
    stores: Words
    states: States
    cost: Ints
    raised: Ints


class _Pairs(NamedTuple):
    """States with the vertex that is to be computed."""

    parent: Ints
    vertex: Ints
    states: States
    before: Words

    def take(self, which: NDArray[Any] | slice) -> _Pairs:
        return _Pairs(self.parent[which], self.vertex[which], self.states.take(which), self.before[which])

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def others(self) -> Words:
        """What is in fast memory and no operand."""
        return self.states.red & ~self.before


def successors(
    forms: NormalForms, states: States, least: int = 0, most: int = ANY, potential: Ints | None = None
) -> Iterator[Steps]:
    """Yield steps out of some states in normal form, in blocks.

    Every word that goes but will be loaded again raises the bound: by 2 if it has to be stored first, by 1 if it
    has been stored and its next load was not yet counted. Only the steps that so raise it by ``least`` to
    ``most`` are made; see [later].

    Parameters
    ----------
    forms : NormalForms
        The game.
    states : States
    least, most : int
    potential : array of int64, shape (n,), optional
        Raised to the largest amount by which a step out of each state can so raise the bound.
    """
    pairs = _pairs(forms, states)
    evictions = np.maximum(popcount(pairs.states.red | pairs.before) + 1 - forms.game.M, 0)
    others = popcount(pairs.others)
    operands = popcount(pairs.before) if forms.game.rules.sliding else np.zeros_like(others)
    if potential is not None:
        slid = evictions > 0 if forms.game.rules.sliding else 0
        could = np.minimum(evictions, popcount(pairs.others & forms.middle) + slid)
        np.maximum.at(potential, pairs.parent, 2 * could)
    shape = evictions << 16 | others << 8 | operands
    for code in np.unique(shape[2 * evictions >= least]).tolist():
        e, k, d = code >> 16, code >> 8 & 255, code & 255
        ways = _evictions(e, k, d)
        if len(ways):
            yield from _shaped(forms, pairs.take(shape == code), ways, k, d, least, most)


def _shaped(
    forms: NormalForms, pairs: _Pairs, ways: Ints, k: int, d: int, least: int, most: int
) -> Iterator[Steps]:
    """Yield the steps of pairs with equal numbers of words to evict, of others and of operands."""
    size = max(1, _BLOCK // len(ways))
    for first in range(0, len(pairs), size):
        part = pairs.take(slice(first, first + size))
        yield _steps(forms, part, _words(part, k, d)[ways], least, most)


@lru_cache(maxsize=1024)
def _evictions(e: int, k: int, d: int) -> Ints:
    """Return which words may go, a row each: ``e`` of ``k`` others, or ``e - 1`` and one of ``d`` operands."""
    rows = list(combinations(range(k), e))
    if e and d:
        rows += [(*few, k + one) for few in combinations(range(k), e - 1) for one in range(d)]
    return np.array(rows, dtype=np.int64).reshape(len(rows), e)


def _pairs(forms: NormalForms, states: States) -> _Pairs:
    """Return every state with every vertex that can be computed next."""
    game = forms.game
    first = game.n_inputs
    before = np.array(forms.before[first:], dtype=np.uint64)
    bit = np.array(forms.bit[first:], dtype=np.uint64)
    can = forms.open(states)
    absent = ~(states.red | states.blue & forms.middle | forms.inputs)
    ready = ((can[:, None] & bit) != 0) & ((absent[:, None] & before) == 0)
    parent, vertex = np.nonzero(ready)
    return _Pairs(parent, vertex + first, states.take(parent), before[vertex])


def _words(pairs: _Pairs, k: int, d: int) -> Words:
    """Return the ``k`` words that are no operands and the ``d`` operands, shape (k + d, n)."""
    words = [*columns(pairs.others, k), *columns(pairs.before, d)]
    return np.array(words, dtype=np.uint64).reshape(k + d, len(pairs))


def _steps(forms: NormalForms, pairs: _Pairs, chosen: Words, least: int, most: int) -> Steps:
    """Return the steps in which the chosen words go, shape (ways, e, n); what is needed again is put aside."""
    gone = np.bitwise_or.reduce(chosen, axis=1)
    blue = pairs.states.blue & forms.middle
    bit = np.left_shift(np.uint64(1), pairs.vertex.astype(np.uint64))
    kept = gone & forms.must_keep(pairs.states, bit)
    stores = kept & ~blue
    raised = 2 * popcount(stores) + popcount(kept & blue)
    picked = np.nonzero((raised >= least) & (raised <= most))
    return _made(forms, pairs.take(picked[1]), gone[picked], kept[picked], stores[picked], raised[picked])


def _made(forms: NormalForms, pairs: _Pairs, gone: Words, kept: Words, stores: Words, raised: Ints) -> Steps:
    loads = pairs.before & ~pairs.states.red
    bit = np.left_shift(np.uint64(1), pairs.vertex.astype(np.uint64))
    red = ((pairs.states.red | pairs.before) & ~gone) | (bit & ~forms.sinks)
    blue = (pairs.states.blue & ~gone) | kept
    for v, stored in forms.stored_bit.items():
        first = (pairs.vertex == v) & ((blue & stored) == 0)
        blue |= np.where(first, stored | forms.bit[v], _NONE)
    cost = popcount(loads) + popcount(stores)
    return Steps(pairs.parent, pairs.vertex, loads, gone, stores, States(red, blue), cost, raised)
