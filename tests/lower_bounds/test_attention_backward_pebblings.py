"""Every step of the proofs of B1, B2 and B3, checked on random legal pebblings of tiny backward DAGs."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

from pebble.lower_bounds.attention.b1 import B1Weights, b1_events
from pebble.lower_bounds.attention.b2 import b2_events
from pebble.lower_bounds.certified.b3 import B3Row
from pebble.lower_bounds.certified.prove_b3 import B3Segment
from tests.lower_bounds.tiny_pebblings import TinyPlayer, Vertex, cut, kinds_of_moves
from tests.support import amounts


class Player(TinyPlayer):
    """Plays a tiny backward pass."""

    inputs = ("Q", "K", "V", "dO", "O", "l")
    accumulate = ("dV", "dK", "dQ")

    def predecessors(self, w: Vertex) -> list[Vertex]:
        before = [(*w[:-1], w[-1] - 1)] if w[-1] else []
        match w:
            case ("S", i, j, k):
                return [*before, ("Q", i, k), ("K", j, k)]
            case ("P", i, j):
                return [("S", i, j, self.d - 1), ("l", i)]
            case ("D", i, e):
                return [*before, ("dO", i, e), ("O", i, e)]
            case ("dP", i, j, e):
                return [*before, ("dO", i, e), ("V", j, e)]
            case ("dS", i, j):
                return [("P", i, j), ("dP", i, j, self.dv - 1), ("D", i, self.dv - 1)]
            case ("dV", j, e, i):
                return [*before, ("P", i, j), ("dO", i, e)]
            case ("dK", j, k, i):
                return [*before, ("dS", i, j), ("Q", i, k)]
            case ("dQ", i, k, j):
                return [*before, ("dS", i, j), ("K", j, k)]
        return []

    def accumulators(self) -> list[tuple[str, int, int, int]]:
        """Every chain of dV, dK and dQ: name, two indices, length."""
        sizes = {
            "dV": (self.Nk, self.dv, self.Nq),
            "dK": (self.Nk, self.d, self.Nq),
            "dQ": (self.Nq, self.d, self.Nk),
        }
        return [(name, a, b, n) for name, (A, B, n) in sizes.items() for a in range(A) for b in range(B)]

    def play(self) -> list[tuple[str, Vertex]]:
        steps = [(name, a, b, n) for name, a, b, last in self.accumulators() for n in range(last)]
        order = [steps[n] for n in self.rng.permutation(len(steps))]
        if self.rng.random() < 0.8:
            for step in sorted(order, key=lambda step: step[3]):
                self.make(step)
        for name, a, b, n in self.accumulators():
            self.make((name, a, b, n - 1))
            self.store((name, a, b, n - 1))
        return self.moves


class Trace:
    """Times of the traced events: of every accumulator, and of one chain of S and of dP for each pair."""

    def __init__(self, player: Player) -> None:
        self.computed: dict[Vertex, list[int]] = {}
        for now, (kind, w) in enumerate(player.moves):
            if kind == "compute":
                self.computed.setdefault(w, []).append(now)
        end = len(player.moves)
        self.events: dict[Vertex, int] = {}
        for name, a, b, n in player.accumulators():
            self.chain((name, a, b), n, end)
        self.starts = {w for w in self.events if w[-1] == 0}
        for i, j in itertools.product(range(player.Nq), range(player.Nk)):
            now = self.last(("dS", i, j), self.events["dQ", i, 0, j])
            self.chain(("S", i, j), player.d, self.last(("P", i, j), now))
            self.chain(("dP", i, j), player.dv, now)

    def last(self, w: Vertex, now: int) -> int:
        return max(when for when in self.computed[w] if when < now)

    def chain(self, stem: Vertex, length: int, now: int) -> None:
        for n in reversed(range(length)):
            now = self.last((*stem, n), now)
            self.events[(*stem, n)] = now


def check_legal(player: Player) -> list[set[Vertex]]:
    """Replay by the rules; return what is red before every move."""
    assert all((name, a, b, n - 1) in player.blue for name, a, b, n in player.accumulators())
    return player.red_before()


class Touched:
    """What one segment touches and does, counted from its moves as the proofs define it."""

    def __init__(self, player: Player, trace: Trace, span: range, red: set[Vertex]) -> None:
        self.player, self.trace, self.red = player, trace, red
        self.A = red | {w for kind, w in player.moves[span.start : span.stop] if kind == "load"}
        self.events = {w for w, when in trace.events.items() if when in span}
        self.at = {
            name: {w[1:3] for w in self.A if w[0] in of}
            for name, of in {"p": ("S", "P"), "r": ("dP",), "s": ("dS",)}.items()
        }
        self.new = {
            name: {w[1:3] for w in self.events if w[0] == of and w[-1] == 0} - self.at[name]
            for name, of in {"p": "S", "r": "dP"}.items()
        }

    def words(self, name: str) -> int:
        return sum(w[0] == name for w in self.A)

    def work(self, name: str) -> int:
        return sum(w[0] == name for w in self.events)

    def at_work(self, name: str) -> int:
        return len({w[1:3] for w in self.events if w[0] == name})

    def check_b3(self, weight: Fraction, row: B3Row) -> None:
        """The amounts weigh no more than the segment, and no product does more work than its term."""
        player = self.player
        D, d, dv = min(player.d, player.dv), player.d, player.dv
        p, r, s = (len(self.at[name]) for name in "prs")
        p_new, r_new = len(self.new["p"]), len(self.new["r"])
        words = [self.words(name) for name in ("Q", "K", "dO", "V")]
        working = [self.at_work(name) for name in ("dV", "dK", "dQ")]
        paid = sum(words) + sum(working) + p + r + s + row.gamma * (p_new + r_new)
        assert paid <= len(self.red) + weight
        amounts = [*words, *working, p, p_new, r, r_new, s]
        segment = B3Segment(*(amount / D**2 for amount in amounts))
        zero = dict.fromkeys(("S", "dP", "dV", "dK", "dQ"), Fraction(0))
        for name in zero:
            term = segment.work(replace(row, **(zero | {name: Fraction(1)})))
            if d != dv and name in ("dV", "dK", "dQ"):
                term = self.plain_term(name, segment)
            assert self.work(name) <= term * D**3 * (1 + 1e-12), name

    def plain_term(self, name: str, x: B3Segment) -> float:
        pairs = x.s + min(x.p + x.q * x.k, x.r + x.o * x.v, x.p + x.r + min(x.q, x.o) * min(x.k, x.v))
        terms = {"dV": (x.p + x.q * x.k) * x.uV * x.o, "dK": pairs * x.uK * x.q, "dQ": pairs * x.uQ * x.k}
        return sqrt(terms[name])

    def check_b1(self, T: int) -> None:
        """B1 with |A| at most T, accumulators begun in the segment included."""
        segment = B1Weights(self.player.d, self.player.dv)
        work = segment.omega * self.work("dV") + segment.kappa * (self.work("dK") + self.work("dQ"))
        assert work <= b1_events(T, self.player.d, self.player.dv)
        boundary = len(self.at["p"] | self.at["r"] | self.at["s"])
        inner = self.inner_work(segment)
        assert 4 * inner <= (T - boundary) ** 2

    def inner_work(self, segment: B1Weights) -> int:
        """Weighted work on pairs with nothing of S, P, dP or dS at hand."""
        on_boundary = self.at["p"] | self.at["r"] | self.at["s"]
        total = 0
        for w in self.events:
            pair = (w[1], w[3]) if w[0] == "dQ" else (w[3], w[1])
            if w[0] in ("dV", "dK", "dQ") and pair not in on_boundary:
                total += segment.omega if w[0] == "dV" else segment.kappa
        return total


def check_b1_and_b2(player: Player, trace: Trace, before: list[set[Vertex]], X: int) -> None:
    d, dv, M = player.d, player.dv, player.M
    io = sum(kind in ("load", "store") for kind, _ in player.moves)
    for starts in (trace.starts, {w for w in trace.events if w[-1] == 0}):
        begun = {trace.events[w] for w in starts}
        weight = [Fraction(kind == "load" or now in begun) for now, (kind, _) in enumerate(player.moves)]
        extra = len(starts) - len(trace.starts)
        assert io >= sum(weight) - extra
        cuts = cut(weight, M, Fraction(X))
        for first, end in zip(cuts, [*cuts[1:], len(player.moves)], strict=True):
            touched = Touched(player, trace, range(first, end), before[first])
            T = len(touched.red) + int(sum(weight[first:end]))
            assert T <= M + X
            if extra:
                total = len(touched.events)
                assert total <= b2_events(T, min(d, dv)) + 1 / 32
            else:
                touched.check_b1(T)


def check_b3(player: Player, trace: Trace, before: list[set[Vertex]], X: int, gamma: Fraction) -> int:
    moves, M = player.moves, player.M
    weight = [Fraction(kind == "load") for kind, _ in moves]
    for w, when in trace.events.items():
        if w[-1] == 0:
            weight[when] += gamma if w[0] in ("S", "dP") else 1
    assert max(weight) <= 1
    z, io = player.Nq * player.Nk, sum(kind in ("load", "store") for kind, _ in moves)
    assert io >= sum(weight) - 2 * gamma * z
    cuts = cut(weight, M, Fraction(X))
    assert len(cuts) < 2 or sum(weight) > M + (len(cuts) - 1) * (X - 1)
    one = Fraction(1)
    row = B3Row(one, one * 2, gamma, one, one, one, one, one, one)
    for first, end in zip(cuts, [*cuts[1:], len(moves)], strict=True):
        touched = Touched(player, trace, range(first, end), before[first])
        touched.check_b3(sum(weight[first:end], Fraction(0)), row)
    return len(cuts)


def pebbling(seed: int) -> Player:
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 4))
    dv = d if rng.random() < 0.6 else int(rng.integers(1, 4))
    sizes = (int(rng.integers(1, 4)), int(rng.integers(1, 4)), d, dv)
    player = Player(sizes, int(rng.integers(12, 30)), rng)
    player.play()
    return player


@pytest.mark.many(19)
@pytest.mark.parametrize("seed", amounts.first(40, range(100)))
def test_every_step_of_the_proofs(seed: int) -> None:
    player = pebbling(seed)
    before, trace = check_legal(player), Trace(player)
    z = player.Nq * player.Nk
    assert len(trace.events) == z * (3 * player.d + 2 * player.dv)
    assert len(set(trace.events.values())) == len(trace.events)
    for X in (2, 4, 8, 15):
        check_b1_and_b2(player, trace, before, X)
        gamma = Fraction(int(player.rng.integers(1, 11)), 10)
        assert check_b3(player, trace, before, X, gamma) >= 1


def test_the_pebblings_are_varied() -> None:
    kinds = kinds_of_moves(pebbling(seed).moves for seed in range(100))
    names = ("S", "P", "dP", "dS", "dV", "dK", "dQ")
    wanted = {f"{kind} {name}" for kind in ("load", "store") for name in names}
    assert wanted | {f"recomputed {name}" for name in ("S", "P", "dP", "dS", "dQ")} <= kinds
