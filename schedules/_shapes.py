"""Tile shapes that FlashAttention's two versions share."""

from __future__ import annotations

from pebble import CacheTooSmall, Problem, Schedule

__all__ = ["literal_tiles", "paper_tiles"]


def paper_tiles(problem: Problem, M: int) -> dict[str, int]:
    """Return the published sizes Bc = ⌈M/4d⌉, Br = min(⌈M/4d⌉, d) (Dao et al. 2022, Algorithm 1, line 1).

    They do not fit in M words once scores, row sums and the accumulator are counted.
    """
    cols = -(-M // (4 * problem.d))
    return {"rows": min(cols, problem.d), "cols": cols}


def literal_tiles(schedule: Schedule, problem: Problem, M: int, longer: str) -> dict[str, int]:
    """Return the largest whole tiles of the paper's shape that fit: the shorter side at most d.

    Parameters
    ----------
    schedule : Schedule
    problem : Problem
    M : int
    longer : {"rows", "cols"}
        The side that the outer loop cuts.

    Raises
    ------
    CacheTooSmall
        If not even a tile of one row and one column fits.
    """
    shorter = "rows" if longer == "cols" else "cols"

    def shape(size: int) -> dict[str, int]:
        return {longer: size, shorter: min(size, problem.d)}

    def fits(size: int) -> bool:
        return schedule.measure(problem, shape(size)).peak <= M

    if not fits(1):
        least = schedule.measure(problem, shape(1)).peak
        raise CacheTooSmall(f"{schedule.name} with whole tiles needs at least {least} words; M is {M}", least)
    low, high = 1, problem.Nq if longer == "rows" else problem.Nk
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return shape(low)
