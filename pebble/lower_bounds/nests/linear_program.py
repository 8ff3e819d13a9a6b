"""Small linear programs, solved exactly over fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

__all__ = ["least"]


def least(
    costs: Sequence[Fraction | int], rows: Sequence[tuple[Sequence[int | Fraction], int | Fraction]]
) -> tuple[Fraction, ...] | None:
    """Return a corner x >= 0 of least cost with ``row · x >= right`` for every (row, right); None if there is none.

    Parameters
    ----------
    costs : sequence of Fraction
        None is negative.
    rows : sequence of (sequence, number)

    Notes
    -----
    The dual simplex method with the least index first, so that it ends.

    Examples
    --------
    >>> least([1, 1, 1], [((1, 1, 0), 1), ((1, 0, 1), 1), ((0, 1, 1), 1)])
    (Fraction(1, 2), Fraction(1, 2), Fraction(1, 2))
    """
    n = len(costs)
    # The basic variables are slacks: row · x - slack = right. Each line says what a basic variable is:
    # right side first, then the factors of the others.
    table = {n + r: [-Fraction(right), *map(Fraction, row)] for r, (row, right) in enumerate(rows)}
    reduced_costs = list(map(Fraction, costs))
    others = list(range(n))
    while True:
        leaving = min((basic for basic, line in table.items() if line[0] < 0), default=None)
        if leaving is None:
            break
        line = table.pop(leaving)
        choices = [(reduced_costs[at] / line[at + 1], others[at], at) for at in range(n) if line[at + 1] > 0]
        if not choices:
            return None
        _, entering, at = min(choices)
        # leaving = line[0] + ... + line[at] * entering: solve for entering.
        head = line[at + 1]
        solved = [-x / head for x in line]
        solved[at + 1] = 1 / head
        for basic, other in table.items():
            factor = other[at + 1]
            if factor:
                table[basic] = [
                    (Fraction() if j == at + 1 else x) + factor * y
                    for j, (x, y) in enumerate(zip(other, solved, strict=True))
                ]
        factor = reduced_costs[at]
        reduced_costs = [
            (Fraction() if j == at else x) + factor * solved[j + 1] for j, x in enumerate(reduced_costs)
        ]
        table[entering] = solved
        others[at] = leaving
    return tuple(table[j][0] if j in table else Fraction() for j in range(n))
