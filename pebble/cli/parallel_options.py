"""Options of commands about several devices: the problem, the links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pebble.cli.completion import devices, models
from pebble.cli.options import Whole, head_dimension, heads_options
from pebble.cli.printing import F
from pebble.common.errors import InvalidInput

if TYPE_CHECKING:
    from pebble.lab.parallel import Links
    from pebble.program.parallel import SharedProblem

__all__ = ["link_options", "links_of", "shared_problem_of", "shared_problem_options"]


def shared_problem_options(function: F) -> F:
    """Add all of a problem on several devices but its length and the number of devices."""
    for option in reversed(
        (
            head_dimension("Head dimension."),
            heads_options,
            click.option(
                "--model", shell_complete=models, help="Take d and the heads of a model (pebble models)."
            ),
            click.option(
                "--layout",
                type=click.Choice(["contiguous", "zigzag", "striped"]),
                help="Which device owns which tokens (default contiguous).",
            ),
            click.option("--mask", help="causal; without it, every query attends to every key."),
            click.option(
                "--pass",
                "pass_name",
                type=click.Choice(["forward", "backward"]),
                default="forward",
                help="Which pass.",
            ),
        )
    ):
        function = option(function)
    return function


def link_options(function: F) -> F:
    """Add what times are made of, for :func:`links_of`."""
    for option in reversed(
        (
            click.option(
                "--device", shell_complete=devices, help="Whose arithmetic and memory work (pebble devices)."
            ),
            click.option("--flops", help="Arithmetic of a device, if not the peak of --device: 400TFLOP/s."),
            click.option(
                "--link",
                help="What a device receives, and at the same time sends, with --node from other nodes: bytes (50GB/s, "
                "50GiB/s) or bits (400Gb/s, 400Gbit/s); prefixes k, M, G, T, P; without a unit, bytes.",
            ),
            click.option("--node", type=Whole(), help="Devices a node."),
            click.option("--node-link", help="The same within its own node, read as --link is: 450GB/s."),
            click.option("--dtype", default="bf16", help="What a word is, for times (default bf16)."),
        )
    ):
        function = option(function)
    return function


def shared_problem_of(options: dict[str, Any], N: int, P: int) -> SharedProblem:
    """Make the problem of a command's options."""
    from pebble.program.parallel import SharedProblem

    if options["mask"] not in (None, "causal"):
        raise InvalidInput(
            f"several devices are counted without a mask and under the causal one, not under {options['mask']!r}"
        )
    heads, kv_heads, d = options["heads"], options["kv_heads"], options["d"]
    dv = None
    if options["model"] is not None:
        from pebble.lab.hardware import model

        shape = model(options["model"]).changed(d=d, heads=heads, kv_heads=kv_heads)
        if shape.shared_values:
            raise InvalidInput(
                f"{shape.key} has values that are part of its keys: not counted on several devices"
            )
        heads, kv_heads, d, dv = shape.heads, shape.kv_heads, shape.d, shape.dv
    heads = heads or 1
    causal, layout = options["mask"] == "causal", options["layout"] or "contiguous"
    return SharedProblem(N, d, P, heads, kv_heads or heads, causal, options["pass_name"], layout, dv)


def links_of(options: dict[str, Any]) -> Links | None:
    """Read what times are made of; None if nothing is given."""
    from pebble.common.units import parse_rate
    from pebble.lab.parallel import Links

    link, node, node_link = options["link"], options["node"], options["node_link"]
    if (node is None) != (node_link is None):
        raise click.UsageError("--node and --node-link go together.")
    if link is None:
        if any(options[name] is not None for name in ("device", "flops", "node")):
            raise click.UsageError("Times need --link, such as 50GB/s.")
        return None
    from pebble.lab.hardware import device

    return Links(
        parse_rate(link, "B"),
        _flops(options),
        options["dtype"],
        node or 1,
        None if node_link is None else parse_rate(node_link, "B"),
        None if options["device"] is None else device(options["device"]).bandwidth,
    )


def _flops(options: dict[str, Any]) -> float:
    from pebble.common.units import parse_rate

    if options["flops"] is not None:
        return parse_rate(options["flops"], "FLOP")
    if options["device"] is None:
        raise click.UsageError("Times need --device, such as h100, or --flops, such as 400TFLOP/s.")
    from pebble.lab.hardware import device

    peak = device(options["device"]).flops(options["dtype"])
    if peak is None:
        raise InvalidInput(
            f"{options['device']}: no sourced peak for {options['dtype']}; give --flops, such as 400TFLOP/s"
        )
    return float(peak)
