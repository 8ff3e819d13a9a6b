"""Cells of a state: which of them are joined."""

from __future__ import annotations

from pebble.program.machine.field import Field


def test_a_cell_is_joined_to_all_that_were_joined_before() -> None:
    """What is alike to the last of some joined cells need not be alike to the first."""
    field, asked = Field((9,), 0), list[tuple[tuple[int, int], tuple[int, int]]]()
    for at in range(0, 9, 3):
        field.view(((at, at + 3),))[0] = at

    def join(_position: int, one: tuple[int, int], two: tuple[int, int], *_states: object) -> bool:
        asked.append((one, two))
        return one == (0, 3)

    field.tidy(0, join)
    assert asked == [((0, 3), (3, 6)), ((0, 6), (6, 9))]
    assert field.cuts == [[0, 6, 9]]
