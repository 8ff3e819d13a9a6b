"""``pebble sweep``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import click

from pebble.cli.completion import devices, masks
from pebble.cli.level_options import LevelOptions
from pebble.cli.options import SCHEDULES, FormOptions, MemoryOptions, ProblemOptions, names_of, word_type
from pebble.cli.progress import progress_line
from pebble.cli.signature import Amount, Options, command, group, like, needed, option
from pebble.common.whole_numbers import singular

if TYPE_CHECKING:
    from pebble.lab.sweep import SweepGrid

_THE_SAME = ("kv", "dv", "stats", "kv_heads", "batch", "pass_name", "empty_rows")


class GridOptions(Options):
    """The points that are counted."""

    N: tuple[str, ...] = option(
        "Numbers of queries (and of keys): 1Ki,4Ki.",
        "-N",
        "--nq",
        type=Amount(),
        multiple=True,
        required=True,
    )
    kv: int | None = ProblemOptions.kv
    d: tuple[str, ...] = option(
        "Head dimensions of Q and K: 64,128.", "-d", type=Amount(), multiple=True, required=True
    )
    dv: int | None = option("Head dimension of V, if not d.", advanced=True)
    memory: tuple[str, ...] = option(
        "Words of fast memory, or bytes with --dtype; 1Ki:1Mi:40 is 40 values from 1Ki to 1Mi at equal ratios.",
        "-M",
        type=Amount(),
        multiple=True,
        **needed("devices", "levels"),
    )
    devices: tuple[str, ...] = option(
        "Take M from devices: a,b, or repeat the option.",
        "--device",
        multiple=True,
        shell_complete=devices,
    )
    level: str | None = option("Memory level of the devices: smem, smem+regs or l2.", advanced=True)
    dtype: str | None = option("Type of a word, if M is in bytes: float16, float32, … (with --device: bf16).")
    levels: LevelOptions = group(LevelOptions)
    masks: tuple[str, ...] = option(
        "causal, window:256, … (repeat; see: pebble masks).", "--mask", multiple=True, shell_complete=masks
    )
    empty_rows: str = ProblemOptions.empty_rows
    names: list[str] | None = SCHEDULES
    heads: int | None = ProblemOptions.heads
    kv_heads: int | None = ProblemOptions.kv_heads
    batch: int = like(ProblemOptions.batch, help="Batch size; multiplies counts and bounds (default 1).")
    pass_name: str = ProblemOptions.pass_name
    stats: bool = ProblemOptions.stats
    form: FormOptions = group(FormOptions)

    def grid(self) -> SweepGrid:
        """Make the grid."""
        from pebble.lab.sweep import sweep_grid

        levels = self._levels()
        return sweep_grid(
            ",".join(self.N),
            ",".join(self.d),
            None if levels else self._memories(),
            self.names,
            masks=self.masks or "none",
            heads=self.heads or 1,
            **levels,
            **{name: getattr(self, name) for name in _THE_SAME},
            **vars(self.form),
        )

    def _levels(self) -> dict[str, Any]:
        """Return the memory levels as a grid takes them, with the words of a device's if one is named."""
        names = names_of(self.devices)
        if self.levels.levels is not None and len(names) > 1:
            raise click.UsageError("--levels needs a single device.")
        device = names[0] if names else None
        memory = MemoryOptions(
            memory=",".join(self.memory) or None, device=device, level=self.level, dtype=self.dtype
        )
        found = self.levels.read(memory)
        if found is None:
            return {}
        return {"levels": found.hierarchy.capacities, "exclusive": not found.hierarchy.inclusive}

    def _memories(self) -> list[int]:
        from pebble.lab.size_lists import memory_sizes

        devices = names_of(self.devices)
        if self.level is not None and not devices:
            raise click.UsageError("--level needs --device.")
        found = list(memory_sizes(",".join(self.memory), self.dtype)) if self.memory else []
        if devices:
            from pebble.lab.hardware import device

            dtype = word_type(self.dtype)
            found += [device(name).words(dtype, self.level) for name in devices]
        return found


@command
def sweep(
    asked: GridOptions = group(GridOptions),
    output: str = option("File to write: .csv, .jsonl or .parquet.", "-o", "--output", required=True),
    form: str | None = option(
        "File format, if the file name does not show it.",
        "--format",
        type=click.Choice(["csv", "jsonl", "parquet"]),
    ),
    jobs: int = option(
        "Number of processes on this machine (default 1).", type=click.IntRange(min=1), default=1
    ),
    scheduler: str | None = option(
        "Count on a Dask cluster: tcp://HOST:8786.", metavar="ADDRESS", advanced=True
    ),
    restart: bool = option("Discard the results of an interrupted run."),
) -> None:
    """Count schedules over a grid of N, d, M and masks, into a file.

    After an interruption, run the same command again: it resumes from OUTPUT.partial. The file appears only when
    everything is counted, and its bytes do not depend on the number of workers. A schedule that does not fit gets a
    row that says so.

    With --levels, each row is a boundary between memory levels.

    \b
    pebble sweep -N 1Ki,4Ki -d 64,128 -M 1Ki:1Mi:40 --schedule flash-2,best -o sweep.csv --jobs 4
    """  # noqa: D301
    from pebble.lab.sweep import run_sweep

    if jobs > 1 and scheduler is not None:
        raise click.UsageError("--jobs and --scheduler cannot be combined: give one.")
    try:
        grid = asked.grid()
        with _cluster(scheduler) as executor, progress_line("sweep {:,}/{:,}".format) as progress:
            done = run_sweep(
                grid, output, format=form, jobs=jobs, executor=executor, restart=restart, progress=progress
            )
    except KeyboardInterrupt:
        _interrupted(output)
    again = f", {done.resumed:,} of them from an earlier run" if done.resumed else ""
    click.echo(singular(f"{output}: {len(done):,} rows, {len(grid):,} points{again}"), err=True)


@contextmanager
def _cluster(address: str | None) -> Iterator[Executor | None]:
    """Connect to a Dask cluster, if there is an address."""
    if address is None:
        yield None
        return
    from pebble.lab.sweep.workers import dask_cluster

    with dask_cluster(address) as (executor, n_workers):
        if n_workers == 0:
            click.echo(f"pebble: the cluster at {address} has no workers yet; waiting for some", err=True)
        yield executor


def _interrupted(output: str) -> NoReturn:
    from pebble.lab.sweep.running import journal_of

    journal = journal_of(output)
    kept = (
        f"; finished points are kept in {journal}: run the same command to resume" if journal.exists() else ""
    )
    click.echo(f"pebble: interrupted{kept}", err=True)
    sys.exit(130)
