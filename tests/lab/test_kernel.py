"""Loop nests in the lab: bounds and schedules beside each other."""

import io

import pytest

import pebble
from pebble.common.errors import InvalidInput

PRODUCT = "C[i,j] += A[i,k]*B[k,j]"
CUBE = {"i": 3, "j": 3, "k": 3}


@pytest.mark.parametrize(
    ("text", "extents"),
    [
        (PRODUCT, {"i": 5, "j": 4, "k": 3}),
        ("u[t,i] = u[t-1,i-1] + u[t-1,i] + u[t-1,i+1]", {"t": 3, "i": 6}),
        ("y[i] += L[i,j]*x[j] for j <= i", {"i": 5, "j": 5}),
        ("s += x[i]*y[i]; z[i] = s*x[i]", {"i": 6}),
        ("D[i] = C[i]*b; C[i] += A[k,i,l]*B[l,k]", {"i": 3, "k": 2, "l": 3}),
    ],
)
def test_the_pebbling_is_legal_and_costs_what_is_said(text: str, extents: dict[str, int]) -> None:
    report = pebble.kernel(pebble.loop_nest(text, extents), M=12)
    assert report.schedule is not None
    target = io.StringIO()
    report.write(target)
    checked = pebble.check(io.BytesIO(target.getvalue().encode()))
    assert checked.complete
    assert (checked.reads, checked.writes) == (report.schedule.reads, report.schedule.writes)
    assert checked.peak <= 12
    assert all(one.value <= checked.io for one in report.bounds if one.proved)


def test_too_little_memory_is_no_schedule() -> None:
    report = pebble.kernel(PRODUCT, CUBE, M=3)
    assert (report.schedule, report.ratio, report.fits) == (None, None, False)
    assert "4" in report.note


def test_what_is_too_large_has_bounds_and_no_schedule() -> None:
    report = pebble.kernel("u[t,i] = u[t-1,i] + u[t-1,i+1]", {"t": 10**4, "i": 10**4}, M=64)
    assert report.schedule is None
    assert report.fits
    assert "too many to order one by one" in report.note
    assert report.best.value > 10**4
    with pytest.raises(InvalidInput, match="no schedule to write"):
        report.write(io.StringIO())
