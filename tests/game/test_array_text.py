"""Text that is made many lines at a time is what is made line by line."""

from __future__ import annotations

import io

import numpy as np
import pytest

from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.game.files.array_text import ArrayText
from pebble.game.files.header import Header
from pebble.game.files.writer import write_pebbling
from pebble.game.moves import Moves
from pebble.graph.names import NamedArray
from tests.game.array_problems import PROBLEMS


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_any_moves_are_written_as_they_are_one_by_one(
    problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    family = family_of(problem)
    rng = np.random.default_rng(3)
    some = Moves(rng.integers(0, 4, 300), rng.integers(0, family.n_vertices, 300))
    every = Moves(np.full(family.n_vertices, 2), np.arange(family.n_vertices))
    slide = Moves(np.full(2, 4), np.array([0, 1]), np.array([1, 0]))

    def text() -> str:
        stream = io.StringIO()
        write_pebbling(stream, Header("d", {}, 3), family, [some, slide, every, some.part(0, 0)])
        return stream.getvalue()

    fast = text()
    monkeypatch.setattr(ArrayText, "of", lambda names: None)
    assert fast == text()


def test_elements_of_large_arrays() -> None:
    arrays = [NamedArray("A", (10**5, 2), 0), NamedArray("lll", (7,), 2 * 10**5, np.array([0, 3, 6]))]
    assert (
        ArrayText(arrays).lines(Moves([3, 0], [2 * 10**5 + 2, 199_999])) == "delete lll[6]\nload A[99999,1]\n"
    )
    assert ArrayText(arrays).lines(Moves([], [])) == ""
