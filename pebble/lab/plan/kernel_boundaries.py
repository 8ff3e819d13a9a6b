"""A FlashAttention-2 kernel on a device: what crosses each boundary between memories, and whether it fits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pebble.common.errors import InvalidInput
from pebble.common.plain import PlainRow
from pebble.common.tables import Table, TableResult, tiles_text
from pebble.common.units import bytes_per_word, bytes_text, rate_text, seconds_text
from pebble.computations.registry import family_of
from pebble.lab.count import ProblemRun
from pebble.lab.hardware import Device
from pebble.lab.hardware import device as device_of
from pebble.lab.hardware.device import MEMORY_LEVELS, canonical_dtype
from pebble.lab.plan.memory_need import widened, width_ratio
from pebble.lab.plan.roofline import flops
from pebble.lower_bounds.levels import boundary_bound
from pebble.program import Program, compute, delete, load, loop, program, store
from pebble.program.counting.run import run
from pebble.program.schedule import Tiles, get

if TYPE_CHECKING:
    from pebble.computations.problem import Problem
    from pebble.lower_bounds.bound import Bound

__all__ = ["DeviceKernel", "KernelBoundary", "kernel_boundaries"]

_COUNTERS = {"smem": "lts__t_bytes.sum", "l2": "dram__bytes.sum"}
"""What Nsight Compute calls the bytes through the boundary outside a level."""
_STEP = 16
"""Words of a row that one matrix instruction takes at a time."""


@dataclass(frozen=True)
class KernelBoundary(PlainRow):
    """What a kernel moves through the boundary outside a memory level.

    Attributes
    ----------
    name, level : str
        The boundary, such as ``"DRAM–L2"``, and the level inside it.
    counter : str or None
        Its bytes in Nsight Compute; None where no counter is theirs.
    held, room : int
        Bytes that the kernel holds in the level, and that there are.
    reads, writes : int
        Words of the inputs' type, for all heads and batch elements.
    bytes : int
    bound : Bound
        What no kernel moves fewer words than, with all memory inside the boundary.
    bandwidth : float or None
        Bytes per second.
    """

    KEYS = (
        "boundary=name level counter held_bytes=held room_bytes=room fits reads writes io bytes bound=bound.brief "
        "ratio bytes_per_second=bandwidth seconds"
    )

    name: str
    level: str
    counter: str | None
    held: int
    room: int
    reads: int
    writes: int
    bytes: int
    bound: Bound
    bandwidth: float | None

    @property
    def fits(self) -> bool:
        """Whether the level has as much room as the kernel holds."""
        return self.held <= self.room

    @property
    def io(self) -> int:
        """Words moved."""
        return self.reads + self.writes

    @property
    def ratio(self) -> float:
        """Words moved, divided by the bound."""
        return self.io / self.bound.value

    @property
    def seconds(self) -> float | None:
        """The least time that the bytes take; None without a bandwidth."""
        return None if self.bandwidth is None else self.bytes / self.bandwidth


@dataclass(frozen=True)
class DeviceKernel(TableResult):
    """What :func:`kernel_boundaries` returns.

    Attributes
    ----------
    problem : Problem
    device : Device
    tiles : dict of str to int
    dtype, accumulate : str
    stages, warps, cluster, blocks : int
    boundaries : tuple of KernelBoundary
        The innermost first.
    flops : int
        Of the matrix products.
    """

    KEYS = (
        "problem device=device.key tiles dtype accumulate stages warps cluster blocks fits boundaries flops "
        "compute_seconds seconds"
    )
    ROWS = "boundaries"

    problem: Problem
    device: Device
    tiles: dict[str, int]
    dtype: str
    accumulate: str
    stages: int
    warps: int
    cluster: int
    blocks: int
    boundaries: tuple[KernelBoundary, ...]
    flops: int

    @property
    def fits(self) -> bool:
        """Whether every level has room for what the kernel holds."""
        return all(one.fits for one in self.boundaries)

    @property
    def compute_seconds(self) -> float | None:
        """FLOP over the peak; None without a figure for the device."""
        peak = self.device.flops(self.dtype)
        return None if peak is None else self.flops / peak

    @property
    def seconds(self) -> float | None:
        """The longest of all times that are known."""
        times = [self.compute_seconds, *(one.seconds for one in self.boundaries)]
        return max((time for time in times if time is not None), default=None)

    def parts(self) -> list[str | Table | TableResult]:
        """Return what is printed: the kernel, whether it fits, a row for each boundary."""
        full = [
            f"{one.level} {bytes_text(one.held)} of {bytes_text(one.room)}{'' if one.fits else ' (too much)'}"
            for one in self.boundaries
        ]
        parts = {"stages of K and V": self.stages, "warps that divide the rows": self.warps}
        parts |= {"thread blocks a cluster": self.cluster, "in flight": self.blocks}
        about = [
            self.problem.describe(),
            f"flash-2 with {tiles_text(self.tiles)} on {self.device.title}: words of {self.dtype}, accumulators in "
            f"{self.accumulate}",
            ", ".join(f"{name}: {number}" for name, number in parts.items()),
            f"{'it fits' if self.fits else 'it does not fit'}: {', '.join(full)}",
        ]
        columns = {
            "boundary": "name",
            "Nsight Compute": "counter",
            "I/O": "io",
            "bytes": lambda one: bytes_text(one.bytes),
            "bandwidth": lambda one: rate_text(one.bandwidth),
            "time": lambda one: seconds_text(one.seconds),
            "I/O ÷ bound": "ratio:.3f",
        }
        table = Table.of(
            self.boundaries, columns, left=2, right=None, notes=self.notes(), drop=("bandwidth", "I/O")
        )
        return ["\n".join(about), table]

    def notes(self) -> list[str]:
        """Return what the times are, and what is not known."""
        work = f"{self.flops:.4g} FLOP at the peak take {seconds_text(self.compute_seconds)}"
        return [
            f"time: what the bytes take at least; {work}; the kernel at least {seconds_text(self.seconds)}",
            *self.device.untimed(one.name for one in self.boundaries),
        ]


def kernel_boundaries(
    problem: Problem,
    tiles: Tiles,
    device: str | Device,
    dtype: str = "bfloat16",
    *,
    accumulate: str | None = None,
    stages: int = 1,
    warps: int = 1,
    cluster: int = 1,
    blocks: int | None = None,
) -> DeviceKernel:
    """Count what a FlashAttention-2 kernel moves through each boundary of a device, and what it holds there.

    A thread block takes ``rows`` queries, holds their Q and ``stages`` tiles of ``cols`` keys and values in shared
    memory, and divides the rows among warps, which hold scores and outputs in registers. A warp reads Q, K and V from
    shared memory for each tile of keys; a block reads K and V through L2 once. L2 keeps K and V of a head if they fit;
    otherwise the blocks in flight, which are of one head, read them from DRAM together.

    Parameters
    ----------
    problem : Problem
        Forward, plain softmax: kernels that go on with a running maximum move as much.
    tiles : mapping of str to int
        ``{"Br": 128, "Bc": 176}``.
    device : str or Device
    dtype : str
    accumulate : str, optional
        Type of all that is computed; the inputs' by default.
    stages : int
        Tiles of K and V in shared memory at once.
    warps : int
        How many warps, or warpgroups where four read an operand together, divide the rows.
    cluster : int
        Thread blocks for which K and V are loaded once, by multicast.
    blocks : int, optional
        Thread blocks in flight; by default as many as fit into all units, at least one in each.

    Examples
    --------
    >>> from pebble import Problem
    >>> shape = Problem.square(16384, 128, heads=32, kv_heads=8, batch=4)
    >>> found = kernel_boundaries(shape, {"Br": 128, "Bc": 176}, "h100", accumulate="float32", stages=2, warps=2)
    >>> found.fits, [one.held / 2**10 for one in found.boundaries[1:]], found.boundaries[2].bytes / 2**30
    (True, [208.0, 8192.0], 1.25)
    """
    one, dtype = device_of(device) if isinstance(device, str) else device, canonical_dtype(dtype)
    schedule = get("flash-2", "forward", problem.form)
    sizes = dict(schedule.check_tiles(tiles))
    if problem.pass_name != "forward" or problem.form != "plain" or "cols" not in sizes:
        raise InvalidInput(
            "boundaries are counted of a forward kernel with plain softmax and tiles Br and Bc"
        )
    family, size, rows = family_of(problem), bytes_per_word(dtype), min(sizes["rows"], problem.Nq)
    accumulate = canonical_dtype(accumulate or dtype)
    warp, tile = _of_a_warp(-(-rows // warps), sizes["cols"]), min(sizes["cols"], problem.Nk)
    peak = run(warp, widened(family, width_ratio(dtype, accumulate))).peak
    key, room = (problem.d + problem.dv) * size, {level: one.level_bytes(level) for level in MEMORY_LEVELS}
    held = {"regs": min(warps, rows) * peak * size, "smem": rows * problem.d * size + stages * tile * key}
    units = one.units or 1
    blocks = blocks or units * max(1, min(room[level] // held[level] for level in held))
    resident = problem.Nk * key <= room["l2"]
    held["l2"] = (problem.Nk if resident else tile) * key
    inside = room["regs"] + room["smem"]
    together = {"smem": cluster * rows, "l2": problem.Nq if resident else blocks * rows}
    memory = {"smem": cluster * inside, "l2": room["l2"] + min(blocks, units) * inside}
    found = []
    for level in MEMORY_LEVELS:
        text = warp
        if level in together:
            text = schedule.program(problem, sizes | {"rows": min(together[level], problem.Nq)})
        counted, crossing = ProblemRun.of(run(text, family), problem), one.boundary(level)
        found.append(
            KernelBoundary(
                name=crossing.name,
                level=level,
                counter=_COUNTERS.get(level) if one.title.startswith("NVIDIA") else None,
                held=held[level],
                room=room[level],
                reads=counted.total_reads,
                writes=counted.total_writes,
                bytes=counted.io * size,
                bound=boundary_bound(problem, memory.get(level, room[level]) // size),
                bandwidth=crossing.bandwidth,
            )
        )
    return DeviceKernel(
        problem, one, sizes, dtype, accumulate, stages, warps, cluster, blocks, tuple(found), flops(counted)
    )


def _of_a_warp(rows: int, cols: int) -> Program:
    """Write what a warp does: Q, K and V pass by in slices, scores and outputs stay."""
    scores = loop("k", _STEP, load("Q", "K"), compute("S"), delete("Q", "K"))
    sums = loop("e", _STEP, load("V"), compute("U"), delete("V"))
    tile = loop("j", cols, scores, compute("P", "S"), compute("l"), sums, delete("P"))
    return program(loop("i", rows, tile, compute("O", "U"), store("O"), delete("O", "l")))
