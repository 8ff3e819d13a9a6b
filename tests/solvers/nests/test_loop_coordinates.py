"""Axes made from loop indices: nothing goes back along those that are skewed and shifted; groups keep dependences."""

from __future__ import annotations

import numpy as np
import pytest

from pebble.computations.nests.nest_dag import NestDag, nest_dag
from pebble.computations.nests.polybench import KERNELS
from pebble.computations.nests.read_text import loop_nest
from pebble.solvers.nests.dependences import edges_of
from pebble.solvers.nests.loop_coordinates import LoopCoordinates, coordinate_systems, part_of

STENCILS = ["jacobi-1d", "jacobi-2d", "heat-3d", "seidel-2d", "fdtd-2d"]


def systems(name: str, extent: int) -> tuple[NestDag, list[LoopCoordinates]]:
    kernel = KERNELS[name]
    nest = nest_dag(loop_nest(kernel.text, dict.fromkeys(kernel.extents, extent), kernel.outputs))
    return nest, list(coordinate_systems(part_of(nest, range(len(nest.first)))))


@pytest.mark.parametrize("name", STENCILS)
def test_stencils_have_axes_along_which_nothing_goes_back(name: str) -> None:
    nest, found = systems(name, 4)
    tail, head = edges_of(nest.dag)
    assert any((one.places[head] >= one.places[tail]).all() for one in found)


@pytest.mark.parametrize("name", ["adi", "deriche"])
def test_groups_of_statements_one_after_the_other(name: str) -> None:
    nest, found = systems(name, 4)
    tail, head = edges_of(nest.dag)
    grouped = [one for one in found if one.grouped]
    rank = np.empty(nest.dag.n_vertices, dtype=np.int64)
    rank[np.lexsort(tuple(grouped[0].places.T[::-1]))] = np.arange(nest.dag.n_vertices)
    assert (rank[tail] < rank[head]).all()


def test_rows_go_before_columns_in_alternating_directions() -> None:
    _, found = systems("adi", 4)
    assert ("t", "group of statements", "i", "group of statements", "j") in {one.names for one in found}
