"""``pebble compile`` and ``pebble cache``: a schedule as a C file, and its loops on a hardware cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pebble.cli.completion import schedules
from pebble.cli.options import TILES, MemoryOptions, ProblemOptions, needed_memory
from pebble.cli.printing import JSON, OUTPUT, file_output, print_result
from pebble.cli.progress import long_work
from pebble.cli.signature import argument, command, group, option

if TYPE_CHECKING:
    from pebble.program.schedule import Tiles


@command
def compile(
    schedule: str = argument(shell_complete=schedules),
    problem: ProblemOptions = group(ProblemOptions),
    memory: MemoryOptions = needed_memory("tiles"),
    tiles: Tiles | str | None = TILES,
    run: bool = option(
        "Compile the file with cc, run it on random numbers, and compare its counts and outputs."
    ),
    as_json: bool = JSON,
    output: str = OUTPUT,
) -> None:
    """Write a schedule as a C file: fast memory is a buffer of M words, loads and stores are copies.

    The program counts the words it moves, and stops if the buffer overflows. With --run, compile it with cc (or the
    compiler that CC names), run it, and exit with status 1 unless its counts equal the machine's and its outputs
    equal numpy's to within 1e-5.

    pebble compile flash-2 -N 256 -d 16 -M 1000 -o kernel.c --run
    """
    from pebble.common.files import atomic_writer
    from pebble.lab.compiled import compiled, run_compiled

    made, text = compiled(schedule, problem.problem(), memory.optional_words(), tiles)
    if output == "-":
        file_output().write(text)
    else:
        with atomic_writer(output) as stream:
            stream.write(text)
        click.echo(f"{output}: {made.io:,} I/O, peak {made.run.peak:,} of {made.M:,} words", err=True)
    if run:
        with long_work():
            done = run_compiled(made, text)
        print_result(done, as_json, "" if done.agrees else "the C program and the machine do not agree")


@command
def cache(
    schedule: str = argument(shell_complete=schedules),
    problem: ProblemOptions = group(ProblemOptions),
    memory: MemoryOptions = needed_memory(),
    tiles: Tiles | str | None = TILES,
    policy: str = option("Policies, separated by commas (default lru,fifo,opt).", default="lru,fifo,opt"),
    line: int = option("Words in a cache line (default 1).", default=1),
    ways: int | None = option("Lines in a set (default: the whole cache is one set)."),
    cachegrind: bool = option("Also run the loops, compiled by cc, under valgrind's cachegrind."),
    as_json: bool = JSON,
) -> None:
    """Run a schedule's loops on a cache of M words that decides for itself what to keep.

    Count misses and write-backs instead of loads and stores, and find how large a cache must be to move no more words
    than the explicit schedule. The policy opt is Belady's rule, which knows the future.

    pebble cache flash-2 -N 64 -d 16 -M 512 --tiles rows=8 --policy lru,opt --line 16 --ways 8
    """
    from pebble.lab.caches import on_a_cache

    with long_work():
        found = on_a_cache(
            schedule,
            problem.problem(),
            memory.words(),
            tiles,
            policies=policy.split(","),
            line=line,
            ways=ways,
            cachegrind=cachegrind,
        )
    print_result(found, as_json)
