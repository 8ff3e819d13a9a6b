"""The lines of a pebbling file's header that say which devices play."""

from __future__ import annotations

import re

from pebble.common.errors import InvalidInput
from pebble.common.text_lines import shown
from pebble.game.processors.layouts import Layout
from pebble.game.processors.settings import Processors

__all__ = ["PROCESSOR_LINES", "processors_of"]

PROCESSOR_LINES = ("devices", "layout", "H", "sums")
"""Lines that a file of several devices has beside those of every pebbling."""

_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")


def processors_of(seen: dict[str, list[str]]) -> Processors | None:
    """Return the devices that the lines of a header speak of; None if they speak of none.

    Raises
    ------
    InvalidInput
        If the lines are not written as they must be.

    Examples
    --------
    >>> processors_of({"devices": ["2"], "layout": ["0", "1", "1"], "sums": ["U"]})
    Processors(devices=2, layout=(0, 1, 1), memory=None, fast=None, sums=('U',), strict=False)
    """
    if "devices" not in seen:
        for key in PROCESSOR_LINES:
            if key in seen:
                raise InvalidInput(f"a line '# {key}' needs a line '# devices'")
        return None
    if "levels" in seen:
        raise InvalidInput("a game has several memory levels or several devices, not both")
    devices, strict = _devices(seen["devices"])
    memory = _number("H", seen["H"]) if "H" in seen else None
    fast = _number("M", seen["M"]) if "M" in seen else None
    if "sums" in seen and (not seen["sums"] or len(set(seen["sums"])) < len(seen["sums"])):
        raise InvalidInput("'# sums' names the arrays whose sums are free, each once")
    layout = _layout(seen.get("layout", ["contiguous"]))
    return Processors(devices, layout, memory, fast, tuple(seen.get("sums", ())), strict)


def _devices(values: list[str]) -> tuple[int, bool]:
    strict = values[1:] == ["strict"]
    if not values or (len(values) > 1 and not strict):
        raise InvalidInput(
            f"'# devices' has a number and perhaps the word strict, not {shown(' '.join(values))}"
        )
    return _number("devices", values[:1]), strict


def _number(key: str, values: list[str]) -> int:
    if len(values) != 1 or not _NUMBER.fullmatch(values[0]):
        raise InvalidInput(f"'# {key}' has one whole number, not {shown(' '.join(values))}")
    return int(values[0])


def _layout(values: list[str]) -> Layout:
    if values and all(map(_NUMBER.fullmatch, values)):
        return tuple(map(int, values))
    return " ".join(values)
