"""What a word sees of loops over other axes than its own: letters, and all sequences of them.

Progress is a set of segments of the chain's axis, a bit each; ``STALE`` is progress that is no set of whole segments.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

from pebble.program.counting.life_text import ALL, LINE, Tiles

if TYPE_CHECKING:
    from pebble.program.counting.life_text import Item, LineSet
    from pebble.program.nodes import Interval, Loop

STALE = -1

Segments = tuple[int, ...]
"""For each segment of an axis whether the line has a step there."""
States = set[tuple[int, ...]]
"""How far a word may have got, in each memory."""
Letter = tuple[int, ...]
"""For each set of lines whether it has a pair somewhere."""


class Tile(NamedTuple):
    """The innermost loop around over an axis that is not the word's own: its segment, and which sets have a pair."""

    lo: int
    hi: int
    tile: int
    here: dict[LineSet, int]


@dataclass(frozen=True)
class Sight:
    """All that a word sees at a node.

    Attributes
    ----------
    bits : dict of str to tuple of int
        The segments of every axis that is not its own.
    inner : dict of str to Tile
    seen : dict
        Of every loop around, by label: whether each set has pairs before its tile, and behind it. Of a loop over an
        axis of its own: its tiles, or None where its ends are unknown.
    lines : LineSet
        The current tile of lines.
    """

    bits: dict[str, Segments]
    inner: dict[str, Tile]
    seen: dict[str, dict[LineSet, tuple[int, int]] | Tiles | None]
    lines: LineSet = ALL


@lru_cache(4096)
def steps_of(bits: Segments) -> int:
    """Return the segments that have steps, as a set."""
    return sum(bit << number for number, bit in enumerate(bits))


def _joined(progress: int, bits: Segments, lo: int, hi: int) -> int:
    """Return 1 if all segments in [lo, hi) with steps are done, 0 if none is, STALE if some are."""
    part, whole = progress >> lo & ((1 << hi - lo) - 1), steps_of(bits[lo:hi])
    return 0 if part == 0 else 1 if part == whole else STALE


@lru_cache(4096)
def _recut(bits: Segments, new: Segments, lo: int, hi: int, progress: int) -> int:
    """Return progress with the segments in [lo, hi) cut anew, as those of ``new`` in place of those of ``bits``."""
    done = STALE if progress == STALE else _joined(progress, bits, lo, hi)
    if done == STALE:
        return STALE
    upto = hi + len(new) - len(bits)
    middle = done * steps_of(new[lo:upto])
    return (progress & ((1 << lo) - 1)) | (middle << lo) | (progress >> hi << upto)


@lru_cache(4096)
def _moved(bits: Segments, new: Segments, lo: int, progress: int) -> int:
    """Return progress when the tile at ``lo + 1`` has become part of what is before, and what was behind is cut."""
    done = STALE if progress == STALE else _joined(progress, bits, lo, lo + 2)
    if done == STALE:
        return STALE
    behind = 0b110 if progress >> lo + 2 & 1 else 0
    middle = (done | behind) & steps_of(new[lo : lo + 3])
    return (progress & ((1 << lo) - 1)) | (middle << lo) | (progress >> lo + 3 << lo + 3)


def sets_with_pairs(
    among: list[LineSet], most: LineSet, line: int | None = None
) -> Iterator[dict[LineSet, int]]:
    """Yield which sets may have a pair somewhere: the line's pairs are those of all, all are pairs of ``most``."""
    for values in itertools.product((0, 1), repeat=len(among)):
        has = dict(zip(among, values, strict=True))
        if line is not None and has[LINE] != line:
            continue
        if all(
            has[LINE] <= has[one] <= has[most]
            and not (isinstance(one, Tiles) and one.outer in has and has[one] > has[one.outer])
            for one in among
        ):
            yield has


@lru_cache(maxsize=512)
def _next_tiles(among: tuple[LineSet, ...], most: LineSet) -> dict[Letter, list[tuple[Letter, Letter]]]:
    """Return by who has pairs still: who may have some in the next tile, and behind it."""
    letters = [tuple(has.values()) for has in sets_with_pairs(list(among), most)]
    found: dict[Letter, list[tuple[Letter, Letter]]] = {}
    for tile in letters:
        if tile[among.index(most)]:
            for after in letters:
                found.setdefault(tuple(map(max, tile, after)), []).append((tile, after))
    return found


