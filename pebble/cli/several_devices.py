"""Options with which a command takes a schedule for several devices: how many, the layout, the shape."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from pebble.cli.options import Whole, given, require
from pebble.cli.printing import F
from pebble.common.errors import InvalidInput

if TYPE_CHECKING:
    from pebble.program.parallel import Shape, SharedProblem

__all__ = [
    "SeveralDevices",
    "refuse_without_devices",
    "several_devices_of",
    "several_devices_options",
]

_SERVED = ("nq", "d", "heads", "kv_heads", "mask", "pass_name", "P", "layout", "shape", "output")


class SeveralDevices(NamedTuple):
    """What ``-P`` and the options beside it say.

    Attributes
    ----------
    problem : SharedProblem
    shape : tuple of int or None
    """

    problem: SharedProblem
    shape: Shape | None


def several_devices_options(function: F) -> F:
    """Add ``-P``, ``--layout`` and ``--shape``, for :func:`several_devices_of`."""
    options = (
        click.option("-P", "P", type=Whole(), help="Devices, for a schedule for several (pebble parallel)."),
        click.option(
            "--layout",
            type=click.Choice(["contiguous", "zigzag", "striped"]),
            help="With -P: which device owns which tokens (default contiguous).",
        ),
        click.option("--shape", help="With -P: the shape of the schedule, as for pebble parallel: 2x3."),
    )
    for option in reversed(options):
        function = option(function)
    return function


def several_devices_of(options: dict[str, Any]) -> SeveralDevices | None:
    """Take ``-P`` and the options beside it out of a command's; None if one device is meant.

    Raises
    ------
    UsageError, InvalidInput
        If they do not go together with the others.
    """
    P, layout, shape = (options.pop(name) for name in ("P", "layout", "shape"))
    if P is None:
        if layout is not None or shape is not None:
            raise click.UsageError("--layout and --shape go with -P.")
        return None
    from pebble.program.parallel import SharedProblem, shape_of

    context = click.get_current_context()
    arguments = {one.name for one in context.command.params if isinstance(one, click.Argument)}
    others = [name for name in context.params if name not in (*_SERVED, *arguments)]
    if given(others):
        raise click.UsageError(
            "With -P go -N, -d, --heads, --kv-heads, --pass, --mask causal, --layout, --shape and -o only."
        )
    require([["nq"], ["d"]])
    if options["mask"] not in (None, "causal"):
        raise click.UsageError("Several devices are played without a mask, or with --mask causal.")
    heads, causal = options["heads"] or 1, options["mask"] is not None
    sizes = (options["nq"], options["d"], P, heads, options["kv_heads"] or heads)
    problem = SharedProblem(*sizes, causal, options["pass_name"], layout or "contiguous")
    return SeveralDevices(problem, None if shape is None else shape_of(shape))


def refuse_without_devices(name: str | None) -> None:
    """Say what is missing where a schedule for several devices is asked for as one for one device.

    Raises
    ------
    UsageError
        If it is one.
    """
    from pebble.program.parallel import distributed_schedule
    from pebble.program.schedule import registered

    if name is None or any(one.name == name for one in registered()):
        return
    with contextlib.suppress(InvalidInput):
        distributed_schedule(name)
        raise click.UsageError(f"{name} is a schedule for several devices: add -P, their number.")
