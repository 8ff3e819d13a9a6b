"""The proof of the bound on causal masks, fact by fact, on random orders of steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

Steps = list[tuple[int, int]]


@dataclass
class Column:
    """What the proof reads off one column of V at a moment: F, G and the number of keys passed."""

    advanced: int
    unstarted: int
    passed: int

    @property
    def crossed(self) -> bool:
        return self.advanced >= self.unstarted


class Cut:
    """Plays the steps of the chains of some columns, and stops just before the median column crosses."""

    def __init__(self, n: int, d: int, width: int, steps: Steps) -> None:
        self.n, self.d, self.width = n, d, width
        self.done = np.zeros((n, width), dtype=int)
        self.rows = np.arange(n)
        self.crossed: list[int] = []
        self.place, self.median = self._play(steps)

    def column(self, e: int) -> Column:
        done = self.done[:, e]
        unstarted = np.flatnonzero(done == 0)
        advanced = np.flatnonzero((self.rows >= self.d) & (self.rows + 1 - done < self.d))
        return Column(
            int(advanced[-1]) if len(advanced) else -1,
            int(unstarted[-self.d]) if len(unstarted) >= self.d else -1,
            int(done.max()),
        )

    def _play(self, steps: Steps) -> tuple[int, int]:
        for place, (i, e) in enumerate(steps):
            before = self.column(e).crossed
            self.done[i, e] += 1
            if self.column(e).crossed and not before:
                if len(self.crossed) == self.width // 2:
                    self.done[i, e] -= 1
                    return place, e
                self.crossed.append(e)
        raise AssertionError("every column crosses")

    def accumulators_and_values(self, e: int) -> int:
        """Words of U and V of a column that are needed again."""
        done = self.done[:, e]
        begun = int(((done > 0) & (done < self.rows + 1)).sum())
        return begun + sum(1 for j in range(int(done.max())) if (done[j:] <= j).any())

    def lines_of_queries_and_keys(self) -> int:
        """How many rows of Q and K count d words each."""
        least, most = self.done.min(axis=1), self.done.max(axis=1)
        queries = (self.rows >= self.d) & (most > 0) & (least <= self.rows + 1 - self.d)
        keys = sum(1 for j in range(int(most.max())) if (least[j + self.d :] <= j).sum() >= self.d)
        return int(queries.sum()) + keys

    def check(self) -> bool:
        """Hold every inequality of the proof; tell whether the two columns are far apart."""
        n, d = self.n, self.d
        gaps, total = {True: 0, False: 0}, 0
        for e in range(self.width):
            column, gap = self.column(e), 0
            if e in self.crossed:
                gap = column.advanced - column.unstarted
            elif e != self.median:
                gap = max(0, column.unstarted + 1 - column.passed)
            assert gap >= 0
            assert self.accumulators_and_values(e) >= n - 2 * d + 1 - gap
            total += self.accumulators_and_values(e)
            gaps[e in self.crossed] = max(gaps[e in self.crossed], gap)
        apart = sum(gaps.values())
        lines = self.lines_of_queries_and_keys()
        assert lines >= n - 2 * d + 1
        assert apart < n + d or lines >= apart - 3 * d + 1
        assert total + d * lines >= claimed(n, d, self.width)
        return apart >= n + d


def claimed(n: int, d: int, width: int) -> int:
    """Words that the proof finds for so many columns."""
    return (d + 1) * (n - 2 * d + 1) + (width // 2) * (n - 5 * d + 2)


def priorities(n: int, width: int, rng: np.random.Generator) -> np.ndarray:
    """Which step comes first: at random, along slopes, along slopes of each column, or far apart columns."""
    i, e, j = np.meshgrid(np.arange(n), np.arange(width), np.arange(n), indexing="ij")
    noise = rng.random((n, width, n))
    kind = rng.integers(4)
    if kind == 0:
        return noise
    if kind == 1:
        slopes = rng.normal(size=3) * rng.choice([0.02, 1, 30], 3)
        return np.asarray(slopes[0] * i + slopes[1] * e + slopes[2] * j + 0.1 * noise)
    if kind == 2:
        ways = np.array([i, n - i, j, i - j, j * n + n - i])[rng.integers(0, 5, width), :, np.arange(width)]
        late = rng.choice([-n, 0, n, 3 * n], width)
        return np.asarray(ways.transpose(1, 0, 2) * rng.choice([0.3, 1, 3]) + late[None, :, None] + noise)
    early = np.arange(width) < rng.integers(0, width + 1)
    ready = np.where(i >= rng.integers(0, n), -i / n + j / n / n, 5 + noise)
    waiting = np.where(j <= 1, 4 * noise, 8 + i / n)
    return np.where(early[None, :, None], ready, waiting) + 0.05 * noise


def random_steps(n: int, width: int, rng: np.random.Generator) -> Steps:
    """Every chain's steps in order, the chains interleaved by priorities."""
    first = priorities(n, width, rng)
    waiting = {(i, e): 0 for i in range(n) for e in range(width)}
    steps: Steps = []
    while waiting:
        i, e = min(waiting, key=lambda chain: first[(*chain, waiting[chain])])
        steps.append((i, e))
        waiting[i, e] += 1
        if waiting[i, e] > i:
            del waiting[i, e]
    return steps


def check_orders(seed: int, runs: int) -> int:
    rng = np.random.default_rng(seed)
    far = 0
    for _ in range(runs):
        d = int(rng.integers(1, 4))
        n, width = int(rng.integers(2 * d, 2 * d + 8)), 2 * int(rng.integers(0, d + 1)) + 1
        far += Cut(n, d, width, random_steps(n, width, rng)).check()
    return far


def test_every_inequality_on_random_orders() -> None:
    assert check_orders(0, 300) > 10


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 5))
def test_every_inequality_on_many_random_orders(seed: int) -> None:
    assert check_orders(seed, 4000) > 100
