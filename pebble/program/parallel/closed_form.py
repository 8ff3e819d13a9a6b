"""What the devices of a placement receive, by formula: sums over the tiles that are touched; nothing is played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pebble.program.parallel.exchange import HeadBlocks
from pebble.program.parallel.placement import hops, workers, works_on

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.shared_problem import Arrays, SharedProblem
    from pebble.program.parallel.exchange import Exchange
    from pebble.program.parallel.placement import Hops, Placement

    Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class ReceivedWords:
    """Words received by each device, and the rounds in which they are."""

    received: tuple[int, ...]
    rounds: int


def placement_form(problem: SharedProblem, placement: Placement, pass_on: str = "needed") -> ReceivedWords:
    """Return what a placement's exchange moves.

    From their owners come the tiles that a device works on and does not own: d words a row of queries, 2d a row of
    keys. Round a ring a tile is received at every hop up to its last. An owner of queries receives for each of its rows
    d + 1 words from every other device that works on the row, or d if that is one device alone; a sum that travels is
    received at every hop after the first work on it, and once at home.

    Parameters
    ----------
    problem : SharedProblem
    placement : Placement
    pass_on : {"needed", "all"}
        As for :func:`~pebble.program.parallel.writing.write_exchange`.
    """
    form = _Form(problem, placement)
    way = None if placement.before is None else hops(problem, placement, pass_on)
    gathered = form.gather(way)
    last = form.go_round(way) if way is not None else 0
    returned = form.return_sums()
    return ReceivedWords(tuple(form.received.tolist()), gathered + last + (returned or form.came_home))


def exchange_form(exchange: Exchange) -> ReceivedWords:
    """Return what an exchange moves that a schedule writes itself."""
    received, rounds = np.zeros(exchange.problem.P, np.int64), 0
    for step in exchange.supersteps:
        rounds += bool(step.receives)
        for receive in step.receives:
            np.add.at(received, receive.device, exchange.words_of(receive))
    return ReceivedWords(tuple(received.tolist()), rounds)


class _Form:
    """Words by device, added up."""

    def __init__(self, problem: SharedProblem, placement: Placement) -> None:
        self.problem, self.placement = problem, placement
        self.received = np.zeros(problem.P, np.int64)
        self.works = works_on(problem, placement)
        heads = HeadBlocks.of(problem, placement.blocks)
        block = {"query": placement.block, "key": heads.key_block[placement.block]}
        self.heads = {side: sizes[block[side]] for side, sizes in heads.sizes.items()}
        self.came_home = False

    def rows(self, side: str, device: Numbers, tile: Numbers) -> Numbers:
        """Return the rows of tiles, of all heads of the block of a device."""
        rows: Numbers = self.problem.tiling_of(side).sizes[tile] * self.heads[side][device]
        return rows

    def owner(self, side: str, tile: Numbers) -> Numbers:
        """Return the owners of tiles."""
        return self.problem.tiling_of(side).owner[tile]

    def foreign(self, side: str, tiles: Numbers, chosen: NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
        """Return the devices and the tiles that are chosen and not owned."""
        device, column = np.nonzero(chosen & (self.owner(side, tiles) != np.arange(self.problem.P)[:, None]))
        return device, tiles[device, column]

    def gather(self, way: Hops | None) -> bool:
        """Add what comes from the owners at the start; tell whether anything does."""
        any_at_all = False
        both = ((self.problem.queries, self.placement.query), (self.problem.keys, self.placement.key))
        for (arrays, tiles), works in zip(both, self.works, strict=True):
            there = way.here if way is not None and arrays.side == self.placement.travels else works
            device, tile = self.foreign(arrays.side, tiles, there)
            np.add.at(self.received, device, arrays.words * self.rows(arrays.side, device, tile))
            any_at_all |= len(device) > 0
        return any_at_all

    def go_round(self, way: Hops) -> int:
        """Add what goes round, and the sums that go with it; return the last hop."""
        assert self.placement.before is not None
        problem, side = self.problem, self.placement.travels
        arrays = problem.queries if side == "query" else problem.keys
        sums = [found.words for found in problem.sums if found.side == side]
        cargo = self.placement.cargo
        rows = self.rows(side, np.arange(problem.P)[:, None], cargo)
        owner = self.owner(side, cargo)
        after = np.argsort(self.placement.before)
        device, last = after, int(way.last.max())
        for hop in range(1, last + 1):
            here = way.last >= hop
            self.received[device] += arrays.words * (rows * here).sum(axis=1)
            for words in sums:
                self.received[device] += words * (rows * (here & (way.first < hop))).sum(axis=1)
            device = after[device]
        away = way.home & (owner != np.arange(problem.P)[:, None])
        visits = (way.last > 0) * 1 + away
        for words in sums:
            np.add.at(self.received, owner, words * rows * visits)
            self.came_home = bool(visits.any())
        return last

    def return_sums(self) -> bool:
        """Add the sums of what does not travel, which owners receive; tell whether there are any."""
        any_at_all = False
        tiles = (self.placement.query, self.placement.key)
        for sums, side_tiles, works in zip(self.problem.sums, tiles, self.works, strict=False):
            if self.placement.before is None or sums.side != self.placement.travels:
                device, tile = self.foreign(sums.side, side_tiles, works)
                words = self.sum_words(sums, device, tile) * self.rows(sums.side, device, tile)
                np.add.at(self.received, self.owner(sums.side, tile), words)
                any_at_all |= len(device) > 0
        return any_at_all

    def sum_words(self, sums: Arrays, device: Numbers, tile: Numbers) -> Numbers:
        """Return the words of a row of each sum that is sent: fewer where one device alone has worked on it."""
        if sums.side == "key":
            return np.full(len(tile), sums.words)
        alone = workers(self.problem, self.placement, self.works[0])[tile, self.placement.block[device]] == 1
        return np.where(alone, sums.final_words, sums.words)
