"""All questions that a mask answers, asked of two masks of the same pairs."""

from __future__ import annotations

from collections.abc import Iterator
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
    before = data.draw(st.integers(0, other))
    numbers: list[tuple[str, tuple[Any, ...]]] = [
        ("count", box),
        ("box", (axis, lines, partners)),
        ("has_pairs", (axis, lines, partners)),
        ("present", (axis,)),
        ("present", (axis, *lines)),
        ("started", (axis, lines, before)),
        ("unfinished", (axis, lines, before)),
        ("beginning", (axis, lines, partners)),
        ("have_begun", (axis, lines, before, partners)),
        ("presence_changes", (axis,)),
    ]
    for method, arguments in numbers:
        found, expected = (getattr(one, method)(*arguments) for one in (mask, dense))
        assert found == expected, (method, arguments)
    chosen = np.array(data.draw(st.lists(st.integers(0, extent - 1), max_size=5)), dtype=np.int64)
    some = np.array(data.draw(st.lists(st.booleans(), min_size=other, max_size=other)))
    along, across = np.arange(extent + 1), np.arange(other + 1)
    arrays: list[tuple[str, tuple[Any, ...]]] = [
        ("first", (axis,)),
        ("last", (axis,)),
        ("first", (axis, lines)),
        ("last", (axis, lines)),
        ("first_of", (axis, chosen)),
        ("last_of", (axis, chosen)),
        ("present_before", (axis, along)),
        ("started_before", (axis, across)),
        ("finished_before", (axis, across)),
        ("matrix", box),
        ("lines_matrix", (axis, lines, partners)),
        ("at_lines", (axis, chosen, partners)),
        ("degrees", (axis, some)),
    ]
    for method, arguments in arrays:
        found, expected = (getattr(one, method)(*arguments) for one in (mask, dense))
        np.testing.assert_array_equal(found, expected, err_msg=f"{method} {arguments}")
    assert mask.pairs == dense.pairs
    np.testing.assert_array_equal(mask.parts[axis], dense.parts[axis])
    assert [mask.started(axis, (0, extent), x) for x in across.tolist()] == dense.started_before(
        axis, across
    ).tolist()


def check_changes(
    mask: Mask, dense: DenseMask, axis: str, data: st.DataObject
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Compare where two masks say that something changes, and return for which lines and partners."""
    one = data.draw(st.integers(0, mask.extents[axis] - 1))
    lines = one, data.draw(st.integers(one + 1, mask.extents[axis]))
    partners = interval(data, mask.extents[OTHER_AXIS[axis]])
    check_places_of_change(mask, dense, axis, lines, partners)
    return lines, partners


def random_boxes(mask: Mask, seed: int) -> Iterator[tuple[str, tuple[int, int], tuple[int, int]]]:
    """Yield some lines of each axis, eight times, with some partners, perhaps none."""
    rng = np.random.default_rng(seed)
    for axis, other in OTHER_AXIS.items():
        for _ in range(8):
            one = int(rng.integers(mask.extents[axis]))
            lines = one, int(rng.integers(one, mask.extents[axis])) + 1
            start, stop = sorted(rng.integers(0, mask.extents[other] + 1, 2).tolist())
            yield axis, lines, (start, stop)


def check_places_of_change(
    mask: Mask, dense: DenseMask, axis: str, lines: tuple[int, int], partners: tuple[int, int]
) -> None:
    """Compare where two masks say that something changes; the first one may name more places."""
    for method in ("breaks", "pattern_changes", "flag_changes"):
        found = {int(x) for x in getattr(mask, method)(axis, lines, partners) if lines[0] < x < lines[1]}
        assert found >= set(getattr(dense, method)(axis, lines, partners).tolist()), method
