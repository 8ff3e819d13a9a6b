"""A program for several devices written out for all of them: the exchange of tiles that its referee plays.

Devices need not be alike here: under a causal mask each works on the pairs of tiles that the mask allows, and what goes
round may stop where nobody further on needs it. One numpy operation says what all devices do in a step.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.program.parallel.exchange import Discard, Exchange, Finish, Receive, Superstep, Work
from pebble.program.parallel.relative_steps import Box, RelativeStep, Tile, relative_steps, tiles_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.program.parallel.device_program import DeviceProgram
    from pebble.program.parallel.shared_problem import SharedProblem

    Numbers = NDArray[np.int64]

__all__ = ["written_out"]


def written_out(program: DeviceProgram, problem: SharedProblem, pass_on: str = "needed") -> Exchange:
    """Write what every device does, for the referee of exchanges.

    Parameters
    ----------
    program : DeviceProgram
    problem : SharedProblem
        Any layout; under a causal mask forward passes of programs in which only inputs, or complete outputs, travel.
    pass_on : {"needed", "all"}
        Under a mask: whether an input is received only where the device, or one that receives it from there, uses it.

    Raises
    ------
    InvalidInput
        If the program is for another number of devices, or the mask or ``pass_on`` cannot be served.

    Notes
    -----
    Cost: some numpy operations on P numbers for each step of the program, whatever N.
    """
    if program.P != problem.P:
        raise InvalidInput(f"the program is for {program.P} devices, and the problem for {problem.P}")
    if pass_on not in ("needed", "all"):
        raise InvalidInput(f"pass_on is needed or all, not {pass_on!r}")
    writer = _DeviceSteps(program, problem)
    for step in relative_steps(program, problem):
        writer.write(step)
    if problem.causal:
        writer.keep_used(pass_on)
    return writer.exchange


class _DeviceSteps:
    """Makes a superstep's arrays of a step's boxes: of all devices, and all tiles in the boxes."""

    def __init__(self, program: DeviceProgram, problem: SharedProblem) -> None:
        self.problem, self.sizes = problem, program.sizes
        self.heads = program.own_places("h")
        blocks = int(np.prod([self.sizes[place] for place in self.heads], dtype=int))
        self.exchange = Exchange(problem, blocks, [Superstep()])
        self.at = np.array(np.unravel_index(np.arange(problem.P), self.sizes))
        self.inputs = (problem.queries.names, problem.keys.names)

    @property
    def step(self) -> Superstep:
        """The superstep that is written."""
        return self.exchange.supersteps[-1]

    def write(self, step: RelativeStep) -> None:
        """Write a step; whatever follows receives begins a superstep."""
        if step.kind != "receive" and self.step.receives:
            self.exchange.supersteps.append(Superstep())
        if step.kind == "work":
            self.work(step)
        elif step.kind == "finish":
            self.step.finish.append(Finish(*self.columns(step.queries, step.heads, "query")[:3]))
        elif step.kind == "discard":
            box, side = self.box(step)
            self.step.discards.append(Discard(step.arrays, *self.columns(box, step.heads, side)[:3]))
        else:
            box, side = self.box(step)
            device, tile, block, first = self.columns(box, step.heads, side)
            source = self.devices(step.source)[first]
            self.step.receives.append(Receive(step.arrays, device, source, tile, block, step.adding))

    def work(self, step: RelativeStep) -> None:
        """Write work on all tiles in the boxes."""
        queries, keys = (self.tiles(box) for box in (step.queries, step.keys))
        for part in tiles_of(step.heads, self.sizes):
            self.step.work.append(Work(np.arange(self.problem.P), self.block(part), queries, keys))

    def box(self, step: RelativeStep) -> tuple[Box, str]:
        """Return the tiles that a step is about, and whether they are of queries or of keys."""
        names = step.arrays
        kinds = {one.names: one.side for one in (self.problem.queries, self.problem.keys, *self.problem.sums)}
        side = kinds.get(names, "query")
        return (step.queries if side == "query" else step.keys), side

    def devices(self, distance: Tile) -> Numbers:
        """Return for each device the one that is so far before it."""
        moved = [(one - far) % size for one, far, size in zip(self.at, distance, self.sizes, strict=True)]
        return np.asarray(np.ravel_multi_index(moved, self.sizes))

    def tiles(self, box: Box) -> Numbers:
        """Return the tiles in a box, a row for each device; those of a device that owns several go together."""
        columns = [self.problem.tiling.of_device[self.devices(tile)] for tile in tiles_of(box, self.sizes)]
        return np.hstack(columns)

    def block(self, part: Tile) -> Numbers:
        """Return for each device the block of heads that it calls so."""
        if not self.heads:
            return np.zeros(self.problem.P, dtype=np.int64)
        moved = [(self.at[place] - part[place]) % self.sizes[place] for place in self.heads]
        return np.asarray(np.ravel_multi_index(moved, [self.sizes[place] for place in self.heads]))

    def columns(self, box: Box, heads: Box, side: str) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """Return device, tile and block of everything in a box, and again the device, as a place in arrays."""
        tiles = self.tiles(box)
        device = np.repeat(np.arange(self.problem.P), tiles.shape[1])
        devices, found, blocks = [], [], []
        for part in tiles_of(heads, self.sizes):
            block = self.block(part)
            if side == "key":
                block = block * self.exchange.key_blocks // self.exchange.blocks
            devices.append(device)
            found.append(tiles.ravel())
            blocks.append(block[device])
        every = np.concatenate(devices)
        return every, np.concatenate(found), np.concatenate(blocks), every

    # Masks

    def keep_used(self, pass_on: str) -> None:
        """Leave out receives, and discards, of inputs that a device neither works with nor passes on."""
        if self.exchange.blocks > 1 or self.problem.pass_name != "forward":
            raise InvalidInput(
                "under a causal mask programs are written out forward, with all heads on every device"
            )
        if any(one.adding for step in self.exchange.supersteps for one in step.receives):
            raise InvalidInput(
                "under a causal mask programs are written out without partial sums that travel"
            )
        if pass_on == "all":
            return
        allowed = self.problem.tile_pairs > 0
        P, T = self.problem.P, self.problem.tiling.tiles
        used = {names: np.zeros((P, T), dtype=bool) for names in self.inputs}
        for step in reversed(self.exchange.supersteps):
            for number, receive in enumerate(step.receives):
                step.receives[number] = self._needed(receive, used)
            step.receives[:] = [one for one in step.receives if len(one.device)]
            for work in step.work:
                meets = allowed[work.query[:, :, None], work.key[:, None, :]]
                rows = work.device[:, None]
                used[self.inputs[0]][rows, work.query] |= meets.any(axis=2)
                used[self.inputs[1]][rows, work.key] |= meets.any(axis=1)
        self._discard_held()

    def _needed(self, receive: Receive, used: dict[tuple[str, ...], NDArray[np.bool_]]) -> Receive:
        """Return a receive of what is used from there on; then its senders use it."""
        if receive.arrays not in used:
            return receive
        later = used[receive.arrays]
        kept = later[receive.device, receive.tile]
        device, source, tile, block = (
            column[kept] for column in (receive.device, receive.source, receive.tile, receive.block)
        )
        later[device, tile] = False
        later[source, tile] = True
        return Receive(receive.arrays, device, source, tile, block)

    def _discard_held(self) -> None:
        """Leave out discards of what was not received."""
        T = self.problem.tiling.tiles
        held: dict[tuple[str, ...], NDArray[np.bool_]] = {}
        for before, step in pairwise([Superstep(), *self.exchange.supersteps]):
            for receive in before.receives:
                there = held.setdefault(receive.arrays, np.zeros((self.problem.P, T), dtype=bool))
                there[receive.device, receive.tile] = True
            for number, discard in enumerate(step.discards):
                if discard.arrays in held:
                    kept = held[discard.arrays][discard.device, discard.tile]
                    columns = (column[kept] for column in (discard.device, discard.tile, discard.block))
                    step.discards[number] = Discard(discard.arrays, *columns)
        self.exchange.supersteps = [
            step
            for step in self.exchange.supersteps
            if step.work or step.receives or step.finish or step.discards
        ]
