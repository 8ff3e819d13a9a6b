"""Kinds of single lines, against a look at every line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from pebble.computations.masks import Mask
from pebble.computations.masks.lines_by_first import SingleLines
from pebble.computations.masks.mask import OTHER_AXIS
from tests.computations.masks.test_equal_blocks import MAKERS, cases, intervals, looks


@pytest.mark.parametrize("make", MAKERS)
def test_each_kind_stands_for_as_many_lines_as_look_like_it(make: Callable[[Random], Mask]) -> None:
    for mask, rng in cases(make, 60):
        for axis, other in OTHER_AXIS.items():
            table = mask.lines_matrix(axis, (0, mask.extents[axis]), (0, mask.extents[other]))
            w0, w1 = intervals(rng, 8, mask.extents[axis])
            partner = rng.integers(0, mask.extents[other], 8)
            kinds = np.stack(SingleLines(mask, axis).kinds(w0, w1, partner))
            for number, (low, high, p) in enumerate(np.stack([w0, w1, partner], axis=1).tolist()):
                loop = low, high, 1, p, p + 1
                found: Counter[object] = Counter()
                for line, _, times in kinds[1:, kinds[0] == number].T.tolist():
                    assert table[low + line, p]
                    found[looks(table, loop, line)] += times
                right = Counter(looks(table, loop, line - low) for line in range(low, high) if table[line, p])
                assert found == right
