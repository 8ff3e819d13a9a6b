"""Backward problems for tests."""

from __future__ import annotations

from pebble.computations.problem import Problem


def backward(Nq: int, Nk: int | None = None, d: int = 64, dv: int | None = None) -> Problem:
    return Problem(Nq, Nq if Nk is None else Nk, d, d if dv is None else dv, pass_name="backward")
