"""Random loop nests through all of ``pebble kernel``: bounds below schedules, pebblings that cost what is said."""

import io
import random

import pytest

import pebble
from pebble.common.errors import InvalidInput
from tests.computations.nests.plain_nests import random_text, used_extents


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
