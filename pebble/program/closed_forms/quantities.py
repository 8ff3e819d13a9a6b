"""The part of an operation's I/O that a mask decides, as a named quantity: pairs, tiles, queries or keys."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, overload

import numpy as np

from pebble.computations.array import Array
from pebble.computations.family import Family
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.closed_forms.blocks import Blocks, End, MaskBoxes, PairCounts, Side, Visits
from pebble.program.closed_forms.chains import Reached
from pebble.program.closed_forms.formula import FORMULAS, Algebra, Amount, Formula
from pebble.program.closed_forms.known_sums import SumKeys, known_sums
from pebble.program.closed_forms.pair_counts import counts_of, has_rule
from pebble.program.closed_forms.simplified import simplified
from pebble.program.nodes import Condition, Interval, Loop
from pebble.program.places import Place
from pebble.program.steps import tile_count

__all__ = ["Quantities", "Words", "exact_sum"]

_WORD = {"i": "queries", "j": "keys"}
_ONE = {"i": "query", "j": "key"}


@dataclass(frozen=True)
class Words:
    """What one visit moves.

    Parameters
    ----------
    kind : {"tiles", "lines", "pairs", "begun"}
        One word; the lines of an axis that have any pair; the pairs of the block; the lines whose chain has begun.
    axis : str
        Of the lines.
    upto : "start", "stop" or int
        How far the chain has got.
    at : dict of str to (int, int)
        Intervals given explicitly.
    """

    kind: str
    axis: str = ""
    upto: Reached = "stop"
    at: Mapping[str, Interval] = field(default_factory=dict)


class Quantities(Generic[Amount]):
    """The quantities of one closed form: their values, and a legend of their names.

    Parameters
    ----------
    family : Family
        Under a mask.
    algebra : Algebra
        In what they are told: as formulas, or as plain numbers without a legend.

    Attributes
    ----------
    legend : dict of str to str
        What each name means that is not one of the problem's own.
    """

    @overload
    def __init__(self: Quantities[Formula], family: Family) -> None: ...

    @overload
    def __init__(self, family: Family, algebra: Algebra[Amount]) -> None: ...

    def __init__(self, family: Family, algebra: Algebra[Any] = FORMULAS) -> None:
        assert family.mask is not None
        self.family, self.mask = family, family.mask
        self.algebra: Algebra[Amount] = algebra
        self.legend: dict[str, str] = {}
        self._values: dict[str, int] = {}
        self._known, self._keys = known_sums(family.mask), SumKeys(family.mask)
        self._counts: dict[object, PairCounts] = {}
        self._visits: dict[Blocks, Visits] = {}
        self._places: dict[int, tuple[tuple[Loop | Condition, ...], Blocks]] = {}

    def moved(self, place: Place, array: Array, upto: Reached | None) -> Amount:
        """Words along the mask's axes of all executions of a load or store together.

        Parameters
        ----------
        place : Place
        array : Array
        upto : "start", "stop", int or None
            How far the array's chain has got, where that is over queries or keys.
        """
        blocks = self._blocks(place)
        own = [axis for axis in "ij" if axis in array.axes]
        at = {axis: (a, b) for axis, a, b in place.operation.at if axis in _WORD}
        if len(own) == 2:
            return self._part(blocks, Words("pairs", at=at))
        if not own:
            return self._part(blocks, Words("tiles", at=at))
        whole = upto is None or upto == self.family.extents[OTHER_AXIS[own[0]]]
        if whole:
            return self._part(blocks, Words("lines", own[0], at=at))
        assert upto is not None
        return self._part(blocks, Words("begun", own[0], upto, at))

    def _blocks(self, place: Place) -> Blocks:
        """The blocks at a place: those of all operations in one body are made once."""
        known = self._places.get(id(place.around))
        if known is None or known[0] is not place.around:
            known = self._places[id(place.around)] = place.around, _blocks(place, self.family)
        return known[1]

    # Values

    def value(self, blocks: Blocks, words: Words) -> int:
        """Sum over the visited blocks, exactly."""
        found = simplified(_marked(blocks, words))
        if found is None or not (found.i.n_cells and found.j.n_cells):
            return 0
        key = self._keys.of(found, words)
        if key not in self._known:
            measure = self._measure(self._counter(found), words)
            quarters = sum(exact_sum(measure(boxes), times) for boxes, times in self._visited(found))
            self._known[key] = quarters // 4
        return self._known[key]

    def _visited(self, blocks: Blocks) -> Iterable[Visits]:
        """The visited blocks; kept for the next words if they are looked at all at once."""
        if blocks in self._visits:
            return [self._visits[blocks]]
        chunks = blocks.visited(self._counter(blocks))
        found = list(itertools.islice(chunks, 2))
        if len(found) == 1:
            self._visits[blocks] = found[0]
        return itertools.chain(found, chunks)

    def _counter(self, blocks: Blocks) -> PairCounts:
        key = None if has_rule(self.mask) else (blocks.i, blocks.j)
        if key not in self._counts:
            self._counts[key] = counts_of(self.mask, blocks)
        return self._counts[key]

    def _measure(self, counts: PairCounts, words: Words) -> Callable[[MaskBoxes], np.ndarray]:
        def interval(boxes: MaskBoxes, axis: str) -> tuple[np.ndarray, np.ndarray]:
            start, stop = boxes[axis]
            if axis in words.at:
                a, b = words.at[axis]
                return np.full_like(start, a), np.full_like(stop, b)
            return start, stop

        def measure(boxes: MaskBoxes) -> np.ndarray:
            if words.kind == "pairs":
                return counts.pairs(interval(boxes, "i"), interval(boxes, "j"))
            if words.kind == "tiles":
                return np.ones_like(boxes.i[0])
            start, stop = interval(boxes, words.axis)
            if words.kind == "lines":
                return counts.lines(words.axis, (start, stop))
            partners = boxes[OTHER_AXIS[words.axis]]
            if isinstance(words.upto, int):
                before = np.full_like(start, words.upto)
            else:
                before = partners[0] if words.upto == "start" else partners[1]
            return counts.begun(words.axis, (start, stop), before)

        return measure

    # Texts

    def _part(self, blocks: Blocks, words: Words) -> Amount:
        """The sum as a formula: of the problem's own symbols where it can be, else by a name of its own."""
        if words.at:
            return self.algebra.constant(self.value(blocks, words))
        looped = [axis for axis in "ij" if blocks[axis].tiles]
        units = [axis for axis in looped if blocks[axis].units]
        if words.kind == "lines" and len(looped) == 2 and words.axis in units:
            words = Words("tiles")
        if words.kind == "tiles" and not blocks.ends and looped == units and looped:
            words = Words("pairs") if len(looped) == 2 else Words("lines", looped[0])
        known = {"pairs": self._pairs, "tiles": self._tiles, "lines": self._lines, "begun": self._begun}
        simple = (self._once if blocks.ends else known[words.kind])(blocks, words)
        return simple if simple is not None else self._named(blocks, words)

    def _pairs(self, blocks: Blocks, words: Words) -> Amount:
        """Allowed pairs; tiles make no difference."""
        if not (blocks.i.whole and blocks.j.whole):
            return self._named(Blocks(_untiled(blocks.i), _untiled(blocks.j)), words)
        self.legend["z"] = "allowed pairs of a query and a key"
        return self.algebra.symbol("z", self.mask.pairs)

    def _tiles(self, blocks: Blocks, _: Words) -> Amount | None:
        """Tiles of one axis, where each holds a pair."""
        looped = [axis for axis in "ij" if blocks[axis].tiles]
        if len(looped) != 1:
            return None if looped else self.algebra.constant(1)
        side = blocks[looped[0]]
        count, tile = side.count, side.tiles[-1]
        if self.value(blocks, Words("tiles")) != count:
            return None
        if count <= 1 or not self.algebra.named or count != tile_count(side.start, side.stop, tile):
            return self.algebra.constant(count)
        text = str(self._length(side))
        return self.algebra.symbol(f"⌈{text}/{tile}⌉" if text.isalnum() else f"⌈({text})/{tile}⌉", count)

    def _lines(self, blocks: Blocks, words: Words) -> Amount | None:
        """Lines with any pair: once each, or once for every tile of the other axis."""
        side, other = blocks[words.axis], blocks[OTHER_AXIS[words.axis]]
        if not other.tiles:
            return self._present(side)
        return None if side.tiles else self._present(side) * self._part(blocks, Words("tiles"))

    def _present(self, side: Side) -> Amount:
        """Lines of an axis with any pair: the axis's own symbol where that is all of them."""
        if self.mask.present(side.axis, side.start, side.stop) < side.stop - side.start:
            return self._named(_alone(_untiled(side), self.family), Words("lines", side.axis))
        return self._length(side)

    def _length(self, side: Side) -> Amount:
        if side.stop < side.extent:
            return self.algebra.constant(side.stop - side.start)
        return self.algebra.symbol(self.family.symbols[side.axis], side.extent) - self.algebra.constant(
            side.start
        )

    def _begun(self, blocks: Blocks, words: Words) -> Amount | None:
        """Single lines have begun at each of their tiles but the first, and by the end of each."""
        side, other = blocks[words.axis], blocks[OTHER_AXIS[words.axis]]
        if not side.units or isinstance(words.upto, int):
            return None
        tiles = self._part(blocks, Words("tiles"))
        if words.upto == "stop":
            return tiles
        return tiles - self._present(side) if other.whole else None

    def _once(self, blocks: Blocks, words: Words) -> Amount | None:
        """Under one condition on the first or last tile: each line of the other axis meets just one such tile."""
        if len(blocks.ends) > 1:
            return None
        end = blocks.ends[0]
        own, other = blocks[end.axis], blocks[OTHER_AXIS[end.axis]]
        finest = end.level == len(own.tiles) == 1 and end.partner == len(other.tiles) > 0
        if not (finest and own.whole):
            return None
        once = self._one_end(other, end, words)
        if once is None or not end.negated:
            return once
        return self._part(Blocks(blocks.i, blocks.j), words) - once

    def _one_end(self, other: Side, end: End, words: Words) -> Amount | None:
        if words.kind == "tiles":
            return self._part(_alone(other, self.family), words)
        if words.kind == "lines":
            return self._present(other) if words.axis == other.axis else None
        if words.kind == "begun" and words.axis == other.axis:
            if (end.which, words.upto) == ("first", "start"):
                return self.algebra.constant(0)
            if (end.which, words.upto) == ("last", "stop"):
                return self._present(other)
        return None

    def _named(self, blocks: Blocks, words: Words) -> Amount:
        value = self.value(blocks, words)
        if not self.algebra.named:
            return self.algebra.constant(value)
        name, meaning = _name(blocks, words, self.family)
        while self._values.setdefault(name, value) != value:
            name += "′"
        self.legend[name] = meaning
        return self.algebra.symbol(name, value)


