"""Devices and models as text: tables of them, and a card with every figure of a device and its source."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pebble.common.tables import Table
from pebble.lab.hardware.device import Device
from pebble.lab.hardware.model import Model


def device_table(chosen: Iterable[Device]) -> Table:
    """Return a table of devices, one each line; a dash where no source was found."""
    columns = {
        "device": "key",
        "name": "title",
        "units": lambda one: "–" if one.units is None else str(one.units),
        "smem": lambda one: _amount(one.smem_per_block),
        "registers": lambda one: _amount(one.registers_per_unit),
        "L2": lambda one: _amount(one.l2),
        "GB/s": lambda one: "–" if one.bandwidth is None else f"{one.bandwidth / 1e9:,.0f}",
        "TFLOP/s, fastest dtype of ≥ 16 bits": _fastest,
    }
    return Table.of(chosen, columns, left=2, right=None, drop=("units", "name", "L2", "registers"))


def _fastest(one: Device) -> str:
    wide = {dtype: flops for dtype, flops in one.peak.items() if dtype not in ("float8", "int8")}
    best = max(wide, key=lambda dtype: wide[dtype], default=None)
    return "–" if best is None else f"{wide[best] / 1e12:,.1f} ({best})"


def device_card(one: Device) -> str:
    """Return every figure of a device, with its source below it."""
    sizes = ("smem_per_unit", "smem_per_block", "registers_per_unit", "accumulators_per_unit", "l2")
    rates = {name: getattr(one, name) for name in ("bandwidth", "l2_bandwidth", "register_bandwidth", "link")}
    figures = {
        "units": "–" if one.units is None else f"{one.units} × {one.unit}",
        **{name: _amount(getattr(one, name)) for name in sizes},
        "bandwidth": "–",
        **{name: f"{rate / 1e9:,.0f} GB/s" for name, rate in rates.items() if rate is not None},
        "peak": ", ".join(f"{dtype} {flops / 1e12:,.1f}" for dtype, flops in one.peak.items()) or "–",
    }
    width = max(map(len, figures))
    lines = [one.title, "─" * len(one.title)]
    for name, text in figures.items():
        lines.append(f"{name:<{width}}  {text}" + (" TFLOP/s" if name == "peak" and one.peak else ""))
        if name in one.sources:
            lines.append(f"{'':<{width}}    {one.sources[name]}")
    return "\n".join([*lines, *(f"note: {note}" for note in one.notes)])


def _amount(size: int | None) -> str:
    if size is None:
        return "–"
    return f"{size / 2**20:g} MiB" if size >= 2**20 else f"{size / 2**10:g} KiB"


def model_table(
    chosen: Iterable[Model], sources: bool = False, decoded: tuple[int, Device, str] | None = None
) -> Table:
    """Return a table of models, with their sources and notes below it if ``sources``.

    ``decoded`` is a number of keys, a device and the type of a word: what :meth:`.Model.decoding` takes.
    """
    rows = list(chosen)
    columns: dict[str, Any] = {"model": "key", "layers": "layers", "heads": "heads", "K/V heads": "kv_heads"}
    columns |= {"group": "group", "d": "d", "dv": "dv", "K, V a token": "kv_words"}
    notes: list[str] = []
    if decoded is not None:
        columns["hidden"] = "hidden"
        columns["attention, µs"] = lambda one: f"{one.decoding(*decoded)['decode_seconds'] * 1e6:,.3g}"
        columns["link, GB/s"] = lambda one: f"{one.decoding(*decoded)['hiding_bytes_per_second'] / 1e9:,.3g}"
        notes += [
            "",
            f"attention: of one token to {decoded[0]:,} keys, in one layer on {decoded[1].key}, in {decoded[2]}",
        ]
        notes += [
            "link: which hides the hidden words that go to the feed-forward layer's devices, and those that return"
        ]
    for one in rows if sources else ():
        notes += ["", f"{one.key}: {one.source}", *([f"note: {one.note}"] if one.note else [])]
    return Table.of(rows, columns, right=tuple(range(1, len(columns))), notes=notes)
