"""Rings: keys and values, or queries, go from device to device until all have met."""

from __future__ import annotations

import numpy as np

from pebble.program import parallel


class Ring(parallel.DistributedSchedule):
    """Keys and values go round; in the backward pass their gradients go with them, and home at the end."""

    name = "ring"
    summary = "keys and values go from device to device; backward, their gradients go with them"
    source = "Liu et al. 2023 (Ring Attention)"
    received = "2nd(P−1)Hk; backward 4nd(P−1)Hk"
    passes = ("forward", "backward")
    goes_round = True

    def placement(self, problem: parallel.SharedProblem, shape: parallel.Shape) -> parallel.Placement:
        """Own queries times own keys; then keys go round, downwards where the last keys are needed least: zigzag."""
        return _ring(problem, "key", downwards=problem.layout == "zigzag")


class PassQRing(parallel.DistributedSchedule):
    """Queries go round, and their partial outputs with them."""

    name = "pass-q-ring"
    summary = "queries go from device to device with their partial outputs, and home at the end"
    source = "Yang et al. 2024 (context parallelism for inference, pass-Q), as a ring"
    received = "n(2d+1)(P−1)Hq"
    goes_round = True

    def placement(self, problem: parallel.SharedProblem, shape: parallel.Shape) -> parallel.Placement:
        """Own queries times own keys; then queries go round downwards, to ever earlier keys."""
        return _ring(problem, "query", downwards=True)


class RingQ(parallel.DistributedSchedule):
    """Queries go round in the backward pass, with dO, l and D, and the gradient dQ."""

    name = "ring-q"
    summary = "queries, dO, l and D go from device to device with dQ; dK and dV stay"
    source = "Sun et al. 2024 (BurstAttention)"
    received = "(3d+2)n(P−1)Hq"
    passes = ("backward",)
    goes_round = True

    def placement(self, problem: parallel.SharedProblem, shape: parallel.Shape) -> parallel.Placement:
        """Own queries times own keys; then queries go round downwards, to ever earlier keys."""
        return _ring(problem, "query", downwards=True)


def _ring(problem: parallel.SharedProblem, travels: str, downwards: bool) -> parallel.Placement:
    """One ring of all devices, from p to p + 1 or downwards from p to p − 1."""
    device = np.arange(problem.P)
    before = (device + 1 if downwards else device - 1) % problem.P
    query, key = problem.query_tiling.of_device, problem.tiling.of_device
    return parallel.Placement(query, key, np.zeros_like(device), 1, before, travels)