def _marked(blocks: Blocks, words: Words) -> Blocks:
    """Mark where what is asked about begins and ends."""
    sides = {axis: blocks[axis] for axis in "ij"}
    for axis, interval in words.at.items():
        sides[axis] = replace(sides[axis], marks=interval)
    if words.kind == "begun" and isinstance(words.upto, int):
        other = OTHER_AXIS[words.axis]
        sides[other] = replace(sides[other], marks=(*sides[other].marks, words.upto))
    return Blocks(sides["i"], sides["j"], blocks.ends)


def exact_sum(words: np.ndarray, times: np.ndarray) -> int:
    """Sum of products, in whole numbers of any size where 64 bits may not do."""
    if np.dot(words.astype(float), times.astype(float)) < 2.0**62:
        return int(np.dot(words, times))
    return sum(a * b for a, b in zip(words.tolist(), times.tolist(), strict=True))


def _alone(side: Side, family: Family) -> Blocks:
    """Blocks of one axis's tiles with the whole other axis."""
    rest = OTHER_AXIS[side.axis]
    whole = Side(rest, family.extents[rest], 0, family.extents[rest])
    return Blocks(side, whole) if side.axis == "i" else Blocks(whole, side)


def _untiled(side: Side) -> Side:
    return replace(side, tiles=())


