"""A FlashAttention-2 kernel on a device: what crosses each boundary between memories, and whether it fits."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import Any

from pebble.common.errors import InvalidInput
from pebble.common.plain import plain
from pebble.common.units import bytes_per_word, bytes_text, scaled, seconds_text
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.lab.count import ProblemRun
from pebble.lab.hardware import Device
from pebble.lab.hardware import device as device_of
from pebble.lab.hardware.device import MEMORY_LEVELS, canonical_dtype
from pebble.lab.level_counts import Boundary, LevelReport, LevelRow
from pebble.lab.plan.constraints import Constraints
from pebble.lab.plan.memory_need import widened, width_ratio
from pebble.lab.work import flops
from pebble.lower_bounds.levels import boundary_bound
from pebble.program import Program, compute, delete, load, loop, program, store
from pebble.program.counting.run import run
from pebble.program.schedule import Tiles, get

COUNTERS = {"smem | l2": "lts__t_bytes.sum", "l2 | DRAM": "dram__bytes.sum"}
"""What Nsight Compute calls the bytes at a boundary."""
_STEP = 16
"""Words of a row that one matrix instruction takes at a time."""
_MOST_REGISTERS = 255
"""32-bit registers of a thread: CUDA C++ Programming Guide, Compute Capabilities."""
_WARPGROUPS = ("h100", "h200")
"""Devices on which the 128 threads of four warps read an operand together, from shared memory."""


@dataclass(frozen=True, kw_only=True, repr=False)
class DeviceKernel(LevelReport):
    """What :func:`kernel_boundaries` returns: one row, whose peaks are what the kernel holds in each memory.

    ``how`` has the other parameters by name, ``flops`` those of the matrix products, and ``registers`` the 32-bit
    registers of a thread, None where no limit is known.
    """

    device: Device
    dtype: str
    how: dict[str, Any]
    flops: int
    registers: int | None

    @property
    def fits(self) -> bool:
        """Whether it fits in every memory, and in the registers of each thread."""
        return self.rows[0].fits and (self.registers or 0) <= _MOST_REGISTERS

    @property
    def compute_seconds(self) -> float | None:
        """FLOP over the peak; None without a figure for the device."""
        peak = self.device.flops(self.dtype)
        return None if peak is None else self.flops / peak

    def heading(self) -> str:
        """Return the lines above the table: the kernel, and whether it fits."""
        (row,), size = self.rows, bytes_per_word(self.dtype)
        held = [
            f"{level} {bytes_text(one.peak * size)} of {bytes_text((one.capacity or 0) * size)}"
            for level, one in zip(MEMORY_LEVELS, row.boundaries, strict=True)
        ]
        if self.registers is not None and self.registers > _MOST_REGISTERS:
            held.append(f"{self.registers:,} of {_MOST_REGISTERS} registers a thread")
        how = ", ".join(f"{name} {value}" for name, value in self.how.items())
        fits = "it fits" if self.fits else "it does not fit"
        about = f"{self.device.title}, words of {self.dtype}; {how}\n{fits}: {', '.join(held)}"
        return f"{self.problem.describe()}\n{about}"

    def notes(self) -> list[str]:
        """Return what a profiler calls the bytes, what the times are, and what is not known."""
        names = [f"{counter} is {name}" for name, counter in COUNTERS.items()]
        times = [self.compute_seconds, *map(self.seconds, self.rows[0].boundaries)]
        longest = seconds_text(max((time for time in times if time is not None), default=None))
        return [
            *([f"Nsight Compute: {', '.join(names)}"] if self.device.title.startswith("NVIDIA") else []),
            f"roofline: lower estimates; {scaled(self.flops)}FLOP take at least "
            f"{seconds_text(self.compute_seconds)}, the kernel at least {longest}",
            *self.device.untimed(self.device.boundary(level).name for level in MEMORY_LEVELS),
        ]

    def content(self) -> dict[str, Any]:
        """Return the plain data, all but the schema version."""
        own = plain(self, "device=device.key dtype flops compute_seconds registers") | self.how
        counters = [COUNTERS.get(name) for name in self.hierarchy.boundaries]
        return super().content() | own | {"counters": counters}


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
    >>> found.rows[0].fits, [one.io * 2 / 2**30 for one in found.rows[0].boundaries[1:]]
    (True, [129.0, 1.25])
    """
    one, dtype = device_of(device) if isinstance(device, str) else device, canonical_dtype(dtype)
    sizes = dict(get("flash-2", "forward", problem.form).check_tiles(tiles))
    if (problem.pass_name, problem.form, problem.stats) != ("forward", "plain", False) or "cols" not in sizes:
        raise InvalidInput(
            "boundaries are counted of a forward kernel with plain softmax, no row sums, and tiles Br and Bc"
        )
    levels = one.hierarchy(MEMORY_LEVELS, dtype)
    levels = replace(levels, beyond="DRAM") if levels.beyond == "slow" else levels
    regs, smem, _ = capacities = tuple(words or 0 for words in levels.capacities)
    held = _held(problem, sizes, dtype, accumulate, stages, warps)
    units = one.units or 1
    blocks = blocks or units * max(1, min(regs // held[0], smem // held[1]))
    how = {"accumulate": canonical_dtype(accumulate or dtype), "stages": stages, "warps": warps}
    how |= {"cluster": cluster, "blocks": blocks}
    texts = _at_boundaries(problem, sizes, capacities, held, units, how)
    counted = [ProblemRun.of(run(text, family_of(problem)), problem) for text, _, _ in texts]
    bounds = tuple(boundary_bound(problem, memory) for _, _, memory in texts)
    found = tuple(
        Boundary(at, size, moved.total_reads, moved.total_writes, inside, bound.value)
        for at, (size, moved, (_, inside, _), bound) in enumerate(
            zip(levels.capacities, counted, texts, bounds, strict=True), start=1
        )
    )
    return DeviceKernel(
        problem=problem,
        hierarchy=levels,
        rows=(LevelRow("flash-2", sizes, tuple(one.peak for one in found), found),),
        bounds=bounds,
        bandwidths=one.bandwidths(MEMORY_LEVELS),
        bytes_per_word=bytes_per_word(dtype),
        device=one,
        dtype=dtype,
        how=how,
        flops=flops(counted[-1]),
        registers=_registers(one, held[0] * bytes_per_word(dtype), warps),
    )


def _at_boundaries(
    problem: Problem,
    tiles: Tiles,
    capacities: tuple[int, ...],
    held: tuple[int, int],
    units: int,
    how: dict[str, Any],
) -> list[tuple[Program, int, int]]:
    """Return for each memory level the program that moves its words, what it holds, and all words inside it."""
    (regs, smem, l2), (in_regs, in_smem) = capacities, held
    inside, key = regs + smem, problem.d + problem.dv
    rows, blocks = min(tiles["rows"], problem.Nq), how["blocks"]
    kept = problem.Nk * key <= l2
    together = problem.Nq if kept else blocks * rows
    in_l2 = (problem.Nk if kept else min(tiles["cols"], problem.Nk)) * key
    return [
        (_of_a_warp(-(-rows // how["warps"]), tiles["cols"]), in_regs, regs),
        (_of_blocks(problem, tiles, how["cluster"] * rows), in_smem, how["cluster"] * inside),
        (_of_blocks(problem, tiles, together), in_l2, l2 + min(blocks, units) * inside),
    ]


def _held(
    problem: Problem, tiles: Tiles, dtype: str, accumulate: str | None, stages: int, warps: int
) -> tuple[int, int]:
    """Return the words that a thread block holds in registers, and in shared memory."""
    rows, cols = min(tiles["rows"], problem.Nq), min(tiles["cols"], problem.Nk)
    wide = widened(family_of(problem), width_ratio(dtype, accumulate))
    peak = run(_of_a_warp(-(-rows // warps), tiles["cols"]), wide).peak
    return min(warps, rows) * peak, rows * problem.d + stages * cols * (problem.d + problem.dv)


def _registers(device: Device, held: int, warps: int) -> int | None:
    """Return the registers of a thread, of the bytes that all threads of a block hold."""
    if not device.title.startswith("NVIDIA") or device.accumulators_per_unit is not None:
        return None
    return -(-held // (4 * warps * (128 if device.key in _WARPGROUPS else 32)))


def kernel_tiles(
    problem: Problem,
    device: str | Device,
    dtype: str = "bfloat16",
    constraints: Constraints = Constraints(multiple_of=_STEP),  # noqa: B008
    *,
    stages: int = 1,
    warps: int = 1,
) -> dict[str, int]:
    """Return the tiles of the kernel of :func:`kernel_boundaries` that fit in registers and shared memory both.

    The most rows, since they decide what is read through L2, and with these the most keys. Every warp has a multiple
    of the rows.

    Examples
    --------
    >>> from pebble import Problem
    >>> from pebble.lab.plan import Constraints
    >>> asked = Constraints(multiple_of=16, at_least={"cols": 128}, accumulate="float32")
    >>> kernel_tiles(Problem.square(16384, 128), "h100", constraints=asked, stages=2, warps=2)
    {'rows': 224, 'cols': 144}
    """
    one, dtype = device_of(device) if isinstance(device, str) else device, canonical_dtype(dtype)
    capacities = one.hierarchy(MEMORY_LEVELS, dtype).capacities

    def fits(rows: int, cols: int) -> bool:
        tiles = {"rows": rows, "cols": cols}
        held = _held(problem, tiles, dtype, constraints.accumulate, stages, warps)
        registers = _registers(one, held[0] * bytes_per_word(dtype), warps) or 0
        inside = all(words <= (most or 0) for words, most in zip(held, capacities, strict=False))
        return inside and registers <= _MOST_REGISTERS

    rows = _allowed(constraints, "rows", constraints.multiple_of * warps, problem.Nq)
    cols = _allowed(constraints, "cols", constraints.multiple_of, problem.Nk)
    tall = bisect_left(rows, True, key=lambda size: not fits(size, cols[0])) if cols else 0
    if not tall:
        raise InvalidInput(f"{one.title}: no tiles with these constraints fit in registers and shared memory")
    most = rows[tall - 1]
    return {"rows": most, "cols": cols[bisect_left(cols, True, key=lambda size: not fits(most, size)) - 1]}


def _allowed(constraints: Constraints, name: str, step: int, length: int) -> list[int]:
    """Return the sizes of a tile that constraints allow, in order; the whole axis counts as the multiple above it."""
    least, most = constraints.at_least.get(name, 1), constraints.at_most.get(name, length + step - 1)
    sizes = range(-(-least // step) * step, min(most, length + step - 1) + 1, step)
    return [size for size in sizes if not constraints.power_of_two or size & (size - 1) == 0]


def _of_blocks(problem: Problem, tiles: Tiles, rows: int) -> Program:
    """Write what thread blocks that take ``rows`` rows together do."""
    return get("flash-2", "forward").program(problem, {**tiles, "rows": min(rows, problem.Nq)})


def _of_a_warp(rows: int, cols: int) -> Program:
    """Write what a warp does: Q, K and V pass by in slices, scores and outputs stay."""
    scores = loop("k", _STEP, load("Q", "K"), compute("S"), delete("Q", "K"))
    sums = loop("e", _STEP, load("V"), compute("U"), delete("V"))
    tile = loop("j", cols, scores, compute("P", "S"), compute("l"), sums, delete("P"))
    return program(loop("i", rows, tile, compute("O", "U"), store("O"), delete("O", "l")))
