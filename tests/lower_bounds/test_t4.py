"""T4: its values are T3's with other rows, and stay below every schedule."""

from __future__ import annotations

from pathlib import Path

import pytest

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.problem import Problem
from pebble.lower_bounds.certified.forward_rows import T3Row, T4Row, t3, t4
from tests.lower_bounds.test_t3 import best_known

ROWS = T4Row.load()
DOCS = Path(__file__).parents[2] / "docs"
# Leading constants that were known before.
LEADING = {
    0.1: 12.192,
    0.14: 10.260,
    0.18: 9.021,
    0.25: 7.626,
    0.3: 6.950,
    0.35: 6.427,
    0.42: 5.815,
    0.5: 5.291,
    0.6: 4.810,
    0.7: 4.305,
    0.85: 3.766,
    1.0: 3.371,
}


def leading(bound: object, mu: float) -> float:
    N, d = 10**10, 2000
    value: int = bound(Problem.square(N, d), round(mu * d * d)).value  # type: ignore[operator]
    return value / N**2


@pytest.mark.parametrize(("mu", "constant"), LEADING.items())
def test_leading_constants(mu: float, constant: float) -> None:
    value = leading(t4, mu)
    assert constant * 0.9999 <= value <= best_known(mu)
    assert value <= constant * 1.02, "this much better would be news; check it"
    assert value > leading(t3, mu)


def test_the_table_of_the_docs() -> None:
    lines = (DOCS / "proofs" / "t4.md").read_text(encoding="utf-8").splitlines()
    cells = [
        line.strip("| ").split(" | ") for line in lines if line.startswith("| 0") or line.startswith("| 1")
    ]
    assert len(cells) >= 13
    for mu, of_t3, of_t4 in cells:
        for bound, printed in ((t3, of_t3), (t4, of_t4)):
            assert 0 <= leading(bound, float(mu)) - float(printed) < 0.01, (mu, printed)


def test_refusals() -> None:
    with pytest.raises(BoundDoesNotApply, match="dv at most d"):
        t4(Problem(1000, 1000, 8, 9), 40)
    with pytest.raises(BoundDoesNotApply, match="use T3"):
        t4(Problem.square(10**6, 64), 64**2 + 1)
    with pytest.raises(BoundDoesNotApply):
        t4(Problem(1000, 1000, 8, 8, pass_name="backward"), 40)
    assert {row.statement.name for row in ROWS} == {"T4"}
    assert {row.statement.name for row in T3Row.load()} == {"T3"}
