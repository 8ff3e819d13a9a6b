"""An exchange: what every device of a schedule receives, works on and discards, superstep by superstep.

In a superstep each device first works on what it holds; then all receives happen at once, and see what their senders
held when the work ended; what is discarded in the superstep goes after it has been fetched, and before the receives if
nobody fetches it. One entry of an array of numbers is one device's doing: an exchange on a thousand devices is some
numpy arrays a superstep.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.common.errors import InvalidInput

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.shared_problem import Arrays, SharedProblem

    Numbers = NDArray[np.integer[Any]]

_FEW = 64


@dataclass(frozen=True, eq=False)
class Receive:
    """Tiles that devices receive at the end of a superstep.

    Parameters
    ----------
    arrays : tuple of str
        The arrays that travel together: ``("K", "V")``, ``("U", "l")``, ``("O",)``, …
    device, source, tile, block : ndarray of int
        Of each transfer: who receives, from whom, which tile of tokens, and which block of heads; of one length.
    adding : bool
        Whether a partial sum is added to what the device has of this tile.
    """

    arrays: tuple[str, ...]
    device: Numbers
    source: Numbers
    tile: Numbers
    block: Numbers
    adding: bool = False


@dataclass(frozen=True, eq=False)
class Work:
    """Tiles of queries that devices absorb tiles of keys into.

    Parameters
    ----------
    device, block : ndarray of int, (n,)
        Who works, on which block of query heads (and on the heads of keys that belong to it).
    query, key : ndarray of int, (n, a) and (n, b)
        Each of the a tiles of queries meets each of the b tiles of keys; pairs of tiles that the mask forbids are
        passed over and need not be there.
    """

    device: Numbers
    block: Numbers
    query: Numbers
    key: Numbers


@dataclass(frozen=True, eq=False)
class Finish:
    """Complete rows of U and l that devices turn into O, which has a word less."""

    device: Numbers
    tile: Numbers
    block: Numbers


@dataclass(frozen=True, eq=False)
class Discard:
    """Tiles of some arrays that leave the memories of devices; parameters as of :class:`Receive`."""

    arrays: tuple[str, ...]
    device: Numbers
    tile: Numbers
    block: Numbers


@dataclass
class Superstep:
    """Work, then all receives at once; what is discarded goes when it has been fetched."""

    work: list[Work] = field(default_factory=list)
    finish: list[Finish] = field(default_factory=list)
    receives: list[Receive] = field(default_factory=list)
    discards: list[Discard] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class HeadBlocks:
    """Query heads in equal blocks, and the heads of keys that each works with.

    Attributes
    ----------
    key_block : ndarray of int, (blocks,)
        The block of key heads that each block of query heads works with.
    share : ndarray of int, (blocks,)
        Its number among the blocks of query heads that work with the same.
    sizes : dict of str to ndarray of int
        By side, ``"query"`` or ``"key"``: the heads of each block.
    """

    key_block: NDArray[np.int64]
    share: NDArray[np.int64]
    sizes: dict[str, NDArray[np.int64]]

    @classmethod
    def of(cls, problem: SharedProblem, blocks: int) -> HeadBlocks:
        """Cut the heads into blocks."""
        heads, kv_heads = problem.heads, problem.kv_heads
        if heads % blocks:
            raise InvalidInput(
                f"{heads} query head{'s' * (heads > 1)} cannot be cut into {blocks} equal blocks"
            )
        of_query = np.repeat(np.arange(kv_heads), problem.group_sizes).reshape(blocks, -1)
        first, last = of_query[:, 0], of_query[:, -1]
        same = (first[1:] == first[:-1]) & (last[1:] == last[:-1])
        if not (same | (first[1:] > last[:-1])).all():
            rule = (
                "two would share some heads, but not all"
                if problem.uneven
                else "one number must divide the other"
            )
            raise InvalidInput(f"{kv_heads} heads of keys cannot be cut into {blocks} blocks: {rule}")
        fresh = np.append(True, ~same)
        key_block = np.cumsum(fresh) - 1
        share = np.arange(blocks) - np.flatnonzero(fresh)[key_block]
        sizes = {"query": np.full(blocks, heads // blocks), "key": (last - first + 1)[fresh]}
        return cls(key_block, share, sizes)


@dataclass
class Exchange:
    """A schedule's communication, written out.

    Parameters
    ----------
    problem : SharedProblem
    blocks : int
        Number of equal blocks of query heads.
    supersteps : list of Superstep

    Attributes
    ----------
    heads : HeadBlocks
        Which block of key heads each of them works with.
    """

    problem: SharedProblem
    blocks: int = 1
    supersteps: list[Superstep] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.heads = HeadBlocks.of(self.problem, self.blocks)

    def heads_of(self, side: str) -> int:
        """Return how many heads a block of a side has; the most, where heads of keys are shared unevenly."""
        return int(self.heads.sizes[side].max())

    def kind_of(self, names: tuple[str, ...]) -> tuple[Arrays, bool]:
        """Return what the arrays of a receive are, and whether they are a sum in its final form."""
        problem = self.problem
        for arrays in (problem.queries, problem.keys, *problem.sums):
            if arrays.names == names:
                return arrays, False
        if names != problem.finished:
            raise InvalidInput(f"the arrays {', '.join(names)} do not travel together in this problem")
        return problem.sums[0], True

    def rows_of(self, arrays: Arrays, tile: Numbers, block: Numbers | None = None) -> Numbers:
        """Return the rows of each of some tiles, of all heads of its block; by default, of :meth:`heads_of`."""
        heads = self.heads_of(arrays.side) if block is None else self.heads.sizes[arrays.side][block]
        rows: Numbers = self.problem.tiling_of(arrays.side).sizes[tile] * heads
        return rows

    def tile_words(
        self, arrays: Arrays, tile: Numbers, final: bool = False, block: Numbers | None = None
    ) -> Numbers:
        """Return the words of each of some tiles, of all heads of its block."""
        return self.rows_of(arrays, tile, block) * (arrays.final_words if final else arrays.words)

    def words_of(self, receive: Receive) -> Numbers:
        """Return the words of each transfer."""
        arrays, final = self.kind_of(receive.arrays)
        return self.tile_words(arrays, receive.tile, final, receive.block)

    def pairs_of(self, query: Numbers, key: Numbers) -> Numbers:
        """Return the pairs of each row of tiles, of a query head; rows that are alike are looked at once."""
        tile_pairs = self.problem.tile_pairs
        if query.shape[1] * key.shape[1] <= _FEW:
            found: Numbers = tile_pairs[query[:, :, None], key[:, None, :]].sum(axis=(1, 2))
            return found
        _, first, where = np.unique(np.hstack([query, key]), axis=0, return_index=True, return_inverse=True)
        sums = [int(tile_pairs[np.ix_(query[row], key[row])].sum()) for row in first]
        every: Numbers = np.asarray(sums, np.int64)[np.ravel(where)]
        return every

    def moves(self) -> Iterator[tuple[int, str, dict[str, Any]]]:
        """Yield every doing of every device by itself: number of the superstep, what is done, and with what.

        For reading and for other referees; a large exchange has millions. ``begin`` is a piece of work on a pair of
        tiles that the mask forbids: where it forbids all of a device's pairs of tiles, the sums of those that the
        device holds begin, with nothing in them.

        Yields
        ------
        tuple of int, str, dict
            The kinds are ``work`` and ``begin`` (device, block, query, key: one pair of tiles), ``finish`` (device,
            tile, block), ``receive`` (arrays, device, source, tile, block, adding) and ``discard`` (arrays, device,
            tile, block), in this order within a superstep.
        """
        allowed = self.problem.tile_pairs > 0
        for number, step in enumerate(self.supersteps):
            for work in step.work:
                for device, block, queries, keys in _entries(work, ["device", "block", "query", "key"]):
                    for query, key in product(queries, keys):
                        move = {"device": device, "block": block, "query": query, "key": key}
                        yield number, "work" if allowed[query, key] else "begin", move
            for kind, moves in (
                ("finish", step.finish),
                ("receive", step.receives),
                ("discard", step.discards),
            ):
                for one in moves:
                    same = {name: getattr(one, name) for name in ("arrays", "adding") if hasattr(one, name)}
                    columns = [column.name for column in fields(one) if column.name not in same]
                    for entry in _entries(one, columns):
                        yield number, kind, same | dict(zip(columns, entry, strict=True))


def _entries(moves: object, columns: list[str]) -> Iterator[tuple[Any, ...]]:
    """Yield each device's part of a move."""
    return zip(*(getattr(moves, column).tolist() for column in columns), strict=True)
