"""All questions that a mask answers, asked of two masks of the same pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from pebble.computations.masks import DenseMask, Mask
from pebble.computations.masks.mask import OTHER_AXIS


def interval(data: st.DataObject, extent: int) -> tuple[int, int]:
    """Any interval of an axis, empty ones included."""
    one, other = sorted(data.draw(st.tuples(st.integers(0, extent), st.integers(0, extent))))
    return one, other


def check_answers(mask: Mask, dense: DenseMask, axis: str, data: st.DataObject) -> None:
    """Compare what two masks say of their pairs, and of their lines; both may be asked anything."""
    extent, other = mask.extents[axis], mask.extents[OTHER_AXIS[axis]]
    lines, partners = interval(data, extent), interval(data, other)
    box = (lines, partners) if axis == "i" else (partners, lines)
    numbers: list[tuple[str, tuple[Any, ...]]] = [
        ("count", box),
        ("present", (axis,)),
        ("present", (axis, *lines)),
    ]
    for method, arguments in numbers:
        found, expected = (getattr(one, method)(*arguments) for one in (mask, dense))
        assert found == expected, (method, arguments)
    chosen = np.array(data.draw(st.lists(st.integers(0, extent - 1), max_size=5)), dtype=np.int64)
    some = np.array(data.draw(st.lists(st.booleans(), min_size=other, max_size=other)))
    arrays: list[tuple[str, tuple[Any, ...]]] = [
        ("first", (axis,)),
        ("last", (axis,)),
        ("first", (axis, lines)),
        ("last", (axis, lines)),
        ("first_of", (axis, chosen)),
        ("last_of", (axis, chosen)),
        ("matrix", box),
        ("lines_matrix", (axis, lines, partners)),
        ("degrees", (axis, some)),
    ]
    for method, arguments in arrays:
        found, expected = (getattr(one, method)(*arguments) for one in (mask, dense))
        np.testing.assert_array_equal(found, expected, err_msg=f"{method} {arguments}")
    assert mask.pairs == dense.pairs
    np.testing.assert_array_equal(mask.parts[axis], dense.parts[axis])
