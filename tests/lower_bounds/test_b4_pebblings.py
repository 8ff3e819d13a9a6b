"""Every step of the proof of B4, checked on random legal pebblings of tiny backward DAGs."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import sqrt

import pytest

from pebble.lower_bounds.certified.b4 import B4Row
from pebble.lower_bounds.certified.prove_b4 import B4Segment
from tests.lower_bounds.test_attention_backward_pebblings import (
    Player,
    Touched,
    Trace,
    check_legal,
    pebbling,
)
from tests.lower_bounds.tiny_pebblings import cut
from tests.support import amounts

ACCUMULATORS = ("dV", "dK", "dQ")
FAMILIES = {"p": ("S", "P"), "r": ("dP", "dS"), "s": ("dP", "dS")}
"""Which stored vertices make a pair of S or P, of dP, of dS a stored one."""

Ratios = dict[str, float]


def row_with(**weights: float | Fraction) -> B4Row:
    values = dict.fromkeys(("S", "dP", "V0", "V1", "K0", "K1", "Q0", "Q1"), Fraction(0))
    values |= {name: Fraction(weight) for name, weight in weights.items()}
    return B4Row(Fraction(1), Fraction(2), GAMMA, Fraction(1), GAMMA_DP, **values)


GAMMA, GAMMA_DP = Fraction(3, 10), Fraction(7, 10)
LOW = Fraction(2, 3)
PRODUCTS = {
    "S": row_with(S=1),
    "dP": row_with(dP=1),
    "dV": row_with(V0=LOW, V1=1),
    "dK": row_with(K0=LOW, K1=1),
    "dQ": row_with(Q0=LOW, Q1=1),
}


class Weighed:
    """A pebbling with the weights that B4 gives to its moves."""

    def __init__(self, player: Player) -> None:
        self.player, self.before, self.trace = player, check_legal(player), Trace(player)
        moves = player.moves
        self.stored = {
            name: {w[1:3] for kind, w in moves if kind == "store" and w[0] in of}
            for name, of in FAMILIES.items()
        }
        self.weight = [Fraction(kind == "load") for kind, _ in moves]
        self.loads_again = 0
        for w, when in self.trace.events.items():
            if w[-1] == 0:
                self.weight[when] += {"S": GAMMA, "dP": GAMMA_DP}.get(w[0], 2)
            elif w[0] in ACCUMULATORS:
                before = (*w[:-1], w[-1] - 1)
                loads = [t for t in range(self.trace.events[before], when) if moves[t] == ("load", before)]
                if loads:
                    self.weight[loads[-1]] += 1
                    self.loads_again += 1

    def excess(self) -> Fraction:
        """I/O above what the total weight says: never negative."""
        player = self.player
        io = sum(kind in ("load", "store") for kind, _ in player.moves)
        begun = (GAMMA + GAMMA_DP) * player.Nq * player.Nk
        stores = len(self.stored["p"]) + len(self.stored["r"])
        return io - (sum(self.weight) - len(player.accumulators()) - begun + stores)

    def segments(self, X: int) -> Iterator[Ratios]:
        cuts = cut(self.weight, self.player.M, Fraction(X))
        assert len(cuts) < 2 or sum(self.weight) > self.player.M + (len(cuts) - 1) * (X - 2)
        for first, end in zip(cuts, [*cuts[1:], len(self.player.moves)], strict=True):
            touched = Touched(self.player, self.trace, range(first, end), self.before[first])
            yield self.ratios(touched, sum(self.weight[first:end], Fraction(0)))

    def segment(self, touched: Touched) -> B4Segment:
        """The amounts that the segment touches, in units of D²."""
        d, dv = self.player.d, self.player.dv
        counts = {"q": "Q", "k": "K", "o": "dO", "v": "V"}
        found = {name: float(touched.words(of)) for name, of in counts.items()}
        found |= {f"u{name[1]}": float(touched.at_work(name)) for name in ACCUMULATORS}
        for name, pairs in touched.at.items():
            found[f"{name}_stored"] = float(len(pairs & self.stored[name]))
            found[f"{name}_kept"] = float(len(pairs - self.stored[name]))
        found |= {f"{name}_new": float(len(pairs)) for name, pairs in touched.new.items()}
        Q, K = ({w[1:] for w in touched.A if w[0] == name} for name in "QK")
        rows, columns = (
            len({i for i, _ in words if all((i, k) in words for k in range(d))}) for words in (Q, K)
        )
        D = min(d, dv)
        whole = D * sqrt(rows * columns) / sqrt(found["q"] * found["k"]) if Q and K else 0.0
        return B4Segment(**{name: amount / D**2 for name, amount in found.items()}, whole=whole)

    def work(self, touched: Touched, name: str) -> float:
        """Weighted work on a product: accumulators weigh less on stored pairs."""
        if name not in ACCUMULATORS:
            return touched.work(name)
        stored = self.stored["p" if name == "dV" else "s"]
        pairs = [(w[1], w[3]) if name == "dQ" else (w[3], w[1]) for w in touched.events if w[0] == name]
        return float(sum(LOW if pair in stored else 1 for pair in pairs))

    def ratios(self, touched: Touched, weight: Fraction) -> Ratios:
        """Every inequality of the proof: what is on its left side over what is on its right."""
        d, dv, D = self.player.d, self.player.dv, min(self.player.d, self.player.dv)
        x, start = self.segment(touched), len(touched.red)
        scarce = B4Row(
            Fraction(max(start, 1), D**2), Fraction(10**6), GAMMA, Fraction(1), GAMMA_DP, *[Fraction(1)] * 8
        )
        at_start = (x.p_kept + x.r_kept + x.s_kept) * D**2
        ratios = {
            "weight": x.weight(scarce) * D**2 / float(start + weight) if start + weight else 0.0,
            "red at the start": at_start / start if start else 9.0 * (at_start > 0),
            "whole": x.whole,
        }
        for name, row in PRODUCTS.items():
            bound = x.work(row) * D**3 if d == dv else self.plain_bound(name, x) * D**3
            work = self.work(touched, name)
            ratios[name] = work / bound if bound > 1e-12 else 9.0 * (work > 0)
        return ratios

    def plain_bound(self, name: str, x: B4Segment) -> float:
        """The term of a product without what needs dv = d."""
        inner, whole = x.whole**2 * x.q * x.k, x.whole
        p, both = x.p_stored + x.p_kept, min(x.q, x.o) * min(x.k, x.v)
        charged = (
            x.s_stored * LOW**2
            + x.s_kept
            + min(
                p + inner,
                LOW**2 * x.r_stored + x.r_kept + x.o * x.v,
                p + LOW**2 * x.r_stored + x.r_kept + both,
            )
        )
        spread = sqrt((p + x.p_new) * x.q * x.k)
        terms: Ratios = {
            "S": min(spread, spread * (1 - whole) + x.q * x.k * whole),
            "dP": sqrt((x.r_stored + x.r_kept + x.r_new) * x.o * x.v),
            "dV": sqrt((LOW**2 * x.p_stored + x.p_kept + inner) * x.uV * x.o),
            "dK": sqrt(charged * x.uK * x.q),
            "dQ": sqrt(charged * x.uQ * x.k),
        }
        return terms[name]


def weighed(seed: int) -> Weighed:
    return Weighed(pebbling(seed))


def greatest(pebblings: Iterator[Weighed]) -> Ratios:
    found: Ratios = {}
    for one in pebblings:
        for X in (3, 6, 12, 30):
            for ratios in one.segments(X):
                for name, ratio in ratios.items():
                    found[name] = max(ratio, found.get(name, 0.0))
    return found


@pytest.mark.parametrize("seed", amounts.first(15, range(200)))
def test_every_step_of_the_proof(seed: int) -> None:
    one = weighed(seed)
    assert max(one.weight) <= 2
    assert one.excess() >= 0
    assert {name for name, ratio in greatest(iter([one])).items() if ratio > 1 + 1e-9} == set()


@pytest.mark.slow
def test_no_inequality_can_be_sharpened_much() -> None:
    """So a mistake in one would be seen: a bound times 0.95, or weights times 0.9, break it."""
    some = [weighed(seed) for seed in range(30)]
    found = greatest(iter(some))
    assert min(found[name] for name in (*PRODUCTS, "whole")) > 0.95, found
    assert found["weight"] > 0.92, found
    assert sum(one.loads_again for one in some) > 100
    # What is subtracted for begun chains and for outputs is needed.
    assert any(one.excess() < len(one.player.accumulators()) for one in some)
    z = [one.player.Nq * one.player.Nk for one in some]
    assert any(one.excess() < (GAMMA + GAMMA_DP) * pairs for one, pairs in zip(some, z, strict=True))
