"""The referee of exchanges: plays one by the rules, tile by tile, for all devices at once, and counts.

It refuses a receive of what the sender does not hold when the superstep's work has ended, work on tiles that are not
there, a term that is counted twice or left out, and outputs that are not with their owners at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import InvalidInput, Violation
from pebble.program.parallel.tile_rows import TileRows, packed, terms_met
from pebble.program.parallel.traffic import ExchangeTraffic, TrafficTally

if TYPE_CHECKING:
    from pebble.computations.shared_problem import Arrays
    from pebble.program.parallel.exchange import Discard, Exchange, Receive, Superstep, Work
    from pebble.program.parallel.tile_rows import Bits, Flags, Numbers, Where

LONGEST = 2**31
"""Longer sequences are refused: their pairs do not fit into 64 bits."""

_CHUNK = 1 << 22


def play(exchange: Exchange) -> ExchangeTraffic:
    """Play an exchange by the rules and count what it moves.

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
            f"N = {exchange.problem.N:,} is too long to count tile by tile; the limit is {LONGEST:,}"
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
        self.exchange, self.problem = exchange, exchange.problem
        allowed = self.problem.tile_pairs > 0
        self.keys_of, self.queries_of = packed(allowed), packed(allowed.T)
        heads = exchange.heads
        self.share = int(heads.share.max()) + 1
        self.tally = TrafficTally(self.problem.P)
        self.rows: dict[tuple[str, ...], TileRows] = {}
        terms = {"query": self.keys_of[:, None], "key": self._terms_of_keys()}
        for arrays in (self.problem.queries, self.problem.keys, *self.problem.sums):
            blocks, owner = len(heads.sizes[arrays.side]), self.problem.tiling_of(arrays.side).owner
            shape = (self.problem.P, len(owner), blocks)
            inputs = arrays not in self.problem.sums
            required = terms[arrays.side][..., : 0 if inputs else None]
            self.rows[arrays.names] = TileRows(
                arrays, shape, np.broadcast_to(required, (*shape[1:], required.shape[2]))
            )
            if inputs:
                tile, block = np.indices((len(owner), blocks)).reshape(2, -1)
                where = owner[tile], tile, block
                self._more(arrays, where, self.rows[arrays.names].begin(where))
        self.tally.held()

    def _terms_of_keys(self) -> Bits:
        """Return the terms of each tile of keys and block of their heads, from each block of queries that shares it."""
        heads, words = self.exchange.heads, self.queries_of.shape[1]
        found = np.zeros((len(self.queries_of), len(heads.sizes["key"]), self.share, words), np.uint64)
        found[:, heads.key_block, heads.share] = self.queries_of[:, None]
        return found.reshape(*found.shape[:2], -1)

    def play(self, step: Superstep) -> None:
        """Play a superstep."""
        pairs = np.zeros(self.problem.P, np.int64)
        for work in step.work:
            for part in _chunks(work, max(map(len, (self.keys_of, self.queries_of))) // 64 + 1):
                self._work(*part, pairs)
        self.tally.worked(pairs)
        self.tally.held()
        sums = self.problem.sums[0]
        for finish in step.finish:
            self.rows[sums.names].finish((finish.device, finish.tile, finish.block))
            freed = (sums.words - sums.final_words) * self.exchange.rows_of(sums, finish.tile, finish.block)
            np.subtract.at(self.tally.memory, finish.device, freed)
        later = [self._discard_unfetched(discard, step.receives) for discard in step.discards]
        self._exchange(step.receives)
        for names, where in later:
            self._discard(names, where)

    def ended(self) -> ExchangeTraffic:
        """Check the outputs and return the counts."""
        for sums in self.problem.sums:
            self.rows[sums.names].check_outputs(self.problem.tiling_of(sums.side).owner)
        return self.tally.traffic(self.exchange.heads_of("query"))

    def _more(self, arrays: Arrays, where: Where, fresh: Numbers, final: bool = False) -> None:
        """Count the words of rows that are new where they are."""
        words = self.exchange.tile_words(arrays, where[1][fresh], final, where[2][fresh])
        np.add.at(self.tally.memory, where[0][fresh], words)

    def _work(self, device: Numbers, block: Numbers, query: Numbers, key: Numbers, pairs: Numbers) -> None:
        """Let devices absorb tiles of keys into tiles of queries; add the pairs of each device."""
        for numbers in (query, key):
            ordered = np.sort(numbers, axis=1)
            if (ordered[:, 1:] == ordered[:, :-1]).any():
                raise Violation("a piece of work names a tile twice", "term-counted-twice")
        meets, key_word = terms_met(self.keys_of, query, key)
        met, query_word = terms_met(self.queries_of, key, query)
        key_block, share = self.exchange.heads.key_block[block], self.exchange.heads.share[block]
        problem = self.problem
        queries = self._there(problem.queries, device, query, block, np.any(meets, axis=2))
        keys = self._there(problem.keys, device, key, key_block, np.any(met, axis=2))
        self._absorb(problem.sums[0], queries, device, query, block, meets, key_word)
        if problem.pass_name == "backward":
            size = self.queries_of.shape[1]
            if query_word is not None:
                query_word = query_word + share[:, None] * size
            else:
                wide = np.zeros((*met.shape[:2], self.share, size), np.uint64)
                wide[np.arange(len(block)), :, share] = met
                met = wide.reshape(*met.shape[:2], -1)
            self._absorb(problem.sums[1], keys, device, key, key_block, met, query_word)
        np.add.at(pairs, device, self.exchange.pairs_of(query, key))

    def _there(self, arrays: Arrays, device: Numbers, tile: Numbers, block: Numbers, needed: Flags) -> Flags:
        """Tell which inputs of a piece of work are there; those that are needed must be."""
        there: Flags = self.rows[arrays.names].place[device[:, None], tile, block[:, None]] >= 0
        if (needed & ~there).any():
            row, column = np.argwhere(needed & ~there)[0]
            raise Violation(
                f"device {device[row]} works with {', '.join(arrays.names)} of tile {tile[row, column]}, "
                "which it does not hold",
                "work-needs-held",
            )
        return there

    def _absorb(
        self,
        sums: Arrays,
        there: Flags,
        device: Numbers,
        tile: Numbers,
        block: Numbers,
        bits: Bits,
        word: Numbers | None,
    ) -> None:
        """Add to sums; where the mask forbids all of a device's work, to those whose rows are there: they begin."""
        some: Flags = np.any(bits, axis=2)
        entry, column = np.nonzero(some | (there & ~np.any(some, axis=1)[:, None]))
        where = device[entry], tile[entry, column], block[entry]
        word = None if word is None else word[entry]
        self._more(sums, where, self.rows[sums.names].absorb(where, bits[entry, column], word=word))

    def _exchange(self, receives: list[Receive]) -> None:
        """Check all receives against what is held now, then let all happen."""
        if not receives:
            return
        kinds = [self.exchange.kind_of(receive.arrays) for receive in receives]
        sent = [
            self.rows[arrays.names].taken((receive.source, receive.tile, receive.block), final)
            for receive, (arrays, final) in zip(receives, kinds, strict=True)
        ]
        device, source = (
            np.concatenate([getattr(receive, name) for receive in receives]) for name in ("device", "source")
        )
        if (device == source).any():
            raise Violation(
                f"device {device[device == source][0]} receives from itself", "receive-from-itself"
            )
        words = np.concatenate([self.exchange.words_of(receive) for receive in receives])
        self.tally.held(self.tally.exchanged(device, source, words))
        for receive, (arrays, final), bits in zip(receives, kinds, sent, strict=True):
            where = receive.device, receive.tile, receive.block
            fresh = self.rows[arrays.names].receive(where, bits, final, receive.adding)
            self._more(arrays, where, fresh, final)

    def _discard_unfetched(self, discard: Discard, receives: list[Receive]) -> tuple[tuple[str, ...], Where]:
        """Discard at once what nobody fetches; return what goes after the receives."""
        entries = (discard.device, discard.tile, discard.block)
        sources = [(one.source, one.tile, one.block) for one in receives if one.arrays == discard.arrays]
        fetched = self.rows[self.exchange.kind_of(discard.arrays)[0].names].among(entries, sources)
        device, tile, block = (entry[~fetched] for entry in entries)
        self._discard(discard.arrays, (device, tile, block))
        device, tile, block = (entry[fetched] for entry in entries)
        return discard.arrays, (device, tile, block)

    def _discard(self, names: tuple[str, ...], where: Where) -> None:
        arrays, final = self.exchange.kind_of(names)
        self.rows[arrays.names].discard(where, final)
        words = self.exchange.tile_words(arrays, where[1], final, where[2])
        np.subtract.at(self.tally.memory, where[0], words)


def _chunks(work: Work, words: int) -> list[tuple[Numbers, Numbers, Numbers, Numbers]]:
    """Cut a large piece of work, so that the memory this takes stays small."""
    queries, keys = work.query.shape[1], work.key.shape[1]
    size = max(1, _CHUNK // ((queries + keys) * words))
    cuts = [slice(first, first + size) for first in range(0, len(work.device), size)]
    return [(work.device[cut], work.block[cut], work.query[cut], work.key[cut]) for cut in cuts]
