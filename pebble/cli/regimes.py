"""``pebble regimes``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pebble.cli.completion import devices, models
from pebble.cli.options import FormOptions, ProblemOptions, names_of
from pebble.cli.printing import JSON, print_result
from pebble.cli.progress import long_work
from pebble.cli.signature import Amount, Options, command, group, option
from pebble.common.errors import InvalidInput
from pebble.computations.problem_form import ATTENTIONS

if TYPE_CHECKING:
    from pebble.lab.crossover import CrossoverTable


class SharedOptions(Options):
    """What is the same in all rows."""

    N: int = option("Number of queries and keys of each head.", "-N", default=8192, show_default=True)
    heads: int | None = ProblemOptions.heads
    kv_heads: int | None = ProblemOptions.kv_heads
    dtype: str = option("Type of a word.", default="bfloat16", show_default=True)
    level: str | None = option(
        "Which memory is fast: smem, smem+regs or l2 (default: smem, or l2 if there is none)."
    )
    mask: str | None = ProblemOptions.mask
    empty_rows: str = ProblemOptions.empty_rows
    softmax: str = FormOptions.softmax


@command
def regimes(
    names: tuple[str, ...] = option(
        "Devices: a,b, or repeat the option; all for all devices.",
        "--device",
        multiple=True,
        shell_complete=devices,
    ),
    dimensions: tuple[str, ...] = option(
        "Head dimensions: a,b, or repeat the option.", "-d", type=Amount(), multiple=True
    ),
    chosen: tuple[str, ...] = option(
        "Models: a,b, or repeat the option; all for all models.",
        "--model",
        multiple=True,
        shell_complete=models,
    ),
    shared: SharedOptions = group(SharedOptions),
    pass_name: str = option(
        "Pass.",
        "--pass",
        type=click.Choice(["forward", "backward", "both"]),
        default="both",
        show_default=True,
    ),
    attention: str = option(
        "linear: find the length from which linear attention moves fewer words than softmax.",
        type=click.Choice(ATTENTIONS),
        default="softmax",
    ),
    memories: str | None = option(
        "With --attention linear, words of fast memory instead of devices (25000, or a,b).",
        "-M",
        type=Amount(),
    ),
    as_json: bool = JSON,
) -> None:
    """Show which regime each device and head dimension is in, and what that means.

    Print M/d², the regime, the best schedule, the I/O of FlashAttention-2 and of the small-cache algorithm relative to
    it, and its ratio to the proved bound. By default: GTX 1060, V100, A100 and H100, d = 64, 128, 256, both passes.

    With --attention linear, print the length from which linear attention moves fewer words than the best softmax
    schedule, and the length from which it moves fewer than any, by the best proved bound.
    """
    from pebble.lab.regimes import REGIME_PASSES, regimes
    from pebble.lab.size_lists import problem_sizes

    devices, models = _asked(names), _asked(chosen)
    sizes = list(problem_sizes(",".join(dimensions), "head dimension")) if dimensions else []
    if attention == "linear":
        if pass_name == "backward" or shared.softmax != "plain":
            raise InvalidInput(
                "linear attention is compared with plain softmax in the forward pass: leave out --pass and --softmax"
            )
        print_result(_against_softmax(devices, memories, sizes, models, shared), as_json)
        return
    if memories is not None:
        raise InvalidInput("-M needs --attention linear; otherwise choose devices with --device")
    with long_work():
        passes = REGIME_PASSES if pass_name == "both" else pass_name
        table = regimes(devices, sizes or None, models, passes=passes, **vars(shared))
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
    shared: SharedOptions,
) -> CrossoverTable:
    """Compare linear attention with softmax at the sizes of fast memory that are given, or those of devices."""
    from pebble.lab.crossover import crossovers
    from pebble.lab.regimes import DEFAULT_DIMENSIONS, memories_of_devices, models_asked
    from pebble.lab.size_lists import memory_sizes

    named = models_asked(models)
    if memories is not None and (devices or shared.level is not None):
        raise InvalidInput("-M and --device both set the size of fast memory: give one")
    if memories is None:
        found = memories_of_devices(devices, shared.dtype, shared.level)
    else:
        found = [(M, ()) for M in memory_sizes(memories, None)]
    chosen = sizes or ([] if named else DEFAULT_DIMENSIONS)
    same = {name: getattr(shared, name) for name in ("mask", "N", "heads", "kv_heads")}
    with long_work():
        return crossovers(found, chosen, models=named, **same)
