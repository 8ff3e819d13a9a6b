"""Random masks that follow a rule for many lines: bands, unions of bands, and blocks that repeat."""

from __future__ import annotations

from random import Random

import numpy as np

from tests.program.names import (
    BandMask,
    BlockToeplitzMask,
    InvalidInput,
    Mask,
    UnionMask,
    make_mask,
)
from tests.program.random_masks import documents

__all__ = ["long_band", "long_pattern", "pattern"]


def long_pattern(rnd: Random) -> Mask:
    """A mask of blocks that repeat, or a union of two or three bands."""
    while True:
        mask = rnd.choice((blocks, blocks, union, by_name))(rnd)
        if mask.pairs:
            return mask


def by_name(rnd: Random) -> Mask:
    """A pattern of the literature."""
    N, L = rnd.randint(24, 56), rnd.randint(1, 5)
    specs = [f"strided:{L}", f"fixed:{L},{rnd.randint(1, L)}"]
    specs += [f"longformer:window={2 * rnd.randint(0, 4)},global={rnd.randint(0, 5)}"]
    mask = make_mask(rnd.choice(specs), N, N)
    assert mask is not None
    return mask


def blocks(rnd: Random) -> Mask:
    """Blocks with patterns that depend on how far below the diagonal they are; those far below are all the same."""
    L = rnd.randint(1, 4)
    near = [pattern(rnd, L, rnd.choice([0.5, 0.9])) for _ in range(rnd.randint(1, 3))]
    return BlockToeplitzMask(
        "blocks", rnd.randint(24, 56), L, near, pattern(rnd, L, rnd.choice([0.1, 0.4, 0.9]))
    )


def pattern(rnd: Random, L: int, density: float) -> BandMask:
    """Intervals of keys that do not go back, some of them empty."""
    ends = np.sort([[rnd.randint(0, L) for _ in range(L)] for _ in range(2)], axis=1)
    start, stop = ends.min(axis=0), ends.max(axis=0)
    if rnd.random() > density:
        stop = start
    elif rnd.random() < density / 2:
        start, stop = start * 0, stop * 0 + L
    return BandMask("pattern", L, start, stop)


def union(rnd: Random) -> Mask:
    """Bands one beside the other, with keys between them that belong to none."""
    rows, cols = rnd.randint(20, 34), rnd.randint(20, 34)
    ends = np.sort([walk(rnd, rows, cols) for _ in range(rnd.choice([4, 4, 6]))], axis=0)
    bands = [BandMask("one", cols, start, stop) for start, stop in ends.reshape(-1, 2, rows)]
    return UnionMask("union", bands)


def long_band(rnd: Random, rows: int, cols: int) -> Mask:
    """A band of few pieces."""
    while True:
        try:
            mask = rnd.choice((named, named, pieces, pieces))(rnd, rows, cols)
        except InvalidInput:
            continue
        if mask.pairs:
            return mask


def named(rnd: Random, rows: int, cols: int) -> Mask:
    """A band by name."""
    names = [
        "causal",
        "causal",
        f"window:{rnd.randint(1, cols // 2)}",
        f"window:left={rnd.randint(0, cols // 3)},right={rnd.randint(0, cols // 3)}",
        f"prefix:{rnd.randint(1, cols // 2)}",
        documents(rnd, rows),
    ]
    group = next((size for size in (3, 2) if rows % size == 0), 1)
    inner = rnd.choice(["causal", f"window:{rnd.randint(1, max(1, rows // group // 2))}", "prefix:2"])
    names += [f"group:{group}:{inner}"] * 2
    mask = make_mask(rnd.choice(names), rows, cols, empty_rows="zero")
    assert mask is not None
    return mask


def pieces(rnd: Random, rows: int, cols: int) -> Mask:
    """Ends that stay, or move by one or a jump, for a while each; also lines without pairs."""
    ends = np.array([walk(rnd, rows, cols), walk(rnd, rows, cols)])
    return BandMask("band", cols, ends.min(axis=0), ends.max(axis=0))


def walk(rnd: Random, rows: int, cols: int) -> list[int]:
    place, found = rnd.choice([0, 0, rnd.randint(0, cols // 2)]), list[int]()
    while len(found) < rows:
        slope = rnd.randint(0, 1)
        for _ in range(rnd.choice([rows, rnd.randint(6, 16), 3])):
            found.append(place)
            place = min(place + slope, cols)
        place = min(place + rnd.choice([0, 0, 1, rnd.randint(0, 5)]), cols)
    return found[:rows]
