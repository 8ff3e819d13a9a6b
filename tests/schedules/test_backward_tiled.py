"""``standard`` backward: the tiles of its products, where a sum has a single term."""

from __future__ import annotations

import pytest

import pebble


@pytest.mark.parametrize(
    ("Nq", "Nk", "d", "dv", "M", "words"),
    [
        (2, 1, 1, 1, 4, 45),  # a tile of two scores, a word that is held and one that passes by
        (2, 1, 2, 2, 4, 74),  # S and dP are sums of two terms, and dQ is a sum of one
    ],
)
def test_a_sum_of_one_term_needs_no_room_to_move_on(
    Nq: int, Nk: int, d: int, dv: int, M: int, words: int
) -> None:
    problem = pebble.Problem(Nq, Nk, d, dv, pass_name="backward")
    assert pebble.count(problem, M, ["standard"])["standard"].io == words
