"""Every step of the proof of T3, checked on random legal pebblings of tiny forward DAGs."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

from tests.lower_bounds.tiny_pebblings import TinyPlayer, Vertex, cut, kinds_of_moves
from tests.support import amounts

Triple = tuple[int, int, int]
Trace = tuple[dict[Triple, int], dict[Triple, list[int]], set[tuple[int, int]]]


class Player(TinyPlayer):
    """Plays a tiny forward pass."""

    inputs = ("Q", "K", "V")
    accumulate = ("U", "l")

    def predecessors(self, w: Vertex) -> list[Vertex]:
        match w:
            case ("S", i, j, k):
                before = [("S", i, j, k - 1)] if k else []
                return [*before, ("Q", i, k), ("K", j, k)]
            case ("P", i, j):
                return [("S", i, j, self.d - 1)]
            case ("l", i, j):
                return [*([("l", i, j - 1)] if j else []), ("P", i, j)]
            case ("U", i, e, j):
                return [*([("U", i, e, j - 1)] if j else []), ("P", i, j), ("V", j, e)]
            case ("O", i, e):
                return [("U", i, e, self.Nk - 1), ("l", i, self.Nk - 1)]
        return []

    def play(self) -> list[tuple[str, Vertex]]:
        steps = [(i, e, j) for i in range(self.Nq) for e in range(self.dv) for j in range(self.Nk)]
        order = [steps[n] for n in self.rng.permutation(len(steps))]
        if self.rng.random() < 0.7:
            for i, e, j in sorted(order, key=lambda step: step[2]):
                self.make(("U", i, e, j))
        for i in range(self.Nq):
            for e in range(self.dv):
                self.make(("O", i, e))
                self.store(("O", i, e))
        return self.moves


def traced(player: Player) -> tuple[dict[Triple, int], dict[Triple, list[int]]]:
    """Times of the traced events of U, by (i, e, j), and of their causal chains of S, k ascending."""
    computed: dict[Vertex, list[int]] = {}
    for now, (kind, w) in enumerate(player.moves):
        if kind == "compute":
            computed.setdefault(w, []).append(now)

    def last_before(w: Vertex, now: int) -> int:
        return max(when for when in computed[w] if when < now)

    events, causal = {}, {}
    for i in range(player.Nq):
        for e in range(player.dv):
            now = len(player.moves)
            for j in reversed(range(player.Nk)):
                now = last_before(("U", i, e, j), now)
                events[i, e, j] = now
                when = last_before(("P", i, j), now)
                chain = []
                for k in reversed(range(player.d)):
                    when = last_before(("S", i, j, k), when)
                    chain.append(when)
                causal[i, e, j] = chain[::-1]
    return events, causal


def weights_of_moves(
    player: Player, events: dict[Triple, int], causal: dict[Triple, list[int]], gamma: Fraction
) -> list[Fraction]:
    """Weights of all moves, as the proof gives them out."""
    moves = player.moves
    weight = [Fraction(kind == "load") for kind, _ in moves]
    for (i, e, j), now in events.items():
        weight[causal[i, e, j][0]] += gamma / player.dv
        if j == 0:
            weight[now] += 2
            continue
        loads = [t for t in range(events[i, e, j - 1], now) if moves[t] == ("load", ("U", i, e, j - 1))]
        if loads:
            weight[loads[-1]] += 1
    return weight


def check_pebbling(player: Player, X: int, gamma: Fraction, delta: Fraction) -> int:
    """Check every step of the proof on one pebbling; return the number of its segments."""
    moves, M, dv = player.moves, player.M, player.dv
    events, causal = traced(player)
    stored_pairs = {w[1:3] for kind, w in moves if kind == "store" and w[0] in "SP"}
    weight = weights_of_moves(player, events, causal, gamma)
    assert max(weight) <= 2
    io = sum(kind in ("load", "store") for kind, _ in moves)
    z, starts = player.Nq * player.Nk, player.Nq * dv
    assert io >= sum(weight) - starts - gamma * z + len(stored_pairs)
    cuts = cut(weight, M, X)
    assert len(cuts) < 2 or sum(weight) > M + (len(cuts) - 1) * (X - 2)
    red_at = player.red_before()
    assert len(red_at[0]) == 0
    for first, end in zip(cuts, [*cuts[1:], len(moves)], strict=True):
        touched = Touched(player, range(first, end), red_at[first], (events, causal, stored_pairs))
        touched.check(sum(weight[first:end], Fraction(0)), gamma, delta)
    return len(cuts)


class Touched:
    """What one segment touches and does, counted from its moves as the proof defines it."""

    def __init__(self, player: Player, span: range, red: set[Vertex], trace: Trace) -> None:
        events, causal, stored = trace
        self.player, self.red, self.span, self.causal = player, red, span, causal
        self.A = red | {w for kind, w in player.moves[span.start : span.stop] if kind == "load"}
        self.stored = stored
        self.in_c = {w[1:3] for w in self.A if w[0] in "SP"}
        self.events = [triple for triple, when in events.items() if when in span]
        self.steps = [triple for triple, chain in causal.items() for when in chain if when in span]
        starts = [(i, j) for (i, e, j), chain in causal.items() if chain[0] in span]
        self.fresh = Fraction(sum(pair not in self.in_c for pair in starts), player.dv)

    def words(self, name: str) -> int:
        return sum(w[0] == name for w in self.A)

    def entered_red(self) -> int:
        """Chains of U whose entering vertex is red at the segment's start."""
        first: dict[tuple[int, int], int] = {}
        for i, e, j in self.events:
            first[i, e] = min(j, first.get((i, e), j))
        return sum(("U", i, e, j - 1) in self.red for (i, e), j in first.items())

    def check(self, weight: Fraction, gamma: Fraction, delta: Fraction) -> None:
        q, kappa, v = (self.words(name) for name in "QKV")
        cs, cn = len(self.in_c & self.stored), len(self.in_c - self.stored)
        u, u0 = len({(i, e) for i, e, _ in self.events}), self.entered_red()
        d, dv, start = self.player.d, self.player.dv, len(self.red)
        assert cn + u0 <= start <= self.player.M
        least = cs + cn + gamma * self.fresh + q + kappa + v + u0 + 2 * (u - u0)
        assert u + max(0, u + cn - start) <= u0 + 2 * (u - u0)
        assert least <= start + weight
        on_S = len(self.steps) / dv
        assert on_S <= sqrt((cs + cn + self.fresh) * q * kappa) * (1 + 1e-12)
        inner = {(i, j) for i, _, j in self.events} - self.in_c
        assert len(inner) * 4 * d**2 <= (q + kappa) ** 2
        on_U = sum(1 if (i, j) in self.stored else 1 + delta for i, _, j in self.events)
        pairs = cs + (1 + delta) ** 2 * (cn + Fraction((q + kappa) ** 2, 4 * d**2))
        assert on_U <= sqrt(pairs * u * v) * (1 + 1e-12)


@pytest.mark.many(31)
@pytest.mark.parametrize("seed", amounts.first(60, range(150)))
def test_every_step_of_the_proof(seed: int) -> None:
    rng = np.random.default_rng(seed)
    Nq, Nk, d, dv = (int(n) for n in rng.integers(1, 5, 4))
    player = Player((Nq, Nk, d, dv), int(rng.integers(9, 22)), rng)
    player.play()
    for X in (3, 5, 8, 13):
        gamma, delta = Fraction(int(rng.integers(1, 11)), 10), Fraction(int(rng.integers(0, 11)), 10)
        segments = check_pebbling(player, X, gamma, delta)
        assert segments >= 1


def test_the_pebblings_are_varied() -> None:
    found = []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        Nq, Nk, d, dv = (int(n) for n in rng.integers(1, 5, 4))
        found.append(Player((Nq, Nk, d, dv), int(rng.integers(9, 22)), rng).play())
    wanted = {f"{kind} {name}" for kind in ("recomputed", "store", "load") for name in "SPU"}
    assert wanted <= kinds_of_moves(found)
