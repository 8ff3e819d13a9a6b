"""The commands of ``pebble dag``, for any computation that is given as a DAG."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from pebble.cli.completion import dags
from pebble.cli.options import MemoryOptions, Seconds, needed_memory, seconds_option
from pebble.cli.printing import (
    COQ,
    JSON,
    file_output,
    print_json,
    print_list,
    print_result,
    print_text,
    write_coq,
)
from pebble.cli.progress import long_work, progress_line
from pebble.cli.signature import Options, argument, command, group, option
from pebble.common.errors import InvalidInput
from pebble.common.whole_numbers import singular
from pebble.graph.dag import Dag

if TYPE_CHECKING:
    from pebble.game.rules import Rules

DAG = argument(shell_complete=dags)
FORMAT = option("File format, if the file name does not show it.")
SEED = option("Seed of the random searches.", type=click.IntRange(min=0), default=0, show_default=True)
KEEP_ISOLATED = option("Accept vertices without edges.")


class RulesOptions(Options):
    """Which game is played."""

    no_recomputation: bool = option("Compute no vertex twice; more bounds hold.")
    sliding: bool = option("Allow a computed value to take the word of a predecessor.")

    def rules(self) -> Rules:
        """Make the rules."""
        from pebble.game.rules import Rules

        return Rules(recomputation=not self.no_recomputation, sliding=self.sliding)


class PebblingOptions(Options):
    """Where a pebbling goes, and how it is said what it costs."""

    as_json: bool = JSON
    output: str | None = option(
        "Write the pebbling, one move per line; - for standard output.", "-o", "--output"
    )

    def __init__(self, **values: Any) -> None:
        """Refuse to write two things to standard output, before the work."""
        super().__init__(**values)
        if self.as_json and self.output == "-":
            raise InvalidInput("--json and -o - cannot be combined: both write to standard output")

    def write(self, found: Any, *header: str | None) -> None:
        """Write the pebbling, if that was asked for."""
        if self.output is not None:
            found.write(file_output() if self.output == "-" else self.output, *header)

    def finish(self, found: Any, dag: str, text: str) -> None:
        """Write what was found, and print what it costs; exit with 130 if the search was interrupted."""
        from pebble.computations.nests.named_kernel import header_name

        self.write(found, header_name(dag))
        if self.as_json:
            print_json({"schema_version": 1, "dag": dag} | found.to_dict())
        elif self.output != "-":
            click.echo(text)
        if found.interrupted:
            kept = "" if self.output in (None, "-") else f"; it is in {self.output}"
            click.echo(f"pebble: interrupted; this is the best found so far{kept}", err=True)
            sys.exit(130)


def dag_of(text: str, format: str | None, keep_isolated: bool) -> Dag:
    """Return the DAG that a command names: a file, a name with parameters, or - for standard input."""
    from pebble.computations.load import load_dag
    from pebble.graph.formats import dag_from_bytes

    if text != "-":
        return load_dag(text, format, keep_isolated=keep_isolated)
    if format is None:
        raise InvalidInput("standard input has no file ending; give its format with --format")
    return dag_from_bytes(sys.stdin.buffer.read(), format, "standard input", keep_isolated)


@command
def info(
    dag: str | None = argument(required=False, shell_complete=dags),
    format: str | None = FORMAT,
    keep_isolated: bool = KEEP_ISOLATED,
    listing: bool = option("List the computations that have a name.", "--list"),
    as_json: bool = JSON,
) -> None:
    """Describe a DAG: its size, inputs, outputs, depth, least M, compulsory I/O, hash.

    DAG is a file, - for standard input, or a name with parameters such as matmul:8,8,8 (see --list).
    """
    if listing:
        if dag is not None:
            raise InvalidInput("give a DAG or --list, not both")
        _list(as_json)
        return
    if dag is None:
        raise InvalidInput(
            "give a DAG: a file, or a name with parameters such as fft:64 (--list shows all names)"
        )
    from pebble.graph.statistics import dag_info

    with long_work():
        found = dag_of(dag, format, keep_isolated)
        info = dag_info(found, found.description or dag)
    print_result(info, as_json)


def _list(as_json: bool) -> None:
    from pebble.common.plain import plain
    from pebble.common.tables import Table
    from pebble.computations.named_dags import NAMED_DAGS

    named = NAMED_DAGS.values()
    columns = {"example": "example", "what it is": "summary", "in the literature": "literature"}
    entries = [plain(one, "name usage example summary literature") for one in named]
    print_list("dags", entries, Table.of(named, columns), as_json)


@command
def convert(
    dag: str = DAG,
    output: str = argument(),
    format: str | None = option("Format of DAG, if the file name does not show it."),
    to: str | None = option("Format of OUTPUT, if the file name does not show it."),
    keep_isolated: bool = KEEP_ISOLATED,
) -> None:
    """Write a DAG in another format.

    DAG is a file, - for standard input, or a name with parameters such as matmul:8,8,8; OUTPUT is a file, or
    - for standard output. Formats: edgelist (.txt), dot, graphml, json, mtx, hdag, lhdag; named, csv, adjlist
    and multiline-adjlist can only be read.
    """
    from pebble.graph.formats import text_of, write_dag

    for name, what, given in ((dag, "input", format), (output, "output", to)):
        if name == "-" and given is None:
            option = "--format" if what == "input" else "--to"
            raise InvalidInput(f"standard {what} has no file ending; give its format with {option}")
    found = dag_of(dag, format, keep_isolated)
    if output == "-":
        assert to is not None
        file_output().write(text_of(found, to))
        return
    write_dag(found, output, to)
    click.echo(singular(f"{output}: {found.n_vertices:,} vertices, {found.n_edges:,} edges"), err=True)


@command
def schedule(
    dag: str = DAG,
    memory: MemoryOptions = needed_memory(),
    order: str = option("How to find the order of computation.", default="auto", show_default=True),
    eviction: str = option("Which value to evict: belady, lru or fifo.", default="belady", show_default=True),
    time_budget: float | None = seconds_option(
        "Time limit in seconds; print the best found by then.", "--time"
    ),
    seed: int = SEED,
    target: PebblingOptions = group(PebblingOptions),
) -> None:
    """Schedule any DAG: a compute order and an eviction rule, confirmed move by move.

    DAG is a file or a name with parameters (fft:64, matmul:8,8,8). Orders: auto (the best of all, including known
    schedules of the DAG's family), given, depth-first, breadth-first, greedy, lattice. With --time, the search
    continues that long; Ctrl-C stops it and keeps the best so far.

    pebble dag schedule fft:8 -M 8
    """
    from pebble.common.clock import limited_to
    from pebble.lab.dag_schedules import schedule_named_dag

    M = memory.words()
    with limited_to(time_budget), progress_line("{} {:4.0%}  best so far {:,}".format, pause=0.1) as progress:
        found = schedule_named_dag(dag, M, order, eviction, seed, time_budget, progress, True, _note)
    target.finish(found, dag, str(found))


def _note(text: str) -> None:
    click.echo(f"pebble: {text}", err=True)


@command
def optimal(
    dag: str = DAG,
    memory: MemoryOptions = needed_memory(),
    game: RulesOptions = group(RulesOptions),
    time_limit: float | None = option("Stop after this many seconds.", type=Seconds(min=0, min_open=True)),
    target: PebblingOptions = group(PebblingOptions),
) -> None:
    """Find the proved minimum I/O of a small DAG, and a pebbling that reaches it.

    DAG is a file or a name with parameters (fft:8, pyramid:4), with at most 64 vertices. If time runs out, or at
    Ctrl-C, the best pebbling and the best proved lower bound so far are printed and marked as not proved optimal.

    pebble dag optimal fft:8 -M 8
    """
    from pebble.common.clock import limited_to
    from pebble.computations.load import load_dag
    from pebble.solvers.optimum import optimal

    M, rules = memory.words(), game.rules()
    with (
        limited_to(time_limit),
        progress_line("at least {:,} I/O  {:,} states".format, pause=0.2) as progress,
    ):
        best = optimal(load_dag(dag), M, rules, time_limit, progress, stoppable=True)
    symmetries = f" up to {best.symmetries:,} symmetries" if best.symmetries > 1 else ""
    target.finish(best, dag, f"{best}{symmetries}, {best.seconds:.1f} s")


@command
def bounds(
    dag: str = DAG,
    memory: MemoryOptions = needed_memory(),
    format: str | None = FORMAT,
    game: RulesOptions = group(RulesOptions),
    eigenvalues: int = option(
        "Number of eigenvalues in the spectral bound.",
        type=click.IntRange(min=1),
        default=10,
        show_default=True,
    ),
    sample: int | None = option(
        "Number of vertices the min-cut bound tries (default: all, up to 2000; otherwise 64).",
        type=click.IntRange(min=1),
    ),
    seed: int = option("Seed of that sample.", type=click.IntRange(min=0), default=0, show_default=True),
    coq: str | None = COQ,
    as_json: bool = JSON,
) -> None:
    """List lower bounds on the I/O of a DAG, and which do not apply and why.

    DAG is a file or a name with parameters (fft:64, matmul:8,8,8). Every bound holds for the given rules; most
    need --no-recomputation. Take the greatest: bounds cannot be added.

    pebble dag bounds fft:8 -M 8
    """
    from pebble.computations.load import load_dag
    from pebble.lower_bounds.graph import dag_bounds
    from pebble.lower_bounds.graph.coq_family import coq_certificate_of_dag

    M, rules = memory.words(), game.rules()
    with long_work():
        loaded = load_dag(dag, format)
        found = dag_bounds(loaded, M, rules, eigenvalues, sample, seed)
    if coq is not None:
        write_coq(coq, coq_certificate_of_dag(loaded, M))
    least = loaded.least_M(sliding=rules.sliding)
    if as_json:
        played = {"recomputation": rules.recomputation, "sliding": rules.sliding}
        asked = {"schema_version": 1, "dag": dag, "M": M, "rules": played, "least_M": least}
        print_json(asked | found.to_dict())
        return
    click.echo(singular(f"{loaded!r}; M = {M:,} words; {rules}\n"))
    print_text(found)
    if least > M:
        click.echo(singular(f"\nno pebbling exists with {M:,} words; the least M is {least:,}"))
