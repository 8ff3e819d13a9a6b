"""What other installed projects register: entry points, found once and loaded once."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pebble.common.errors import InvalidInput

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def entry_points_of(group: str) -> list[EntryPoint]:
    """Return the entry points of a group by name.

    Parameters
    ----------
    group : str
        ``pebble.schedules``, ``pebble.level_schedules`` or ``pebble.bounds``.
    """
    return _entries(group, tuple(sys.path))


@lru_cache(maxsize=8)
def _entries(group: str, path: tuple[str, ...]) -> list[EntryPoint]:
    """Read the files of all projects that are installed on a path."""
    from importlib.metadata import entry_points

    return sorted(set(entry_points(group=group)))


@lru_cache(maxsize=256)
def loaded(entry: EntryPoint, what: str) -> Any:
    """Return what an entry point names."""
    try:
        return entry.load()
    except Exception as error:
        raise InvalidInput(f"{what} {entry.name!r} ({entry.value}) cannot be loaded: {error}") from error
