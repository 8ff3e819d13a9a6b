"""``pebble parallel``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from pebble.cli.device_options import LinkOptions, SharedProblemOptions
from pebble.cli.options import SEVERAL, names_of
from pebble.cli.printing import COQ, JSON, print_result, write_coq
from pebble.cli.progress import long_work
from pebble.cli.signature import Amount, Options, argument, command, given, group, needed, option
from pebble.common.errors import InvalidInput

if TYPE_CHECKING:
    from pebble.lab.parallel import DocumentReport, ParallelReport, ParallelSweep
    from pebble.program.parallel import SharedProblem


_LINKS = ("link", "device", "flops", "node", "node_link", "latency", "chunks", "dtype")
_COMPARING = ("shape", "pass_on", "decode", *_LINKS, "memory", "inner", "M", "best")
"""Options that only a comparison of schedules for softmax takes."""


class ParallelOptions(Options):
    """What is to be compared, and at which sizes."""

    N: Any = option(f"Number of tokens: {SEVERAL}.", "-N", type=Amount(), **needed("documents"))
    P: Any = option(f"Number of devices: {SEVERAL}.", "-P", type=Amount(), required=True)
    problem: SharedProblemOptions = group(SharedProblemOptions)
    shape: str | None = option(
        "usp: heads x ring (2x3); grid, grid-ring: rows x columns (3x4); heads-grid: heads x rows x columns (2x2x2). "
        "Default: the fastest with --link, otherwise the one whose busiest device receives least.",
        advanced=True,
    )
    pass_on: str = option(
        "In a ring, stop a tile once no later device needs it (needed, default), or send it all the way round (all).",
        advanced=True,
        type=click.Choice(["needed", "all"]),
        default="needed",
    )
    memory: int | None = option(
        "Words a device may hold, for the bound D2 (default: the least needed).", advanced=True
    )
    decode: int | None = option(
        "Number of queries, all on device 0, that attend to N keys on all devices.",
        metavar="QUERIES",
        advanced=True,
    )
    attention: str = option(
        "softmax (default), or linear, where only states travel.",
        advanced=True,
        type=click.Choice(["softmax", "linear"]),
        default="softmax",
    )
    documents: str | None = option(
        "Instead of -N, the lengths of documents that do not attend to each other (64Ki,8Ki*40): which to cut, and "
        "over how many devices.",
        type=Amount(),
        advanced=True,
    )
    balance: float = option(
        "With --documents: the most work of a device over the mean (default 1.05).",
        metavar="RATIO",
        advanced=True,
        default=1.05,
    )
    inner: str | None = option(
        "Also count, without a mask, the words a device moves between its memory and -M words of fast memory when it "
        "runs this schedule (see: pebble schedules).",
        metavar="NAME",
        advanced=True,
    )
    M: int | None = option("With --inner: words of fast memory.", "-M", advanced=True)
    links: LinkOptions = group(LinkOptions)
    best: bool = option(
        "Sort, and name the best schedule: the fastest with --link, otherwise the one whose busiest device receives "
        "least. With a mask, try all layouts unless --layout is given."
    )

    def shared(self) -> SharedProblem:
        """Make the problem at one N and P."""
        return self.problem.problem(self.N, self.P)

    def refuse(self, beside: str, *names: str) -> None:
        """Refuse options that say nothing beside another."""
        flags = {param.name: param.opts[0] for param in click.get_current_context().command.params}
        for name in names:
            if given([name]):
                raise click.UsageError(f"{beside} takes no {flags[name]}.")


@command
def parallel(
    names: tuple[str, ...] = argument(nargs=-1, metavar="[NAME]..."),
    asked: ParallelOptions = group(ParallelOptions),
    coq: str | None = COQ,
    as_json: bool = JSON,
) -> None:
    """Compare ways to compute attention on several devices: how many words they move, and how many must move.

    A referee plays the exchange of tiles on all devices and verifies every count: the words the busiest device
    receives, the total, rounds, balance of the work, memory, and the ratio to the proved bounds. With --link and
    --device (or --flops), also print the time and how much of it is exposed exchange, fastest first. Without --link,
    schedules that are named stay in their order; otherwise the one whose busiest device receives least comes first.

    \b
    pebble parallel -N 131072 --model llama3-8b -P 64 --mask causal --layout zigzag --device h100 --link 50GB/s
    pebble parallel ring grid -N 4096 -d 64 -P 16
    """  # noqa: D301
    from pebble.lab.size_lists import problem_sizes

    several = {
        name: problem_sizes(text, name) for name, text in (("N", asked.N), ("P", asked.P)) if text is not None
    }
    if asked.documents is None and given(["balance"]):
        raise click.UsageError("--balance needs --documents.")
    if coq is not None:
        _write_coq(coq, asked, several)
    if any(len(sizes) > 1 for sizes in several.values()):
        print_result(_swept(names, asked, several), as_json)
        return
    one = asked.changed(N=several.get("N", [None])[0], P=several["P"][0])
    if one.documents is not None:
        print_result(_documents(names, one), as_json)
    elif one.attention == "linear":
        from pebble.lab.parallel import parallel_states

        one.refuse("--attention linear", *_COMPARING)
        print_result(parallel_states(one.shared(), names_of(names) or None), as_json)
    else:
        print_result(_compared(names, one), as_json)


def _write_coq(path: str, asked: ParallelOptions, sizes: dict[str, tuple[int, ...]]) -> None:
    """Write D1 as a file for Coq."""
    from pebble.lower_bounds.attention.coq_communication import coq_communication

    if asked.documents is not None or asked.attention == "linear":
        raise click.UsageError("--coq cannot be combined with --documents or --attention linear.")
    if "N" not in sizes or any(len(found) > 1 for found in sizes.values()):
        raise click.UsageError("--coq needs a single -N and a single -P.")
    problem = asked.problem.problem(sizes["N"][0], sizes["P"][0])
    write_coq(path, coq_communication(replace(problem, queries_decoded=asked.decode)))


def _compared(names: tuple[str, ...], asked: ParallelOptions) -> ParallelReport:
    """Compare schedules."""
    from pebble.lab.parallel import parallel, with_inner
    from pebble.program.parallel import shape_of

    if asked.inner is not None and asked.M is None:
        raise click.UsageError("--inner needs the words of fast memory: give -M.")
    if asked.inner is None and asked.M is not None:
        raise click.UsageError("-M says nothing without --inner.")
    problem, layout = asked.shared(), asked.problem.layout
    with long_work():
        report = parallel(
            replace(problem, queries_decoded=asked.decode),
            names_of(names) or None,
            None if asked.shape is None else shape_of(asked.shape),
            pass_on=asked.pass_on,
            links=asked.links.links(problem.P),
            memory=asked.memory,
            best=asked.best,
            layouts=None if layout is None else [layout],
            dtype=asked.links.dtype,
        )
        if asked.inner is None or asked.M is None:
            return report
        return with_inner(report, asked.inner, asked.M)


def _swept(
    names: tuple[str, ...], asked: ParallelOptions, sizes: dict[str, tuple[int, ...]]
) -> ParallelSweep:
    """Compare schedules at every length and number of devices."""
    from pebble.lab.parallel import ParallelSweep

    if asked.documents is not None or asked.attention == "linear":
        raise click.UsageError("--documents and --attention linear need a single -N and a single -P.")
    points = [asked.changed(N=N, P=P) for N in sizes["N"] for P in sizes["P"]]
    return ParallelSweep(tuple(_compared(names, point) for point in points))


def _documents(names: tuple[str, ...], asked: ParallelOptions) -> DocumentReport:
    """Share documents out."""
    from pebble.lab.parallel import parallel_documents

    asked.refuse("--documents", "N", "nq", "layout", "attention", *_COMPARING)
    if names:
        raise click.UsageError("--documents chooses the schedules itself: leave the schedule names out.")
    lengths = _lengths(asked.documents or "")
    return parallel_documents(
        asked.problem.problem(max(sum(lengths), asked.P), asked.P), lengths, asked.balance
    )


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
