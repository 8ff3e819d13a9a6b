"""``pebble regimes``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pebble.cli.completion import devices, models
from pebble.cli.options import FormOptions, ProblemOptions, names_of
from pebble.cli.printing import JSON, print_result
from pebble.cli.progress import progress_line
from pebble.cli.signature import command, option
from pebble.common.errors import InvalidInput
from pebble.computations.problem_form import ATTENTIONS

if TYPE_CHECKING:
    from pebble.lab.crossover import CrossoverTable

__all__ = ["regimes"]


@command
def regimes(
    names: tuple[str, ...] = option(
        "Which devices (repeat, or a,b); all for all of them.",
        "--device",
        multiple=True,
        shell_complete=devices,
    ),
    dimensions: tuple[str, ...] = option("Which head dimensions (repeat, or a,b).", "-d", multiple=True),
    chosen: tuple[str, ...] = option(
        "Which models (repeat, or a,b); all for all of them.", "--model", multiple=True, shell_complete=models
    ),
    N: int = option("Queries of each head, and keys.", "-N", default=8192, show_default=True),
    heads: int | None = ProblemOptions.heads,
    kv_heads: int | None = ProblemOptions.kv_heads,
    dtype: str = option("What a word is.", default="bfloat16", show_default=True),
    level: str | None = option(
        "What fast memory is: smem, smem+regs or l2 (default: smem, l2 if there is none)."
    ),
    pass_name: str = option(
        "", "--pass", type=click.Choice(["forward", "backward", "both"]), default="both", show_default=True
    ),
    mask: str | None = ProblemOptions.mask,
    empty_rows: str = ProblemOptions.empty_rows,
    softmax: str = FormOptions.softmax,
    attention: str = option(
        "linear: from which length on linear attention moves fewer words than softmax, forward.",
        type=click.Choice(ATTENTIONS),
        default="softmax",
    ),
    memories: str | None = option(
        "With --attention linear, in place of devices: words (25000, or several: a,b).", "-M"
    ),
    as_json: bool = JSON,
) -> None:
    """Say which regime devices and head dimensions are in, and what that means.

    For each: M/d², the regime, the best schedule, the I/O of FlashAttention-2's order and of the small-cache
    algorithm against it, and how far it is from the proved bound. Without options: GTX 1060, V100, A100 and
    H100, d = 64, 128, 256, both passes.

    With --attention linear: from which length on linear attention moves fewer words than the best schedule with
    softmax, and from which on fewer than any, by the best proved bound.
    """
    from pebble.lab.regimes import REGIME_PASSES, regimes

    devices, models = _asked(names), _asked(chosen)
    sizes = [_size(text) for text in names_of(dimensions)]
    if attention == "linear":
        if pass_name == "backward" or softmax != "plain":
            raise InvalidInput(
                "linear attention is compared with plain softmax in the forward pass: leave out --pass and --softmax"
            )
        shared: dict[str, Any] = {"mask": mask, "N": N, "heads": heads, "kv_heads": kv_heads}
        print_result(_against_softmax(devices, memories, sizes, models, dtype, level, shared), as_json)
        return
    if memories is not None:
        raise InvalidInput("-M goes with --attention linear; otherwise choose devices with --device")
    with progress_line() as progress:
        table = regimes(
            devices,
            sizes or None,
            models,
            N=N,
            heads=heads,
            kv_heads=kv_heads,
            dtype=dtype,
            level=level,
            passes=REGIME_PASSES if pass_name == "both" else pass_name,
            mask=mask,
            empty_rows=empty_rows,
            softmax=softmax,
            progress=progress,
        )
    print_result(table, as_json)


def _asked(texts: tuple[str, ...]) -> list[str] | str | None:
    """Return names that are asked for; "all", and None where there are none, stand for themselves."""
    names = names_of(texts)
    return "all" if names == ["all"] else names or None


def _against_softmax(
    devices: list[str] | str | None,
    memories: str | None,
    sizes: list[int],
    models: list[str] | str | None,
    dtype: str,
    level: str | None,
    shared: dict[str, Any],
) -> CrossoverTable:
    """Compare linear attention with softmax at the sizes of fast memory that are given, or those of devices."""
    from pebble.lab.crossover import crossovers
    from pebble.lab.regimes import DEFAULT_DIMENSIONS, memories_of_devices, models_asked
    from pebble.lab.size_lists import memory_sizes

    named = models_asked(models)
    if memories is not None and (devices or level is not None):
        raise InvalidInput("-M and --device both say how large fast memory is: give one of them")
    if memories is None:
        found = memories_of_devices(devices, dtype, level)
    else:
        found = [(M, ()) for M in memory_sizes(memories, None)]
    chosen = sizes or ([] if named else DEFAULT_DIMENSIONS)
    with progress_line() as progress:
        return crossovers(found, chosen, models=named, progress=progress, **shared)


def _size(text: str) -> int:
    from pebble.common.whole_numbers import whole_number

    number = whole_number(text)
    if number is None:
        raise InvalidInput(f"cannot read {text!r} as a head dimension")
    return number
