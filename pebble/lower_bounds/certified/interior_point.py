"""Many small convex problems at once, by an interior-point method: least cost within half-spaces and cones.

It finds good multipliers for boxes of a branch and bound. What it returns is never trusted: a bound is computed anew
from the multipliers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pebble.lower_bounds.certified.branch_and_bound import Reals

__all__ = ["ConvexProblems", "improved", "inside"]


class ConvexProblems(NamedTuple):
    """Problems in the same v variables x: least cost·x with linear·(x, 1) > 0 and 4·u·w > r² for each cone.

    Parameters
    ----------
    cost : ndarray, shape (n, v)
        One row a problem.
    linear : ndarray, shape (m, v + 1)
        The half-spaces, the same for all problems; the constants come last.
    u, w, r : ndarray, shape (n, c, v + 1)
        The cones: 4·u·w > r² and u, w > 0, each of the three being linear in (x, 1).
    """

    cost: Reals
    linear: Reals
    u: Reals
    w: Reals
    r: Reals

    @property
    def parameter(self) -> int:
        """How far the cost of a centre is from the least, times the weight of the cost."""
        return len(self.linear) + 2 * int(self.u.shape[1])


class _Slack(NamedTuple):
    linear: Reals
    u: Reals
    w: Reals
    r: Reals

    @property
    def cone(self) -> Reals:
        return 4 * self.u * self.w - self.r**2


def _slack(problems: ConvexProblems, points: Reals) -> _Slack:
    linear = points @ problems.linear[:, :-1].T + problems.linear[:, -1]
    return _Slack(linear, *(_at(part, points) for part in (problems.u, problems.w, problems.r)))


def _at(part: Reals, points: Reals) -> Reals:
    values: Reals = (part[..., :-1] @ points[..., None])[..., 0] + part[..., -1]
    return values


def _merit(problems: ConvexProblems, points: Reals, weight: Reals) -> Reals:
    """Weight times cost, plus the logarithmic barrier; inf outside."""
    slack = _slack(problems, points)
    inside = [(part > 0).all(axis=1) for part in (slack.linear, slack.u, slack.w, slack.cone)]
    cost = weight * (problems.cost * points).sum(axis=1)
    merit = cost - np.log(slack.linear).sum(axis=1) - np.log(slack.cone).sum(axis=1)
    return np.where(np.logical_and.reduce(inside), merit, np.inf)


def inside(problems: ConvexProblems, points: Reals) -> NDArray[np.bool_]:
    """Tell which points are inside all half-spaces and cones."""
    with np.errstate(all="ignore"):
        return np.isfinite(_merit(problems, points, np.ones(len(points))))


def _direction(problems: ConvexProblems, points: Reals, weight: Reals) -> Reals:
    """Newton's direction for the merit."""
    slack, linear = _slack(problems, points), problems.linear[:, :-1]
    u, w, r = (part[..., :-1] for part in (problems.u, problems.w, problems.r))
    of_u, of_w, of_r, cone = (part[..., None] for part in (slack.u, slack.w, slack.r, slack.cone))
    along = (4 * (of_w * u + of_u * w) - 2 * of_r * r) / cone
    gradient = weight[:, None] * problems.cost - (1 / slack.linear) @ linear - along.sum(axis=1)
    planes = linear / slack.linear[..., None]
    sums, others = (u + w) / np.sqrt(cone), np.concatenate([u - w, r], axis=1)
    others *= np.sqrt(2 / np.concatenate([cone, cone], axis=1))
    convex = np.concatenate([planes, along, others], axis=1)
    hessian = convex.transpose(0, 2, 1) @ convex - 2 * (sums.transpose(0, 2, 1) @ sums)
    scale = np.sqrt(np.einsum("nvv->nv", hessian))
    scaled = hessian / (scale[:, :, None] * scale[:, None, :]) + 1e-10 * np.eye(scale.shape[1])
    right = (gradient / scale)[..., None]
    lost = ~(
        np.isfinite(scaled).all(axis=(1, 2)) & (np.abs(np.linalg.det(np.nan_to_num(scaled))) > 0)
    )  # no direction
    scaled[lost], right[lost] = np.eye(scale.shape[1]), 0.0
    solved = np.linalg.solve(scaled, right)
    direction: Reals = -solved[..., 0] / scale
    return direction


def improved(problems: ConvexProblems, points: Reals, weight: Reals, steps: int) -> Reals:
    """Take Newton steps towards the centres, where weight·cost plus the barrier is least.

    Parameters
    ----------
    problems : ConvexProblems
    points : ndarray, shape (n, v)
        Inside all half-spaces and cones.
    weight : ndarray, shape (n,)
        The larger, the nearer to the least cost the centre is, and the more steps it takes to get there.
    steps : int

    Returns
    -------
    ndarray, shape (n, v)
    """
    with np.errstate(all="ignore"):
        merit = _merit(problems, points, weight)
        for _ in range(steps):
            direction, size = _direction(problems, points, weight), 1.0
            moving = np.ones(len(points), bool)
            for _ in range(8):
                trial = points + size * direction
                at = _merit(problems, trial, weight)
                better = moving & (at < merit)
                points, merit = np.where(better[:, None], trial, points), np.where(better, at, merit)
                moving &= ~better
                size /= 2
                if not moving.any():
                    break
    return points
