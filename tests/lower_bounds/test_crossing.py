"""D4 and D5: what must cross because of the tokens that devices have; no placement beats it, small cases are exact."""

from __future__ import annotations

import math
import random
from itertools import product
from typing import Any

import networkx as nx
import numpy as np
import pytest

from pebble.computations.shared_problem import SharedProblem
from pebble.lower_bounds.attention.crossing import d4, d5_total
from tests.support.random_processor_runs import masks_of


def matching(sizes: SharedProblem, device: int, own: str) -> int:
    """The most pairs of a device's own queries (or keys) with foreign keys (queries), of one head of keys."""
    allowed = sizes.pattern.matrix((0, sizes.query_count), (0, sizes.N))
    at = {}
    for side in ("query", "key"):
        tiling = sizes.tiling_of(side)
        at[side] = np.repeat(tiling.owner, tiling.sizes)
    here = (at["query"] == device)[:, None] & (at["key"] != device)
    there = (at["query"] != device)[:, None] & (at["key"] == device)
    edges = np.argwhere(allowed & (here if own == "query" else there))
    graph: Any = nx.Graph()
    graph.add_edges_from((("q", i, r), ("k", j)) for i, j in edges.tolist() for r in range(sizes.heads))
    rows = [node for node in graph if node[0] == "q"]
    return len(nx.bipartite.maximum_matching(graph, rows)) // 2


@pytest.mark.parametrize(
    "seed", [*range(12), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(12, 200))]
)
def test_rows_that_must_cross_are_a_matching(seed: int) -> None:
    """D4 is no more than the exact matchings; and that for windows, sinks, documents and decoded queries."""
    chance = random.Random(seed)
    P, N = chance.randint(1, 4), chance.randint(8, 24)
    window = f"window:{chance.randint(1, N)}"
    exact = ["causal", "full", window, f"{window}+sink:2", f"document:causal,{N // 3},{N - N // 3}"]
    tried = exact if seed % 2 else masks_of(N, N, chance)
    layout = "contiguous" if seed % 2 else chance.choice(("contiguous", "zigzag"))
    sizes = SharedProblem(N, 2, P, chance.randint(1, 2), 1, mask=chance.choice(tried), layout=layout, dv=3)
    if seed % 6 == 5:
        sizes = SharedProblem(N, 2, P, 2, 1, dv=3, queries_decoded=chance.randint(1, 3))
    sums = [[5 * matching(sizes, device, own) for device in range(P)] for own in ("query", "key")]
    total, busiest = (bound.value for bound in d4(sizes))
    assert total <= max(map(sum, sums))
    assert busiest <= max(map(sum, zip(*sums, strict=True)))
    if seed % 2:
        assert total == max(map(sum, sums[:1] if "sink" in str(sizes.mask) else sums))


@pytest.mark.parametrize("seed", range(12))
def test_no_placement_of_pairs_beats_the_rows_that_must_cross(seed: int) -> None:
    """All ways to give the pairs to devices: keys and queries are fetched, and partial sums go home."""
    chance = random.Random(seed)
    N, P = chance.choice(((3, 2), (3, 3), (4, 2)))
    sizes = SharedProblem(
        N, 1, P, mask=chance.choice(("causal", "window:2", "window:left=1,right=1", "window:1"))
    )
    owner = np.repeat(sizes.tiling.owner, sizes.tiling.sizes)
    pairs = np.argwhere(sizes.pattern.matrix((0, N), (0, N))).tolist()
    least = math.inf
    for places in product(range(P), repeat=len(pairs)):
        queries = {(i, p) for (i, _), p in zip(pairs, places, strict=True) if owner[i] != p}
        keys = {(j, p) for (_, j), p in zip(pairs, places, strict=True) if owner[j] != p}
        least = min(least, 2 * len(queries) + 2 * len(keys))
    assert d4(sizes)[0].value <= least


@pytest.mark.parametrize("n", [1, 2, 3, 40])
def test_states_that_must_travel(n: int) -> None:
    """The state goes from device to device: as many words as D5 says, unless devices have few tokens."""
    sizes = SharedProblem(6 * n, 3, 6, 4, 2, causal=True, dv=4)
    assert d5_total(sizes).value == 2 * 5 * min(12, 7 * n)
