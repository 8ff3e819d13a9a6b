"""``pebble regimes``."""

from __future__ import annotations

import click

from pebble.cli.options import Whole, heads_options, names_of
from pebble.cli.printing import json_option, print_result
from pebble.cli.progress import progress_line

__all__ = ["command"]


@click.command("regimes")
@click.option("--device", "names", multiple=True, help="Which devices (repeat, or a,b); all for all of them.")
@click.option("-d", "dimensions", multiple=True, help="Which head dimensions (repeat, or a,b).")
@click.option("--model", "chosen", multiple=True, help="Which models (repeat, or a,b); all for all of them.")
@click.option(
    "-N", "N", type=Whole(), default=8192, show_default=True, help="Queries of each head, and keys."
)
@heads_options
@click.option("--dtype", default="bfloat16", show_default=True, help="What a word is.")
@click.option(
    "--level", help="What fast memory is: smem, smem+regs or l2 (default: smem, l2 if there is none)."
)
@click.option(
    "--pass",
    "pass_name",
    type=click.Choice(["forward", "backward", "both"]),
    default="both",
    show_default=True,
)
@click.option("--mask", help="causal, window:256, file:m.npy, … (see: pebble masks).")
@click.option(
    "--empty-rows",
    type=click.Choice(["error", "zero"]),
    default="error",
    help="Queries that attend to nothing: refused (default), or an output of zero.",
)
@json_option
def command(
    names: tuple[str, ...],
    dimensions: tuple[str, ...],
    chosen: tuple[str, ...],
    N: int,
    heads: int | None,
    kv_heads: int | None,
    dtype: str,
    level: str | None,
    pass_name: str,
    mask: str | None,
    empty_rows: str,
    as_json: bool,
) -> None:
    """Say which regime devices and head dimensions are in, and what that means.

    For each: M/d², the regime, the best schedule, the I/O of FlashAttention-2's order and of the small-cache
    algorithm against it, and how far it is from the proved bound. Without options: GTX 1060, V100, A100 and
    H100, d = 64, 128, 256, both passes.
    """
    from pebble.lab.regimes import REGIME_PASSES, regimes

    devices, models = names_of(names), names_of(chosen)
    with progress_line() as progress:
        found = regimes(
            "all" if devices == ["all"] else devices or None,
            [_size(text) for text in names_of(dimensions)] or None,
            "all" if models == ["all"] else models or None,
            N=N,
            heads=heads,
            kv_heads=kv_heads,
            dtype=dtype,
            level=level,
            passes=REGIME_PASSES if pass_name == "both" else pass_name,
            mask=mask,
            empty_rows=empty_rows,
            progress=progress,
        )
    print_result(found, as_json)


def _size(text: str) -> int:
    from pebble.common.errors import InvalidInput
    from pebble.common.whole_numbers import whole_number

    number = whole_number(text)
    if number is None:
        raise InvalidInput(f"cannot read {text!r} as a head dimension")
    return number
