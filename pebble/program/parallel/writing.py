"""Writing the exchange of a placement: gather, work and pass on, send partial sums back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pebble.program.parallel.exchange import Discard, Exchange, Finish, Receive, Superstep, Work
from pebble.program.parallel.placement import hops, staying_sees, workers, works_on

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.shared_problem import Arrays, SharedProblem
    from pebble.program.parallel.placement import Placement

    Numbers = NDArray[np.int64]
    Flags = NDArray[np.bool_]


def write_exchange(problem: SharedProblem, placement: Placement, pass_on: str = "needed") -> Exchange:
    """Write the exchange in which a placement's tiles come to their devices, and sums to their owners.

    First every device fetches what it begins with from the owners. It works, and where there is a ring passes on what
    it has, hop by hop; sums of what travels travel along, from the first device that is visited on, and home in the
    end. After the last work, sums of what stays are sent to the owners: complete rows as O, others as U and l.

    Parameters
    ----------
    problem : SharedProblem
    placement : Placement
    pass_on : {"needed", "all"}
        Whether a tile in a ring stops where nobody further on needs it, or goes all the way round.
    """
    return _ExchangeWriter(problem, placement, pass_on).write()


class _ExchangeWriter:
    """An exchange that is being written."""

    def __init__(self, problem: SharedProblem, placement: Placement, pass_on: str) -> None:
        self.problem, self.placement, self.pass_on = problem, placement, pass_on
        self.exchange = Exchange(problem, placement.blocks)
        self.device = np.arange(problem.P)
        self.query, self.key = placement.tiles("query"), placement.tiles("key")
        self.works = works_on(problem, placement)
        self.count = workers(problem, placement, self.works[0])

    def write(self) -> Exchange:
        """Write all supersteps."""
        self._gather()
        if self.placement.before is None:
            some, placement = self.works[0].any(axis=1), self.placement
            self._step().work.append(
                Work(self.device[some], placement.block[some], self.query[some], self.key[some])
            )
        else:
            self._go_round()
        self._return_sums()
        self._finish_at_home()
        return self.exchange

    def _step(self) -> Superstep:
        """Begin a superstep."""
        self.exchange.supersteps.append(Superstep())
        return self.exchange.supersteps[-1]

    def _block(self, side: str) -> Numbers:
        block = self.placement.block
        return block if side == "query" else self.exchange.heads.key_block[block]

    def _owner(self, side: str) -> Numbers:
        return self.problem.tiling_of(side).owner

    def _foreign(self, side: str, tiles: Numbers, chosen: Flags) -> tuple[Numbers, Numbers]:
        """Return the devices and tiles of a side that are chosen and not the device's own."""
        device, column = np.nonzero(chosen & (self._owner(side)[tiles] != self.device[:, None]))
        return device, tiles[device, column]

    def _gather(self) -> None:
        """Fetch from their owners what devices begin with."""
        step = Superstep()
        both = ((self.problem.queries, self.query), (self.problem.keys, self.key))
        for (arrays, tiles), works in zip(both, self.works, strict=True):
            if self.placement.before is not None and arrays.side == self.placement.travels:
                works = hops(self.problem, self.placement, self.pass_on).here
            device, tile = self._foreign(arrays.side, tiles, works)
            if len(device):
                source, block = self._owner(arrays.side)[tile], self._block(arrays.side)[device]
                step.receives.append(Receive(arrays.names, device, source, tile, block))
        if step.receives:
            self.exchange.supersteps.append(step)

    def _go_round(self) -> None:
        """Work on what is there and pass it on, as far as anything goes."""
        problem, placement = self.problem, self.placement
        assert placement.before is not None
        after, self.sees = np.argsort(placement.before), staying_sees(problem, placement)
        way = hops(problem, placement, self.pass_on)
        arrays = problem.keys if placement.travels == "key" else problem.queries
        sums = next((sums for sums in problem.sums if sums.side == placement.travels), None)
        origin = self.device
        for hop in range(int(way.last.max()) + 1):
            step = self._step()
            self._work(step, origin, hop, way.last, sums is not None)
            there, on = way.last[origin] >= hop, way.last[origin] > hop
            self._send(step, arrays, origin, after[:, None], on)
            if hop:
                self._drop(step, arrays, origin, there)
            if sums is not None:
                owner = self._owner(sums.side)[placement.cargo[origin]]
                begun = there & (way.first[origin] <= hop)
                if hop == 0:  # what is not a device's own goes home at once
                    begun, on = way.home & (owner != self.device[:, None]), np.zeros_like(on)
                self._send(step, sums, origin, after[:, None], begun & on)
                self._send(step, sums, origin, owner, begun & ~on)
                self._drop(step, sums, origin, begun)
            origin = placement.before[origin]

    def _work(self, step: Superstep, origin: Numbers, hop: int, last: Numbers, with_sums: bool) -> None:
        """Let devices work on what travels past; column by column where its sums travel with it."""
        placement, cargo = self.placement, self.placement.cargo[origin]
        chosen = self.sees.at(self.device, cargo)
        if with_sums and self.pass_on == "all":
            chosen |= last[origin] >= max(hop, 1)
        for column in range(cargo.shape[1]) if with_sums else [slice(None)]:
            tiles = cargo[:, column].reshape(len(cargo), -1)
            some: Flags = np.any(chosen[:, column].reshape(tiles.shape), axis=1)
            if some.any():
                both = (self.query, tiles) if placement.travels == "key" else (tiles, self.key)
                query, key = (side[some] for side in both)
                step.work.append(Work(self.device[some], placement.block[some], query, key))

    def _on(self, arrays: Arrays, origin: Numbers, chosen: Flags) -> tuple[Numbers, Numbers, Numbers]:
        """Return the chosen devices with the tiles that are on them, which began at origins, and their blocks."""
        device, column = np.nonzero(chosen)
        return device, self.placement.cargo[origin[device], column], self._block(arrays.side)[device]

    def _send(self, step: Superstep, arrays: Arrays, origin: Numbers, to: Numbers, chosen: Flags) -> None:
        """Send what has come round to other devices, or home."""
        device, tile, block = self._on(arrays, origin, chosen)
        if len(device):
            adding = arrays in self.problem.sums
            receiver = np.broadcast_to(to, chosen.shape)[chosen]
            step.receives.append(Receive(arrays.names, receiver, device, tile, block, adding))

    def _drop(self, step: Superstep, arrays: Arrays, origin: Numbers, chosen: Flags) -> None:
        device, tile, block = self._on(arrays, origin, chosen)
        if len(device):
            step.discards.append(Discard(arrays.names, device, tile, block))

    def _return_sums(self) -> None:
        """Send sums of what does not travel to the owners, after the last work."""
        step = self.exchange.supersteps[-1]
        tiles = {"query": self.query, "key": self.key}
        for sums, works in zip(self.problem.sums, self.works, strict=False):
            if self.placement.before is not None and sums.side == self.placement.travels:
                continue
            device, tile = self._foreign(sums.side, tiles[sums.side], works)
            block = self._block(sums.side)[device]
            if self.problem.pass_name == "forward":
                self._finish_complete(step)
                alone = self.count[tile, block] == 1
                self._send_home(step, self.problem.finished, device[alone], tile[alone], block[alone])
                device, tile, block = device[~alone], tile[~alone], block[~alone]
            self._send_home(step, sums.names, device, tile, block)

    def _finish_complete(self, step: Superstep) -> None:
        """Finish the rows that one device alone works on."""
        device, column = np.nonzero(self.works[0])
        tile, block = self.query[device, column], self.placement.block[device]
        alone = self.count[tile, block] == 1
        step.finish.append(Finish(device[alone], tile[alone], block[alone]))

    def _send_home(
        self, step: Superstep, names: tuple[str, ...], device: Numbers, tile: Numbers, block: Numbers
    ) -> None:
        if len(device):
            adding = names != ("O",)
            owner = self._owner(self.exchange.kind_of(names)[0].side)[tile]
            step.receives.append(Receive(names, owner, device, tile, block, adding))
            step.discards.append(Discard(names, device, tile, block))

    def _finish_at_home(self) -> None:
        """Let the owners finish the rows that several devices have worked on."""
        if self.problem.pass_name != "forward":
            return
        travels = self.placement.before is not None and self.placement.travels == "query"
        some = self.problem.query_tiling.sizes[:, None] > 0
        several = some.repeat(self.count.shape[1], axis=1) if travels else self.count > 1
        tile, block = np.nonzero(several)
        if len(tile):
            self._step().finish.append(Finish(self._owner("query")[tile], tile, block))
