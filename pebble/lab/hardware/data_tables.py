"""The data files of devices and models, and finding a name in them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any, TypeVar

from pebble.common.errors import InvalidInput

T = TypeVar("T")


def read_table(name: str) -> dict[str, Any]:
    """Return a table of this package, parsed.

    Parameters
    ----------
    name : str
        ``"devices.toml"`` or ``"models.toml"``.
    """
    from importlib.resources import files

    return tomllib.loads(files("pebble.lab.hardware").joinpath(name).read_text(encoding="utf-8"))


def _plain(name: str) -> str:
    return re.sub(r"[\s_.-]", "", name.lower())


def find(name: str, table: Mapping[str, T], kind: str) -> T:
    """Return the entry with a name; case, hyphens, dots, underscores and blanks do not matter.

    >>> find("RTX 4090", {"rtx4090": 1, "a100": 2}, "device")
    1
    """
    import difflib

    plain = {_plain(key): key for key in table}
    if not isinstance(name, str):
        raise InvalidInput(f"a {kind} is given by its name, a text, not {name!r}")
    key = plain.get(_plain(name))
    if key is not None:
        return table[key]
    close = difflib.get_close_matches(_plain(name), plain, n=1)
    hint = f"; did you mean {plain[close[0]]}?" if close else "."
    raise InvalidInput(f"unknown {kind} {name!r}{hint} Known: {', '.join(table)} (see: pebble {kind}s)")
