"""The commands of ``pebble plot``, which draw, one a picture."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pebble.cli.completion import devices, schedules
from pebble.cli.device_options import LinkOptions, SharedProblemOptions
from pebble.cli.level_options import BANDWIDTH, LevelOptions, device_with
from pebble.cli.options import (
    SCHEDULES,
    SEVERAL,
    TILES,
    MemoryOptions,
    ProblemOptions,
    names_of,
    needed_memory,
)
from pebble.cli.printing import JSON, print_json
from pebble.cli.progress import long_work
from pebble.cli.signature import Amount, Options, argument, command, group, like, needed, option
from pebble.computations.problem import Problem

if TYPE_CHECKING:
    from pebble.program.schedule import Tiles


class PictureOptions(Options):
    """Where a picture goes, and its numbers."""

    output: str | None = option("Output file: .png, .svg or .pdf.", "-o", "--output", **needed("as_json"))
    width: str = option(
        "Width of the picture: a paper's column (3.4 in), a page (8 in) or a slide (10 × 5.6 in).",
        type=click.Choice(["column", "page", "slide"]),
        default="page",
        show_default=True,
    )
    as_json: bool = JSON

    def __init__(self, **values: Any) -> None:
        """Say what is wrong with the output before anything is counted."""
        super().__init__(**values)
        self._start = time.monotonic()
        if self.output is not None:
            from pebble.common.files import check_target
            from pebble.lab.plots.canvas import need_matplotlib, picture_format

            picture_format(self.output)
            check_target(self.output)
            need_matplotlib()

    def show(self, draw: Callable[[Any], Any], count: Callable[..., Any], *asked: Any, **named: Any) -> None:
        """Count, draw the numbers into the file, and print them, where that is asked for."""
        with long_work():
            numbers = count(*asked, **named)
        counted = time.monotonic()
        if self.output is not None:
            from pebble.lab.plots.canvas import save, width

            with width(self.width):
                save(draw(numbers), self.output)
            size, times = (
                Path(self.output).stat().st_size,
                (counted - self._start, time.monotonic() - counted),
            )
            took = "counted in {:.1f} s, drawn in {:.1f} s".format(*times)
            click.echo(f"{self.output}: {size:,} bytes; {took}", err=True)
        if self.as_json:
            print_json(numbers.to_dict())


_SEVERAL_LENGTHS = {"type": Amount(), "help": f"Number of queries (and of keys): {SEVERAL}."}


def _lengths_of(text: Any, default: tuple[int, ...] = ()) -> tuple[int, ...]:
    """Read ``-N``."""
    from pebble.lab.plots.varying import COUNTS
    from pebble.lab.size_lists import problem_sizes

    return default if text is None else problem_sizes(text, "N", COUNTS)


def _problems(asked: ProblemOptions, lengths: tuple[int, ...]) -> list[Problem]:
    """Make the problem, one for each length."""
    if len(lengths) > 1 and asked.kv is not None:
        raise click.UsageError("--kv needs a single length -N, not several.")
    return [asked.changed(nq=length).problem() for length in lengths]


def _memories_of(asked: MemoryOptions, default: tuple[int, ...] | None = None) -> tuple[int, ...]:
    """Return the sizes of fast memory: several with -M, one with a device."""
    from pebble.lab.plots.varying import sizes

    text = asked.memory
    if text is not None and asked.device is None and ("," in text or ":" in text):
        found = sizes(text, asked.dtype)
        asked.changed(memory=None).optional_words()
        return found
    one = asked.optional_words()
    if one is None and default is None:
        raise click.UsageError("Missing option '-M' (or '--device').")
    return default or () if one is None else (one,)


@command
def io(
    problem: ProblemOptions = group(ProblemOptions, nq=_SEVERAL_LENGTHS),
    memory: MemoryOptions = group(MemoryOptions),
    against: str | None = option(
        "What to vary (default: the one with several sizes).", type=click.Choice(["M", "N"])
    ),
    names: list[str] | None = SCHEDULES,
    picture: PictureOptions = group(PictureOptions),
) -> None:
    """Draw I/O against fast memory, or against the length.

    The picture has the schedules and every proved bound; the area below the best bound is shaded. Give several sizes
    to -M or to -N: one, several (64,128), or FIRST:LAST:COUNT at equal ratios (256:1Mi:25). Without -M, 7 sizes from
    d²/16 to 256·d²; with --against N and one -N, 7 lengths up to it. Without --schedule, the published ones;
    --schedule best takes longer.

    pebble plot io -N 4096 -d 64 -o io.svg
    """
    from pebble.lab.plots import draw_io, io_curves, spaced
    from pebble.lab.plots.varying import quick_schedules

    lengths = _lengths_of(problem.nq)
    if against == "N" and len(lengths) == 1:
        lengths = spaced(min(64, lengths[0]), lengths[0], 7)
    problems = _problems(problem, lengths)
    d = problems[0].d
    around = None if len(lengths) > 1 else spaced(max(16, d * d // 16), max(16, 256 * d * d), 7)
    Ms = _memories_of(memory, around)
    if len(lengths) > 1 and (len(Ms) > 1 or against == "M"):
        raise click.UsageError("give several values for -M or for -N, not both; pebble plot gap shows both.")
    names = names or quick_schedules(problems[0], "flash-1", "flash-2", "small-cache", "square-tile")
    picture.show(draw_io, io_curves, problems, Ms, names)


@command
def gap(
    problem: ProblemOptions = group(ProblemOptions, nq={**_SEVERAL_LENGTHS, "required": False}),
    memory: MemoryOptions = group(MemoryOptions),
    names: list[str] | None = like(
        SCHEDULES, help="Plot the cheapest of these schedules (a,b; default flash-2,square-tile)."
    ),
    picture: PictureOptions = group(PictureOptions),
) -> None:
    """Draw the optimality gap over (M/d², N/d) as a heat map.

    Each cell is the least I/O divided by the best proved bound. Give several sizes to -M and to -N: several
    (64,128), or FIRST:LAST:COUNT at equal ratios (256:1Mi:25). Without them, 6 sizes from d²/4 to 256·d² and 4 lengths
    from 4·d to 2048·d; with a backward pass 5 and 3. --schedule best takes longer.

    pebble plot gap -d 64 -o gap.svg
    """
    from pebble.lab.plots import draw_gap, gaps, spaced
    from pebble.lab.plots.varying import quick_schedules

    # The head dimension may come from a model; the lengths in turn come from it.
    one = _problems(problem.changed(mask=None), (1,))[0]
    d, fewer = one.d, int(one.pass_name != "forward")
    problems = _problems(problem, _lengths_of(problem.nq, spaced(4 * d, 2048 * d, 4 - fewer)))
    Ms = _memories_of(memory, spaced(max(16, d * d // 4), 256 * d * d, 6 - fewer))
    names = names or quick_schedules(problems[0], "flash-2", "square-tile")
    picture.show(draw_gap, gaps, problems, Ms, names)


@command
def crossover(
    d: int = option("Head dimension.", "-d", required=True),
    mask: str | None = option(
        "Mask, for both kinds of attention (default none).", type=click.Choice(["causal"])
    ),
    memory: MemoryOptions = group(MemoryOptions),
    name: str = option(
        "Schedule with softmax; best is the best one at each length, and takes longer.",
        "--schedule",
        default="flash-2",
        show_default=True,
        shell_complete=schedules,
    ),
    picture: PictureOptions = group(PictureOptions),
) -> None:
    """Draw the length from which linear attention moves fewer words than softmax, against M.

    One line for a schedule with softmax, one for any schedule, by the best proved bound. Give several sizes to -M:
    several (64,128), or FIRST:LAST:COUNT at equal ratios (256:1Mi:25). Without it, 5 sizes from 2·d² to 256·d².

    pebble plot crossover -d 64 -o crossover.svg
    """
    from pebble.lab.plots.crossover_picture import crossover_curves, draw_crossover
    from pebble.lab.size_lists import spaced

    Ms = _memories_of(memory, spaced(max(16, 2 * d * d), 256 * d * d, 5))
    picture.show(draw_crossover, crossover_curves, d, Ms, mask, name)


@command
def occupancy(
    schedule: str = argument(shell_complete=schedules),
    problem: ProblemOptions = group(ProblemOptions),
    memory: MemoryOptions = needed_memory("tiles"),
    tiles: Tiles | str | None = TILES,
    resolution: str | None = option(
        "Follow every move, or every operation of the program (default: moves for short runs).",
        "--by",
        type=click.Choice(["moves", "steps"]),
    ),
    picture: PictureOptions = group(PictureOptions),
) -> None:
    """Draw what fast memory holds during one run, and the words moved so far.

    pebble plot occupancy flash-2 -N 64 -d 8 -M 200 -o run.svg
    """
    from pebble.lab.plots import draw_occupancy, occupancy_of

    M, asked = memory.optional_words(), problem.problem()
    picture.show(draw_occupancy, occupancy_of, schedule, asked, M, tiles, resolution=resolution)


@command
def arrays(
    problem: ProblemOptions = group(ProblemOptions),
    memory: MemoryOptions = needed_memory(),
    names: list[str] | None = SCHEDULES,
    picture: PictureOptions = group(PictureOptions),
) -> None:
    """Draw I/O by array: for each schedule a bar of words read and a bar of words written.

    Without --schedule, schedules that move more than eight times the least are named but not drawn; with a backward
    pass, published schedules are counted only.

    pebble plot arrays -N 4096 -d 64 -M 25000 -o arrays.svg
    """
    from pebble.lab.plots import array_bars, draw_arrays
    from pebble.lab.plots.varying import quick_schedules

    M, asked = memory.words(), problem.problem()
    if asked.pass_name != "forward":
        names = names or quick_schedules(
            asked, "standard", "flash-1", "flash-2", "square-tile", "small-cache"
        )
    picture.show(draw_arrays, array_bars, asked, M, names)


@command
def levels(
    problem: ProblemOptions = group(ProblemOptions),
    memory: MemoryOptions = group(MemoryOptions),
    levels: LevelOptions = group(LevelOptions),
    bandwidth: str | None = BANDWIDTH,
    names: list[str] | None = SCHEDULES,
    picture: PictureOptions = group(PictureOptions),
) -> None:
    """Draw the words that move at every boundary between memory levels.

    Each boundary shows the reads, writes and I/O of the schedules and the greatest proved bound; with a
    device also the time its bytes take, if the vendor publishes the bandwidth.

    pebble plot levels -N 4096 -d 64 --levels regs,smem --device a100 --dtype bf16 -o levels.svg
    """
    from pebble.lab.plots import draw_levels, level_points

    found = levels.read(memory, bandwidth)
    if found is None:
        raise click.UsageError("Missing option '--levels'.")
    picture.show(draw_levels, level_points, problem.problem(), found.hierarchy, names, **found.rates)


@command
def parallel(
    names: tuple[str, ...] = argument(nargs=-1, metavar="[NAME]..."),
    N: str = option(
        "Number of tokens: one, several (64Ki,128Ki), or FIRST:LAST:COUNT.",
        "-N",
        type=Amount(),
        required=True,
    ),
    P: str = option("Numbers of devices (default 4,8,16,32,64,128).", "-P", default="4,8,16,32,64,128"),
    problem: SharedProblemOptions = group(SharedProblemOptions),
    links: LinkOptions = group(LinkOptions),
    picture: PictureOptions = group(PictureOptions),
) -> None:
    """Draw the words that the busiest device receives against the number of devices, one line per schedule.

    With --link and --device (or --flops), draw which schedule is fastest over N and P instead, with its wire time
    over its arithmetic time.

    pebble plot parallel -N 65536 -d 64 -o parallel.svg
    """
    from pebble.lab.plots.parallel_curves import (
        draw_parallel,
        draw_winners,
        parallel_curves,
        parallel_winners,
    )
    from pebble.lab.size_lists import problem_sizes

    lengths, devices = problem_sizes(N, "N"), problem_sizes(P, "P")
    times, chosen = links.links(max(devices)), names_of(names) or None
    if times is not None:
        largest = problem.problem(lengths[-1], min(devices))
        picture.show(draw_winners, parallel_winners, largest, lengths, devices, times, chosen)
        return
    if len(lengths) > 1:
        raise click.UsageError("Several values of -N need times: give --link, and --device or --flops.")
    problems = [problem.problem(lengths[0], count) for count in devices]
    picture.show(draw_parallel, parallel_curves, problems, chosen)


@command
def roofline(
    problem: ProblemOptions = group(ProblemOptions),
    device: str = option(
        "Device, whose fast memory is M (see: pebble devices).", required=True, shell_complete=devices
    ),
    level: str | None = option("Which memory is fast: smem, smem+regs or l2."),
    dtype: str = option("Type of a word.", default="bfloat16", show_default=True),
    bandwidth: str | None = BANDWIDTH,
    names: list[str] | None = SCHEDULES,
    picture: PictureOptions = group(PictureOptions),
) -> None:
    """Draw the arithmetic intensity of schedules against the roofline of a device.

    pebble plot roofline -N 4096 -d 128 --device a100 -o roofline.svg
    """
    from pebble.lab.plots import draw_roofline, roofline_points

    one = device_with(device, bandwidth, (device_with(device, None, ()).boundary(level).level,))
    asked = problem.problem()
    picture.show(draw_roofline, roofline_points, asked, one, dtype, level, names)
