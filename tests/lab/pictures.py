"""What the tests of pictures share."""

from __future__ import annotations

from typing import Any

from pebble.computations.problem import Problem

PROBLEM = Problem.square(48, 6)


MEMORIES = (20, 60, 200)


def lines_of(ax: Any) -> dict[str, Any]:
    """Lines of some axes by label."""
    return {line.get_label(): line for line in ax.get_lines()}
