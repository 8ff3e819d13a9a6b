"""Blocks that are cut where packed sequences end: where that is."""

from __future__ import annotations

import random

import numpy as np
import pytest
from numpy.typing import NDArray

from pebble import Problem, make_mask
from pebble.computations.masks import DenseMask
from pebble.program.schedule import get, offered


def test_it_is_counted_where_the_mask_falls_apart() -> None:
    def names(mask: str | None) -> set[str]:
        return {schedule.name for schedule in offered(Problem.square(12, 2, mask=mask))}

    assert "flash-2-packed" in names("document:5,7")
    assert not any("flash-2-packed" in names(mask) for mask in (None, "causal", "window:3", "document:12"))
    assert get("flash-2-packed").program(Problem.square(12, 2, mask="causal"), {"packed_rows": 5})


@pytest.mark.parametrize("seed", range(30))
def test_where_a_mask_falls_apart(seed: int) -> None:
    """By its definition, of bands and of arrays; each place begins with lines that have pairs."""
    rnd = random.Random(seed)
    lengths = [rnd.choice([1, 1, 2, 5]) for _ in range(rnd.randint(1, 5))]
    N = sum(lengths)
    spec = "document:" + "causal," * rnd.randint(0, 1) + ",".join(map(str, lengths))
    group = rnd.choice([1, 1, 2, 3])
    band = make_mask(f"group:{group}:{spec}" if group > 1 else spec, group * N, N) if seed % 2 else None
    pairs: NDArray[np.bool_] = (
        np.random.default_rng(seed).random((N, N)) < 0.3 * np.eye(N) + 0.1 * np.eye(N, k=1)
        if band is None
        else band.matrix((0, band.Nq), (0, band.Nk))
    )
    pairs[0, 0] = True
    masks = [DenseMask("array:own", pairs), *([band] if band else [])]
    for axis, lines in (("i", pairs), ("j", pairs.T)):
        below = np.tril(np.ones((lines.shape[1],) * 2, dtype=bool))
        apart = []
        for place in range(1, len(lines)):
            before, behind = (np.asarray(some.any(axis=0)) for some in (lines[:place], lines[place:]))
            if lines[place].any() and not (before[:, None] & behind[None, :] & below).any():
                apart.append(place)
        assert masks[0].separations(axis) == [p for p in apart if lines[:p].any()]
        for mask in masks[1:]:
            assert set(mask.separations(axis)) <= set(apart)
