"""Loop nests in the lab: bounds and schedules beside each other."""

import io
import random

import pytest

import pebble
from pebble.common.errors import InvalidInput
from tests.computations.nests.plain_nests import random_text, used_extents

PRODUCT = "C[i,j] += A[i,k]*B[k,j]"
CUBE = {"i": 3, "j": 3, "k": 3}


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


# Random loop nests: bounds below schedules, pebblings that cost what is said


def _check(seed: int) -> bool:
    rng = random.Random(seed)
    text, extents = random_text(rng, plain=rng.random() < 0.6)
    M = rng.randint(2, 14)
    try:
        report = pebble.kernel(text, used_extents(text, extents), M)
    except InvalidInput:
        return False
    if report.schedule is None:
        assert str(M) in report.note
        return False
    target = io.StringIO()
    report.write(target)
    checked = pebble.check(io.BytesIO(target.getvalue().encode()))
    found = report.schedule
    assert checked.complete, text
    assert (checked.reads, checked.writes) == (found.reads, found.writes), text
    assert checked.peak <= found.peak <= M, text
    assert all(one.value <= found.io for one in report.bounds if one.holds_under(pebble.Rules())), text
    assert str(report)
    assert report.to_dict()["schedule"]["io"] == found.io
    return True


def test_random_nests() -> None:
    assert sum(map(_check, range(12))) > 5


@pytest.mark.slow
@pytest.mark.parametrize("part", range(3))
def test_many_random_nests(part: int) -> None:
    assert sum(map(_check, range(1000 + 100 * part, 1100 + 100 * part))) > 60
