"""What the commands of ``pebble plot`` share: several sizes in one option, the picture and its numbers."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pebble.cli.options import NeededOption, optional_words_of, problem_of
from pebble.cli.printing import json_option, print_json
from pebble.cli.progress import progress_line

if TYPE_CHECKING:
    from pebble.computations.problem import Problem

__all__ = ["lengths_of", "memories_of", "picture", "problems_from"]


def picture(command: Callable[..., tuple[Any, Callable[[Any], Any]]]) -> Callable[..., None]:
    """Add ``-o`` and ``--json`` to a command that returns numbers and the function that draws them."""

    @functools.wraps(command)
    def draw_and_print(*, output: str | None, as_json: bool, **options: Any) -> None:
        _check(output, as_json)
        start = time.monotonic()
        numbers, draw = command(**options)
        if output is not None:
            _write(draw, numbers, output, start)
        if as_json:
            print_json(numbers.to_dict())

    with_json = json_option(draw_and_print)
    return click.option(
        "-o", "--output", cls=NeededOption, unless=["as_json"], help="File to write: .png, .svg or .pdf."
    )(with_json)


def _write(draw: Callable[[Any], Any], numbers: Any, output: str, start: float) -> None:
    """Draw, write the file, and say on standard error what was written and how long it took."""
    from pebble.lab.plots.canvas import save

    counted = time.monotonic()
    with progress_line() as progress:
        if progress is not None:
            progress(f"drawing {output} …")
        save(draw(numbers), output)
    size, drawn = Path(output).stat().st_size, time.monotonic()
    click.echo(
        f"{output}: {size:,} bytes; counted in {counted - start:.1f} s, drawn in {drawn - counted:.1f} s",
        err=True,
    )


def _check(output: str | None, as_json: bool) -> None:
    """Say what is wrong with the output before anything is counted."""
    if output is None:
        return
    from pebble.common.files import check_target
    from pebble.lab.plots.canvas import need_matplotlib, picture_format

    picture_format(output)
    check_target(output)
    need_matplotlib()


def lengths_of(options: dict[str, Any], default: tuple[int, ...] = ()) -> tuple[int, ...]:
    """Take the lengths out of a command's options."""
    from pebble.lab.plots.varying import COUNTS
    from pebble.lab.size_lists import problem_sizes

    text: str | None = options.pop("nq")
    return default if text is None else problem_sizes(text, "N", COUNTS)


def problems_from(options: dict[str, Any], lengths: tuple[int, ...]) -> list[Problem]:
    """Make the problem of a command's options, one for each length."""
    if len(lengths) > 1 and options.get("kv") is not None:
        raise click.UsageError("--kv goes with one length -N, not with several.")
    return [problem_of({**options, "nq": length}) for length in lengths]


def memories_of(options: dict[str, Any], default: tuple[int, ...] | None = None) -> tuple[int, ...]:
    """Take the sizes of fast memory out of a command's options: several with -M, one with a device."""
    from pebble.lab.plots.varying import sizes

    memory = {name: options[name] for name in ("memory", "device", "level", "dtype")}
    text = memory["memory"]
    if text is not None and memory["device"] is None and ("," in text or ":" in text):
        found = sizes(text, memory["dtype"])
        optional_words_of({**memory, "memory": None})
        return found
    one = optional_words_of(memory)
    if one is None and default is None:
        raise click.UsageError("Missing option '-M' (or '--device').")
    return default or () if one is None else (one,)
