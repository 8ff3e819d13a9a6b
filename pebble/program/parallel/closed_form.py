"""What the devices of a placement receive, by formula: sums over the tiles that are touched; nothing is played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pebble.program.parallel.exchange import HeadBlocks
from pebble.program.parallel.placement import hops, meetings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from pebble.computations.shared_problem import SharedProblem
    from pebble.program.parallel.exchange import Exchange
    from pebble.program.parallel.placement import Hops, Placement

    Numbers = NDArray[np.int64]
    Flags = NDArray[np.bool_]


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


@dataclass(frozen=True, eq=False)
class _TouchedTiles:
    """Tiles of one side that devices work on, or pass on, counted.

    Attributes
    ----------
    rows : ndarray of int, (P,)
        Rows of the tiles that a device touches and does not own.
    times, away : ndarray of int, (tiles, blocks)
        How many devices touch a tile, by their block of heads; and how many that do not own it.
    """

    rows: Numbers
    times: Numbers
    away: Numbers


class _Form:
    """Words by device, added up."""

    def __init__(self, problem: SharedProblem, placement: Placement) -> None:
        self.problem, self.placement = problem, placement
        self.received = np.zeros(problem.P, np.int64)
        heads = HeadBlocks.of(problem, placement.blocks)
        key_block = heads.key_block[np.arange(placement.blocks)]
        self.heads = {"query": heads.sizes["query"], "key": heads.sizes["key"][key_block]}
        seen = dict(zip(("query", "key"), meetings(problem, placement), strict=True))
        self.works = {side: self._touched(side, meeting.at) for side, meeting in seen.items()}
        self.came_home = False

    def _sets(self, side: str) -> Iterator[tuple[Numbers, Numbers]]:
        """Yield devices with their tiles: those that have one set together, or all if nearly each has its own."""
        sets, chosen = self.placement.sets(side)
        if 4 * len(sets) > len(chosen):
            yield np.arange(len(chosen)), sets[chosen]
            return
        order = np.argsort(chosen, kind="stable")
        for devices in np.split(order, np.flatnonzero(np.diff(chosen[order])) + 1):
            yield devices, sets[chosen[devices[:1]]]

    def _touched(self, side: str, touches: Callable[[Numbers, Numbers], Flags]) -> _TouchedTiles:
        """Count the tiles that devices touch, given which these are: flags, a row for each of some devices."""
        tiling, block, blocks = self.problem.tiling_of(side), self.placement.block, self.placement.blocks
        rows = np.zeros(self.problem.P, np.int64)
        times, away = np.zeros((2, tiling.tiles, blocks), np.int64)
        for devices, tiles in self._sets(side):
            flags = touches(devices, tiles)
            foreign = flags & (tiling.owner[tiles] != devices[:, None])
            rows[devices] = np.einsum("ij,ij->i", foreign, tiling.sizes[tiles])
            for found, some in (times, flags), (away, foreign):
                if len(tiles) == 1:
                    for one in np.unique(block[devices]):
                        found[tiles[0], one] += some[block[devices] == one].sum(axis=0)
                else:
                    np.add.at(found, (tiles, block[devices][:, None]), some)
        return _TouchedTiles(rows, times, away)

    def gather(self, way: Hops | None) -> bool:
        """Add what comes from the owners at the start; tell whether anything does."""
        any_at_all = False
        for arrays in (self.problem.queries, self.problem.keys):
            touched = self.works[arrays.side]
            if way is not None and arrays.side == self.placement.travels:
                touched = self._touched(arrays.side, lambda devices, _: way.here[devices])
            self.received += arrays.words * touched.rows * self.heads[arrays.side][self.placement.block]
            any_at_all |= bool(touched.rows.any())
        return any_at_all

    def go_round(self, way: Hops) -> int:
        """Add what goes round, and the sums that go with it; return the last hop."""
        assert self.placement.before is not None
        problem, side = self.problem, self.placement.travels
        arrays = problem.queries if side == "query" else problem.keys
        sums = [found.words for found in problem.sums if found.side == side]
        cargo, tiling = self.placement.cargo, problem.tiling_of(side)
        rows, owner = (
            tiling.sizes[cargo] * self.heads[side][self.placement.block][:, None],
            tiling.owner[cargo],
        )
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
        """Add the sums of what does not travel, which owners receive; tell whether there are any.

        A row that one device alone has worked on comes home finished, which may be fewer words.
        """
        any_at_all = False
        for sums in self.problem.sums:
            if self.placement.before is None or sums.side != self.placement.travels:
                touched, tiling = self.works[sums.side], self.problem.tiling_of(sums.side)
                alone = (touched.times == 1) & (sums.side == "query")
                words = np.where(alone, sums.final_words, sums.words) * self.heads[sums.side]
                sent = (touched.away * words).sum(axis=1) * tiling.sizes
                np.add.at(self.received, tiling.owner, sent)
                any_at_all |= bool(touched.away.any())
        return any_at_all
