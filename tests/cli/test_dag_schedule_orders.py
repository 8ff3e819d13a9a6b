"""``pebble dag schedule``: the automatic order does not lose to a single one."""

from __future__ import annotations

import pytest

from tests.bench.bench_orders import row


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "M"),
    [("matmul:2,7,5", 10), ("pyramid:12", 7), ("layered:6,20,3", 8), ("attention:N=8,d=4", 24)],
)
def test_auto_is_no_worse_than_any_order_of_the_command(source: str, M: int) -> None:
    """Nor than a schedule registered for the family."""
    counts = row(source, M)
    orders, own = counts["orders"], counts["own"]
    assert isinstance(orders, dict)
    assert isinstance(own, dict)
    assert orders["auto"] <= min([*orders.values(), *own.values()])
