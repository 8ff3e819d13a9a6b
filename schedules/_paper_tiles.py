"""The tile sizes that FlashAttention's papers publish, and whole tiles of their shape."""

from __future__ import annotations

from typing import ClassVar, Literal

from pebble import CacheTooSmall, Problem, Schedule
from pebble.program import Tiles


class PaperTiles(Schedule):
    """A schedule that streams with one tile size given, and loads whole tiles, as published, with both.

    Attributes
    ----------
    outer : {"rows", "cols"}
        The side that the outer loop cuts.
    """

    tile_names: ClassVar[tuple[str, ...]] = ("rows", "cols")
    tile_axes: ClassVar[tuple[str, ...]] = ("i", "j")
    presets: ClassVar[tuple[str, ...]] = ("literal", "paper")
    outer: ClassVar[Literal["rows", "cols"]]

    def smallest(self, problem: Problem) -> Tiles:
        """Return one row or one column at a time, the other side streamed."""
        return {self.outer: 1}

    def preset(self, problem: Problem, M: int, name: str) -> Tiles:
        """``literal``: the paper's shape, as large as fits; ``paper``: the published sizes.

        The published sizes are Bc = ⌈M/4d⌉, Br = min(⌈M/4d⌉, d) (Dao et al. 2022, Algorithm 1, line 1). They do not
        fit in M words once scores, row sums and the accumulator are counted.
        """
        if name == "literal":
            return self._literal_tiles(problem, M)
        if name in self.presets:
            cols = -(-M // (4 * problem.d))
            return {"rows": min(cols, problem.d, problem.Nq), "cols": min(cols, problem.Nk)}
        return super().preset(problem, M, name)

    def _literal_tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the largest whole tiles of the paper's shape that fit: the inner side at most d."""
        inner = "rows" if self.outer == "cols" else "cols"

        def shape(size: int) -> dict[str, int]:
            return {self.outer: size, inner: min(size, problem.d, self.greatest(problem)[inner])}

        def need(size: int) -> int:
            return self.measure(problem, shape(size)).peak

        if need(1) > M:
            raise CacheTooSmall(
                f"{self.name} with whole tiles needs at least {need(1)} words; M is {M}", need(1)
            )
        low, high = 1, problem.Nq if self.outer == "rows" else problem.Nk
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if need(middle) <= M else (low, middle - 1)
        return shape(low)
