"""What is read off the tables of a mask is what counting says, line by line."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from pebble.computations.masks import mask_from_array
from pebble.program.schedule.pair_tables import PairTables


def plain_step(rows: NDArray[np.bool_], lines: tuple[int, int], partners: tuple[int, int]) -> tuple[int, int]:
    """Lines that begin with some partners, and whether there are more steps from the last of them on.

    Of that line all pairs but the first are steps, of lines behind it all; of none that begins, all pairs.
    """
    beginning = [
        line
        for line in range(*lines)
        if rows[line].any() and partners[0] <= int(rows[line].argmax()) < partners[1]
    ]
    last = beginning[-1] if beginning else lines[0]
    left = np.count_nonzero(rows[last : lines[1], partners[0] : partners[1]])
    return len(beginning), int(left > bool(beginning))


@pytest.mark.parametrize("seed", range(6))
def test_tables_say_what_counting_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = rng.random((int(rng.integers(2, 7)), int(rng.integers(2, 7)))) < rng.choice([0.2, 0.5])
    pairs[0, -1] = True
    tables = PairTables(mask_from_array(pairs, empty_rows="zero"))
    for axis, rows in (("i", pairs), ("j", pairs.T)):
        n, m = rows.shape
        boxes = [
            (a, b, c, d) for a in range(n) for b in range(a, n + 1) for c in range(m) for d in range(c, m + 1)
        ]
        a, b, c, d = np.array(boxes).T
        new, step = tables.advanced(axis, (a, b), (c, d))
        found = list(zip(new.tolist(), step.tolist(), strict=True))
        assert found == [plain_step(rows, (a, b), (c, d)) for a, b, c, d in boxes]
        begun = [int(np.count_nonzero(rows[a:b, :d].any(axis=1))) for a, b, _, d in boxes]
        assert tables.begun(axis, (a, b), d).tolist() == begun
        present = [int(np.count_nonzero(rows[a:b].any(axis=1))) for a, b, _, _ in boxes]
        assert tables.present(axis, (a, b)).tolist() == present
