"""Which pairs of a mask are allowed, as a plain table; every pair where there is no mask."""

from __future__ import annotations

from functools import cache

from tests.program.names import Family

Interval = tuple[int, int]
OTHER = {"i": "j", "j": "i"}


class Pairs:
    """What a program can ask about a family's mask."""

    def __init__(self, family: Family) -> None:
        self.table: list[list[bool]] | None = None
        self.extents = family.extents
        if family.mask is not None:
            self.table = family.mask.matrix((0, family.mask.Nq), (0, family.mask.Nk)).tolist()
            self.lines = {"i": self.table, "j": [list(column) for column in zip(*self.table, strict=True)]}
            self._partners = cache(self._list_partners)
            self._any = cache(self._any_pair)

    def masks(self, axis: str) -> bool:
        return self.table is not None and axis in OTHER

    def meet(self, axis: str, interval: Interval, tiles: dict[str, Interval]) -> bool:
        """Whether an interval of an axis has a pair with the current tile of the other."""
        if not self.masks(axis):
            return True
        return self._any(axis, interval, tiles.get(OTHER[axis], (0, self.extents[OTHER[axis]])))

    def _any_pair(self, axis: str, interval: Interval, others: Interval) -> bool:
        return any(any(line[slice(*others)]) for line in self.lines[axis][slice(*interval)])

    def exist(self, axes: tuple[str, ...], index: tuple[int, ...]) -> bool:
        """Whether the element of an array with these axes has any pair."""
        at = dict(zip(axes, index, strict=True))
        if "i" in at and "j" in at:
            return self.lines["i"][at["i"]][at["j"]]
        return all(bool(self._partners(axis, at[axis])) for axis in OTHER if axis in at)

    def partners(self, axis: str, axes: tuple[str, ...], index: tuple[int, ...]) -> list[int]:
        """The places on an axis that have a pair with the element's line of the other."""
        return self._partners(OTHER[axis], index[axes.index(OTHER[axis])])

    def _list_partners(self, axis: str, line: int) -> list[int]:
        return [place for place, allowed in enumerate(self.lines[axis][line]) if allowed]
