"""The referee of exchanges: plays one by the rules, tile by tile, for all devices at once, and counts.

It refuses a receive of what the sender does not hold when the superstep's work has ended, work on tiles that are not
there, a term that is counted twice or left out, and outputs that are not with their owners at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.common.errors import InvalidInput, Violation
from pebble.program.parallel.bit_sets import members, packed, popcount, repeats, word_count
from pebble.program.parallel.partial_sums import PartialSums
from pebble.program.parallel.traffic import ExchangeTraffic, TrafficTally

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.program.parallel.exchange import Discard, Exchange, Finish, Receive, Superstep, Work
    from pebble.program.parallel.shared_problem import Arrays

    Numbers = NDArray[np.integer[Any]]

__all__ = ["LONGEST", "play"]

LONGEST = 2**31
"""Longer sequences are refused: their pairs do not fit into 64 bits."""

_CHUNK = 1 << 22


def play(exchange: Exchange) -> ExchangeTraffic:
    """Play an exchange by the rules and count what it moves.

    Parameters
    ----------
    exchange : Exchange

    Returns
    -------
    ExchangeTraffic

    Raises
    ------
    Violation
        If it breaks a rule; the message says in which superstep, on which device and with which tile.

    Notes
    -----
    The cost does not depend on N: some numpy operations a superstep, on arrays of as many entries as there are
    transfers and pairs of tiles.
    """
    if exchange.problem.N > LONGEST:
        raise InvalidInput(
            f"N = {exchange.problem.N:,} is too long to be counted tile by tile: at most {LONGEST:,}"
        )
    referee = _Referee(exchange)
    for number, step in enumerate(exchange.supersteps):
        try:
            referee.play(step)
        except Violation as error:
            raise Violation(f"superstep {number}: {error}", error.rule) from None
    return referee.ended()


class _Referee:
    """What every device holds."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        problem = exchange.problem
        self.tiles = {side: problem.tiling_of(side).tiles for side in ("query", "key")}
        allowed = problem.tile_pairs > 0
        self.keys_of, self.queries_of = packed(allowed), packed(allowed.T)
        self.share = exchange.blocks // exchange.key_blocks
        self.held = {
            arrays.names: np.zeros(self._shape(arrays.side), bool)
            for arrays in (problem.queries, problem.keys)
        }
        self.kinds = {arrays.names: arrays for arrays in (problem.queries, problem.keys, *problem.sums)}
        self.sums = {arrays.names: self._sums(arrays) for arrays in problem.sums}
        memory = np.zeros(problem.P, np.int64)
        for names, held in self.held.items():
            tile = np.arange(held.shape[1])
            owner = problem.tiling_of(self.kinds[names].side).owner
            held[owner, tile] = True
            np.add.at(memory, owner, self.exchange.tile_words(self.kinds[names], tile) * held.shape[2])
        self.tally = TrafficTally(problem.P, memory)

    def play(self, step: Superstep) -> None:
        """Play a superstep."""
        pairs = np.zeros(self.exchange.problem.P, np.int64)
        for work in step.work:
            for part in _chunks(work, word_count(max(self.tiles.values()))):
                pairs += self._work(*part)
        self.tally.worked(pairs)
        self.tally.held()
        for finish in step.finish:
            self._finish(finish)
        later = [self._discard_unfetched(discard, step.receives) for discard in step.discards]
        self._exchange(step.receives)
        for names, device, tile, block in later:
            self._discard(names, device, tile, block)

    def ended(self) -> ExchangeTraffic:
        """Check the outputs and return the counts."""
        for sums in self.sums.values():
            sums.check_outputs(self.exchange.problem.tiling_of(sums.arrays.side).owner)
        return self.tally.traffic(self.exchange.heads_of("query"))

    def _shape(self, side: str) -> tuple[int, int, int]:
        """Return devices, tiles and blocks of a side."""
        return self.exchange.problem.P, self.tiles[side], self.exchange.blocks_of(side)

    def _sums(self, arrays: Arrays) -> PartialSums:
        shape = self._shape(arrays.side)
        on_queries = arrays.side == "query"
        return PartialSums(
            arrays, shape, self.keys_of if on_queries else np.tile(self.queries_of, self.share)
        )

    def _work(self, device: Numbers, block: Numbers, query: Numbers, key: Numbers) -> Numbers:
        """Let devices absorb tiles of keys into tiles of queries; return the pairs of each device."""
        keys, queries = members(key, self.tiles["key"]), members(query, self.tiles["query"])
        for numbers, found in ((key, keys), (query, queries)):
            if (popcount(found) != numbers.shape[1]).any():
                raise Violation("a piece of work names a tile twice", "term-counted-twice")
        meets = keys[:, None, :] & self.keys_of[query]
        met = queries[:, None, :] & self.queries_of[key]
        key_block = block * self.exchange.key_blocks // self.exchange.blocks
        problem = self.exchange.problem
        self._require(problem.queries, device, query, block, np.any(meets, axis=2))
        self._require(problem.keys, device, key, key_block, np.any(met, axis=2))
        self._absorb(problem.queries, problem.sums[0], device, query, block, meets)
        if problem.pass_name == "backward":
            wide = np.zeros((*met.shape[:2], self.share, met.shape[2]), np.uint64)
            wide[np.arange(len(block)), :, block % self.share] = met
            flat = wide.reshape(*met.shape[:2], -1)
            self._absorb(problem.keys, problem.sums[1], device, key, key_block, flat)
        pairs = np.zeros(problem.P, np.int64)
        np.add.at(pairs, device, self.exchange.pairs_of(query, key))
        return pairs

    def _require(
        self, arrays: Arrays, device: Numbers, tile: Numbers, block: Numbers, needed: NDArray[np.bool_]
    ) -> None:
        missing = needed & ~self.held[arrays.names][device[:, None], tile, block[:, None]]
        if missing.any():
            row, column = np.argwhere(missing)[0]
            raise Violation(
                f"device {device[row]} works with {', '.join(arrays.names)} of tile {tile[row, column]}, "
                "which it does not hold",
                "work-needs-held",
            )

    def _absorb(
        self,
        rows: Arrays,
        sums: Arrays,
        device: Numbers,
        tile: Numbers,
        block: Numbers,
        bits: NDArray[np.uint64],
    ) -> None:
        """Add to sums; where the mask forbids everything, to those whose rows are there, so that they begin."""
        there = self.held[rows.names][device[:, None], tile, block[:, None]]
        entry, column = np.nonzero(bits.any(axis=2) | there)
        devices, tiles, blocks = device[entry], tile[entry, column], block[entry]
        fresh = self.sums[sums.names].absorb(devices, tiles, blocks, bits[entry, column])
        np.add.at(self.tally.memory, devices[fresh], self.exchange.tile_words(sums, tiles[fresh]))

    def _finish(self, finish: Finish) -> None:
        sums = self.exchange.problem.sums[0]
        self.sums[sums.names].finish(finish.device, finish.tile, finish.block)
        freed = self.exchange.tile_words(sums, finish.tile) - self.exchange.tile_words(
            sums, finish.tile, final=True
        )
        np.subtract.at(self.tally.memory, finish.device, freed)

    def _exchange(self, receives: list[Receive]) -> None:
        """Check all receives against what is held now, then let all happen."""
        sent = [self._sent(receive) for receive in receives]
        words = [self.exchange.words_of(receive) for receive in receives]
        if not receives:
            return
        columns = [[getattr(receive, name) for receive in receives] for name in ("device", "source")]
        device, source = (np.concatenate(column) for column in columns)
        if (device == source).any():
            raise Violation(
                f"device {device[device == source][0]} receives from itself", "receive-from-itself"
            )
        received = self.tally.exchanged(device, source, np.concatenate(words))
        self.tally.held(received)
        for receive, found, amount in zip(receives, sent, words, strict=True):
            self._take_in(receive, found, amount)

    def _sent(self, receive: Receive) -> tuple[NDArray[np.uint64], Numbers] | None:
        """Return the sums that are sent; None for inputs, whose senders must hold them."""
        sums, final = self.exchange.sum_of(receive.arrays)
        if sums is not None:
            return self.sums[sums.names].taken(receive.source, receive.tile, receive.block, final)
        held = self._held(receive.arrays)[receive.source, receive.tile, receive.block]
        if not held.all():
            first = int(np.flatnonzero(~held)[0])
            raise Violation(
                f"device {receive.device[first]} receives {', '.join(receive.arrays)} of tile {receive.tile[first]} "
                f"from device {receive.source[first]}, which does not hold it",
                "receive-needs-held",
            )
        return None

    def _take_in(
        self, receive: Receive, sent: tuple[NDArray[np.uint64], Numbers] | None, words: Numbers
    ) -> None:
        sums, final = self.exchange.sum_of(receive.arrays)
        where = (receive.device, receive.tile, receive.block)
        if sums is not None and sent is not None:
            if not receive.adding and (self.sums[sums.names].place[where] >= 0).any():
                raise Violation("a device receives a sum that it has, without adding", "already-held")
            fresh = self.sums[sums.names].receive(*where, sent, final)
            np.add.at(self.tally.memory, receive.device[fresh], words[fresh])
            return
        held = self._held(receive.arrays)
        keys = np.ravel_multi_index(where, held.shape)
        if held[where].any() or repeats(keys):
            raise Violation(
                f"a device receives {', '.join(receive.arrays)} of a tile that it has", "already-held"
            )
        held[where] = True
        np.add.at(self.tally.memory, receive.device, words)

    def _discard_unfetched(
        self, discard: Discard, receives: list[Receive]
    ) -> tuple[tuple[str, ...], Numbers, Numbers, Numbers]:
        """Discard at once what nobody fetches; return what goes after the receives."""
        shape = (self.exchange.problem.P, max(self.tiles.values()), self.exchange.blocks)
        entries = (discard.device, discard.tile, discard.block)
        fetched = np.zeros(len(discard.device), bool)
        for receive in receives:
            if receive.arrays == discard.arrays and len(receive.device):
                sources = np.sort(np.ravel_multi_index((receive.source, receive.tile, receive.block), shape))
                found = np.ravel_multi_index(entries, shape)
                fetched |= sources[np.minimum(np.searchsorted(sources, found), len(sources) - 1)] == found
        self._discard(discard.arrays, *(entry[~fetched] for entry in entries))
        device, tile, block = (entry[fetched] for entry in entries)
        return discard.arrays, device, tile, block

    def _discard(self, arrays: tuple[str, ...], device: Numbers, tile: Numbers, block: Numbers) -> None:
        sums, final = self.exchange.sum_of(arrays)
        if sums is not None:
            self.sums[sums.names].discard(device, tile, block, final)
            freed = self.exchange.tile_words(sums, tile, final)
        else:
            held = self._held(arrays)
            keys = np.ravel_multi_index((device, tile, block), held.shape)
            if not held[device, tile, block].all() or repeats(keys):
                raise Violation(
                    f"a device discards {', '.join(arrays)} that it does not hold", "discard-needs-held"
                )
            held[device, tile, block] = False
            freed = self.exchange.tile_words(self.kinds[arrays], tile)
        np.subtract.at(self.tally.memory, device, freed)

    def _held(self, arrays: tuple[str, ...]) -> NDArray[np.bool_]:
        if arrays not in self.held:
            raise InvalidInput(f"the arrays {', '.join(arrays)} do not travel together in this problem")
        return self.held[arrays]


def _chunks(work: Work, words: int) -> list[tuple[Numbers, Numbers, Numbers, Numbers]]:
    """Cut a large piece of work, so that the memory this takes stays small."""
    queries, keys = work.query.shape[1], work.key.shape[1]
    size = max(1, _CHUNK // ((queries + keys) * words))
    cuts = [slice(first, first + size) for first in range(0, len(work.device), size)]
    return [(work.device[cut], work.block[cut], work.query[cut], work.key[cut]) for cut in cuts]
