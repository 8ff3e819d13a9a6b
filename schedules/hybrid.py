"""Between the regimes: rows of Q resident while P is made, then O on tiles."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Program, Tiles, closed_form, compute, delete, load, loop, phase, program, store
from schedules._tile_shapes import best_output_tile
from schedules._tiled_products import output_phase, scores_of_resident_rows

__all__ = ["Hybrid"]


class Hybrid(Schedule):
    """P row block by row block with Q resident and K streamed; then O on tiles.

    Cheapest for d²/4 < M < d², where it moves about (1 + d/√M)²·N² words. The row sums are computed beside P
    with ``sums_first=1`` (a word for each resident row), else beside O (a word for each row of a tile).
    """

    name = "hybrid"
    summary = "rows of Q resident while P is made and written; then O on tiles"
    source = "derived here: the best of FlashAttention's first product and Saha & Ye's second"
    tile_names = ("rows", "out_rows", "out_cols", "sums_first")
    tile_axes = ("i", "i", "e", "")
    may_be_zero = ("sums_first",)

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the cheapest tiles for each of the two phases."""
        self.require(problem, M)
        options = [self._tiles(problem, M, first) for first in (0, 1)]
        fitting = [tiles for tiles in options if tiles["rows"] > 0]
        if not fitting:
            return self.smallest(problem)
        family = self.family(problem)
        return min(fitting, key=lambda tiles: int(closed_form(self.program(problem, tiles), family).io))

    def _tiles(self, problem: Problem, M: int, first: int) -> dict[str, int]:
        d = problem.d
        rows = max((M - 2) // (d + 1 + first), (M - 2 - d) // (d + first))
        out_rows, out_cols = best_output_tile(problem, M, sums=not first)
        return {
            "rows": min(rows, problem.Nq),
            "out_rows": out_rows,
            "out_cols": out_cols,
            "sums_first": first,
        }

    def smallest(self, problem: Problem) -> Tiles:
        """Return one row at a time."""
        return {"rows": 1, "out_rows": 1, "out_cols": 2, "sums_first": 0}

    def greatest(self, problem: Problem) -> Tiles:
        """Return whole axes; a tile of O may have a column more, for the row sums."""
        return {**super().greatest(problem), "out_cols": problem.dv + 1, "sums_first": 1}

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; without ``sums_first``, ``out_cols`` counts a word for the row sum."""
        tiles = self.check_tiles(tiles)
        first = bool(tiles.get("sums_first", 0))
        rows = min(tiles.get("rows", problem.Nq), problem.Nq)
        work = (compute("P", "S"), compute("l") if first else None, store("P"), delete("P"))
        scores = scores_of_resident_rows(problem, rows, *work)
        end = (store("l"), delete("l")) if first else ()
        out_cols = tiles.get("out_cols", problem.dv + 1)
        return program(
            phase("P = exp(QKᵀ), rows of Q resident", loop("i", rows, load("Q"), scores, delete("Q"), end)),
            output_phase(
                problem,
                tiles.get("out_rows", problem.Nq),
                out_cols if first else max(2, out_cols),
                sums=not first,
            ),
        )
