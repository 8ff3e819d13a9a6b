"""The moves of columns of a loop nest, vertex by vertex."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from pebble.computations.nests.nest_dag import NestDag, nest_dag
from pebble.computations.nests.points import affine_values
from pebble.computations.nests.statement import LoopNest
from pebble.game.moves import Moves, Op
from pebble.solvers.nests.stream_axes import StreamAxes

__all__ = ["stream_moves"]


def stream_moves(
    nest: LoopNest, parts: Sequence[tuple[StreamAxes, Mapping[str, int], Mapping[str, int]]]
) -> Iterator[Moves]:
    """Yield the moves of the elementary game, for nests whose DAG can be built.

    Parameters
    ----------
    nest : LoopNest
    parts : sequence of (StreamAxes, tile sizes, places of the first tiles)
    """
    found = nest_dag(nest)
    words = _words(found)
    rows = [row for at, part in enumerate(parts) for row in _rows(found, at, *part)]
    columns = [list(column) for _, column in groupby(rows, key=lambda row: row[0])]
    wanted = _wanted(found, words, columns)
    for column in columns:
        moves = np.array(_column(found, words, column, wanted), dtype=np.int64)
        yield Moves(moves[:, 0].astype(np.int8), moves[:, 1])


_Row = tuple[tuple[int, ...], tuple[int, int], tuple[int, ...], int]
"""A vertex: its column, its step, its turn in the step, its number."""


def _words(found: NestDag) -> list[int]:
    """Return for each vertex the first one of its element, which stands for the word."""
    words = np.arange(found.dag.n_vertices)
    # What is before a vertex may have a greater number: go back until nothing changes.
    before = np.full(len(words), -1, dtype=np.int64)
    for first, one in zip(found.first, found.before, strict=True):
        before[first : first + len(one)] = one
    step = np.where(before >= 0, before, words)
    while not np.array_equal(words, step[words]):
        words = step[words]
    result: list[int] = words.tolist()
    return result


def _rows(
    found: NestDag, at: int, axes: StreamAxes, sizes: Mapping[str, int], starts: Mapping[str, int]
) -> list[_Row]:
    """Return the vertices of some statements in the order in which they are computed."""
    rows: list[_Row] = []
    for number, place, rank in zip(axes.numbers, axes.places, axes.ranks, strict=True):
        indices, points = found.nest.statements[number].indices, found.points[number]

        def on(name: str) -> NDArray[np.int64]:
            return affine_values(place[name], indices, points)  # noqa: B023

        tiles = [(on(name) - starts[name]) // sizes[name] for name in axes.tiled]
        keys = [np.full(len(points), at), *tiles, on(axes.stream), on(axes.row), np.full(len(points), rank)]
        many = len(tiles) + 1
        for offset, key in enumerate(zip(*(k.tolist() for k in [*keys, *map(on, axes.rest)]), strict=True)):
            step = key[many], key[many + 1]
            rows.append((key[:many], step, key[many + 2 :], found.first[number] + offset))
    return sorted(rows)


def _reads(found: NestDag, words: Sequence[int], vertex: int) -> list[int]:
    """Return the other elements that a vertex reads, as their words."""
    predecessors = found.dag.predecessors_of(vertex)
    return [int(p) for p in predecessors if words[int(p)] != words[vertex]]


def _wanted(found: NestDag, words: Sequence[int], columns: Sequence[Sequence[_Row]]) -> set[int]:
    """Return the words that are stored: outputs, and what is read in another column than its own."""
    column_of = {words[vertex]: at for at, column in enumerate(columns) for *_, vertex in column}
    wanted = {words[int(vertex)] for vertex in found.dag.outputs}
    for at, column in enumerate(columns):
        for *_, vertex in column:
            read = (words[one] for one in _reads(found, words, vertex))
            wanted.update(word for word in read if column_of.get(word, at) != at)
    return wanted


def _column(
    found: NestDag, words: Sequence[int], column: Sequence[_Row], wanted: set[int]
) -> list[tuple[int, int]]:
    """Return the moves of a column: what a step reads is loaded before it, and what no later one needs deleted."""
    last: dict[int, tuple[int, int]] = {}
    made = {words[vertex] for *_, vertex in column}
    for _, step, _, vertex in column:
        for word in (words[vertex], *(words[one] for one in _reads(found, words, vertex))):
            last[word] = step
    moves: list[tuple[int, int]] = []
    held: dict[int, int] = {}
    for step, group in groupby(column, key=lambda row: row[1]):
        vertices = [vertex for *_, vertex in group]
        for vertex in vertices:
            for one in _reads(found, words, vertex):
                if words[one] not in made and words[one] not in held:
                    held[words[one]] = one
                    moves.append((Op.LOAD, one))
        for vertex in vertices:
            moves.append((Op.COMPUTE, vertex))
            if words[vertex] in held:
                moves.append((Op.DELETE, held[words[vertex]]))
            held[words[vertex]] = vertex
        for word in [word for word in held if last[word] == step]:
            if word in made and word in wanted:
                moves.append((Op.STORE, held[word]))
            moves.append((Op.DELETE, held.pop(word)))
    return moves
