"""``pebble parallel``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from pebble.cli.coq_option import coq_option, write_coq
from pebble.cli.options import SEVERAL, NeededOption, Whole, names_of
from pebble.cli.parallel_options import link_options, links_of, shared_problem_of, shared_problem_options
from pebble.cli.printing import json_option, print_result
from pebble.cli.progress import progress_line
from pebble.common.errors import InvalidInput

if TYPE_CHECKING:
    from pebble.lab.parallel import DocumentReport, ParallelReport, ParallelSweep

__all__ = ["command"]


@click.command("parallel")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("-N", "N", cls=NeededOption, unless=["documents"], help=f"Tokens: {SEVERAL}.")
@click.option("-P", "P", required=True, help=f"Devices: {SEVERAL}.")
@shared_problem_options
@click.option(
    "--shape",
    help="usp: heads x ring (2x3); grid, grid-ring: rows x columns (3x4); heads-grid: heads x rows x columns "
    "(2x2x2). By default the fastest with --link, else the one with which the busiest device receives least.",
)
@click.option(
    "--pass-on",
    type=click.Choice(["needed", "all"]),
    default="needed",
    help="Whether a tile in a ring stops where no device further on needs it (default), or goes all the way round.",
)
@click.option(
    "--memory", type=Whole(), help="Words that a device may hold, for the bound D2 (default: least needed)."
)
@click.option(
    "--decode",
    type=Whole(),
    metavar="QUERIES",
    help="So many queries, all on device 0, attend to N keys on all devices.",
)
@click.option(
    "--attention",
    type=click.Choice(["softmax", "linear"]),
    default="softmax",
    help="With softmax (default), or linear: only states travel.",
)
@click.option(
    "--documents",
    help="In place of -N, the tokens of documents that do not attend to each other (64Ki,8Ki*40): which are cut, and "
    "over how many devices.",
)
@click.option(
    "--inner",
    metavar="NAME",
    help="Also count, without a mask, what a device moves between its memory and -M words of fast memory with this "
    "schedule (pebble schedules) inside.",
)
@click.option("-M", "M", type=Whole(), help="With --inner: words of fast memory.")
@link_options
@click.option(
    "--best",
    is_flag=True,
    help="Under a mask try all layouts, unless --layout is given; sort, and say which schedule is best: the fastest "
    "with --link, else the one whose busiest device receives least.",
)
@coq_option
@json_option
def command(names: tuple[str, ...], as_json: bool, coq: str | None, **options: Any) -> None:
    """Compare ways to compute attention on several devices: what they move, and what must be moved.

    Every count is verified by a referee that plays the exchange of tiles on all devices; words of the busiest
    device, in total, rounds, balance of the work, memory, and the ratio to the proved bounds. With --link and
    --device (or --flops) also the time, how much of it is exchange that no work hides, and the fastest first.

    \b
    pebble parallel -N 131072 --model llama3-8b -P 64 --mask causal --layout zigzag --device h100 --link 50GB/s
    pebble parallel ring grid -N 4096 -d 64 -P 16
    """  # noqa: D301
    from pebble.lab.size_lists import problem_sizes

    several = {name: problem_sizes(options[name], name) for name in ("N", "P") if options[name] is not None}
    if coq is not None:
        _write_coq(coq, options, several)
    if any(len(sizes) > 1 for sizes in several.values()):
        print_result(_swept(names, options, several), as_json)
        return
    options |= {name: sizes[0] for name, sizes in several.items()}
    if options["documents"] is not None:
        print_result(_documents(names, options), as_json)
    elif options["attention"] == "linear":
        from pebble.lab.parallel import parallel_states

        _refuse(options, "--attention linear", ("shape", "decode", "link", "memory"))
        problem = shared_problem_of(options, options["N"], options["P"])
        print_result(parallel_states(problem, names_of(names) or None), as_json)
    else:
        print_result(_compared(names, options), as_json)


def _write_coq(path: str, options: dict[str, Any], sizes: dict[str, tuple[int, ...]]) -> None:
    """Write D1 as a file for Coq."""
    from pebble.lab.parallel import communication_certificate

    if options["documents"] is not None or options["attention"] == "linear":
        raise click.UsageError("--coq goes without --documents and --attention linear.")
    if "N" not in sizes or any(len(found) > 1 for found in sizes.values()):
        raise click.UsageError("--coq takes one -N and one -P.")
    problem = shared_problem_of(options, sizes["N"][0], sizes["P"][0])
    write_coq(path, communication_certificate(replace(problem, queries_decoded=options["decode"])))


def _compared(names: tuple[str, ...], options: dict[str, Any]) -> ParallelReport:
    """Compare schedules."""
    from pebble.lab.parallel import parallel, with_inner
    from pebble.program.parallel import shape_of

    if options["inner"] is not None and options["M"] is None:
        raise click.UsageError("--inner needs the words of fast memory: -M.")
    problem = shared_problem_of(options, options["N"], options["P"])
    with progress_line("counting {} …".format) as progress:
        report = parallel(
            replace(problem, queries_decoded=options["decode"]),
            names_of(names) or None,
            None if options["shape"] is None else shape_of(options["shape"]),
            pass_on=options["pass_on"],
            links=links_of(options),
            memory=options["memory"],
            best=options["best"],
            layouts=None if options["layout"] is None else [options["layout"]],
            progress=progress,
        )
        if options["inner"] is None:
            return report
        return with_inner(report, options["inner"], options["M"])


def _swept(
    names: tuple[str, ...], options: dict[str, Any], sizes: dict[str, tuple[int, ...]]
) -> ParallelSweep:
    """Compare schedules at every length and number of devices."""
    from pebble.lab.parallel import ParallelSweep

    if options["documents"] is not None or options["attention"] == "linear":
        raise click.UsageError("--documents and --attention linear take one -N and one -P.")
    points = [options | {"N": N, "P": P} for N in sizes["N"] for P in sizes["P"]]
    return ParallelSweep(tuple(_compared(names, point) for point in points))


def _documents(names: tuple[str, ...], options: dict[str, Any]) -> DocumentReport:
    """Share documents out."""
    from pebble.lab.parallel import parallel_documents

    _refuse(options, "--documents", ("N", "layout", "shape", "decode", "link", "memory"))
    if names:
        raise click.UsageError("--documents chooses the schedules; name none.")
    lengths = _lengths(options["documents"])
    return parallel_documents(
        shared_problem_of(options, max(sum(lengths), options["P"]), options["P"]), lengths
    )


def _refuse(options: dict[str, Any], beside: str, names: tuple[str, ...]) -> None:
    """Refuse options that say nothing beside another."""
    for name in names:
        if options[name] is not None:
            raise click.UsageError(f"{beside} takes no {'-N' if name == 'N' else '--' + name}.")


def _lengths(text: str) -> list[int]:
    """Read ``64Ki,8Ki*40``."""
    from pebble.common.whole_numbers import whole_number

    lengths: list[int] = []
    for part in text.split(","):
        length, star, times = part.strip().partition("*")
        found, count = whole_number(length), whole_number(times) if star else 1
        if found is None or count is None or found < 1 or count < 1 or count > 100_000:
            raise InvalidInput(
                f"cannot read the documents {text!r} at {part.strip()!r}; example: 64Ki,8Ki*40"
            )
        lengths += [found] * count
    return lengths
