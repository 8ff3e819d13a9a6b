"""``pebble parallel``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pebble.cli.completion import devices, models
from pebble.cli.options import Whole, heads_options, names_of
from pebble.cli.printing import json_option, print_result
from pebble.cli.progress import progress_line
from pebble.common.errors import InvalidInput

if TYPE_CHECKING:
    from pebble.lab.parallel import Links
    from pebble.program.parallel import SharedProblem

__all__ = ["command"]


@click.command("parallel")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("-N", "N", type=Whole(), required=True, help="Tokens.")
@click.option("-d", "d", type=Whole(), help="Head dimension.")
@click.option("-P", "P", type=Whole(), required=True, help="Devices.")
@heads_options
@click.option("--model", shell_complete=models, help="Take d and the heads of a model (pebble models).")
@click.option(
    "--layout",
    type=click.Choice(["contiguous", "zigzag", "striped"]),
    help="Which device owns which tokens (default contiguous; with --best, all are tried under a mask).",
)
@click.option("--mask", help="causal; without it, every query attends to every key.")
@click.option(
    "--pass", "pass_name", type=click.Choice(["forward", "backward"]), default="forward", help="Which pass."
)
@click.option(
    "--shape",
    help="usp: heads x ring (2x3); grid, grid-ring: rows x columns (3x4); heads-grid: heads x rows x columns "
    "(2x2x2). By default the one with which the busiest device receives least.",
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
@click.option("--device", shell_complete=devices, help="Whose arithmetic computes (pebble devices).")
@click.option("--flops", help="Arithmetic of a device, if not the peak of --device: 400TFLOP/s.")
@click.option("--link", help="What a device receives: 50GB/s; with --node, from other nodes.")
@click.option("--node", type=Whole(), help="Devices a node.")
@click.option("--node-link", help="What a device receives from its own node: 450GB/s.")
@click.option("--dtype", default="bf16", help="What a word is, for times (default bf16).")
@click.option("--best", is_flag=True, help="Try layouts too, sort, and say which schedule is best.")
@json_option
def command(names: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Compare ways to compute attention on several devices: what they move, and what must be moved.

    Every count is verified by a referee that plays the exchange of tiles on all devices; words of the busiest
    device, in total, rounds, balance of the work, memory, and the ratio to the proved bounds. With --link and
    --device (or --flops), wire time over arithmetic time: at most 1 where it can be hidden.

    \b
    pebble parallel -N 131072 --model llama3-8b -P 64 --mask causal --layout zigzag --device h100 --link 50GB/s
    pebble parallel ring grid -N 4096 -d 64 -P 16
    """  # noqa: D301
    from pebble.lab.parallel import parallel

    with progress_line("counting {} …".format) as progress:
        found = parallel(
            _problem(options),
            names_of(names) or None,
            _shape(options["shape"]),
            pass_on=options["pass_on"],
            links=_links(options),
            memory=options["memory"],
            best=options["best"],
            layouts=None if options["layout"] is None else [options["layout"]],
            progress=progress,
        )
    print_result(found, as_json)


def _problem(options: dict[str, Any]) -> SharedProblem:
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
    if d is None:
        raise click.UsageError("Missing option '-d' (or '--model').")
    heads = heads or 1
    return SharedProblem(
        options["N"],
        d,
        options["P"],
        heads,
        kv_heads or heads,
        options["mask"] == "causal",
        options["pass_name"],
        options["layout"] or "contiguous",
        dv,
    )


def _shape(text: str | None) -> tuple[int, ...] | None:
    """Read ``2x3``."""
    if text is None:
        return None
    parts = text.lower().replace("×", "x").split("x")
    if not all(part.isascii() and part.isdigit() and int(part) > 0 for part in parts):
        raise InvalidInput(f"cannot read the shape {text!r}; examples: 2x3, 2x2x2")
    return tuple(map(int, parts))


def _links(options: dict[str, Any]) -> Links | None:
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
    return Links(
        parse_rate(link, "B"),
        _flops(options),
        options["dtype"],
        node or 1,
        None if node_link is None else parse_rate(node_link, "B"),
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
