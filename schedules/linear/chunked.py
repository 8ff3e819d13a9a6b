"""Linear attention in chunks: the chunk's keys and values, and the state of all chunks before, in fast memory."""

from __future__ import annotations

from dataclasses import dataclass

from pebble import Problem, Schedule
from pebble.program import Node, Nodes, Program, Tiles, compute, delete, load, loop, phase, program, store
from schedules._roles import each_query_head


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
        words = loop("k", 1, loop("e", 1, compute("Z"), store("Z"), delete("Z"), label="value"))
        states = loop("e", cols, loop("c", 1, load("K", "V"), words, delete("K", "V")))
        return program(phase("what each chunk adds to the state", states), outputs)


@dataclass(frozen=True)
class _Names:
    """Axes of the queries and keys of a chunk, and what its arrays' names end with."""

    query: str
    key: str
    end: str


_FULL, _LAST = _Names("p", "q", ""), _Names("s", "t", "_last")


def _outputs(problem: Problem, cols: int, update: Node) -> tuple[Nodes, ...]:
    """The outputs of every chunk, and the state after each, which ``update`` adds to."""
    chunks, size, rest = problem.chunk_sizes
    last = _chunk(problem, _LAST, rest < cols, bool(chunks))
    if not chunks:
        return last
    return loop("c", 1, *_chunk(problem, _FULL, size < cols, True, update)), *last, delete("H")


def _chunk(
    problem: Problem, names: _Names, hold_scores: bool, with_state: bool, update: Node | None = None
) -> tuple[Nodes, ...]:
    """A chunk: its keys and values stay, its queries pass one by one."""
    query, keys = f"Q{names.end}", (f"K{names.end}", f"V{names.end}")
    row = _row(names, hold_scores, with_state)
    rows = each_query_head(problem, loop(names.query, 1, load(query), row, delete(query)))
    return load(*keys), rows, update, delete(*keys)


def _row(names: _Names, hold_scores: bool, with_state: bool) -> tuple[Nodes, ...]:
    """The outputs of a query: its scores are held, or its outputs, whichever are fewer words."""
    scores, output = f"S{names.end}", f"O{names.end}"
    inside = f"A{names.end}" if with_state else output
    finish: Nodes = None
    if with_state:
        state = f"B{names.end}"
        finish = (compute(state), compute(output, inside), delete(state))
    done = (finish, store(output), delete(output))
    if hold_scores:
        return compute(scores), loop("e", 1, compute(inside), *done, label="value"), delete(scores)
    one = loop(names.key, 1, compute(scores), compute(inside), delete(scores))
    return one, loop("e", 1, *done, label="value")


def _update(problem: Problem, adds: Nodes) -> Node:
    """The state after a chunk: ``adds`` brings what the chunk adds to a word; a gate serves a row of the state."""
    words = loop("e", 1, adds, compute("H"), delete("Z"), label="value")
    return loop("k", 1, load("G"), words, delete("G")) if problem.gate else loop("k", 1, words)
