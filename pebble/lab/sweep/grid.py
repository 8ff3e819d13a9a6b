"""A grid of points in a fixed order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem
from pebble.lab.size_lists import Sizes, memory_sizes, problem_sizes
from pebble.lab.sweep.point import NO_MASK, Point, mask_made
from pebble.program.hierarchy import Hierarchy
from pebble.program.schedule import available, get
from pebble.program.schedule.registry import level_schedule, level_schedules


@dataclass(frozen=True)
class SweepGrid:
    """Every combination of N, d, mask and M, N outermost and M innermost; made by :func:`sweep_grid`.

    N, d, masks, M, schedules, empty_rows, levels and exclusive are as :func:`sweep_grid` takes them; with levels, M is
    that of the outermost.

    Attributes
    ----------
    same : mapping
        What is the same at all points: parameters of :class:`pebble.Problem`, and ``kv`` and ``dv`` where they are not
        N and d.
    mask_contents : tuple of str
        For each N and mask, a hash of what comes from a file or a function.
    """

    N: tuple[int, ...]
    d: tuple[int, ...]
    masks: tuple[str, ...]
    M: tuple[int, ...]
    schedules: tuple[str, ...]
    same: Mapping[str, Any] = field(hash=False)
    empty_rows: str = "error"
    levels: tuple[int, ...] = ()
    exclusive: bool = False
    mask_contents: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.N) * len(self.d) * len(self.masks) * len(self.M)

    def point(self, index: int) -> Point:
        """Return a point by its place in the order, from 0."""
        rest, m = divmod(index, len(self.M))
        rest, mask = divmod(rest, len(self.masks))
        n, at = divmod(rest, len(self.d))
        same, N, d = dict(self.same), self.N[n], self.d[at]
        sizes = {"Nq": N, "Nk": same.pop("kv", N), "d": d, "dv": same.pop("dv", d)}
        return Point(
            {**sizes, **same},
            self.M[m],
            self.schedules,
            self.masks[mask],
            self.empty_rows,
            self.mask_contents[n * len(self.masks) + mask],
            self.levels,
            self.exclusive,
        )

    @property
    def rows_per_point(self) -> int:
        """How many rows each point has: one for each schedule, and each memory level."""
        return len(self.schedules) * max(1, len(self.levels))

    def check(self) -> None:
        """Raise InvalidInput if any problem of the grid makes no sense."""
        per_d = len(self.masks) * len(self.M)
        for n in range(len(self.N)):
            for mask in range(len(self.masks)):  # d innermost: its problems share the mask
                for d in range(len(self.d)):
                    self.point((n * len(self.d) + d) * per_d + mask * len(self.M)).problem()

    def to_dict(self) -> dict[str, Any]:
        """Return the grid as plain data."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in vars(self).items()}


def sweep_grid(
    N: Sizes,
    d: Sizes,
    M: Sizes | None,
    schedules: Iterable[str] | str | None = None,
    *,
    masks: Iterable[str] | str = NO_MASK,
    empty_rows: str = "error",
    dtype: str | None = None,
    levels: Sizes | None = None,
    exclusive: bool = False,
    **same: Any,
) -> SweepGrid:
    """Make a grid, and check all that can be checked before the work.

    Parameters
    ----------
    N, d, M, schedules
        As for :func:`pebble.sweep`.
    masks : iterable of str, or str
        Masks as the command line writes them, such as ``["none", "causal", "window:256"]``.
    empty_rows : {"error", "zero"}
        Whether a query may attend to nothing; its output is then zero.
    dtype : str, optional
        What a word is, where M is in bytes.
    levels : int, iterable of int, or str, optional
        Words of several memory levels, the innermost first, instead of M (None); a row then is a boundary.
    exclusive : bool
        Whether a level need not hold what those within hold.
    **same
        What is the same at all points: ``kv`` and ``dv``, the number of keys and the head dimension of V, where they
        are not N and d; and stats, heads, kv_heads, batch, pass_name, softmax, attention, gate, chunk, shared_values
        and shared_rope as in :class:`pebble.Problem`. With the pass "both" a row is a training step.

    Examples
    --------
    >>> grid = sweep_grid("1Ki,4Ki", 64, "1Ki:1Mi:3", "flash-2,best")
    >>> len(grid), grid.M, grid.point(5).describe()
    (6, (1024, 32768, 1048576), 'N = 4,096, d = 64, M = 1,048,576')
    """
    if (M is None) == (levels is None):
        raise InvalidInput("a grid needs either words of fast memory (M) or words of several memory levels")
    lengths, specs = problem_sizes(N, "N"), _masks(masks)
    same = {name: value for name, value in same.items() if value is not None}
    sizes = () if levels is None else memory_sizes(levels, dtype)
    grid = SweepGrid(
        N=lengths,
        d=problem_sizes(d, "d"),
        masks=specs,
        M=sizes[-1:] if M is None else memory_sizes(M, dtype),
        schedules=(),
        same=same,
        empty_rows=empty_rows,
        levels=sizes,
        exclusive=exclusive,
        mask_contents=tuple(
            mask_made(mask, n, same.get("kv", n), empty_rows)[1] for n in lengths for mask in specs
        ),
    )
    grid.check()
    problems = [grid.point(place * len(grid.M)).problem() for place in range(len(specs))]
    if not sizes:
        return replace(grid, schedules=_schedules(schedules, problems))
    if same.get("pass_name") == "both":
        raise InvalidInput("with several memory levels, count the forward and the backward pass separately")
    Hierarchy(sizes, not exclusive)
    names = _named(schedules, (one.name for one in level_schedules(problems[0])))
    for name, problem in product(names, problems):
        level_schedule(name, problem)
    return replace(grid, schedules=names)


def _named(given: Iterable[str] | str | None, default: Iterable[str]) -> tuple[str, ...]:
    """Return the names of schedules that are given, or the default."""
    if given is None:
        return _once(default, "schedules")
    texts = [given] if isinstance(given, str) else list(given)
    if not all(isinstance(text, str) for text in texts):
        raise InvalidInput("a sweep needs schedules by name, because every worker must be able to find them")
    return _once([name for text in texts for name in text.split(",")], "schedules")


def _once(texts: Iterable[str], what: str) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))
    if not found:
        raise InvalidInput(f"a grid needs at least one of the {what}")
    return found


def _masks(given: Iterable[str] | str) -> tuple[str, ...]:
    texts = [given] if isinstance(given, str) else list(given)
    if not all(isinstance(text, str) for text in texts):
        raise InvalidInput(
            "a sweep needs masks as texts, such as window:256; save an array and write file:PATH.npy"
        )
    return _once((NO_MASK if text.strip() == "full" else text for text in texts), "masks")


def _schedules(given: Iterable[str] | str | None, problems: list[Problem]) -> tuple[str, ...]:
    """Return the names of the schedules, which all must serve the pass, or both, of all computations of some problems.

    Linear attention without a mask is another computation than under the causal one.
    """
    pass_name = problems[0].pass_name
    parts = [
        (part, form)
        for part in (("forward", "backward") if pass_name == "both" else (pass_name,))
        for form in dict.fromkeys(replace(one, pass_name=part, stats=False).form for one in problems)
    ]
    first, *others = (available(*part) for part in parts)
    default = [name for name in first if all(name in other for other in others)]
    names = _named(given, default)
    for name, part in product(names, parts):
        get(name, *part)
    return names
