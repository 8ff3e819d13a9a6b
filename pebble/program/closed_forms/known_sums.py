"""Sums over the tiles of a mask, kept for other closed forms under it: a search asks for many of them again."""

from __future__ import annotations

import weakref

from pebble.computations.masks import Mask

__all__ = ["known_sums"]

_MASKS = 8
_SUMS = 4096

_recent: list[tuple[weakref.ref[Mask], dict[object, int]]] = []


def known_sums(mask: Mask) -> dict[object, int]:
    """Return the sums that are known of a mask, by what they are of; what is put there is known the next time.

    The sums of the last few masks are kept, each as long as its mask is; of a mask with too many all are forgotten.
    """
    for place, (other, known) in enumerate(_recent):
        if other() is mask:
            _recent.insert(0, _recent.pop(place))
            if len(known) > _SUMS:
                known.clear()
            return known
    _recent[:] = [one for one in _recent if one[0]() is not None][: _MASKS - 1]
    _recent.insert(0, (weakref.ref(mask), {}))
    return _recent[0][1]
