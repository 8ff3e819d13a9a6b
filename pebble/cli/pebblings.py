"""``pebble moves``, ``pebble check`` and ``pebble certify``: pebblings and certificates as files."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from pebble.cli.completion import dags, schedules
from pebble.cli.dag import SEED, RulesOptions
from pebble.cli.device_options import SeveralDevices, SeveralDevicesOptions, refuse_without_devices
from pebble.cli.level_options import LevelOptions, Levels, refuse_without_levels
from pebble.cli.options import ACCUMULATE, TILES, MemoryOptions, ProblemOptions, needed_memory, seconds_option
from pebble.cli.printing import JSON, OUTPUT, file_output, print_json, print_result
from pebble.cli.progress import long_work
from pebble.cli.signature import argument, command, group, option
from pebble.common.errors import InvalidInput
from pebble.common.whole_numbers import singular
from pebble.computations.problem import Problem

if TYPE_CHECKING:
    from pebble.lab.level_pebblings import LevelPebbling
    from pebble.lab.pebblings import Pebbling
    from pebble.program.parallel.elementary import ExchangeMoves
    from pebble.program.schedule import Tiles

_LARGE = 1 << 30


@command
def moves(
    schedule: str = argument(shell_complete=schedules),
    problem: ProblemOptions = group(ProblemOptions),
    memory: MemoryOptions = needed_memory("tiles", "levels", "P"),
    levels: LevelOptions = group(LevelOptions),
    tiles: Tiles | str | None = TILES,
    devices: SeveralDevicesOptions = group(SeveralDevicesOptions),
    accumulate: bool = ACCUMULATE,
    output: str = OUTPUT,
    force: bool = option("Write a file of more than 1 GiB without being asked."),
) -> None:
    """Write a schedule as an elementary pebbling, one move per line.

    The file appears only when it is complete; check it with: pebble check FILE. The command first prints the
    size. Above 1 GiB it asks for confirmation, or needs --force; standard output has no limit. With -P the
    schedule is one for several devices, and the file has every word of each.

    pebble moves flash-2 -N 16 -d 4 -M 64 -o moves.txt
    """
    problem.sums = "accumulate" if accumulate else problem.sums
    pebbling, about = _asked(schedule, problem, memory, levels.read(memory), tiles, devices.read(problem))
    if output == "-":
        pebbling.write(file_output())
        return
    number = _write(pebbling, output, force)
    click.echo(singular(f"{output}: {number:,} moves{about}"), err=True)
    if not getattr(pebbling, "names_its_dag", True):
        click.echo(
            "note: a file does not name code to be run; to check it, save the mask as an array (numpy.save) and write "
            "mask=file:PATH.npy into the line '# dag'",
            err=True,
        )


def _asked(
    schedule: str,
    problem: ProblemOptions,
    memory: MemoryOptions,
    levels: Levels | None,
    tiles: Tiles | str | None,
    devices: SeveralDevices | None,
) -> tuple[Pebbling | LevelPebbling | ExchangeMoves, str]:
    """Return the pebbling that is asked for, and what is said of it when it has been written."""
    if devices is not None:
        from pebble.lab.parallel.exchange_moves import exchange_moves

        written = exchange_moves(devices.problem, schedule, devices.shape)
        return written, f" of {devices.problem.P:,} devices"
    asked = problem.problem()
    if levels is not None:
        from pebble.lab.level_pebblings import level_moves

        of_levels = level_moves(schedule, asked, levels.hierarchy, tiles)
        counts = "; ".join(
            f"level {at}: {run.io:,} I/O, peak {run.peak:,} of {words:,} words"
            for at, (run, words) in enumerate(zip(of_levels.runs, of_levels.capacities, strict=True), start=1)
        )
        return of_levels, f"; {counts}{_copies(asked)}"
    from pebble.lab.pebblings import moves

    refuse_without_levels([schedule])
    refuse_without_devices(schedule)
    one = moves(schedule, asked, memory.optional_words(), tiles)
    return one, f", {one.io:,} I/O, peak {one.peak:,} of {one.M:,} words{_copies(asked)}"


def _copies(problem: Problem) -> str:
    return f" (one of {problem.copies:,} equal copies)" if problem.copies > 1 else ""


def _write(pebbling: Pebbling | LevelPebbling | ExchangeMoves, output: str, force: bool) -> int:
    """Write a file and return the number of moves: first its size is said."""
    from pebble.common.files import check_target
    from pebble.common.units import bytes_text

    check_target(output)
    if not hasattr(pebbling, "size"):
        return pebbling.write(output)
    moves, size = pebbling.size()
    said = f"{output}: about {moves:,} moves, {bytes_text(size)}"
    if size <= _LARGE or force:
        click.echo(said, err=True)
    elif sys.stderr.isatty() and sys.stdin.isatty():
        click.confirm(f"{said}. Write it?", abort=True, err=True)
    else:
        raise InvalidInput(
            f"{said}; a file of more than 1 GiB needs --force: use a smaller N, or write to a pipe with -o -"
        )
    return pebbling.write(output)


@command
def check(
    file: str = argument(),
    ranking: bool = option("Rank the files of a directory, FILE: pebblings of one DAG with one M."),
    as_json: bool = JSON,
) -> None:
    """Play a pebbling file move by move, of one device or several, or verify a certificate (- for standard input).

    Print its cost if it is legal and complete; otherwise print the line, the move, the rule it breaks and a remedy,
    and exit with status 1. A certificate from pebble certify is verified from the file alone.

    pebble check moves.txt
    pebble check --ranking homework/
    """
    from pebble.lab.pebblings import check, check_document

    if ranking:
        _print_ranking(file, as_json)
        return
    try:
        with long_work():
            result = check(sys.stdin.buffer if file == "-" else file)
    except InvalidInput as error:
        if as_json:
            print_json({"schema_version": 1, "legal": False, "complete": False, "error": str(error)})
        click.echo(f"pebble: {error}", err=True)
        sys.exit(1)
    if as_json:
        print_json(check_document(result))
    else:
        click.echo(str(result))
    sys.exit(0 if result.complete else 1)


def _print_ranking(folder: str, as_json: bool) -> None:
    from pebble.lab.ranking import rank_pebblings

    with long_work():
        found = rank_pebblings(folder)
    print_result(found, as_json, "" if found.files[0].rank else "no file is a complete pebbling")


@command
def certify(
    dag: str = argument(shell_complete=dags),
    memory: MemoryOptions = needed_memory("pebbling"),
    pebbling: str | None = option("A pebbling file of this DAG, which also sets M and the rules."),
    order: str | None = option(
        "An automatic schedule instead: auto, greedy, … (default auto).", "--schedule"
    ),
    game: RulesOptions = group(RulesOptions),
    bound: str | None = option(
        "Name of the bound (compulsory, exhaustive search, …); default: the greatest."
    ),
    time_budget: float | None = seconds_option(
        "Time limit in seconds for each search; keep the best found by then.", "--time"
    ),
    seed: int = SEED,
    format: str | None = option("Format of the DAG file, if the file name does not show it."),
    output: str = OUTPUT,
) -> None:
    """Write a certificate: a DAG, a pebbling of it and a lower bound, verifiable from the file alone.

    DAG is a file or a name with parameters (fft:64, matmul:8,8,8). Verify it with: pebble check FILE.

    pebble certify fft:8 -M 8 -o fft.json
    """
    from pebble.common.clock import limited_to
    from pebble.computations.load import load_dag
    from pebble.lab.pebblings import certify_file
    from pebble.solvers.certificate import certify

    M, rules = memory.optional_words(), game.rules()
    if pebbling is not None and order is not None:
        raise InvalidInput("--pebbling and --schedule cannot be combined: choose one")
    with long_work(), limited_to(time_budget):
        loaded = load_dag(dag, format)
        if pebbling is not None:
            found = certify_file(loaded, pebbling, M, rules, bound)
        else:
            assert M is not None
            found = certify(loaded, M, rules, None, order or "auto", bound, seed, time_budget)
    found.write(file_output() if output == "-" else output)
    click.echo(f"{'' if output == '-' else f'{output}: '}{found}", err=True)
