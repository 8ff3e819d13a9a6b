"""Nests in stages: what stands together, what begins a sum, which element a view's element is."""

from __future__ import annotations

import pytest

from pebble.computations.nests.named_kernel import read_kernel
from pebble.computations.nests.nest_family import NotAFamily
from pebble.computations.nests.read_text import loop_nest
from pebble.computations.nests.stages import Stage, stages_of


def _stages(text: str, side: int = 5) -> tuple[Stage, ...]:
    return stages_of(loop_nest(text, {index: side for index in "ijk" if index in text}))


def test_what_is_read_in_two_ways_is_computed_in_a_stage_before() -> None:
    first, second = stages_of(read_kernel("covariance", {}, ()))
    assert list(first.statements) == ["u", "Y"]
    assert [array.name for array in second.family.inputs] == ["Y", "Y_2"]
    assert second.family.mask is not None


def test_both_halves_of_a_symmetric_matrix_are_one_view() -> None:
    (stage,) = stages_of(read_kernel("symm", {"i": 4, "j": 4, "k": 4}, ()))
    assert stage.statements == {"D": (1, 2)}
    view = next(view for view in stage.views.values() if len(view.cases) == 2)
    assert [view.element(index) for index in ((3, 1), (1, 3))] == [("A", (3, 1)), ("A", (3, 1))]


def test_strict_conditions_count_from_one() -> None:
    (stage,) = _stages("C[i,j] += A[i,k]*B[k,j] for j < i")
    assert stage.shifts == {"C": (1, 0, 0)}
    assert stage.family.words("C") == 10


def test_initial_values_alone() -> None:
    (stage,) = _stages("D[i,j] = b*C[i,j] + u[i]*v[j]; D[i,j] += A[i,k]*B[k,j] for k < i")
    begun = stage.begun["D"]
    assert (begun.reads, begun.alone, stage.scalars, stage.reserve) == (3, 5, ("b",), 4)


def test_a_window_is_a_view_of_two_indices() -> None:
    (stage,) = _stages("C[i] += A[i+k]*w[k]")
    assert stage.views["A_1"].element((2, 1)) == ("A", (3,))


@pytest.mark.parametrize(
    "text",
    [
        "D[i,j] = C[i,j] for i < j; D[i,j] += A[i,k]*B[k,j]",  # some chains have no initial value
        "D[i,j] = C[i,j] for j <= i; D[i,j] += A[i,k]*B[k,j] for j < i, k < i",
        "D[i,j] += A[i,k]*B[k,j] for i < k; D[i,j] += A[k,i]*B[k,j] for k <= i",  # not in the order of k
        "D[i,j] += A[i,k]*B[k,j] for k <= i; D[i,j] += A[k,i]*B[k,j] for i + 1 < k",
        "D[i,j] = C[i,j]; D[i,j] = B[i,j]",
        "D[i,j] = D[j,i]; D[i,j] += A[i,k]*B[k,j]",
        "x[i] += L[i,j]*x[j] for j < i",
    ],
)
def test_no_stages(text: str) -> None:
    with pytest.raises(NotAFamily):
        _stages(text)
