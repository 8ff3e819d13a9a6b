"""Random unions of bands, and masks of blocks that repeat, with the arrays they stand for.

Drawn with numpy from a seed, which is quicker than from hypothesis line by line.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from pebble.computations.masks import BandMask, BlockToeplitzMask, UnionMask

Table = NDArray[np.bool_]
seeds = st.integers(0, 2**32 - 1)


def random_band(rng: np.random.Generator, Nq: int, Nk: int) -> BandMask:
    """Any band of a size, lines without pairs included; often with diagonals, steps and jumps."""
    first, width = rng.integers(-3, 5), rng.integers(-2, 6)
    steps = rng.choice([0, 0, 1, 1, 1, 2, 4], (2, Nq)).cumsum(axis=1) + first
    start = np.clip(steps[0], 0, Nk)
    stop = np.clip((start if rng.random() < 0.5 else steps[1]) + width, start, Nk)
    return BandMask("some", Nk, start, np.maximum.accumulate(stop))


def table_of(*bands: BandMask) -> Table:
    """The pairs of disjoint bands."""
    tables = [band.matrix((0, band.Nq), (0, band.Nk)).astype(int) for band in bands]
    assert np.max(sum(tables)) <= 1
    return np.asarray(sum(tables) > np.zeros((1, 1)))


def union_of(rng: np.random.Generator, Nq: int, Nk: int) -> UnionMask:
    """Any union of a size: of some bands, those that share no pair with those before."""
    chosen = [random_band(rng, Nq, Nk)]
    for _ in range(rng.integers(4)):
        band = random_band(rng, Nq, Nk)
        if not (table_of(*chosen) & table_of(band)).any():
            chosen.append(band)
    return UnionMask("union", chosen)


def random_union(seed: int) -> UnionMask:
    rng = np.random.default_rng(seed)
    return union_of(rng, int(rng.integers(1, 15)), int(rng.integers(1, 15)))


def random_blocks(seed: int) -> BlockToeplitzMask:
    """Any mask of blocks that repeat, of one to three near patterns, often with a block that is cut."""
    rng = np.random.default_rng(seed)
    L, N = int(rng.integers(1, 7)), int(rng.integers(1, 33))
    pattern = (random_band, union_of)
    patterns = [pattern[rng.integers(2)](rng, L, L) for _ in range(rng.integers(2, 5))]
    return BlockToeplitzMask("blocks", N, L, patterns[:-1], patterns[-1])


unions = st.builds(random_union, seeds)
block_toeplitz = st.builds(random_blocks, seeds)


def blocks_table(mask: BlockToeplitzMask) -> Table:
    """The pairs, block by block from the patterns."""
    L, N = mask.period, mask.Nq
    patterns = [table_of(*bands) for bands in mask.patterns]
    allowed = np.zeros((N + L, N + L), dtype=bool)
    for row in range(-(-N // L)):
        for column in range(row + 1):
            box = slice(row * L, row * L + L), slice(column * L, column * L + L)
            allowed[box] = patterns[min(row - column, mask.depth)]
    return allowed[:N, :N]
