"""How much a finite set of lattice points grows when some steps are added to it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import groupby, product

__all__ = ["Steps", "spread"]

Steps = frozenset[tuple[int, ...]]

_FARTHEST = 2
"""In the plane the directions of layers have coefficients up to this one; in more dimensions up to 1."""


@lru_cache(maxsize=4096)
def spread(steps: Steps) -> Fraction:
    """Return a V for which every finite set A of whole-number points has |A + steps| ≥ |A| + d·V^(1/d)·|A|^(1 − 1/d).

    Parameters
    ----------
    steps : frozenset of tuple of int
        Vectors of d ≥ 1 integers, at least one.

    Returns
    -------
    Fraction
        At most the volume of the convex hull of the steps, if they are the lattice points of it; often equal to it.
        0 if nothing is known but |A + steps| ≥ |A|.

    Notes
    -----
    Docs/proofs/nests.md, spreading, proves it: the steps are looked at in layers along directions with small
    coefficients, all of them in the plane, the layers in the same way in one dimension less.

    Examples
    --------
    >>> spread(frozenset({(0, 0), (0, 1), (1, 0), (1, 1)}))
    Fraction(1, 1)
    >>> cross = frozenset({(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0)})
    >>> spread(cross), spread(frozenset({(0, 0, 0)} | {(1, *step) for step in cross}))
    (Fraction(2, 1), Fraction(2, 3))
    """
    width = len(next(iter(steps)))
    if width == 1:
        return Fraction(len(steps) - 1)
    found = (_of_layers(layers, width) for layers in _layered(steps, width))
    return max(found, default=Fraction())


def _layered(steps: Steps, width: int) -> Iterator[dict[int, Steps]]:
    """Yield the steps in layers, each without a coordinate that the others and the layer determine."""
    farthest = _FARTHEST if width == 2 else 1
    for direction in product(range(-farthest, farthest + 1), repeat=width):
        at = next((place for place, factor in enumerate(direction) if factor), None)
        if at is None or direction[at] < 0 or math.gcd(*direction) > 1:
            continue
        layers: dict[int, set[tuple[int, ...]]] = {}
        for step in steps:
            height = sum(x * y for x, y in zip(direction, step, strict=True))
            layers.setdefault(height, set()).add((*step[:at], *step[at + 1 :]))
        if len(layers) > 1:
            yield {height: frozenset(layer) for height, layer in layers.items()}


def _of_layers(layers: dict[int, Steps], width: int) -> Fraction:
    """Return what the layers say together: some of them that spread at least so much, and those next to them."""
    volumes = {height: spread(layer) for height, layer in layers.items()}
    best = Fraction()
    for least in {volume for volume in volumes.values() if volume}:
        core = sorted(height for height, volume in volumes.items() if volume >= least)
        best = max(best, least * (len(core) - 1))
        for run in _runs(core):
            caps = sum(height in layers for height in (run[0] - 1, run[-1] + 1))
            best = max(best, least * (len(run) - 1 + Fraction(caps, width)))
    return best


def _runs(heights: Sequence[int]) -> Iterator[list[int]]:
    """Yield the heights that follow each other without a gap."""
    for _, run in groupby(enumerate(heights), key=lambda one: one[1] - one[0]):
        yield [height for _, height in run]
