"""``pebble devices``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pebble.cli.options import json_option, print_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pebble.lab.hardware import Device

__all__ = ["command"]


@click.command("devices")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@json_option
def command(names: tuple[str, ...], as_json: bool) -> None:
    """List devices: fast memory by level, bandwidth and peak arithmetic; with NAME, every figure and its source.

    A dash means that no source was found.
    """
    from pebble.lab.hardware import device, devices

    chosen = [device(name) for name in names] or list(devices().values())
    if as_json:
        print_json({"schema_version": 1, "devices": [one.to_dict() for one in chosen]})
    elif names:
        click.echo("\n\n".join(_card(one) for one in chosen))
    else:
        click.echo(_table(chosen))


def _amount(size: int | None) -> str:
    if size is None:
        return "–"
    return f"{size / 2**20:g} MiB" if size >= 2**20 else f"{size / 2**10:g} KiB"


def _table(chosen: Iterable[Device]) -> str:
    from pebble.common.tables import table

    cells = [
        ["device", "name", "units", "smem", "registers", "L2", "GB/s", "TFLOP/s, fastest dtype of ≥ 16 bits"]
    ]
    for one in chosen:
        wide = {dtype: flops for dtype, flops in one.peak.items() if dtype not in ("float8", "int8")}
        best = max(wide, key=lambda dtype: wide[dtype], default=None)
        cells.append(
            [
                one.key,
                one.title,
                "–" if one.units is None else str(one.units),
                _amount(one.smem_per_block),
                _amount(one.registers_per_unit),
                _amount(one.l2),
                "–" if one.bandwidth is None else f"{one.bandwidth / 1e9:,.0f}",
                "–" if best is None else f"{wide[best] / 1e12:,.1f} ({best})",
            ]
        )
    return table(cells, left=2)


def _card(one: Device) -> str:
    figures = [
        ("units", "–" if one.units is None else f"{one.units} × {one.unit}"),
        ("smem_per_unit", _amount(one.smem_per_unit)),
        ("smem_per_block", _amount(one.smem_per_block)),
        ("registers_per_unit", _amount(one.registers_per_unit)),
        ("accumulators_per_unit", _amount(one.accumulators_per_unit)),
        ("l2", _amount(one.l2)),
        ("bandwidth", "–" if one.bandwidth is None else f"{one.bandwidth / 1e9:,.0f} GB/s"),
        ("peak", ", ".join(f"{dtype} {flops / 1e12:,.1f}" for dtype, flops in one.peak.items()) or "–"),
    ]
    width = max(len(name) for name, _ in figures)
    lines = [one.title, "─" * len(one.title)]
    for name, text in figures:
        lines.append(f"{name:<{width}}  {text}" + (" TFLOP/s" if name == "peak" and one.peak else ""))
        if name in one.sources:
            lines.append(f"{'':<{width}}    {one.sources[name]}")
    return "\n".join([*lines, *(f"note: {note}" for note in one.notes)])
