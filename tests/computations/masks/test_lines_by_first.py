"""Lines by their first partners: written down, and in a wavelet matrix."""

from __future__ import annotations

import numpy as np
import pytest

from pebble.computations.masks import lines_by_first
from pebble.computations.masks.lines_by_first import LinesByFirst


@pytest.mark.parametrize("kept", [0, 2**22])
def test_lines_by_their_first_partners(kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines_by_first, "_MOST_KEPT", kept)
    draw = np.random.default_rng(5)
    for _ in range(40):
        number, partners = draw.integers(1, 40), int(draw.integers(1, 9))
        first = draw.integers(0, partners + 1, number)
        lines = LinesByFirst(first, partners)
        x0, x1 = np.sort(draw.integers(0, number + 1, (2, 30)), axis=0)
        p, q = np.sort(draw.integers(0, partners + 1, (2, 30)), axis=0)
        begun = [int((first[a:b] < place).sum()) for a, b, place in zip(x0, x1, q, strict=True)]
        assert lines.begun(x0, x1, q).tolist() == begun
        latest = [
            max((x + 1 for x in range(a, b) if c <= first[x] < d), default=a)
            for a, b, c, d in zip(x0, x1, p, q, strict=True)
        ]
        assert lines.behind_latest(x0, x1, p, q).tolist() == latest
