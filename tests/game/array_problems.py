"""Small problems of every pass, with masks and without."""

from __future__ import annotations

from pebble.computations.problem import Problem

PROBLEMS = [
    Problem(5, 3, 2, 4),
    Problem(2, 11, 1, 1, stats=True),
    Problem(3, 12, 1, 2, pass_name="backward"),
    Problem.square(6, 2, mask="causal"),
    Problem.square(7, 1, mask="window:3", pass_name="backward"),
    Problem.square(3, 2, pass_name="weights"),
]
