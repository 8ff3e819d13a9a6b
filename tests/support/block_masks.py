"""Random masks that are kept block by block, and the same pair by pair."""

from __future__ import annotations

from random import Random

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from pebble.computations.masks import BlockMask, ButterflyMask, EqualBlocks

__all__ = ["block_masks", "blocks_table", "random_block_mask", "random_butterfly"]


def random_block_mask(rng: np.random.Generator, Nq: int, Nk: int) -> BlockMask:
    """Blocks of any sides, the last ones often cut; rows and columns without any, and equal ones."""
    sides = int(rng.integers(1, min(Nq, 7) + 1)), int(rng.integers(1, min(Nk, 7) + 1))
    shape = -(-Nq // sides[0]), -(-Nk // sides[1])
    blocks = rng.random(shape) < rng.choice([0.1, 0.3, 0.6, 0.9])
    for row in np.flatnonzero(rng.random(shape[0]) < 0.3):
        blocks[row] = blocks[row - 1]
    blocks[rng.random(shape[0]) < rng.choice([0, 0.2])] = False
    blocks[:, rng.random(shape[1]) < rng.choice([0, 0.2])] = False
    if not blocks.any():
        blocks[rng.integers(shape[0]), rng.integers(shape[1])] = True
    mask = BlockMask("some", Nq, Nk, sides, blocks)
    mask.empty_rows = "zero"
    return mask


def blocks_table(mask: EqualBlocks) -> NDArray[np.bool_]:
    """The pairs, from the definition: of a butterfly, blocks that differ in one digit at most."""
    row, column = np.arange(mask.Nq)[:, None] // mask.sides["i"], np.arange(mask.Nk) // mask.sides["j"]
    if isinstance(mask, BlockMask):
        return np.asarray(mask.blocks[row, column])
    return np.array([[bin(r ^ c).count("1") <= 1 for c in column.tolist()] for r in row[:, 0].tolist()])


block_masks = st.builds(
    lambda seed, Nq, Nk: random_block_mask(np.random.default_rng(seed), Nq, Nk),
    st.integers(0, 2**32 - 1),
    st.integers(1, 30),
    st.integers(1, 30),
)


def random_butterfly(rnd: Random, most: int = 40) -> ButterflyMask:
    """At most so many lines, in some six or more blocks; the last ones often cut."""
    sides = rnd.choice([1, 1, 2, 2, 3, 4]), rnd.choice([1, 1, 2, 2, 4])
    blocks = rnd.randint(6, max(6, most // max(sides)))
    Nq, Nk = (blocks * side - rnd.choice([0, rnd.randrange(side)]) for side in sides)
    return ButterflyMask("butterfly", Nq, Nk, sides)
