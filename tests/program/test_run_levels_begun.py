"""Lines of a tile that are not computed keep the values that a level beyond was given of them."""

from __future__ import annotations

import numpy as np

from pebble.computations.masks import mask_from_array
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.program import compute, delete, first, load, loop, phase, program, store, when
from tests.program.random_families import with_outputs
from tests.program.test_run_levels import executed


def test_a_level_beyond_keeps_the_values_of_lines_that_are_not_computed() -> None:
    """Key 6 is one of query 2 and of query 4; of the other query of their tile nothing is there yet, or all is."""
    pairs = np.zeros((8, 12), dtype=bool)
    for query, (start, stop) in enumerate(
        [(0, 12), (0, 1), (5, 8), (8, 12), (5, 9), (3, 6), (0, 12), (0, 1)]
    ):
        pairs[query, start:stop] = True
    problem = Problem(8, 12, 1, 1, mask=mask_from_array(pairs, name="tiles"))
    family = with_outputs(family_of(problem), ())
    keys = loop("j", 1, compute("S"), compute("P", replacing="S"), compute("l"), delete("P"),
        delete("P", level=2), label="key")  # fmt: skip
    legal = []
    for query in range(8):
        text = program(
            phase(
                "",
                load("Q", "K", level=2),
                load("Q", "K"),
                loop("j", 6, loop("i", 2, keys, when(first("j"), store("l")))),
                delete("l"),
                store("l", level=2, i=(query, query + 1)),
            )
        )
        short, plain = (executed(text, family, (998, 999), True, way) for way in (True, False))
        assert isinstance(short, str) == isinstance(plain, str)
        legal += [] if isinstance(plain, str) else [query]
    assert legal == [1, 5, 7]
