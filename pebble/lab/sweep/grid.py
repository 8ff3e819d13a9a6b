"""A grid of points in a fixed order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, asdict, dataclass, fields, replace
from typing import Any

from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem
from pebble.lab.size_lists import Sizes, memory_sizes, problem_sizes
from pebble.lab.sweep.masking import NO_MASK, mask_content
from pebble.lab.sweep.point import Point
from pebble.program.hierarchy import Hierarchy
from pebble.program.schedule import available, get
from pebble.program.schedule.registry import level_schedule, level_schedules

__all__ = ["SweepGrid", "sweep_grid"]

_AT_ALL_POINTS = (
    *("stats", "heads", "batch", "pass_name", "kv_heads"),
    *("softmax", "attention", "shared_values", "shared_rope"),
)


@dataclass(frozen=True)
class SweepGrid:
    """Every combination of N, d, mask and M, N outermost and M innermost; made by :func:`sweep_grid`.

    Attributes
    ----------
    N, d : tuple of int
        Numbers of queries, and head dimensions.
    masks : tuple of str
        As the command line writes them.
    M : tuple of int
        Words of fast memory.
    schedules : tuple of str
        One row each at every point.
    kv, dv : int or None
        Number of keys and head dimension of V, where they are not N and d.
    stats, heads, batch, pass_name, kv_heads, softmax, attention, gate, chunk, shared_values, shared_rope
        As in :class:`pebble.Problem`, the same at all points.
    empty_rows : str
        As in :func:`pebble.computations.masks.make_mask`.
    levels : tuple of int
        Words of several memory levels, the innermost first; M is then that of the outermost.
    exclusive : bool
        Whether a level need not hold what those within hold.
    mask_contents : tuple of str
        For each N and mask, a hash of what comes from a file or a function.
    """

    N: tuple[int, ...]
    d: tuple[int, ...]
    masks: tuple[str, ...]
    M: tuple[int, ...]
    schedules: tuple[str, ...]
    kv: int | None
    dv: int | None
    stats: bool
    heads: int
    batch: int
    pass_name: str
    empty_rows: str
    mask_contents: tuple[str, ...]
    kv_heads: int | None = None
    softmax: str = "plain"
    attention: str = "softmax"
    gate: bool = False
    chunk: int | None = None
    shared_values: bool = False
    shared_rope: int = 0
    levels: tuple[int, ...] = ()
    exclusive: bool = False

    def __len__(self) -> int:
        return len(self.N) * len(self.d) * len(self.masks) * len(self.M)

    def point(self, index: int) -> Point:
        """Return a point by its place in the order, from 0."""
        rest, m = divmod(index, len(self.M))
        rest, mask = divmod(rest, len(self.masks))
        n, d = divmod(rest, len(self.d))
        return Point(
            self._plain(self.N[n], self.d[d]),
            self.M[m],
            self.schedules,
            self.masks[mask],
            self.empty_rows,
            self.mask_contents[n * len(self.masks) + mask],
            self.gate,
            self.chunk,
            self.levels,
            self.exclusive,
        )

    @property
    def rows_per_point(self) -> int:
        """How many rows each point has: one for each schedule, and each memory level."""
        return len(self.schedules) * max(1, len(self.levels))

    def _plain(self, N: int, d: int) -> Problem:
        return Problem(
            Nq=N,
            Nk=N if self.kv is None else self.kv,
            d=d,
            dv=d if self.dv is None else self.dv,
            **{name: getattr(self, name) for name in _AT_ALL_POINTS},
        )

    def check(self) -> None:
        """Raise InvalidInput if any problem of the grid makes no sense."""
        per_d = len(self.masks) * len(self.M)
        for n in range(len(self.N)):
            for mask in range(len(self.masks)):  # d innermost: its problems share the mask
                for d in range(len(self.d)):
                    self.point((n * len(self.d) + d) * per_d + mask * len(self.M)).problem()

    def to_dict(self) -> dict[str, Any]:
        """Return the grid as plain data; what was not asked for, such as shared heads, is left out."""
        data = {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}
        usual = {one.name: one.default for one in fields(self) if one.default is not MISSING}
        return {name: value for name, value in data.items() if name not in usual or value != usual[name]}


def sweep_grid(
    N: Sizes,
    d: Sizes,
    M: Sizes | None,
    schedules: Iterable[str] | str | None = None,
    *,
    masks: Iterable[str] | str = NO_MASK,
    empty_rows: str = "error",
    kv: int | None = None,
    dv: int | None = None,
    stats: bool = False,
    heads: int = 1,
    kv_heads: int | None = None,
    batch: int = 1,
    pass_name: str = "forward",
    dtype: str | None = None,
    softmax: str = "plain",
    attention: str = "softmax",
    gate: bool = False,
    chunk: int | None = None,
    shared_values: bool = False,
    shared_rope: int = 0,
    levels: Sizes | None = None,
    exclusive: bool = False,
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
    kv, dv : int, optional
        Number of keys and head dimension of V, where they are not N and d.
    stats, heads, kv_heads, batch, pass_name
        As in :class:`pebble.Problem`; with the pass "both" a row is a training step.
    dtype : str, optional
        What a word is, where M is in bytes.
    softmax, attention, gate, chunk, shared_values, shared_rope
        Which attention is computed, as in :class:`pebble.Problem`.
    levels : int, iterable of int, or str, optional
        Words of several memory levels, the innermost first, instead of M (None); a row then is a boundary.
    exclusive : bool
        Whether a level need not hold what those within hold.

    Examples
    --------
    >>> grid = sweep_grid("1Ki,4Ki", 64, "1Ki:1Mi:3", "flash-2,best")
    >>> len(grid), grid.M, grid.point(5).describe()
    (6, (1024, 32768, 1048576), 'attention forward, N = 4,096, d = 64, M = 1,048,576')
    """
    lengths, specs = problem_sizes(N, "N"), _masks(masks)
    sizes = () if levels is None else _levels(levels, dtype, exclusive, pass_name)
    if (M is None) == (levels is None):
        raise InvalidInput("a grid needs either words of fast memory (M) or words of several memory levels")
    grid = SweepGrid(
        N=lengths,
        d=problem_sizes(d, "d"),
        masks=specs,
        M=sizes[-1:] if M is None else memory_sizes(M, dtype),
        schedules=(),
        kv=kv,
        dv=dv,
        stats=stats,
        heads=heads,
        batch=batch,
        pass_name=pass_name,
        empty_rows=empty_rows,
        mask_contents=tuple(
            mask_content(mask, n, n if kv is None else kv, empty_rows) for n in lengths for mask in specs
        ),
        kv_heads=kv_heads,
        softmax=softmax,
        attention=attention,
        gate=gate,
        chunk=chunk,
        shared_values=shared_values,
        shared_rope=shared_rope,
        levels=sizes,
        exclusive=exclusive,
    )
    grid.check()
    problems = [grid.point(place * len(grid.M)).problem() for place in range(len(specs))]
    if sizes:
        return replace(grid, schedules=_level_schedules(schedules, problems))
    return replace(grid, schedules=_schedules(schedules, problems))


