"""Plain data, ready for JSON, of objects: which of their attributes, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


def plain(source: object, keys: str) -> dict[str, Any]:
    """Return attributes of an object as plain data, ready for JSON: rows as they say with ``to_dict``.

    Parameters
    ----------
    keys : str
        Names of the attributes, in order; ``bytes=moved`` gives one the name ``bytes``, and ``device=device.key`` is an
        attribute of an attribute, None where that is None.

    Examples
    --------
    >>> plain(7, "real top=numerator one=denominator.real")
    {'real': 7, 'top': 7, 'one': 1}
    """
    words = (word.partition("=") for word in keys.split())
    return {name: _plain(attribute_at(source, path or name)) for name, _, path in words}


def attribute_at(source: Any, path: str) -> Any:
    """Return an attribute, or one of an attribute; None where that is None."""
    for attribute in path.split("."):
        source = None if source is None else getattr(source, attribute)
    return source


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value.to_dict() if hasattr(value, "to_dict") else value


def tiles_text(tiles: Mapping[str, int]) -> str:
    """Return tile sizes on one line.

    >>> tiles_text({"rows": 92, "cols": 4})
    'rows=92,cols=4'
    """
    return ",".join(f"{name}={size}" for name, size in tiles.items())


class PlainRow:
    """A row of a result: ``KEYS`` names what is in its plain data, as :func:`plain` takes it."""

    KEYS: ClassVar[str]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON."""
        return plain(self, self.KEYS)
