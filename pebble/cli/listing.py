"""``pebble cite``, ``schedules``, ``masks``, ``devices`` and ``models``: what there is, and where it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pebble.cli import completion
from pebble.cli.printing import JSON, print_list, print_result
from pebble.cli.signature import argument, command, given, option

if TYPE_CHECKING:
    from pebble.program.schedule import Schedule


@command
def cite(name: tuple[str, ...] = argument(nargs=-1), as_json: bool = JSON) -> None:
    """Print how to cite bounds, or the program: a sentence for each, and BibTeX entries.

    NAME is the bound's name in the tables (T1, Saha-Ye, by parts), or pebble for the program. Without it,
    list all names.
    """
    from pebble.lab.citing import cite

    print_result(cite(" ".join(name) or None), as_json)


@command
def schedules(
    names: tuple[str, ...] = argument(nargs=-1, metavar="[NAME]...", shell_complete=completion.schedules),
    as_json: bool = JSON,
) -> None:
    """List the registered schedules, what they do and where they come from; with NAME, also tiles and presets."""
    from pebble.common.plain import plain
    from pebble.common.tables import Table
    from pebble.program.schedule import registered
    from pebble.program.schedule.registry import level_schedule_names, named

    chosen = [schedule for name in names for schedule in named(name)] or registered()
    keys = "name summary source passes forms tiles=tile_names presets"
    entries = [{**plain(one, keys), "presets": list(one.presets)} for one in chosen]
    if names:
        print_list("schedules", entries, _cards(entries), as_json)
        return
    notes = [f"for several memory levels, with --levels: {', '.join(level_schedule_names())}"]
    columns = {"schedule": "name", "passes": _served, "what it does": "summary", "source": "source"}
    print_list("schedules", entries, Table.of(chosen, columns, notes=notes), as_json)


def _cards(entries: list[dict[str, Any]]) -> str:
    """Return a line for each field that says something, and an empty line between entries."""
    cards = (
        [(key, [text] if isinstance(text, str) else text) for key, text in one.items() if text]
        for one in entries
    )
    return "\n\n".join("\n".join(f"{key:<8} {', '.join(texts)}" for key, texts in card) for card in cards)


def _served(schedule: Schedule) -> str:
    """Return the passes that a schedule serves, and of which computations if not of plain softmax alone."""
    passes = ", ".join(schedule.passes)
    return passes if schedule.forms == ("plain",) else f"{passes} ({', '.join(schedule.forms)})"


@command
def masks(
    names: tuple[str, ...] = argument(nargs=-1, metavar="[NAME]...", shell_complete=completion.masks),
    as_json: bool = JSON,
) -> None:
    """List the kinds of masks, or those named: which keys a query attends to, how to write each, and its source.

    Give one to --mask. Numbers are counts of keys or queries; a file holds an array of booleans (numpy.save).

    A+B is the union of two masks, A&B their intersection; & binds tighter.
    """
    from pebble.common.tables import Table
    from pebble.computations.masks import mask_kinds
    from pebble.lab.hardware.device import find

    kinds = mask_kinds()
    if names:
        known = {kind.name: kind for kind in kinds}
        entries = [find(name.partition(":")[0], known, "mask").to_dict() for name in names]
        print_list("masks", entries, _cards(entries), as_json)
        return
    written = "Syntax (brackets mark optional parts):"
    joined = "MASK+MASK (union), MASK&MASK (intersection; binds tighter): window:4096+sink:4"
    usage = ["", written, "", *(f"  {kind.usage}" for kind in kinds), f"  {joined}"]
    columns = {"example": "example", "a query attends to": "summary", "source": "source"}
    table = Table.of(kinds, columns, notes=usage)
    print_list("masks", [kind.to_dict() for kind in kinds], table, as_json)


@command
def devices(
    names: tuple[str, ...] = argument(nargs=-1, metavar="[NAME]...", shell_complete=completion.devices),
    as_json: bool = JSON,
) -> None:
    """List devices: fast memory by level, bandwidth and peak arithmetic; with NAME, every figure and its source.

    A dash means that no source was found.
    """
    from pebble.lab.hardware import device, devices
    from pebble.lab.hardware.listings import device_card, device_table

    chosen = [device(name) for name in names] or list(devices().values())
    text = "\n\n".join(map(device_card, chosen)) if names else device_table(chosen)
    print_list("devices", [one.to_dict() for one in chosen], text, as_json)


@command
def models(
    names: tuple[str, ...] = argument(nargs=-1, metavar="[NAME]...", shell_complete=completion.models),
    device: str | None = option(
        "Also print how long decoding takes on this device, with -N keys, and which link then hides the words that "
        "cross if attention and feed-forward layers are on separate devices.",
        shell_complete=completion.devices,
    ),
    N: int = option("With --device: number of keys (default 8,192).", "-N", default=8192),
    dtype: str = option("With --device: type of a word (default bf16).", default="bf16"),
    as_json: bool = JSON,
) -> None:
    """List models and the shapes of their attention heads; with NAME, only those, with sources and notes.

    Query heads that share keys and values form one problem of group·N queries, so there is one problem for each
    head of keys and values.
    """
    from pebble.lab.hardware import device as device_of
    from pebble.lab.hardware import model, models
    from pebble.lab.hardware.listings import model_table

    if device is None and given(["N", "dtype"]):
        raise click.UsageError("-N and --dtype need --device: they are for the time that decoding takes.")
    chosen = [model(name) for name in names] or list(models().values())
    decoded = None if device is None else (N, device_of(device), dtype)
    table = model_table(chosen, bool(names), decoded)
    entries = [one.to_dict() | (one.decoding(*decoded) if decoded else {}) for one in chosen]
    print_list("models", entries, table, as_json)
