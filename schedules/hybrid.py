"""Between the regimes: rows of Q resident while P is made, then O on tiles."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Program, Tiles, compute, delete, load, loop, phase, program, store
from schedules._tiled_products import output_from_scores, output_phase, scores_of_resident_rows


class Hybrid(Schedule):
    """P row block by row block with Q resident and K streamed; then O on tiles.

    Cheapest for d²/4 < M < d², where it moves about (1 + d/√M)²·N² words. The row sums are computed beside P
    with ``sums_first=1`` (a word for each resident row), else beside O (a word for each row of a tile).

    With safe and online softmax S is written in place of P, which is computed again where it is read; of safe softmax
    the maxima are found beside S. The row sums are computed beside O.
    """

    name = "hybrid"
    summary = "rows of Q resident while P is made and written; then O on tiles"
    source = "derived here: the best of FlashAttention's first product and Saha & Ye's second"
    forms = ("plain", "safe", "online")
    tile_names = ("rows", "out_rows", "out_cols", "sums_first")
    tile_axes = ("i", "i", "e", "")
    may_be_zero = ("sums_first",)

    def greatest(self, problem: Problem) -> Tiles:
        """Return whole axes."""
        return {**super().greatest(problem), "sums_first": 1}

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; without ``sums_first``, the row sums take the place of a column in the first tile of O.

        So this tile has ``out_cols`` columns, and later ones have one more.
        """
        tiles = self.check_tiles(tiles)
        rows = min(tiles["rows"], problem.Nq)
        if problem.form != "plain":
            return _from_scores(problem, rows, tiles)
        first = bool(tiles.get("sums_first", 0))
        work = (compute("P", "S"), compute("l") if first else None, store("P"), delete("P"))
        scores = scores_of_resident_rows(problem, rows, *work)
        end = (store("l"), delete("l")) if first else ()
        return program(
            phase("P = exp(QKᵀ), rows of Q resident", loop("i", rows, load("Q"), scores, delete("Q"), end)),
            output_phase(
                problem,
                tiles["out_rows"],
                tiles["out_cols"],
                sums=not first,
            ),
        )


def _from_scores(problem: Problem, rows: int, tiles: Tiles) -> Program:
    """Write the program for safe or online softmax: S, and the maxima, are written, and P is made beside O."""
    safe = problem.form == "safe"
    work = compute("m") if safe else None, store("S"), delete("S")
    scores = scores_of_resident_rows(problem, rows, *work)
    end = (store("m"), delete("m")) if safe else ()
    out_rows, out_cols = tiles["out_rows"], tiles["out_cols"]
    return program(
        phase("S = QKᵀ, rows of Q resident", loop("i", rows, load("Q"), scores, delete("Q"), end)),
        output_from_scores(problem, out_rows, out_cols),
    )
