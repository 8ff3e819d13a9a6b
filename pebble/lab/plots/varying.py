"""What varies along the axes of a picture: the size of fast memory, the length of the problem."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import SupportsIndex

from pebble.common.errors import InvalidInput
from pebble.common.units import fast_memory_words
from pebble.computations.problem import Problem
from pebble.lab.size_lists import memory_sizes
from pebble.lab.training import offered_names

COUNTS = range(1, 2001)
"""How many sizes a range in a picture may have."""


def sizes(text: str, dtype: str | None = None) -> tuple[int, ...]:
    """Read sizes of fast memory: one, several with commas, or ``FIRST:LAST:COUNT`` at equal ratios.

    Parameters
    ----------
    text : str
        Each size as :func:`pebble.parse_words` reads it.
    dtype : str, optional
        What one word is, for sizes in bytes.

    Examples
    --------
    >>> sizes("256:1Ki:3"), sizes("64,128")
    ((256, 512, 1024), (64, 128))
    """
    return memory_sizes(text, dtype, COUNTS)


def memories(M: SupportsIndex | Iterable[SupportsIndex]) -> tuple[int, ...]:
    """Return sizes of fast memory in rising order, each once."""
    found = list(M) if isinstance(M, Iterable) else [M]
    if not found:
        raise InvalidInput("no size of fast memory (M) to draw: give at least one")
    return tuple(sorted({fast_memory_words(size) for size in found}))


def quick_schedules(problem: Problem, *names: str) -> list[str]:
    """Return those of some schedules that serve a problem; where there are none, the best one.

    >>> quick_schedules(Problem.square(64, 8), "flash-2", "split"), quick_schedules(Problem.square(64, 8), "split")
    (['flash-2'], ['best'])
    """
    known = offered_names(problem)
    return [name for name in names if name in known] or ["best"]


def problems_of(problem: Problem | Iterable[Problem]) -> tuple[Problem, ...]:
    """Return problems in order of their number of keys."""
    found = [problem] if isinstance(problem, Problem) else list(problem)
    if not found:
        raise InvalidInput("no problem to draw: give at least one")
    if len({but_length(one) for one in found}) > 1:
        raise InvalidInput("the problems of one picture may differ only in their length")
    return tuple(sorted(dict.fromkeys(found), key=lambda one: (one.Nk, one.Nq)))


def length_name(problems: Sequence[Problem]) -> str:
    """Return what the lengths of some problems are lengths of."""
    return "N" if all(one.Nq == one.Nk for one in problems) else "Nk"


def but_length(problem: Problem) -> str:
    """Describe a problem, all but its length.

    >>> but_length(Problem.square(1024, 64, mask="causal"))
    'attention forward, d = 64, causal mask'
    """
    parts = problem.describe().split(", ")
    return ", ".join(
        part
        for part in parts
        if not part.startswith(("N = ", "Nq = ", "Nk = ")) and not part.endswith(" pairs")
    )