def _blocks(place: Place, family: Family) -> Blocks:
    sides = {}
    for axis in "ij":
        loops, extent = place.loops(axis), family.extents[axis]
        start, stop = (loops[0].start, loops[0].stop) if loops else (0, None)
        stop = extent if stop is None else stop
        sides[axis] = Side(axis, extent, start, stop, tuple(loop.tile for loop in loops))
    seen: dict[str, int] = {"i": 0, "j": 0}
    labels, ends = dict[str, tuple[str, int, int]](), list[End]()
    for node in place.around:
        if isinstance(node, Loop):
            if node.axis in seen:
                seen[node.axis] += 1
                _, level, root = labels.get(node.label, ("", 0, 0))
                labels[node.label] = (node.axis, seen[node.axis], root or level)
            else:
                labels.pop(node.label, None)
        elif node.label in labels:
            axis, level, root = labels[node.label]
            ends.append(End(axis, level, node.which, node.negated, seen[OTHER_AXIS[axis]], str(node), root))
    return Blocks(sides["i"], sides["j"], tuple(ends))


# Names


def _name(blocks: Blocks, words: Words, family: Family) -> tuple[str, str]:
    """Return a quantity's name, and what it means."""
    about = [_part_text(blocks[axis]) for axis in "ij" if not blocks[axis].whole]
    if not (blocks.i.tiles or blocks.j.tiles) and words.kind in ("lines", "pairs"):
        return _untiled_name(words, about)
    sizes = {axis: _size(blocks[axis], family) for axis in "ij"}
    about += [end.text for end in blocks.ends]
    inside = ", ".join([f"{sizes['i']}×{sizes['j']}", *about])
    tiles = " × ".join(f"{sizes[axis]} {_WORD[axis] if sizes[axis] != '1' else _ONE[axis]}" for axis in "ij")
    where = f"tiles of {tiles} that hold an allowed pair"
    if about:
        where += f" ({', '.join(about)})"
    if words.kind == "tiles":
        return f"tiles({inside})", where
    if words.kind == "pairs":
        return f"pairs({inside})", f"allowed pairs in {where}"
    lines, partner = _WORD[words.axis], _ONE[OTHER_AXIS[words.axis]]
    if words.kind == "lines":
        return f"{lines}({inside})", f"{lines} with any allowed pair, summed over {where}"
    if isinstance(words.upto, int):
        return (
            f"{lines}({inside}, begun before {words.upto})",
            f"{lines} with an allowed {partner} before {words.upto}, summed over {where}",
        )
    word = "begun" if words.upto == "start" else "reached"
    when = "before the tile" if words.upto == "start" else "in the tile or before it"
    return (
        f"{word}_{lines}({inside})",
        f"{lines} with an allowed {partner} {when}, summed over {where}",
    )


def _untiled_name(words: Words, about: list[str]) -> tuple[str, str]:
    name, meaning = "z", "allowed pairs of a query and a key"
    if words.kind == "lines":
        name, meaning = _WORD[words.axis], f"{_WORD[words.axis]} with any allowed pair"
    part = ", ".join(about)
    return (f"{name}({part})", f"{meaning} ({part})") if part else (name, meaning)


def _size(side: Side, family: Family) -> str:
    """Length of the finest tiles, after those of outer loops where these make a difference."""
    kept: list[int] = []
    for tile in reversed(side.tiles):
        if tile < side.stop - side.start and (not kept or tile % kept[0]):
            kept.insert(0, tile)
    if not kept:
        return family.symbols[side.axis] if side.whole else str(side.stop - side.start)
    return "/".join(map(str, kept))


def _part_text(side: Side) -> str:
    name = _WORD[side.axis]
    if side.stop == side.extent:
        return f"{name} from {side.start}"
    return f"{name} before {side.stop}" if side.start == 0 else f"{name} {side.start} to {side.stop - 1}"
