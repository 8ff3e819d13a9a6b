"""Every step of the proof of T4 that is not T3's, checked on random legal pebblings of tiny forward DAGs."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from pebble.lower_bounds.certified.prove_t4 import T4Segment
from pebble.lower_bounds.certified.t4 import T4Row
from tests.lower_bounds.test_t3_pebblings import Player, Touched, traced, weights_of_moves
from tests.lower_bounds.tiny_pebblings import cut
from tests.support import amounts

Ratios = dict[str, float]


class TouchedByRows(Touched):
    """What one segment touches and does, with the rows of Q and K that it has whole."""

    def ratios(self, delta: Fraction) -> Ratios:
        """Every inequality of the proof: what is on its left side over what is on its right."""
        d, dv = self.player.d, self.player.dv
        Q, K = ({w[1:] for w in self.A if w[0] == name} for name in "QK")
        a, b = (len({i for i, _ in words if all((i, k) in words for k in range(d))}) for words in (Q, K))
        x, h = (len(Q) + len(K)) / (2 * d), (a + b) / 2
        cs, cn = len(self.in_c & self.stored), len(self.in_c - self.stored)
        u, v = len({(i, e) for i, e, _ in self.events}), self.words("V")
        uncharged = [(i, j) for i, _, j in self.events if (i, j) not in self.in_c]
        on_U = sum(1 if (i, j) in self.stored else 1 + delta for i, _, j in self.events)
        segment = T4Segment(
            cs / d**2, cn / d**2, float(self.fresh) / d**2, x / d, u / d**2, v / d**2, h / x if x else 0
        )
        bounds = {"whole rows": (h, x), "inner pairs": (len(set(uncharged)), h * h)}
        for name, beta, work in (("S", 1, len(self.steps) / dv), ("U", 0, float(on_U))):
            row = row_of(Fraction(beta), delta)
            at_most = segment.work(row) * d**3
            without = segment.work(row_of(Fraction(0), delta)) * d**3
            bounds[name] = (work, at_most - (without if beta else 0))
        bounds["uncharged events"] = (len(uncharged), float(self.fresh) * dv)
        for k in range(d):
            level = sum(chain[k] in self.span for chain in self.causal.values()) / dv
            rows, columns = (sum(w[1] == k for w in words) for words in (Q, K))
            bounds[f"S on level {k}"] = (level, min(cs + cn + float(self.fresh), rows * columns))
        if dv > d:
            del bounds["U"]
        return {
            name: left / right if right else float(left > 1e-12) * 9 for name, (left, right) in bounds.items()
        }


def row_of(beta: Fraction, delta: Fraction) -> T4Row:
    one = Fraction(1)
    return T4Row(one, 2 * one, one / 2, one, delta, beta)


def ratios_of(seed: int) -> Ratios:
    """The greatest ratio of each inequality over all segments of a random pebbling, cut in several ways."""
    rng = np.random.default_rng(seed)
    Nq, Nk, d, dv = (int(n) for n in rng.integers(1, 5, 4))
    player = Player((Nq, Nk, d, dv), int(rng.integers(9, 22)), rng)
    player.play()
    events, causal = traced(player)
    stored = {w[1:3] for kind, w in player.moves if kind == "store" and w[0] in "SP"}
    gamma, delta = Fraction(int(rng.integers(1, 11)), 10), Fraction(int(rng.integers(0, 11)), 10)
    weight, red = weights_of_moves(player, events, causal, gamma), player.red_before()
    greatest: Ratios = {}
    for X in (3, 8, 20):
        cuts = cut(weight, player.M, X)
        for first, end in zip(cuts, [*cuts[1:], len(player.moves)], strict=True):
            touched = TouchedByRows(player, range(first, end), red[first], (events, causal, stored))
            for name, ratio in touched.ratios(delta).items():
                greatest[name] = max(ratio, greatest.get(name, 0.0))
    return greatest


@pytest.mark.parametrize("seed", amounts.first(15, range(150)))
def test_every_step_of_the_proof(seed: int) -> None:
    assert {name for name, ratio in ratios_of(seed).items() if ratio > 1 + 1e-9} == set()


def test_no_inequality_can_be_sharpened_much() -> None:
    """So a mistake in one would be seen: h times 1.3, or a bound times 0.95, breaks it."""
    greatest: Ratios = {}
    for seed in range(12):
        for name, ratio in ratios_of(seed).items():
            greatest[name] = max(ratio, greatest.get(name, 0.0))
    assert min(greatest.values()) > 0.95, greatest
