"""The search of a phase against the plain way: nothing left out, every size tried, every count executed."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pebble.computations.family import Family
from pebble.computations.matmul import matmul_family
from pebble.program.language import phase
from pebble.program.machine.run import run
from pebble.program.nodes import Program
from pebble.solvers.nests import leaf_options
from pebble.solvers.nests.leaf_options import LeafChoices
from pebble.solvers.nests.phase_search import SizedPhase, best_phases
from pebble.solvers.nests.placement import Group
from pebble.solvers.nests.polynomial import evaluated
from pebble.solvers.nests.tile_sizes import best_tiles, variables_of, with_counts
from pebble.solvers.nests.tiled_nest import needs_of, written
from tests.solvers.nests.random_families import random_family


def whole(family: Family) -> Group:
    """Return all that a family computes as one phase."""
    names = tuple(array.name for array in family.arrays if not array.is_input)
    return Group(family, names, frozenset(array.name for array in family.outputs))


def phases_of(family: Family, M: int, number: int = 3) -> list[SizedPhase]:
    """Return the best phases for all that a family computes."""
    return best_phases(whole(family), M, LeafChoices(family), number=number)


@pytest.mark.parametrize("seed", [5, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(20, 32))])
def test_leaving_choices_out_loses_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    family = random_family(seed)
    memories = [family.max_indegree + more for more in (2, 5, 12)]
    quick = [[one.words for one in phases_of(family, M, 1)] for M in memories]
    weighed = leaf_options._weighed

    def weightless(*given: Any) -> Any:
        option = weighed(*given)
        nothing = np.zeros_like(option.words)
        return replace(option, words=nothing, room=nothing, held=np.zeros_like(option.held))

    monkeypatch.setattr(leaf_options, "_weighed", weightless)
    monkeypatch.setattr(leaf_options, "_beats", lambda one, other: False)
    assert [[one.words for one in phases_of(family, M, 1)] for M in memories] == quick


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(50, 80))])
def test_formulas_are_what_the_machine_counts(seed: int) -> None:
    family = random_family(seed)
    for found in phases_of(family, family.max_indegree + 6):
        needs = needs_of(found.nest, family)
        sizes = found.sizes | dict.fromkeys(list(found.sizes)[:1], 2)
        for tiles in (found.sizes, sizes):
            tiles = {name: min(size, family.extents[name]) for name, size in tiles.items()}
            counted = run(Program((phase("", *written(found.nest, tiles)),)), family)
            assert counted.io == evaluated(needs.words, with_counts(tiles, family.extents))
            assert counted.peak <= max(int(evaluated(room, tiles)) for room in needs.rooms)


@pytest.mark.parametrize("M", [8, 17, 40])
def test_sizes_are_the_best_of_all(M: int) -> None:
    family = matmul_family(7, 6, 5)
    for found in phases_of(family, M):
        needs = needs_of(found.nest, family)
        names = variables_of(needs)
        fitting = []
        for sizes in itertools.product(*(range(1, family.extents[name] + 1) for name in names)):
            tiles = dict(zip(names, sizes, strict=True))
            if all(int(evaluated(room, tiles)) <= M for room in needs.rooms):
                fitting.append(int(evaluated(needs.words, with_counts(tiles, family.extents))))
        best = best_tiles(needs, family.extents, M)
        assert best is not None
        assert best.words == found.words == min(fitting)
