"""What a shell completes: names of schedules, devices, models, masks and DAGs."""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem


def schedules(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the schedules of the pass, or of all passes, and of the softmax; several may be joined by commas."""
    from pebble.program.schedule import registered

    linear = ctx.params.get("attention") == "linear"
    softmax, other = (None, None) if linear else (ctx.params.get("softmax"), "plain")
    asked = ctx.params.get("pass_name")
    passes = {None: ("forward", "backward", "weights"), "both": ("forward", "backward")}.get(asked, (asked,))
    found = (registered(one, softmax if one == "forward" else other) for one in passes)
    return _of_list((schedule.name for served in found for schedule in served), incomplete)


def devices(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the devices; several may be joined by commas."""
    from pebble.lab.hardware import devices as known

    return _of_list(known(), incomplete)


def models(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the models; several may be joined by commas."""
    from pebble.lab.hardware import models as known

    return _of_list(known(), incomplete)


def masks(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the kinds of masks, each with the colon after which its numbers or names come."""
    from pebble.computations.masks import mask_kinds

    kinds = [(kind.usage, kind.summary) for kind in mask_kinds()]
    found = [(usage.partition(":")[0] + (":" if ":" in usage else ""), summary) for usage, summary in kinds]
    return [CompletionItem(text, help=summary) for text, summary in found if text.startswith(incomplete)]


def dags(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the named DAGs, each with an example of its parameters, or else files."""
    from pebble.computations.named_dags import NAMED_DAGS

    named = [dag for dag in NAMED_DAGS.values() if dag.example.startswith(incomplete)]
    found = [CompletionItem(dag.example, help=dag.summary) for dag in named]
    return found or [CompletionItem(incomplete, type="file")]


def kernels(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the kernels that have a name."""
    from pebble.computations.nests.polybench import KERNELS

    found = [one for name, one in KERNELS.items() if name.startswith(incomplete)]
    return [CompletionItem(one.name, help=one.description) for one in found]


def _of_list(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    """Complete the last name of a list with commas."""
    before, comma, last = incomplete.rpartition(",")
    given = set(before.split(","))
    return [
        CompletionItem(before + comma + name)
        for name in dict.fromkeys(names)
        if name.startswith(last) and name not in given
    ]
