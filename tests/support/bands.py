"""Random bands."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from pebble.computations.masks import BandMask


@st.composite
def bands(draw: st.DrawFn) -> BandMask:
    """Any band, lines without pairs included; often with diagonals, steps and jumps."""
    Nq, Nk = draw(st.integers(1, 14)), draw(st.integers(1, 14))
    steps = st.lists(st.sampled_from([0, 0, 1, 1, 1, 2, 4]), min_size=Nq, max_size=Nq)
    first, width = draw(st.integers(-3, 4)), draw(st.integers(-2, 5))
    start = np.clip(np.cumsum(draw(steps)) + first, 0, Nk)
    same = draw(st.booleans())
    stop = np.clip((start if same else np.cumsum(draw(steps)) + first) + width, start, Nk)
    return BandMask("some", Nk, start, np.maximum.accumulate(stop))
