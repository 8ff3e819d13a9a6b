"""Options that several commands share: the problem, the memory, the tiles, the form of the output."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar, cast

import click

from pebble.common.errors import InvalidInput
from pebble.common.units import parse_words
from pebble.common.whole_numbers import whole_number
from pebble.computations.problem import LARGEST_SIZE, Problem

__all__ = [
    "Whole",
    "json_option",
    "memory_options",
    "optional_problem_options",
    "parse_tiles",
    "print_json",
    "problem_of",
    "problem_options",
    "tiles_option",
    "words_of",
]

F = TypeVar("F", bound=Callable[..., Any])


class Whole(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A positive whole number; ``10**9``, ``1e9``, ``4Ki`` and ``1_000`` are too."""

    name = "n"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the number, or fail with what is wrong about it."""
        if isinstance(value, int):
            return value
        number = whole_number(str(value))
        if number is None:
            self.fail(f"{value!r} is not a whole number", param, ctx)
        if number < 1:
            self.fail(f"{value} is not positive", param, ctx)
        if number > LARGEST_SIZE:
            self.fail(f"{value} is too large; at most {LARGEST_SIZE:,}", param, ctx)
        return int(number)


def problem_options(function: F) -> F:
    """Add the sizes of a problem, its pass, or the name of a model that sets d, dv and the heads."""
    return _problem_options(function, required=True)


def optional_problem_options(function: F) -> F:
    """Add the same options where a command can do without a problem; :func:`problem_of` asks for what is missing."""
    return _problem_options(function, required=False)


def _problem_options(function: F, required: bool) -> F:
    whole = Whole()
    options = [
        click.option(
            "-N", "--nq", "nq", type=whole, required=required, help="Number of queries (and of keys)."
        ),
        click.option("--kv", type=whole, help="Number of keys and values, if not N."),
        click.option("-d", "d", type=whole, help="Head dimension of Q and K."),
        click.option("--dv", type=whole, help="Head dimension of V, if not d."),
        click.option("--model", help="Take d, dv and the heads of a model (see: pebble models)."),
        click.option("--heads", type=whole, help="Multiplies counts and bounds (default 1)."),
        click.option("--batch", type=whole, default=1, help="Multiplies counts and bounds."),
        click.option(
            "--pass",
            "pass_name",
            type=click.Choice(["forward", "backward", "both", "weights"]),
            default="forward",
            help="Which pass (default forward).",
        ),
        click.option("--stats", is_flag=True, help="Row sums are outputs too, as training needs."),
        click.option("--mask", help="causal, window:256, file:m.npy, … (see: pebble masks)."),
        click.option(
            "--empty-rows",
            type=click.Choice(["error", "zero"]),
            default="error",
            help="Queries that attend to nothing: refused (default), or an output of zero.",
        ),
    ]
    for option in reversed(options):
        function = option(function)
    return function


def problem_of(options: dict[str, Any]) -> Problem:
    """Take the problem's options out of a command's and make the problem."""
    mask, empty_rows, model = options.pop("mask"), options.pop("empty_rows"), options["model"]
    problem = _unmasked(options)
    if mask is None:
        return problem
    from pebble.computations.masks import make_mask

    if model is not None:
        from pebble.lab.hardware import model as model_of

        # The queries of the heads that share keys are one problem: each head has the mask.
        group = model_of(model).group
        mask = f"group:{group}:{mask}" if group > 1 and mask not in ("none", "full") else mask
    return replace(problem, mask=make_mask(mask, problem.Nq, problem.Nk, empty_rows=empty_rows))


def _unmasked(options: dict[str, Any]) -> Problem:
    names = ("nq", "kv", "d", "dv", "model", "heads", "stats", "batch", "pass_name")
    nq, kv, d, dv, model, heads, stats, batch, pass_name = (options.pop(name) for name in names)
    if nq is None:
        raise click.UsageError("Missing option '-N' / '--nq'.")
    if model is not None:
        from pebble.lab.hardware import model as model_of

        if (d, dv, heads) != (None, None, None):
            raise click.UsageError("--model sets -d, --dv and --heads: give it or them.")
        return model_of(model).problem(nq, kv, batch=batch, stats=stats, pass_name=pass_name)
    if d is None:
        raise click.UsageError("Missing option '-d' (or '--model').")
    return Problem(
        Nq=nq,
        Nk=kv or nq,
        d=d,
        dv=dv or d,
        stats=stats,
        heads=heads or 1,
        batch=batch,
        pass_name=pass_name,
    )


def memory_options(required: bool) -> Callable[[F], F]:
    """Add ``-M``, ``--device``, ``--level`` and ``--dtype``; -M or a device must be given if ``required``."""
    options = [
        click.option(
            "-M", "memory", help="Fast memory in words (98304, 96Ki) or bytes (192KiB, with a dtype)."
        ),
        click.option("--device", help="Take M from a device, with a dtype (see: pebble devices)."),
        click.option("--level", help="With a device: smem, smem+regs or l2."),
        click.option("--dtype", help="What a word is, if M is in bytes: float16, bf16, float32, …"),
    ]

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def checked(*arguments: Any, **given: Any) -> Any:
            if required and given["memory"] is None and given["device"] is None:
                raise click.UsageError("Missing option '-M' (or '--device').")
            return function(*arguments, **given)

        command: Any = checked
        for option in reversed(options):
            command = option(command)
        return cast(F, command)

    return decorate


def words_of(options: dict[str, Any]) -> int | None:
    """Take the memory's options out of a command's; words of fast memory."""
    from pebble.common.units import bytes_per_word

    memory, device, level, dtype = (options.pop(name) for name in ("memory", "device", "level", "dtype"))
    if dtype is not None:
        bytes_per_word(dtype)
    if device is None:
        if level is not None:
            raise click.UsageError("--level goes with --device.")
        return None if memory is None else parse_words(memory, dtype)
    if memory is not None:
        raise click.UsageError("-M and --device both say how large fast memory is: give one of them.")
    if dtype is None:
        raise click.UsageError(
            "a device's memory is in bytes: say what a word is with --dtype, such as bf16."
        )
    from pebble.lab.hardware import device as device_of

    return device_of(device).words(dtype, level)


def tiles_option(function: F) -> F:
    """Add ``--tiles``."""
    return click.option(
        "--tiles",
        help="Tile sizes (rows=64,cols=32) or a preset's name (literal, paper); chosen if not given.",
    )(function)


def parse_tiles(text: str | None) -> dict[str, int] | str | None:
    """Read ``rows=64,cols=32``, or a preset's name.

    >>> parse_tiles("rows=64,cols=32"), parse_tiles("paper")
    ({'rows': 64, 'cols': 32}, 'paper')
    """
    if text is None or "=" not in text:
        return text
    tiles: dict[str, int] = {}
    for part in text.split(","):
        name, equals, size = (piece.strip() for piece in part.partition("="))
        if not equals or not name or not (size.isascii() and size.isdigit()):
            raise InvalidInput(f"cannot read tiles {text!r} at {part!r}; example: rows=64,cols=32")
        if name in tiles:
            raise InvalidInput(f"tiles {text!r} give {name} twice")
        tiles[name] = int(size)
    return tiles


def json_option(function: F) -> F:
    """Add ``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(function)


def print_json(document: Any) -> None:
    """Print exactly one JSON document."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))