def _levels(given: Sizes, dtype: str | None, exclusive: bool, pass_name: str) -> tuple[int, ...]:
    """Return the words of memory levels, checked."""
    if pass_name == "both":
        raise InvalidInput("with several memory levels, count the forward and the backward pass separately")
    sizes = memory_sizes(given, dtype)
    Hierarchy(sizes, not exclusive)
    return sizes


def _level_schedules(given: Iterable[str] | str | None, problems: list[Problem]) -> tuple[str, ...]:
    """Return the names of schedules for several memory levels, which must serve all problems."""
    if given is None:
        return tuple(one.name for one in level_schedules(problems[0]))
    texts = [given] if isinstance(given, str) else list(given)
    names = _once([name for text in texts for name in text.split(",")], "schedules")
    for problem in problems:
        for name in names:
            level_schedule(name, problem)
    return names


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
    if given is None:
        first, *others = (available(*part) for part in parts)
        return _once([name for name in first if all(name in other for other in others)], "schedules")
    texts = [given] if isinstance(given, str) else list(given)
    if not all(isinstance(text, str) for text in texts):
        raise InvalidInput("a sweep needs schedules by name, because every worker must be able to find them")
    names = _once([name for text in texts for name in text.split(",")], "schedules")
    for part in parts:
        for name in names:
            get(name, *part)
    return names
