"""``pebble sweep``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import click

from pebble.cli.completion import devices, masks
from pebble.cli.level_options import levels_of, levels_option
from pebble.cli.options import NeededOption, Whole, form_options, heads_options, names_of, schedules_option
from pebble.cli.progress import progress_bar

if TYPE_CHECKING:
    from pebble.lab.sweep import SweepGrid

__all__ = ["command"]

_THE_SAME = (
    "kv",
    "dv",
    "stats",
    "kv_heads",
    "batch",
    "pass_name",
    "empty_rows",
    "softmax",
    "attention",
    "gate",
    "chunk",
    "shared_values",
    "shared_rope",
)


@click.command("sweep")
@click.option(
    "-N", "--nq", "N", multiple=True, required=True, help="Numbers of queries (and of keys): 1Ki,4Ki."
)
@click.option("--kv", type=Whole(), help="Number of keys and values, if not N.")
@click.option("-d", "d", multiple=True, required=True, help="Head dimensions of Q and K: 64,128.")
@click.option("--dv", type=Whole(), help="Head dimension of V, if not d.")
@click.option(
    "-M",
    "memory",
    multiple=True,
    cls=NeededOption,
    unless=["devices", "levels"],
    help="Words of fast memory, or bytes with a dtype: 1Ki:1Mi:40 is 40 values from 1Ki to 1Mi, logarithmic.",
)
@click.option(
    "--device",
    "devices",
    multiple=True,
    shell_complete=devices,
    help="Take M from devices, with a dtype (repeat, or a,b).",
)
@click.option("--level", help="With a device: smem, smem+regs or l2.")
@click.option("--dtype", help="What a word is, if M is in bytes: float16, bf16, float32, …")
@levels_option
@click.option(
    "--mask",
    "masks",
    multiple=True,
    shell_complete=masks,
    help="causal, window:256, … (repeat; see: pebble masks).",
)
@click.option(
    "--empty-rows",
    type=click.Choice(["error", "zero"]),
    default="error",
    help="Queries that attend to nothing: refused (default), or an output of zero.",
)
@schedules_option()
@heads_options
@click.option("--batch", type=Whole(), default=1, help="Multiplies counts and bounds (default 1).")
@click.option(
    "--pass",
    "pass_name",
    type=click.Choice(["forward", "backward", "both", "weights"]),
    default="forward",
    help="Which pass (default forward).",
)
@click.option("--stats", is_flag=True, help="Row sums are outputs too, as training needs.")
@form_options
@click.option("-o", "--output", required=True, help="File to write: .csv, .jsonl or .parquet.")
@click.option(
    "--format", "form", type=click.Choice(["csv", "jsonl", "parquet"]), help="If the suffix does not say."
)
@click.option("--jobs", type=click.IntRange(min=1), default=1, help="Processes of this machine (default 1).")
@click.option("--scheduler", metavar="ADDRESS", help="Count on a Dask cluster: tcp://HOST:8786.")
@click.option("--restart", is_flag=True, help="Forget what an interrupted run has counted.")
def command(
    output: str, form: str | None, jobs: int, scheduler: str | None, restart: bool, **options: Any
) -> None:
    """Count schedules over a grid of N, d, M and masks, into a file.

    The same command goes on after an interruption, from OUTPUT.partial; the file appears whole when all is
    counted, with the same bytes for any number of workers. A schedule that does not fit is a row that says so.

    With --levels a row is a boundary between memory levels.

    \b
    pebble sweep -N 1Ki,4Ki -d 64,128 -M 1Ki:1Mi:40 --schedule flash-2,best -o sweep.csv --jobs 4
    """  # noqa: D301
    from pebble.lab.sweep import run_sweep

    if jobs > 1 and scheduler is not None:
        raise click.UsageError("--jobs and --scheduler both say where to count: give one of them.")
    try:
        grid = _grid(options)
        with _cluster(scheduler) as executor, progress_bar("sweep") as progress:
            done = run_sweep(
                grid, output, format=form, jobs=jobs, executor=executor, restart=restart, progress=progress
            )
    except KeyboardInterrupt:
        _interrupted(output)
    again = f", {done.resumed:,} of them from an earlier run" if done.resumed else ""
    click.echo(f"{output}: {len(done):,} rows, {len(grid):,} points{again}", err=True)


def _grid(options: dict[str, Any]) -> SweepGrid:
    from pebble.lab.sweep import sweep_grid

    levels = _levels(options)
    return sweep_grid(
        ",".join(options["N"]),
        ",".join(options["d"]),
        None
        if levels
        else _memories(options["memory"], names_of(options["devices"]), options["level"], options["dtype"]),
        names_of(options["names"]) or None,
        masks=options["masks"] or "none",
        heads=options["heads"] or 1,
        **levels,
        **{name: options[name] for name in _THE_SAME},
    )


def _levels(options: dict[str, Any]) -> dict[str, Any]:
    """Return the memory levels as a grid takes them, with the words of a device's if one is named."""
    names = names_of(options["devices"])
    if options["levels"] is not None and len(names) > 1:
        raise click.UsageError("--levels goes with one device.")
    one = {"memory": options["memory"] or None, "device": names[0] if names else None}
    found = levels_of({**options, **one})
    if found is None:
        return {}
    return {"levels": found.hierarchy.capacities, "exclusive": not found.hierarchy.inclusive}


def _memories(texts: tuple[str, ...], devices: list[str], level: str | None, dtype: str | None) -> list[int]:
    from pebble.lab.size_lists import memory_sizes

    if level is not None and not devices:
        raise click.UsageError("--level goes with --device.")
    found = list(memory_sizes(",".join(texts), dtype)) if texts else []
    if devices:
        from pebble.lab.hardware import device

        if dtype is None:
            raise click.UsageError(
                "a device's memory is in bytes: say what a word is with --dtype, such as bf16."
            )
        found += [device(name).words(dtype, level) for name in devices]
    return found


@contextmanager
def _cluster(address: str | None) -> Iterator[Executor | None]:
    """Connect to a Dask cluster, if there is an address."""
    if address is None:
        yield None
        return
    from pebble.lab.sweep.cluster import dask_cluster

    with dask_cluster(address) as (executor, n_workers):
        if n_workers == 0:
            click.echo(f"pebble: the cluster at {address} has no workers yet; waiting for some", err=True)
        yield executor


def _interrupted(output: str) -> NoReturn:
    from pebble.lab.sweep.running import journal_of

    journal = journal_of(output)
    kept = (
        f"; what was counted is in {journal}: the same command goes on from there" if journal.exists() else ""
    )
    click.echo(f"pebble: interrupted{kept}", err=True)
    sys.exit(130)
