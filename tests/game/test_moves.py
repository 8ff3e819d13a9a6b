"""Moves one by one and in columns."""

from __future__ import annotations

from typing import Any

import pytest

from pebble.common.errors import InvalidInput
from pebble.game.moves import Move, Moves, Op, as_chunks


def test_columns_and_moves_are_inverse() -> None:
    moves = [Move(Op.LOAD, 0), Move(Op.SLIDE, 3, 2), Move(Op.DELETE, 1)]
    columns = Moves.of(moves)
    assert list(columns) == moves
    assert columns == Moves(columns.op, columns.vertex, columns.source)
    assert columns.part(1, 3)[0] == moves[1]
    assert columns != Moves.of(moves[:2])
    assert Moves.of([(Op.LOAD, 1)]).source is None
    assert list(Moves([300, -200], [0, 0]).op) == [-1, -1]


def test_malformed_columns() -> None:
    wrong: list[tuple[Any, ...]] = [([0], [0, 1]), ([0.5], [1]), ([0], [1.5]), ([[0]], [[1]]), ([0], [1], [])]
    for columns in wrong:
        with pytest.raises(InvalidInput):
            Moves(*columns)
    for chunk in ("ab", 7, (1,), [1, 2]):
        with pytest.raises((InvalidInput, TypeError)):
            list(as_chunks([chunk]))  # type: ignore[list-item]