class Visits:
    """A loop over an axis that is not the word's own: all sequences of visits that a mask may make of it.

    Parameters
    ----------
    item : Item
    node : Loop
    sight : Sight
        What the word sees outside.
    among : list of LineSet
        The sets that matter inside.
    most : LineSet
        For which the loop visits tiles: those in which it has a pair.
    at : (int, int)
        The segments of the loop's range.
    single : bool
        Whether there is one tile only.
    chained : bool
        Whether the word's chain is along the axis.
    contiguous : bool
        Whether a line has pairs with all partners between two.
    """

    def __init__(
        self,
        item: Item,
        node: Loop,
        sight: Sight,
        among: list[LineSet],
        most: LineSet,
        at: Interval,
        *,
        single: bool,
        chained: bool,
        contiguous: bool,
    ) -> None:
        self.item, self.node, self.sight = item, node, sight
        self.among, self.most, self.single = among, among.index(most), single
        self.chained, self.contiguous = chained, contiguous
        self.lo, self.hi = at
        self.outer = sight.bits[node.axis]
        self.next = _next_tiles(tuple(among), most)
        self.known: dict[tuple[Letter, Letter, Letter], States] = {}
        self.front: list[tuple[Letter, Letter, Letter, States]] = []

    def states(
        self, before: States, total: dict[LineSet, int], body: Callable[[States, Sight], States]
    ) -> States:
        """Return the states behind the loop, given those before it, who has a pair in its range, and its body."""
        left = tuple(total[one] for one in self.among)
        none = tuple(0 for _ in left)
        behind: States = set()
        for tile, after in self._tiles(left):
            new = self._picture(none, tile, after)
            self._push(none, tile, after, self._told(before, _recut, self.outer, new, self.lo, self.hi))
        while self.front:
            passed, tile, after, now = self.front.pop()
            bits = self._picture(passed, tile, after)
            done = body(now, self._inside(passed, tile, after, bits))
            if not after[self.most]:
                behind |= self._told(done, _recut, bits, self.outer, self.lo, self.lo + 3)
                continue
            passed = tuple(map(max, passed, tile))
            for next_tile, rest in self._tiles(after):
                new = self._picture(passed, next_tile, rest)
                self._push(passed, next_tile, rest, self._told(done, _moved, bits, new, self.lo))
        return behind

    def _tiles(self, left: Letter) -> Iterator[tuple[Letter, Letter]]:
        """Yield the tiles that may come when ``left`` says who has pairs still: who has some in it, and behind it."""
        if self.single:
            yield left, tuple(0 for _ in left)
            return
        yield from self.next.get(left, ())

    def _picture(self, before: Letter, tile: Letter, after: Letter) -> Segments:
        """Return the segments of the axis: before the tile, the tile, behind it in place of the loop's range."""
        return (*self.outer[: self.lo], before[0], tile[0], after[0], *self.outer[self.hi :])

    def _told(self, states: States, change: Callable[..., int], *places: object) -> States:
        """Return states in which progress is told in other segments."""
        if not self.chained:
            return states
        new = partial(change, *places)
        return {tuple(map(new, state)) for state in states}

    def _push(self, before: Letter, tile: Letter, after: Letter, states: States) -> None:
        """Note a visit to be made, if any of its states is new."""
        if self.contiguous and before[0] > tile[0] < after[0]:
            return
        known = self.known.setdefault((before, tile, after), set())
        if fresh := states - known:
            known |= fresh
            self.front.append((before, tile, after, fresh))

    def _inside(self, before: Letter, tile: Letter, after: Letter, bits: Segments) -> Sight:
        """Return what the word sees in a visit."""
        axis, label, sight = self.node.axis, self.node.label, self.sight
        seen = {one: (before[at], after[at]) for at, one in enumerate(self.among)}
        around = sight.seen.get(label)
        if isinstance(around, dict):
            seen = {one: (around[one][0] | b, around[one][1] | a) for one, (b, a) in seen.items()}
        here = dict(zip(self.among, tile, strict=True))
        return Sight(
            {**sight.bits, axis: bits},
            {**sight.inner, axis: Tile(self.lo + 1, self.lo + 2, self.node.tile, here)},
            {**sight.seen, label: seen},
            sight.lines,
        )
