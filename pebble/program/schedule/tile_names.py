"""The names that papers and kernels give to tile sizes: Br and Bc, BLOCK_M and BLOCK_N."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pebble.common.errors import InvalidInput

_OTHER_NAMES = {"Br": "rows", "Bc": "cols", "BLOCK_M": "rows", "BLOCK_N": "cols"}
"""Other names for numbers of queries and of keys: in FlashAttention's papers, and in Triton's kernels."""


def plain_names(sizes: Mapping[str, int], taken: Iterable[str]) -> dict[str, int]:
    """Return sizes by the names that are taken, where they are given by the papers' or the kernels' names.

    Parameters
    ----------
    sizes : mapping of str to int
    taken : iterable of str
        Such as a schedule's tile names. Names that are neither taken nor known stay as they are.

    Examples
    --------
    >>> plain_names({"Br": 128, "BLOCK_N": 64}, ("rows", "cols"))
    {'rows': 128, 'cols': 64}
    """
    if _OTHER_NAMES.keys().isdisjoint(sizes):
        return dict(sizes)
    taken, found, given = set(taken), dict[str, int](), dict[str, str]()
    for name, size in sizes.items():
        other = _OTHER_NAMES.get(name, name)
        plain = other if name not in taken and other in taken else name
        if plain in found:
            raise InvalidInput(f"{plain} is given twice, as {given[plain]} and as {name}")
        found[plain], given[plain] = size, name
    return found


def checked_tiles(
    schedule: str,
    tiles: Mapping[str, int],
    taken: Sequence[str],
    may_be_zero: Sequence[str],
    optional: Sequence[str],
) -> dict[str, int]:
    """Return tile sizes in the order in which a schedule lists them.

    Parameters
    ----------
    schedule : str
        Its name, for messages.
    tiles : mapping of str to int
    taken, may_be_zero, optional : sequence of str
        The tile sizes that it takes, those that may be zero, and those that may be left out.
    """
    tiles = plain_names(tiles, taken)
    unknown = sorted(set(tiles) - set(taken))
    if unknown:
        takes = known_names(taken) or "no tiles"
        raise InvalidInput(f"{schedule} has no tile size {', '.join(unknown)}; it has {takes}")
    for name, size in tiles.items():
        least = 0 if name in may_be_zero else 1
        if isinstance(size, bool) or not isinstance(size, int) or size < least:
            raise InvalidInput(f"{schedule}: tile {name}={size!r} must be a whole number ≥ {least}")
    missing = [name for name in taken if name not in tiles and name not in optional]
    if missing:
        raise InvalidInput(
            f"{schedule} also needs tile sizes for {', '.join(missing)}; give them, or choose a schedule "
            "with --schedule"
        )
    return {name: tiles[name] for name in taken if name in tiles}


def known_names(taken: Iterable[str]) -> str:
    """Return the names that sizes may be given by, in words.

    Examples
    --------
    >>> known_names(("rows", "pinned"))
    'rows, pinned (Br or BLOCK_M is rows)'
    """
    taken = tuple(taken)
    others = {plain: [name for name, one in _OTHER_NAMES.items() if one == plain] for plain in taken}
    more = ", ".join(f"{' or '.join(names)} is {plain}" for plain, names in others.items() if names)
    return ", ".join(taken) + (f" ({more})" if more else "")
