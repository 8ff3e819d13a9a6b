"""The search of a phase against the plain way: nothing left out, every size tried, every count executed."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pebble.computations.family import Family
from pebble.computations.matmul import matmul_family
from pebble.program.counting.run import run
from pebble.program.language import phase
from pebble.program.nodes import Program
from pebble.solvers.nests import leaf_options, phase_search
from pebble.solvers.nests.leaf_options import LeafChoices
from pebble.solvers.nests.phase_search import SizedPhase, best_phases
from pebble.solvers.nests.placement import Group, PhasePlan, nest_of
from pebble.solvers.nests.tile_sizes import best_tiles, variables_of, with_counts
from pebble.solvers.nests.tiled_nest import NestNode, evaluated, needs_of, written
from tests.solvers.nests.random_families import random_family


def whole(family: Family) -> Group:
    """Return all that a family computes as one phase."""
    names = tuple(array.name for array in family.arrays if not array.is_input)
    return Group(family, names, frozenset(array.name for array in family.outputs))


def phases_of(family: Family, M: int, number: int = 3) -> list[SizedPhase]:
    """Return the best phases for all that a family computes."""
    return best_phases(whole(family), M, LeafChoices(family), number=number)


def without_pruning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every choice look as good as any other, so that none is left out."""
    weighed = leaf_options._weighed

    def weightless(*given: Any) -> Any:
        option = weighed(*given)
        nothing = np.zeros_like(option.words)
        return replace(option, words=nothing, room=nothing, held=np.zeros_like(option.held))

    monkeypatch.setattr(leaf_options, "_weighed", weightless)
    monkeypatch.setattr(leaf_options, "_beats", lambda one, other: False)


@pytest.mark.slow
@pytest.mark.parametrize(
    "family",
    [matmul_family(40, 30, 20), *(random_family(seed) for seed in (5, 21, 22, 23, 24, 25))],
    ids=repr,
)
def test_leaving_choices_out_loses_nothing(family: Family, monkeypatch: pytest.MonkeyPatch) -> None:
    memories = [family.max_indegree + more for more in (2, 7, 60)]
    quick = [[one.words for one in phases_of(family, M, 1)] for M in memories]
    without_pruning(monkeypatch)
    assert [[one.words for one in phases_of(family, M, 1)] for M in memories] == quick


def every_nest(family: Family, monkeypatch: pytest.MonkeyPatch) -> list[tuple[NestNode, ...]]:
    """Return all nests that are looked at for a phase."""
    nests: list[tuple[NestNode, ...]] = []

    def collected(plan: PhasePlan) -> tuple[NestNode, ...]:
        nests.append(nest_of(plan))
        return nests[-1]

    monkeypatch.setattr(phase_search, "nest_of", collected)
    without_pruning(monkeypatch)
    phases_of(family, family.n_vertices, number=10**6)
    return nests


@pytest.mark.parametrize("one_in", [50, pytest.param(1, marks=pytest.mark.slow)])
def test_formulas_are_what_the_machine_counts(one_in: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """For every nest of a product, spilled sums included, with tiles that do not divide the axes."""
    family = matmul_family(5, 4, 5)
    nests = every_nest(family, monkeypatch)[::one_in]
    assert len(nests) > 10
    for nest in nests:
        needs = needs_of(nest, family)
        sizes = dict.fromkeys((axis for axis in family.extents), 2)
        counted = run(Program((phase("", *written(nest, sizes)),)), family)
        assert counted.io == evaluated(needs.words, with_counts(sizes, family.extents))
        assert counted.peak <= max(int(evaluated(room, sizes)) for room in needs.rooms)


@pytest.mark.parametrize("M", [20, *(pytest.param(M, marks=pytest.mark.slow) for M in range(8, 70, 7))])
def test_sizes_are_the_best_of_all(M: int) -> None:
    family = matmul_family(13, 11, 5)
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
