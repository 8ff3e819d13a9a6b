"""An exchange move by move: every word of every device, as the game of several devices plays it.

Only communication is played: a device computes in its memory. Of each pair that a device works on, the scores come and
go at once; the terms are absorbed one by one; what arrives is merged at the beginning of the next superstep.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import groupby, product
from typing import IO, TYPE_CHECKING

from pebble.common.errors import InvalidInput
from pebble.computations.attention import heads_family
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.game.files.header import Header
from pebble.game.files.writer import write_lines
from pebble.game.processors.game import ProcessorGame
from pebble.game.processors.moves import parse_processor_move
from pebble.game.processors.settings import Processors
from pebble.game.processors.words import braces

if TYPE_CHECKING:
    from pebble.program.parallel.exchange import Exchange

_Head = tuple[int, ...]
_WIDTHS = {"l": None, "D": None, "V": "e", "dV": "e", "U": "e", "O": "e", "dO": "e"}
"""The second index of an array: none, or along the head dimension of V; of all others along that of Q and K."""


class ExchangeMoves:
    """An exchange move by move, for the game of several devices: lines of a pebbling file, made as they are read.

    Parameters
    ----------
    exchange : Exchange
        Of one head in the backward pass, and with a query for each token.

    Attributes
    ----------
    family : Family
        The computation, vertex by vertex: of several heads one DAG with tokens first.
    header : Header
        Communication only is played, with all sums free but those over d.

    Examples
    --------
    >>> from pebble.program.parallel import SharedProblem, distributed_schedule
    >>> moves = ExchangeMoves(distributed_schedule("ring").exchange(SharedProblem(2, 1, 2, 4, 2, causal=True)))
    >>> moves.family
    <Family attention-heads Nq=2 Nk=2 d=1 dv=1 Hq=4 Hk=2 mask=causal: 72 vertices, 96 edges>
    >>> moves.header.processors
    Processors(devices=2, layout='contiguous', memory=None, fast=None, sums=('U', 'l'), strict=False)
    """

    def __init__(self, exchange: Exchange) -> None:
        self.exchange, problem = exchange, exchange.problem
        if problem.query_count != problem.N or problem.queries_decoded is not None or problem.uneven:
            raise InvalidInput(
                "an exchange is written move by move only with a query for each token, on its device, and "
                "with heads of keys that are shared evenly"
            )
        if problem.pass_name == "backward" and problem.heads > 1:
            raise InvalidInput(
                "the backward pass can be written move by move only for one head; leave out --heads"
            )
        one = Problem(
            problem.N, problem.N, problem.d, problem.width, pass_name=problem.pass_name, mask=problem.mask
        )
        heads = problem.heads, problem.kv_heads
        self.family = family_of(one) if problem.heads == 1 else heads_family(one, *heads)
        sums = tuple(name for arrays in problem.sums for name in arrays.names)
        processors = Processors(problem.P, problem.layout, sums=sums)
        self.header = Header(self.family.name, self.family.parameters, processors=processors)

    def __iter__(self) -> Iterator[str]:
        writer = _ElementaryWriter(self.exchange)
        if self.exchange.problem.pass_name == "backward":
            writer.row_sums()
        for number, moves in groupby(self.exchange.moves(), key=lambda move: move[0]):
            if number:
                writer.lines.append("superstep")
            writer.merge()
            for _, kind, move in moves:
                if kind != "begin":
                    getattr(writer, kind)(**move)
            yield from writer.lines
            writer.lines.clear()
        writer.merge()
        if writer.lines:
            yield "superstep"
            yield from writer.lines

    def played(self) -> ProcessorGame:
        """Return the game at its end; IllegalMove if a rule forbids a move."""
        assert self.header.processors is not None
        game = ProcessorGame(self.family.dag(), self.header.processors)
        for line in self:
            game.play(parse_processor_move(line, game.names))
        game.finish()
        return game

    def write(self, target: str | os.PathLike[str] | IO[str]) -> int:
        """Write the pebbling file, a path whole or not at all, and return the number of lines after the header."""
        return write_lines(target, self.header, self)


class _ElementaryWriter:
    """Writes the moves of an exchange, and keeps account of the terms of every partial sum."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange, self.problem = exchange, exchange.problem
        self.lines: list[str] = []
        self.tokens = {}
        for side in ("query", "key"):
            tiling = self.problem.tiling_of(side)
            self.tokens[side] = [tiling.tokens(tile).tolist() for tile in range(tiling.tiles)]
        N = self.problem.N
        self.allowed = self.problem.pattern.matrix((0, N), (0, N))
        self.terms: dict[tuple[int, str], set[int]] = {}
        self.arrived: list[tuple[int, str, set[int]]] = []

    def merge(self) -> None:
        """Merge the partial sums that have arrived into those that are there."""
        for p, element, came in self.arrived:
            here = self.terms.setdefault((p, element), set())
            if here:
                self._line(p, "merge", f"{element}{braces(here)} {element}{braces(came)}")
                self._each(p, "discard", (f"{element}{braces(terms)}" for terms in (here, came)))
            here |= came
        self.arrived = []

    def row_sums(self) -> None:
        """Let every owner compute D of its queries, for which alone O is needed."""
        for tile, owner in enumerate(self.problem.query_tiling.owner.tolist()):
            for i in self.tokens["query"][tile]:
                self._chain(owner, [_name("D", i, e) for e in range(self.problem.width)])
                self._each(owner, "discard", (_name("O", i, e) for e in range(self.problem.width)))

    def _heads(self, side: str, block: int) -> list[_Head]:
        """Return the heads of a block as indices: none if there is one head, (g, r) of a query, (g,) of a key."""
        if self.problem.heads == 1:
            return [()]
        size = self.exchange.heads_of(side)
        heads = range(block * size, (block + 1) * size)
        return [divmod(h, self.problem.group) for h in heads] if side == "query" else [(h,) for h in heads]

    def _rows(self, array: str, tile: int, block: int) -> Iterator[str]:
        """Yield the elements of an array's rows of a tile."""
        side = "key" if array in ("K", "V", "dK", "dV") else "query"
        width = {None: None, "e": self.problem.width, "k": self.problem.d}[_WIDTHS.get(array, "k")]
        for t, head in product(self.tokens[side][tile], self._heads(side, block)):
            last = [()] if width is None else [(k,) for k in range(width)]
            yield from (_name(array, t, *head, *index) for index in last)

    def _words(self, arrays: Iterable[str], p: int, tile: int, block: int) -> Iterator[str]:
        """Yield the words that a device has of some rows: of partial sums those that it has begun."""
        for array in arrays:
            for element in self._rows(array, tile, block):
                if array == "D":
                    yield f"{element[:-1]},{self.problem.width - 1}]"
                elif not self._is_sum(array):
                    yield element
                elif self.terms.get((p, element)):
                    yield f"{element}{braces(self.terms[p, element])}"

    def _is_sum(self, array: str) -> bool:
        return any(array in arrays.names for arrays in self.problem.sums)

    def receive(
        self, arrays: tuple[str, ...], device: int, source: int, tile: int, block: int, adding: bool
    ) -> None:
        """Announce sends, and note the partial sums that arrive."""
        self.lines += [f"send {word} {source} {device}" for word in self._words(arrays, source, tile, block)]
        for array in filter(self._is_sum, arrays):
            for element in self._rows(array, tile, block):
                if self.terms.get((source, element)):
                    self.arrived.append((device, element, set(self.terms[source, element])))

    def discard(self, arrays: tuple[str, ...], device: int, tile: int, block: int) -> None:
        """Discard the rows of a tile."""
        self._each(device, "discard", self._words(arrays, device, tile, block))
        for array in filter(self._is_sum, arrays):
            for element in self._rows(array, tile, block):
                self.terms.pop((device, element), None)

    def work(self, device: int, block: int, query: int, key: int) -> None:
        """Let a tile of queries meet a tile of keys."""
        for i, j in product(self.tokens["query"][query], self.tokens["key"][key]):
            if self.allowed[i, j]:
                for head in self._heads("query", block):
                    self._pair(device, i, j, head)

    def _pair(self, p: int, i: int, j: int, head: _Head) -> None:
        """Compute the scores of a pair, absorb its terms, and drop the scores."""
        d, width = self.problem.d, self.problem.width
        score = self._chain(p, [_name("S", i, j, *head, k) for k in range(d)])
        weight = _name("P", i, j, *head)
        self._line(p, "compute", weight)
        if self.problem.pass_name == "forward":
            self._line(p, "discard", score)
            self._absorb(p, _name("l", i, *head), j)
            for e in range(width):
                self._absorb(p, _name("U", i, *head, e), j)
            self._line(p, "discard", weight)
            return
        gradient = self._chain(p, [_name("dP", i, j, e) for e in range(width)])
        change = _name("dS", i, j)
        self._line(p, "compute", change)
        for e in range(width):
            self._absorb(p, _name("dV", j, e), i)
        for k in range(d):
            self._absorb(p, _name("dK", j, k), i)
            self._absorb(p, _name("dQ", i, k), j)
        self._each(p, "discard", [score, weight, gradient, change])

    def _chain(self, p: int, steps: list[str]) -> str:
        """Compute a chain, keeping only its last vertex, which is returned."""
        for number, step in enumerate(steps):
            self._line(p, "compute", step)
            if number:
                self._line(p, "discard", steps[number - 1])
        return steps[-1]

    def _absorb(self, p: int, element: str, term: int) -> None:
        before = self.terms.setdefault((p, element), set())
        if before:
            self._line(p, "compute", f"{element}{braces(before)}+{term}")
            self._line(p, "discard", f"{element}{braces(before)}")
        else:
            self._line(p, "compute", f"{element}+{term}")
        before.add(term)

    def finish(self, device: int, tile: int, block: int) -> None:
        """Compute the outputs of a tile, and drop its sums."""
        for t, head in product(self.tokens["query"][tile], self._heads("query", block)):
            outputs = [_name("O", t, *head, e) for e in range(self.problem.width)]
            sums = [_name("l", t, *head), *(f"U{output[1:]}" for output in outputs)]
            self._each(device, "compute", outputs)
            self._each(device, "discard", (f"{one}{braces(self.terms.pop((device, one)))}" for one in sums))

    def _each(self, p: int, operation: str, words: Iterable[str]) -> None:
        for word in words:
            self._line(p, operation, word)

    def _line(self, p: int, operation: str, operand: str) -> None:
        self.lines.append(f"{p} {operation} {operand}")


def _name(array: str, *index: int) -> str:
    return f"{array}[{','.join(map(str, index))}]"
