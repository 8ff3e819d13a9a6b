"""G1 and G2: every step of G2's proof on traced pebblings, and the bounds against schedules."""

from __future__ import annotations

import random
from collections import Counter, defaultdict

import numpy as np
import pytest

from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.game.processors.words import array_of, indices_of
from pebble.lab.pebblings import moves
from pebble.lower_bounds.attention.varying_work import g2_events
from tests.lower_bounds.masked_pebblings import Player

Vertex = tuple[str, tuple[int, ...]]


class Traced:
    """A pebbling of the gradient of the weights, with the traced events of U and T."""

    def __init__(self, N: int, d: int, M: int, seed: int) -> None:
        self.N, self.d = N, d
        problem = Problem.square(N, d, pass_name="weights")
        dag = family_of(problem).dag()
        vertices = [(array_of(dag.name(v)), indices_of(dag.name(v))) for v in range(dag.n_vertices)]
        if seed % 2:
            played = Player(dag, M, np.random.default_rng(seed)).moves
        else:
            pebbling = moves("flash-2", problem, M)
            names = ("load", "store", "compute", "delete")
            played = [
                (names[op], v)
                for ops, vs in pebbling
                for op, v in zip(ops.tolist(), vs.tolist(), strict=True)
            ]
        self.moves = [(op, vertices[v]) for op, v in played]
        computed = defaultdict(list)
        for time, (op, vertex) in enumerate(self.moves):
            if op == "compute":
                computed[vertex].append(time)
        self.when: dict[Vertex, int] = {}
        for array in "UT":
            for i in range(N):
                for e in range(d):
                    time = computed[array, (i, e, N - 1)][0 if array == "U" else -1]
                    self.when[array, (i, e, N - 1)] = time
                    for j in reversed(range(N - 1)):
                        time = max(one for one in computed[array, (i, e, j)] if one < time)
                        self.when[array, (i, e, j)] = time
        self.reds: list[set[Vertex]] = [set()]
        for op, vertex in self.moves:
            here = set(self.reds[-1])
            (here.discard if op == "delete" else here.add)(vertex) if op != "store" else None
            self.reds.append(here)

    def check(self, a: int, b: int) -> int:
        """Check the steps of the proof in a segment; return how much of its work is internal."""
        N, d = self.N, self.d
        begun = {v for v, at in self.when.items() if a <= at < b and v[1][2] == 0}
        A = self.reds[a] | {v for op, v in self.moves[a:b] if op == "load"} | begun
        hand = set().union(*self.reds[a : b + 1])
        t = len(A)
        bounded = {v[1][:2] for v in A if v[0] in "SPfqp"}
        had = Counter((v[0], v[1][:2]) for v in A)
        whole_A2 = {j for j in range(N) if all(had["A2", (j, k)] for k in range(d))}
        scratch = {
            i
            for i in range(N)
            for e in range(d)
            if ("c", (i, e)) in hand and not (had["c", (i, e)] or had["F", (i, e)] or had["U", (i, e)])
        }
        for i in scratch:
            assert sum(pair[0] == i for pair in bounded) >= N - t / d
        u, v, s, struck = Counter[int](), Counter[int](), set[tuple[int, int]](), Counter[tuple[int, int]]()
        rows1, rows2, keys2, chains = set[int](), set[int](), set[int](), set[tuple[int, int]]()
        events = []
        for (array, (i, e, j)), at in self.when.items():
            if a <= at < b and i not in scratch and (i, j) not in bounded:
                if array == "U" and a <= self.when["U", (i, e, N - 1)] < b:
                    struck[i, e] += 1
                else:
                    events.append((array, i, e, j))
        assert all(number <= t / d for number in struck.values())
        for array, i, e, j in events:
            assert j in whole_A2
            (rows1 if array == "U" else rows2).add(i)
            if array == "U":
                chains.add((i, e))
            else:
                s.add((i, e))
                keys2.add(j)
        assert not rows1 & rows2
        for i, e in chains:
            assert had["U", (i, e)]
            u[e] += 1
        for j in whole_A2:
            for e in range(d):
                v[e] += ("h", (j, e, d - 1)) in hand
        x = sum(u[e] * v[e] for e in range(d))
        rows = d * len(rows1) + sum(u.values()) + 2 * d * len(rows2) + len(s)
        columns = d * len(whole_A2) + sum(v.values())
        assert rows + columns + len(bounded) <= t
        done = sum(4 * d if one[0] == "U" else 6 * d for one in events)
        assert done <= 4 * d * x + 6 * d * len(keys2) * len(s) <= rows * columns
        if t < N * d:
            assert done <= g2_events(t, N, d)
        return done


@pytest.mark.parametrize("seed", range(12))
def test_every_step_of_the_proof_on_traced_pebblings(seed: int) -> None:
    rng = random.Random(seed)
    N, d = rng.choice(((4, 1), (5, 2), (6, 1), (8, 1)) if seed % 2 else ((12, 1), (12, 2), (9, 2)))
    one, internal = Traced(N, d, rng.randint(18, 60), seed), 0
    for _ in range(60):
        a = rng.randrange(len(one.moves))
        internal += one.check(a, min(len(one.moves), a + rng.choice((5, 30, 200, 2000))))
    assert internal or seed % 2
