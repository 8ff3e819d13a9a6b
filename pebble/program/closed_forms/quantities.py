"""What a mask decides of an operation's words, told as a named quantity: pairs, tiles, queries or keys.

The number is known, from the fold. Here it gets a name from the text: of the problem's own symbols where these give
just that number, else a name of its own that the legend explains.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from pebble.computations.array import Array
from pebble.computations.family import Family
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.closed_forms.formula import Formula, constant, symbol
from pebble.program.nodes import Condition, Loop
from pebble.program.places import Place
from pebble.program.steps import tile_count

Enclosing = tuple[Loop, tuple[Condition, ...]]
"""A loop around an operation, with the conditions on it."""
_WORD = {"i": "queries", "j": "keys"}
_ONE = {"i": "query", "j": "key"}


class Side(NamedTuple):
    """How nested loops cut one axis, from the outermost to the innermost; without loops it is whole."""

    axis: str
    extent: int
    start: int
    stop: int
    loops: tuple[Loop, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether nothing of the axis is left out."""
        return (self.start, self.stop) == (0, self.extent)

    @property
    def n_tiles(self) -> int:
        """Number of the finest tiles."""
        return pieces(self.stop - self.start, [(loop, ()) for loop in self.loops]).total()

    @property
    def units(self) -> bool:
        """Whether the finest tiles are single lines."""
        return bool(self.loops) and self.loops[-1].tile == 1


class End(NamedTuple):
    """A condition that a loop is at its first or last visited tile (or not).

    Attributes
    ----------
    condition : Condition
    axis : str
    level, partner : int
        Number of the loop among the loops over its axis, from 1; and of loops over the other axis around the condition.
    """

    condition: Condition
    axis: str
    level: int
    partner: int


class Blocks(NamedTuple):
    """Tiles of queries × keys at which an operation stands, and the conditions on them."""

    sides: dict[str, Side]
    ends: tuple[End, ...] = ()

    @property
    def looped(self) -> list[str]:
        """Axes on which there are loops."""
        return [axis for axis, side in self.sides.items() if side.loops]


class Words(NamedTuple):
    """What one visit moves.

    Attributes
    ----------
    kind : {"tiles", "pairs", "lines", "begun", "reached"}
        One word; the pairs of the tile; the lines of an axis that have any pair; of these, the lines with a pair before
        the tile, or in it or before it.
    axis : str
        Of the lines.
    """

    kind: str
    axis: str = ""


