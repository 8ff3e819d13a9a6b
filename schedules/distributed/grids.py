"""Gathered tiles: all keys on every device, or on grids of devices queries along rows and keys along columns."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from pebble.program import parallel


class HeadsGrid(parallel.DistributedSchedule):
    """Heads in h parts, and R × C devices for each: device p is number p mod h of the place p // h of the grid."""

    name = "heads-grid"
    summary = "some heads on each of several grids: queries gathered along rows, keys along columns"
    source = "Elango 2025 (Attention2D), with heads cut first as in Ulysses"
    received = "(Ch−1)nd·q + (Rh−1)2nd·k + n(d+[C>1])((Hq−q)C+q(C−1)), q = Hq/h, k = max(1,Hk/h)"
    passes: ClassVar[tuple[str, ...]] = ("forward", "backward")
    shape_names: ClassVar[tuple[str, ...]] = ("heads", "R", "C")

    def parts(self, problem: parallel.SharedProblem, shape: parallel.Shape) -> parallel.Shape:
        """Return how many parts the heads are in, and the grid's rows and columns."""
        return shape

    def blocks(self, problem: parallel.SharedProblem, shape: parallel.Shape) -> int:
        """Return how many parts the heads are in."""
        return self.parts(problem, shape)[0]

    def dense_words(self, problem: parallel.SharedProblem, shape: parallel.Shape = ()) -> int:
        """What is gathered, and the sums that come back: partial ones where C > 1 devices work on a row."""
        h, R, C = self.parts(problem, shape)
        (nq, n), sums = problem.tokens_each, problem.sums
        q, k = problem.heads // h, max(1, problem.kv_heads // h)
        gathered = nq * (C * h - 1) * q * problem.queries.words + n * (R * h - 1) * k * problem.keys.words
        back = (
            nq * (sums[0].words if C > 1 else sums[0].final_words) * ((problem.heads - q) * C + q * (C - 1))
        )
        if problem.pass_name == "backward":
            back += n * sums[1].words * (problem.kv_heads * R * max(1, h // problem.kv_heads) - k)
        return gathered + back

    def placement(self, problem: parallel.SharedProblem, shape: parallel.Shape) -> parallel.Placement:
        """Queries of the devices of a row times keys of the devices of a column."""
        h, R, C = self.parts(problem, shape)
        device = np.arange(problem.P)
        row, column = device // (h * C), device // h % C
        of_row = np.arange(R)[:, None] * h * C + np.arange(h * C)
        places = np.arange(R)[:, None] * C * h + np.arange(h)
        of_column = np.arange(C)[:, None] * h + places.ravel()
        query = problem.query_tiling.of_device[of_row].reshape(R, -1)
        key = problem.tiling.of_device[of_column].reshape(C, -1)
        return parallel.Placement(query, key, device % h, h, query_set=row, key_set=column)


class GridSchedule(HeadsGrid):
    """R × C devices: device (r, c) has the queries of the devices of row r, and the keys of those of column c."""

    name = "grid"
    summary = "queries gathered along the rows of a grid of devices, keys along its columns, partial outputs sent back"
    source = "Elango 2025 (Attention2D); Chen et al. 2025 (Mesh-Attention)"
    received = "n[(2d+1)(C−1)Hq + 2d(R−1)Hk]; backward n[(3d+2)(C−1)Hq + 4d(R−1)Hk]"
    shape_names = ("R", "C")

    def parts(self, problem: parallel.SharedProblem, shape: parallel.Shape) -> parallel.Shape:
        """All heads on every device."""
        return (1, *shape)


class GridRing(GridSchedule):
    """The grid with less memory: keys go round the column instead of being gathered."""

    name = "grid-ring"
    summary = "queries gathered along the rows of a grid of devices; keys go round its columns"
    source = "Liu et al. 2024 (StarTrail), as a grid"
    goes_round = True

    def placement(self, problem: parallel.SharedProblem, shape: parallel.Shape) -> parallel.Placement:
        """Queries of a row times own keys; then keys go round the column."""
        device, C = np.arange(problem.P), shape[1]
        before = (device + C if problem.layout == "zigzag" else device - C) % problem.P
        return replace(
            super().placement(problem, shape), key=problem.tiling.of_device, key_set=None, before=before
        )


class AllGather(HeadsGrid):
    """Queries stay; keys and values come from all other devices in one round, as far as the mask needs them."""

    name = "all-gather"
    summary = "every device fetches the keys and values that its queries need; backward, gradients go back"
    source = "Grattafiori et al. 2024 (Llama 3, context parallelism)"
    received = "2nd(P−1)Hk; backward 4nd(P−1)Hk"
    shape_names = ()

    def parts(self, problem: parallel.SharedProblem, shape: parallel.Shape) -> parallel.Shape:
        """One column."""
        return 1, problem.P, 1


class Ulysses(HeadsGrid):
    """A device gets Q, K, V of all tokens for its heads, and sends the outputs back."""

    name = "ulysses"
    summary = "every device computes some whole heads; Q, K, V are exchanged before, O after"
    source = "Jacobs et al. 2023 (DeepSpeed-Ulysses)"
    received = "(N−n)d(Hq/P + 2max(1,Hk/P)) + nd(Hq−Hq/P)"
    shape_names = ()

    def parts(self, problem: parallel.SharedProblem, shape: parallel.Shape) -> parallel.Shape:
        """Heads alone."""
        return problem.P, 1, 1
