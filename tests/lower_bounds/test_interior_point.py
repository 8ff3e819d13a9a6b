"""The interior-point method: least costs that are known, for several problems at once."""

from __future__ import annotations

import numpy as np
import pytest

from pebble.lower_bounds.certified.convex_multipliers import ConvexProblems, improved, inside


def problems(products: np.ndarray, prices: np.ndarray) -> ConvexProblems:
    """Least x + price·y with 4xy > product and x, y > 0; y < 100."""
    n = len(products)
    cost = np.stack([np.ones(n), prices], axis=1)
    linear = np.array([[1.0, 0, 0], [0, 1.0, 0], [0, -1.0, 100.0]])
    u, w, r = np.zeros((3, n, 1, 3))
    u[..., 0], w[..., 1], r[..., 2] = 1, 1, np.sqrt(products)[:, None]
    return ConvexProblems(cost, linear, u, w, r)


def test_finds_the_least_cost() -> None:
    products, prices = np.array([1.0, 9.0, 0.25, 1e-8]), np.array([1.0, 4.0, 0.01, 2.0])
    given = problems(products, prices)
    points = np.full((4, 2), 20.0)
    assert inside(given, points).all()
    for weight in 10.0 ** np.arange(-2, 10):
        points = improved(given, points, np.full(4, weight), 6)
        assert inside(given, points).all()
    cost = (given.cost * points).sum(axis=1)
    assert cost == pytest.approx(np.sqrt(products * prices), rel=1e-5)  # x = price·y


def test_stays_within_the_promised_distance() -> None:
    given = problems(np.ones(1), np.ones(1))
    points = improved(given, np.full((1, 2), 0.6), np.array([100.0]), 30)
    assert 1 < (given.cost * points).sum() <= 1 + given.parameter / 100


def test_outside_is_told() -> None:
    given = problems(np.ones(3), np.ones(3))
    assert inside(given, np.array([[1.0, 1.0], [0.1, 0.1], [1.0, 101.0]])).tolist() == [True, False, False]
