"""The command ``pebble bounds``: under a mask, and with fewer words than any pebbling needs."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.lower_bounds.table import bounds


@pytest.mark.parametrize(
    "options",
    [
        *(
            {"mask": mask, "softmax": softmax}
            for mask in (None, "causal", "window:1")
            for softmax in ("plain", "safe")
        ),
        *({"pass_name": "backward", "mask": mask} for mask in (None, "causal", "window:1")),
        *({"attention": "linear", "mask": "causal", "gate": gate} for gate in (False, True)),
        *({"attention": "linear"}, {"pass_name": "weights"}, {"sums": "free"}),
    ],
    ids=str,
)
def test_the_least_M_is_that_of_the_dag(options: dict[str, Any]) -> None:
    for Nq, Nk, d in ((1, 1, 1), (2, 3, 1), (3, 3, 2)):
        with suppress(InvalidInput):
            problem = Problem(Nq, Nk, d, d, **options)
            assert bounds(problem, 9).least_M == family_of(problem).dag().least_M()
