"""Linear attention in chunks: the chunk's keys and values, and the state of all chunks before, in fast memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from pebble import Problem, Schedule
from pebble.program import (
    Node,
    Nodes,
    Phase,
    Program,
    Tiles,
    compute,
    delete,
    load,
    loop,
    phase,
    program,
    store,
)
from schedules._roles import each_query_head, family


class _StateColumns(Schedule):
    """A schedule that keeps columns of the state in fast memory, all of them if they fit.

    Each tile of columns has a pass of its own over all chunks, which reads keys and queries and makes the scores anew.
    """

    forms = ("chunked",)
    tile_names = ("state_cols",)
    tile_axes = ("e",)

    def columns(self, problem: Problem, tiles: Tiles) -> int:
        """Return the columns of a tile."""
        return min(self.check_tiles(tiles)["state_cols"], problem.dv)


class Chunked(_StateColumns):
    """Chunk by chunk, the state stays in fast memory. If all of it fits, every word moves once, whatever the chunks."""

    name = "chunked"
    summary = "chunk by chunk; the state, or columns of it, stays in fast memory"
    source = "Yang et al. 2024, arXiv 2312.06635, the chunkwise form"

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        cols = self.columns(problem, tiles)
        update = _update(problem, compute("Z"))
        return program(phase("chunk by chunk", loop("e", cols, *_outputs(problem, cols, update))))


class ChunkParallel(_StateColumns):
    """First what every chunk adds to the state, which is written; then the outputs of all chunks.

    So do kernels and machines that take chunks in parallel: the sum over the chunks is all that they wait for. Keys
    and values of all chunks but the last one are read twice, and a state is written and read for each of them.
    """

    name = "chunk-parallel"
    summary = "writes first what each chunk adds to the state, as when chunks run in parallel"
    source = "Sun et al. 2025, arXiv 2502.07563 (LASP-2), on one fast memory"

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        cols = self.columns(problem, tiles)
        update = _update(problem, load("Z"))
        outputs = phase("chunk by chunk", loop("e", cols, *_outputs(problem, cols, update)))
        if not problem.chunk_sizes[0]:
            return program(outputs)
        states = _added("Z", cols, "K", "V")
        return program(phase("what each chunk adds to the state", states), outputs)


def _added(adds: str, cols: int, *made_of: str) -> Node:
    """Write what each chunk adds to columns of a state."""
    words = loop("k", 1, loop("e", 1, compute(adds), store(adds), delete(adds), label="value"))
    return loop("e", cols, loop("c", 1, load(*made_of), words, delete(*made_of)))


class ChunkedBackward(Schedule):
    """Chunk by chunk from the first for dQ, then from the last for dK and dV.

    Tiles of the state have ``state_rows`` rows for dQ and dK, and ``state_cols`` columns for dV. If all of the state
    fits, dK and dV share it, and with it a pass over the tokens.
    """

    name = "chunked"
    summary = "chunk by chunk, from the first for dQ, then from the last for dK and dV; the state stays"
    source = "Yang et al. 2024, arXiv 2312.06635, the chunkwise form, its states not written"
    passes = ("backward",)
    forms = ("chunked",)
    tile_names = ("state_rows", "state_cols")
    tile_axes = ("k", "e")

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        return program(*self.gradients(problem, tiles, compute))

    def gradients(self, problem: Problem, tiles: Tiles, made: Callable[[str], Nodes]) -> tuple[Phase, ...]:
        """Write the gradients; ``made`` is how what a chunk adds to a state comes to fast memory, by its name."""
        rows, cols = self.check_tiles(tiles).values()
        dQ = _Product("dO", "dS", "A", "B", "dQ")
        dK, dV = _Product("Vr", "dSr", "Ar", "Br", "dK"), _Product("Kr", "Sr", "Cr", "Dr", "dV")
        forward = partial(_gradients, problem, ("K", "V"), "H", (made("Z"), compute("H"), delete("Z")))
        back = partial(_gradients, problem, ("Qr", "dOr"), "R", (made("Y"), compute("R"), delete("Y")))
        whole = rows >= problem.d and cols >= problem.dv
        rest = (back(rows, dK, dV),) if whole else (back(rows, dK), back(cols, dV))
        return phase("dQ, chunk by chunk", forward(rows, dQ)), phase("dK and dV, from the last chunk", *rest)


class ChunkParallelBackward(ChunkedBackward):
    """First what every chunk adds to the state and to its gradient, which is written; then the gradients."""

    name = "chunk-parallel"
    summary = "writes first what each chunk adds to the states, as when chunks run in parallel"
    source = "Yang et al. 2024, arXiv 2312.06635 (flash-linear-attention), on one fast memory"

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        gradients = self.gradients(problem, tiles, load)
        if problem.Nk == problem.chunk_sizes[1]:
            return program(*gradients)
        states = phase("what each chunk adds to the state", _added("Z", problem.dv, "K", "V"))
        others = phase("what each chunk adds to its gradient", _added("Y", problem.dv, "Qr", "dOr"))
        return program(states, others, *gradients)


class _Product(NamedTuple):
    """What is done with the scores of a chunk.

    A line of an input ``row`` gives ``scores``, a sum of them is the part of the ``output`` that the chunk itself
    gives, ``inside``, and the ``row`` times the ``state`` of the other chunks is the rest.
    """

    row: str
    scores: str
    inside: str
    state: str
    output: str


def _gradients(
    problem: Problem, held: tuple[str, str], state: str, update: Nodes, size: int, *products: _Product
) -> Node:
    """Pass over the chunks for some gradients: two inputs of a chunk are held, and a tile of the state.

    The last chunk adds to the state as well, which then nothing reads: that moves no word.
    """
    of, length = family(problem), problem.chunk_sizes[1]
    axis = of[products[0].output].axes[-1]
    size = min(size, of.extents[axis])
    rows = (
        loop(of[one.row].axes[-2], 1, load(one.row), _row(problem, one, length < size, True), delete(one.row))
        for one in products
    )
    more = problem.Nk > length
    words = loop("k", 1, loop("e", 1, update, label="value"), label="feature") if more else None
    chunk = loop("c", 1, load(*held), *rows, words, delete(*held))
    return loop(axis, size, chunk, delete(state) if more else None)


def _outputs(problem: Problem, cols: int, update: Node) -> tuple[Nodes, ...]:
    """The outputs of every chunk, and the state after each, which ``update`` adds to."""
    chunks, size, rest = problem.chunk_sizes
    last = _chunk(problem, "_last", rest < cols, bool(chunks))
    if not chunks:
        return last
    return loop("c", 1, *_chunk(problem, "", size < cols, True, update)), *last, delete("H")


def _chunk(
    problem: Problem, end: str, hold_scores: bool, with_state: bool, update: Node | None = None
) -> tuple[Nodes, ...]:
    """A chunk: its keys and values stay, its queries pass one by one; ``end`` is what its arrays' names end with."""
    product = _Product(*(f"{name}{end}" for name in ("Q", "S", "A" if with_state else "O", "B", "O")))
    keys = f"K{end}", f"V{end}"
    row = _row(problem, product, hold_scores, with_state)
    axis = family(problem)[product.row].axes[-2]
    rows = each_query_head(problem, loop(axis, 1, load(product.row), row, delete(product.row)))
    return load(*keys), rows, update, delete(*keys)


def _row(problem: Problem, product: _Product, hold_scores: bool, with_state: bool) -> tuple[Nodes, ...]:
    """The outputs of a line: its scores are held, or its outputs, whichever are fewer words."""
    _, scores, inside, state, output = product
    finish: Nodes = None
    if with_state:
        finish = (compute(state), compute(output, inside), delete(state))
    done = (finish, store(output), delete(output))
    axis = family(problem)[output].axes[-1]
    words = {"k": "feature", "e": "value"}[axis]
    if hold_scores:
        return compute(scores), loop(axis, 1, compute(inside), *done, label=words), delete(scores)
    one = loop(str(family(problem)[inside].chain), 1, compute(scores), compute(inside), delete(scores))
    return one, loop(axis, 1, *done, label=words)


def _update(problem: Problem, adds: Nodes) -> Node:
    """The state after a chunk: ``adds`` brings what the chunk adds to a word; a gate serves a row of the state."""
    words = loop("e", 1, adds, compute("H"), delete("Z"), label="value")
    return loop("k", 1, load("G"), words, delete("G")) if problem.gate else loop("k", 1, words)