class Names:
    """Names for the numbers of one closed form that a mask decides.

    Parameters
    ----------
    family : Family

    Attributes
    ----------
    legend : dict of str to str
        What each name means that is not one of the problem's own.
    """

    def __init__(self, family: Family) -> None:
        self.family, self.mask = family, family.mask
        self.legend: dict[str, str] = {}
        self._values: dict[str, int] = {}

    def of(self, place: Place, array: Array, progress: str, value: int) -> Formula:
        """Return a number of words along the mask's axes, of all executions of a load or store, as a formula.

        Parameters
        ----------
        place : Place
        array : Array
        progress : {"all", "start", "end"}
            How far the array's chain has got.
        value : int
        """
        if any(axis in _WORD for axis, _, _ in place.operation.at):
            return constant(value)
        own = [axis for axis in "ij" if axis in array.axes]
        if len(own) == 1:
            words = Words({"all": "lines", "start": "begun", "end": "reached"}[progress], own[0])
        else:
            words = Words("pairs" if own else "tiles")
        return self._part(_blocks(place, self.family), words, value)

    def _part(self, blocks: Blocks, words: Words, value: int) -> Formula:
        """Return the number by symbols if these give it, else by a name."""
        looped = blocks.looped
        units = [axis for axis in looped if blocks.sides[axis].units]
        if words.kind == "lines" and len(looped) == 2 and words.axis in units:
            words = Words("tiles")
        if words.kind == "tiles" and not blocks.ends and looped == units and looped:
            words = Words("pairs") if len(looped) == 2 else Words("lines", looped[0])
        simple = self._once(blocks, words, value) if blocks.ends else self._simple(blocks, words, value)
        return simple if simple is not None and int(simple) == value else self._named(blocks, words, value)

    def _simple(self, blocks: Blocks, words: Words, value: int) -> Formula | None:
        """Return what is asked of all tiles by symbols, if there may be a way."""
        if words.kind == "pairs":
            assert self.mask is not None
            self.legend["z"], self._values["z"] = "allowed pairs of a query and a key", self.mask.pairs
            return symbol("z", self.mask.pairs)
        if words.kind == "tiles":
            return self._tiles(blocks)
        side, other = blocks.sides[words.axis], blocks.sides[OTHER_AXIS[words.axis]]
        if words.kind == "lines":
            if not other.loops:
                return self._present(side)
            present = self._present(side)
            if side.loops or not int(present):
                return None
            return present * self._part(blocks, Words("tiles"), value // int(present))
        # Single lines have begun at each of their tiles but the first, and by the end of each.
        if side.units and words.kind == "reached":
            return self._part(blocks, Words("tiles"), value)
        if side.units and other.whole:
            present = self._present(side)
            return self._part(blocks, Words("tiles"), value + int(present)) - present
        return None

    def _tiles(self, blocks: Blocks) -> Formula | None:
        """Return the number of tiles of one axis, as if each held a pair."""
        if len(blocks.looped) != 1:
            return None if blocks.looped else constant(1)
        side = blocks.sides[blocks.looped[0]]
        count, tile = side.n_tiles, side.loops[-1].tile
        if count <= 1 or count != tile_count(side.start, side.stop, tile):
            return constant(count)
        return rounded_up(_length(side, self.family), tile, count)

    def _every_tile(self, side: Side) -> int | None:
        """Return the number of tiles of an axis that hold a pair, where that is easy to say."""
        assert self.mask is not None
        present = self.mask.present(side.axis, side.start, side.stop)
        if side.units or present == side.stop - side.start:
            return present if side.units else side.n_tiles
        return None

    def _present(self, side: Side) -> Formula:
        """Return the lines of an axis with any pair: the axis's own symbol where that is all of them."""
        assert self.mask is not None
        present = self.mask.present(side.axis, side.start, side.stop)
        if present == side.stop - side.start:
            return _length(side, self.family)
        alone = Blocks(
            {axis: _whole(axis, self.family) for axis in "ij"} | {side.axis: side._replace(loops=())}
        )
        return self._named(alone, Words("lines", side.axis), present)

    def _once(self, blocks: Blocks, words: Words, value: int) -> Formula | None:
        """Return what is asked under one condition: each line of the other axis meets just one such tile."""
        (condition, axis, level, partner), *more = blocks.ends
        own, other = blocks.sides[axis], blocks.sides[OTHER_AXIS[axis]]
        finest = level == len(own.loops) == 1 and partner == len(other.loops) > 0
        if more or not (finest and own.whole):
            return None
        once = None
        if words.kind == "tiles":
            alone = Blocks(blocks.sides | {axis: own._replace(loops=())})
            count = self._every_tile(other) if condition.negated else value
            once = None if count is None else self._part(alone, words, count)
        elif words.axis == other.axis:
            if words.kind == "lines" or (condition.which, words.kind) == ("last", "reached"):
                once = self._present(other)
            elif (condition.which, words.kind) == ("first", "begun"):
                once = constant(0)
        if once is None or not condition.negated:
            return once
        return self._part(Blocks(blocks.sides), words, value + int(once)) - once

    def _named(self, blocks: Blocks, words: Words, value: int) -> Formula:
        if words.kind == "pairs" and not blocks.ends:
            # Tiles make no difference.
            blocks = Blocks({axis: side._replace(loops=()) for axis, side in blocks.sides.items()})
        name, meaning = _name(blocks, words, self.family)
        while self._values.setdefault(name, value) != value:
            name += "′"
        self.legend[name] = meaning
        return symbol(name, value)


def pieces(extent: int, loops: list[Enclosing]) -> Counter[int]:
    """Return the lengths of the innermost tiles of an interval, with how often each occurs."""
    found = Counter({extent: 1} if extent else {})
    for loop, conditions in loops:
        cut: Counter[int] = Counter()
        for length, times in found.items():
            count = tile_count(0, length, loop.tile)
            ragged = length - (count - 1) * loop.tile
            chosen = _chosen(count, conditions)
            cut[ragged] += times * chosen[1]
            cut[loop.tile] += times * chosen[0]
        found = +cut
    return found


def rounded_up(whole: Formula, tile: int, count: int) -> Formula:
    """Return a number of tiles by its name."""
    text = str(whole)
    return symbol(f"⌈{text}/{tile}⌉" if text.isalnum() else f"⌈({text})/{tile}⌉", count)


def _chosen(count: int, conditions: tuple[Condition, ...]) -> tuple[int, int]:
    """How many iterations but the last satisfy the conditions, and whether the last one does."""

    def holds(index: int) -> bool:
        return all(condition.holds_at(index, count) for condition in conditions)

    middle = (count - 2) * holds(1) if count > 2 else 0
    return (int(holds(0)) if count > 1 else 0) + middle, int(holds(count - 1))


def _whole(axis: str, family: Family) -> Side:
    return Side(axis, family.extents[axis], 0, family.extents[axis])


def _length(side: Side, family: Family) -> Formula:
    if side.stop < side.extent:
        return constant(side.stop - side.start)
    return symbol(family.symbols[side.axis], side.extent) - constant(side.start)


def _blocks(place: Place, family: Family) -> Blocks:
    sides = {}
    for axis in "ij":
        loops, side = tuple(place.loops(axis)), _whole(axis, family)
        if loops:
            stop = side.extent if loops[0].stop is None else loops[0].stop
            side = side._replace(start=loops[0].start, stop=stop, loops=loops)
        sides[axis] = side
    depth = {"i": 0, "j": 0}
    labels, ends = dict[str, tuple[str, int]](), list[End]()
    for node in place.around:
        if isinstance(node, Loop):
            labels.pop(node.label, None)
            if node.axis in depth:
                depth[node.axis] += 1
                labels[node.label] = node.axis, depth[node.axis]
        elif node.label in labels:
            axis, level = labels[node.label]
            ends.append(End(node, axis, level, depth[OTHER_AXIS[axis]]))
    return Blocks(sides, tuple(ends))


def _name(blocks: Blocks, words: Words, family: Family) -> tuple[str, str]:
    """Return a quantity's name, and what it means."""
    about = [_part_text(side) for side in blocks.sides.values() if not side.whole]
    if not blocks.looped and words.kind in ("lines", "pairs"):
        name, meaning = "z", "allowed pairs of a query and a key"
        if words.kind == "lines":
            name, meaning = _WORD[words.axis], f"{_WORD[words.axis]} with any allowed pair"
        part = ", ".join(about)
        return (f"{name}({part})", f"{meaning} ({part})") if part else (name, meaning)
    sizes = {axis: _size(side, family) for axis, side in blocks.sides.items()}
    about += [str(end.condition) for end in blocks.ends]
    inside = ", ".join([f"{sizes['i']}×{sizes['j']}", *about])
    tiles = " × ".join(f"{size} {_ONE[axis] if size == '1' else _WORD[axis]}" for axis, size in sizes.items())
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
    when = "before the tile" if words.kind == "begun" else "in the tile or before it"
    return (
        f"{words.kind}_{lines}({inside})",
        f"{lines} with an allowed {partner} {when}, summed over {where}",
    )


def _size(side: Side, family: Family) -> str:
    """Return the length of the finest tiles, after those of outer loops where these make a difference."""
    kept: list[int] = []
    for tile in (loop.tile for loop in reversed(side.loops)):
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
