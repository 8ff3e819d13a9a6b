"""Running an exchange on numbers: what the devices compute with what they hold is attention."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.common.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from pebble.program.parallel.exchange import Exchange
    from pebble.program.parallel.shared_problem import SharedProblem

    Values = NDArray[np.float64]

__all__ = ["evaluate_exchange", "random_attention"]


def evaluate_exchange(exchange: Exchange, inputs: Mapping[str, Values]) -> dict[str, Values]:
    """Execute an exchange on arrays, device by device, each with what its own memory holds.

    Parameters
    ----------
    exchange : Exchange
    inputs : mapping of str to ndarray
        Q (query heads, N, d), K (heads of keys, N, d), V (heads of keys, N, dv); backward also dO, shaped like O, and
        l and D (query heads, N), the row sums and the rows' products of dO and O.

    Returns
    -------
    dict of str to ndarray
        O, or dQ, dK, dV, put together from what the owners hold at the end.

    Raises
    ------
    InvalidInput
        If an input is missing.
    KeyError
        If a device works on or sends what it does not hold: play the exchange first.

    Notes
    -----
    Softmax is taken without a scale and without the maximum. Every pair of tiles is a step of Python: for small sizes.
    """
    memory = _Memories(exchange, inputs)
    for _, moves in groupby(exchange.moves(), key=lambda move: move[0]):
        memory.superstep([(kind, move) for _, kind, move in moves])
    return memory.outputs()


def random_attention(problem: SharedProblem, seed: int = 0) -> tuple[dict[str, Values], dict[str, Values]]:
    """Return random inputs of a small problem for :func:`evaluate_exchange`, and the outputs by the plain formulas."""
    chance = np.random.default_rng(seed)
    rows = problem.query_tiling.N
    Q, dO = (chance.normal(size=(problem.heads, rows, width)) for width in (problem.d, problem.width))
    K, V = (chance.normal(size=(problem.kv_heads, problem.N, width)) for width in (problem.d, problem.width))
    keys, values = (np.repeat(array, problem.group, axis=0) for array in (K, V))
    weights = np.exp(Q @ keys.transpose(0, 2, 1)) * (np.tri(problem.N) if problem.causal else 1)
    l = weights.sum(axis=2)
    P = weights / l[..., None]
    O = P @ values
    D = (dO * O).sum(axis=2)
    dS = P * (dO @ values.transpose(0, 2, 1) - D[..., None])
    of_keys = {"dK": dS.transpose(0, 2, 1) @ Q, "dV": P.transpose(0, 2, 1) @ dO}
    shared = {
        name: array.reshape(problem.kv_heads, problem.group, *array.shape[1:]).sum(axis=1)
        for name, array in of_keys.items()
    }
    inputs = {"Q": Q, "K": K, "V": V, "dO": dO, "l": l, "D": D}
    return inputs, {"O": O, "dQ": dS @ keys, **shared}


class _Memories:
    """What each device holds: arrays by device, name, tile and block of heads."""

    def __init__(self, exchange: Exchange, inputs: Mapping[str, Values]) -> None:
        self.exchange, self.problem = exchange, exchange.problem
        self.tilings = {side: self.problem.tiling_of(side) for side in ("query", "key")}
        self.held: dict[tuple[int, str, int, int], Values] = {}
        sides = {
            name: arrays.side for arrays in (self.problem.queries, self.problem.keys) for name in arrays.names
        }
        if missing := set(sides) - set(inputs):
            raise InvalidInput(f"the inputs {', '.join(sorted(missing))} are missing")
        for name, side in sides.items():
            for tile, owner in enumerate(self.tilings[side].owner.tolist()):
                for block in range(exchange.blocks_of(side)):
                    rows = inputs[name][self._heads(side, block), self.tilings[side].tokens(tile)]
                    self.held[owner, name, tile, block] = rows

    def superstep(self, moves: list[tuple[str, dict[str, Any]]]) -> None:
        """Work and finish; then send copies of what is there, discard, and take in."""
        for kind, move in moves:
            if kind == "work":
                self._work(**move)
            elif kind == "begin":
                self._begin(**move)
            elif kind == "finish":
                self._finish(**move)
        sent = [
            (
                move,
                [
                    self.held[move["source"], name, move["tile"], move["block"]].copy()
                    for name in move["arrays"]
                ],
            )
            for kind, move in moves
            if kind == "receive"
        ]
        for kind, move in moves:
            if kind == "discard":
                for name in move["arrays"]:
                    del self.held[move["device"], name, move["tile"], move["block"]]
        for move, values in sent:
            for name, value in zip(move["arrays"], values, strict=True):
                self._add((move["device"], name, move["tile"], move["block"]), value)

    def outputs(self) -> dict[str, Values]:
        """Put together what the owners hold."""
        problem, found = self.problem, {}
        named = (
            [problem.finished] if problem.pass_name == "forward" else [sums.names for sums in problem.sums]
        )
        for names, side in zip(named, ("query", "key"), strict=False):
            heads = problem.heads if side == "query" else problem.kv_heads
            for name in names:
                width = problem.width if name in ("O", "dV") else problem.d
                found[name] = np.full((heads, self.tilings[side].N, width), np.nan)
                for tile, owner in enumerate(self.tilings[side].owner.tolist()):
                    for block in range(self.exchange.blocks_of(side)):
                        rows = self._heads(side, block), self.tilings[side].tokens(tile)
                        found[name][rows] = self.held[owner, name, tile, block]
        return found

    def _heads(self, side: str, block: int) -> NDArray[np.int64]:
        """Return the heads of a block, as an index beside tokens."""
        count = self.exchange.heads_of(side)
        return np.arange(block * count, (block + 1) * count)[:, None]

    def _add(self, where: tuple[int, str, int, int], value: Values) -> None:
        self.held[where] = self.held[where] + value if where in self.held else value

    def _begin(self, device: int, block: int, query: int, key: int) -> None:
        """Let sums of what is there begin with nothing in them."""
        key_block = block * self.exchange.key_blocks // self.exchange.blocks
        widths = {"l": (), "dQ": (self.problem.d,), "dK": (self.problem.d,)}
        for sums in self.problem.sums:
            rows, tile, at = ("Q", query, block) if sums.side == "query" else ("K", key, key_block)
            if (device, rows, tile, at) in self.held:
                count = self.exchange.heads_of(sums.side), int(self.tilings[sums.side].sizes[tile])
                for name in sums.names:
                    width = widths.get(name, (self.problem.width,))
                    self.held.setdefault((device, name, tile, at), np.zeros((*count, *width)))

    def _work(self, device: int, block: int, query: int, key: int) -> None:
        """Let a tile of queries and a tile of keys meet."""
        key_block = block * self.exchange.key_blocks // self.exchange.blocks
        of_query = {name: self.held[device, name, query, block] for name in self.problem.queries.names}
        K, V = (self._shared(self.held[device, name, key, key_block]) for name in ("K", "V"))
        weights = np.exp(of_query["Q"] @ K.transpose(0, 2, 1))
        if self.problem.causal:
            tokens = self.tilings["key"].tokens
            weights = weights * (tokens(query)[:, None] >= tokens(key)[None, :])
        if self.problem.pass_name == "forward":
            self._add((device, "U", query, block), weights @ V)
            self._add((device, "l", query, block), weights.sum(axis=2))
            return
        P = weights / of_query["l"][..., None]
        dS = P * (of_query["dO"] @ V.transpose(0, 2, 1) - of_query["D"][..., None])
        self._add((device, "dQ", query, block), dS @ K)
        self._add((device, "dK", key, key_block), self._over_group(dS.transpose(0, 2, 1) @ of_query["Q"]))
        self._add((device, "dV", key, key_block), self._over_group(P.transpose(0, 2, 1) @ of_query["dO"]))

    def _sharing(self) -> int:
        """Return how many query heads of a block share each of its heads of keys."""
        return self.exchange.heads_of("query") // self.exchange.heads_of("key")

    def _shared(self, rows: Values) -> Values:
        """Return heads of keys, once for each query head that shares them."""
        return np.repeat(rows, self._sharing(), axis=0)

    def _over_group(self, rows: Values) -> Values:
        """Add up the gradients of the query heads that share a head of keys."""
        total: Values = rows.reshape(-1, self._sharing(), *rows.shape[1:]).sum(axis=1)
        return total

    def _finish(self, device: int, tile: int, block: int) -> None:
        U, l = (self.held.pop((device, name, tile, block)) for name in ("U", "l"))
        self.held[device, "O", tile, block] = U / l[..., None]
