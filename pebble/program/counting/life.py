"""Whether a program is legal, proved from its text: each word walks through it alone, and the mask is an adversary.

No rule but the size of fast memory compares two words. So one word of an array is walked through the text. A loop over
one of the word's own axes is one tile, the one in which it lies. A loop over another axis is a sequence of visits, of
which all that the word sees is a *letter*: are there pairs before the tile, in it, behind it? The states that any
sequence of letters leads to are few. Where none of them is refused, the program is legal for every mask, and for all
sizes with the same order of the ends of parts, the same tiles of length 1 and the same loops of one tile.

Under a mask a word has a *line*, its query or key; ``across`` is the other axis. Loops over lines visit a tile of
lines for the sake of any of them, so a letter has bits for *sets* of lines that contain the word's: the line itself
(``LINE``), the tile of a loop over lines, all lines (``ALL``).

Progress is the set of steps of the chain that are done, in segments: the parts of its axis, and for every loop around
it what is before the tile, in it, behind it. Segments without a step of the line are in no set; a chain's progress is a
prefix. ``STALE`` is progress that is no set of whole segments. Of a sum in any order the same is asked as of a chain.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.counting.shown_lines import shown_lines
from pebble.program.nodes import Condition, Loop, Node, Operation, Place, Program, When

if TYPE_CHECKING:
    from pebble.computations.array import Array
    from pebble.computations.family import Family
    from pebble.program.nodes import Interval

__all__ = ["Here", "Unproved", "prove"]

STALE = -1
MOST_STATES = 30_000
"""States of the words of an array that are looked at before the proof is given up."""
MOST_WORDS = 5_000
"""Kinds of words of an array, by where they lie and which conditions hold of them."""


class Unproved(Exception):
    """The proof stopped: at which operation, and what the word had seen by then."""


class Here(NamedTuple):
    """What is known of all words at one operation of the text.

    Attributes
    ----------
    place : {"all", "start", "end"}
        How far a masked chain has got: over its whole axis, or to the start or the end of the current tile of it. Of
        what is loaded that is so in slow memory, of what is stored or deleted in fast memory. Other words are "all"
        there; a computation begins at the "start".
    held : bool
        Whether the words that are loaded, or computed without a chain, are in fast memory already.
    """

    place: str
    held: bool


def prove(program: Program, family: Family, *, own_mask: bool = False) -> dict[Place, Here]:
    """Prove that a program is legal in a fast memory that is large enough.

    Parameters
    ----------
    program : Program
        A valid one, without parts.
    family : Family
    own_mask : bool
        Whether to prove it for the family's own mask alone, in place of all.

    Returns
    -------
    dict of tuple of int to Here
        Of every operation that is reached, by its path as :func:`pebble.program.places.places` has it.

    Raises
    ------
    Unproved
        Where the proof stops: the program may be legal or not.

    Examples
    --------
    >>> from pebble.computations.matmul import matmul_family
    >>> from pebble.program import compute, delete, load, loop, program, store
    >>> text = program(loop("i", 2, load("A", "B"), compute("C"), store("C"), delete("A", "B", "C")))
    >>> prove(text, matmul_family(4, 4, 4))[0, 0, 2]
    Here(place='start', held=False)
    """
    if program.parts:
        raise Unproved("a program for parts of a mask: each part's text is proved by itself")
    if any(part.generate is not None for part in program.phases):
        raise Unproved("operations yielded one by one")
    if family.has_free_sums and family.masked_axes:
        raise Unproved("sums in any order under a mask")
    found: dict[Place, Here] = {}
    for array in family.arrays:
        found |= _Word(program, family, array, own_mask).walk()
    return found


# The text, as words of one array see it


class _Tiles(NamedTuple):
    """Tiles of a loop over one of the word's own axes: which one the word is in depends on nothing else."""

    axis: str
    start: int
    stop: int
    tile: int
    outer: _Tiles | None
    same: _Tiles | None
    """The loop around of the same label."""

    @property
    def single(self) -> bool:
        """Whether there is one tile only."""
        return self.same is None and self.tile >= (self.outer.tile if self.outer else self.stop - self.start)


_Set = _Tiles | str
LINE, ALL = "line", "all"


class _Item(NamedTuple):
    """A node of the text with its path; of a loop also what it runs over."""

    node: Node
    path: Place
    body: tuple[_Item, ...] = ()
    whole: Interval = (0, 0)
    tiles: _Tiles | None = None
    inside: frozenset[_Set] = frozenset()
    """Sets of lines of which loops inside, or this one, visit tiles."""


# What a word sees


class _Tile(NamedTuple):
    """The innermost loop around over an axis that is not the word's own."""

    lo: int
    hi: int
    tile: int
    here: dict[_Set, int]


@dataclass(frozen=True)
class _Sight:
    """All that a word sees at a node."""

    bits: dict[str, tuple[int, ...]]
    """Of every axis that is not its own: has the line a step in the segment?"""
    inner: dict[str, _Tile]
    seen: dict[str, dict[_Set, tuple[int, int]] | _Tiles | None]
    """Of every loop around, by label: have the sets pairs before its tile, behind it? Or its tiles; None: unknown."""
    lines: _Set = ALL


_States = set[tuple[int, int]]
"""How far a word may have got, in fast and in slow memory."""


@lru_cache(4096)
def _steps(bits: tuple[int, ...]) -> int:
    """Return the segments that have steps, as a set."""
    return sum(bit << number for number, bit in enumerate(bits))


def _joined(progress: int, bits: tuple[int, ...], lo: int, hi: int) -> int:
    """Return 1 if all segments in [lo, hi) with steps are done, 0 if none is, STALE if some are."""
    part, whole = progress >> lo & (1 << hi - lo) - 1, _steps(bits[lo:hi])
    return 0 if part == 0 else 1 if part == whole else STALE


def _recut(progress: int, bits: tuple[int, ...], new: tuple[int, ...], lo: int, hi: int) -> int:
    """Return progress with the segments in [lo, hi) cut anew, those of ``new`` in place of those of ``bits``."""
    done = progress if progress == STALE else _joined(progress, bits, lo, hi)
    if done == STALE:
        return STALE
    upto = hi + len(new) - len(bits)
    below = progress & (1 << lo) - 1
    return below | (done * _steps(new[lo:upto])) << lo | progress >> hi << upto


def _moved(progress: int, bits: tuple[int, ...], new: tuple[int, ...], lo: int) -> int:
    """Return progress when the tile at ``lo`` + 1 is now before the tile, and what was behind is cut anew."""
    if progress == STALE:
        return STALE
    before = _joined(progress, bits, lo, lo + 2)
    if before == STALE:
        return STALE
    behind = 6 * (progress >> lo + 2 & 1)
    middle = (before | behind) & _steps(new[lo : lo + 3])
    return progress & (1 << lo) - 1 | middle << lo | progress >> lo + 3 << lo + 3


class _Word:
    """Any one word of an array, and all ways that it may go."""

    def __init__(self, program: Program, family: Family, array: Array, own_mask: bool) -> None:
        self.family, self.array, self.own_mask = family, array, own_mask
        self.masked = family.masked_axes
        lines = [axis for axis in array.axes if axis in self.masked]
        self.line = lines[0] if len(lines) == 1 else None
        self.across = OTHER_AXIS[self.line] if self.line else None
        self.is_pair = len(lines) == 2
        self.lost = bool(self.masked) and not lines
        self.ends: dict[str, set[int]] = {axis: {0, extent} for axis, extent in family.extents.items()}
        self.asked: set[_Tiles] = set()
        self.bodies = [
            self.seen_of(part.body, (number,), {}, {}) for number, part in enumerate(program.phases)
        ]
        self.cuts = {axis: sorted(ends) for axis, ends in self.ends.items()}
        self.contiguous = False
        self.looked = 0
        self.names: dict[Place, set[str]] = {}
        self.held: dict[Place, bool] = {}

    # Reading the text

    def seen_of(
        self,
        nodes: Iterable[Node],
        path: Place,
        around: dict[str, _Tiles | int],
        labels: dict[str, _Tiles | None],
    ) -> tuple[_Item, ...]:
        """Return the nodes that have to do with the array; note where parts of axes end, and what is asked."""
        found = []
        for number, node in enumerate(nodes):
            place = (*path, number)
            if isinstance(node, Operation):
                if self.concerns(node):
                    self.read(node, around)
                    found.append(_Item(node, place))
            elif isinstance(node, When):
                body = self.seen_of(node.body, place, around, labels)
                if body:
                    tiles = labels[node.condition.label]
                    self.asked |= {tiles} if tiles else set()
                    found.append(_Item(node, place, body, inside=_inside(body)))
            elif item := self.loop_of(node, place, around, labels):
                found.append(item)
        return tuple(found)

    def concerns(self, op: Operation) -> bool:
        """Whether an operation changes or reads the array."""
        if op.action not in ("load", "store", "compute", "delete") or op.level != 1:
            raise Unproved(f"{op}: another level, or a word of programs for several devices")
        reads = self.family[op.array].reads if op.action == "compute" else ()
        return self.array.name in (op.array, op.replacing, *(read.array for read in reads))

    def read(self, op: Operation, around: dict[str, _Tiles | int]) -> None:
        """Note the ends of an operation's intervals; refuse a read at a step of a tile that may be longer."""
        at = {axis: (start, stop) for axis, start, stop in op.at}
        for axis, interval in at.items():
            self.ends[axis] |= set(interval)
        if op.action != "compute":
            return
        for read in self.family[op.array].reads:
            if read.array == self.array.name and read.at_step:
                chain = str(self.array.chain)
                start, stop = at.get(chain, (0, self.family.extents[chain]))
                inner = around.get(chain, stop - start)
                if (inner.tile if isinstance(inner, _Tiles) else inner) != 1:
                    raise Unproved(f"{op} reads {read} at a step of a tile that may be longer")
            elif read.array == self.array.name and read.step == "later":
                tiles = around.get(str(self.family[op.array].chain))
                while isinstance(tiles, _Tiles):
                    self.asked.add(tiles)
                    tiles = tiles.outer

    def loop_of(
        self,
        node: Loop,
        path: Place,
        around: dict[str, _Tiles | int],
        labels: dict[str, _Tiles | None],
    ) -> _Item | None:
        """Return a loop, if it has to do with the array."""
        if node.turn:
            raise Unproved("a loop over the turns of several devices")
        axis, outer = node.axis, around.get(node.axis)
        whole = node.start, self.family.extents[axis] if node.stop is None else node.stop
        tiles, inner = None, None
        if axis in self.array.axes:
            assert not isinstance(outer, int)
            tiles = _Tiles(axis, *whole, node.tile, outer, labels.get(node.label))
            # Of a pair, conditions on a query or a key depend on the other one's tile, which changes.
            inner = None if self.is_pair and axis in self.masked else tiles
        length = min(node.tile, outer if isinstance(outer, int) else whole[1] - whole[0])
        body = self.seen_of(node.body, path, {**around, axis: tiles or length}, {**labels, node.label: inner})
        if not body:
            return None
        if outer is None:
            self.ends[axis] |= set(whole)
        inside = _inside(body)
        if tiles and axis == self.line:
            inside |= {LINE if node.tile == 1 else tiles}
        return _Item(node, path, body, whole, tiles, inside)

    # All words

    def walk(self) -> dict[Place, Here]:
        """Walk all words of the array through the text; return what is known of them at each of its operations."""
        array = self.array
        if not any(self.bodies) and not array.output:
            return {}
        if self.lost and any(self.bodies):
            raise Unproved(f"{array.name} has neither queries nor keys, and there is a mask")
        asked = sorted(self.asked, key=repr)
        answers = [
            [(True, True)] if tiles.single else list(itertools.product((True, False), repeat=2))
            for tiles in asked
        ]
        zones = [list(itertools.pairwise(self.cuts[axis])) for axis in array.axes]
        kinds = 0
        for zone in itertools.product(*zones):
            self.zone = dict(zip(array.axes, zone, strict=True))
            for bits in self.lines_of_zone():
                for answer in itertools.product(*answers):
                    kinds += 1
                    if kinds > MOST_WORDS:
                        raise Unproved(f"{array.name}: more than {MOST_WORDS} kinds of words")
                    self.answer = dict(zip(asked, answer, strict=True))
                    self.through(_Sight(bits, {}, {}))
        places = {path: self.place(path, names) for path, names in self.names.items()}
        return {path: Here(place, self.held.get(path, False)) for path, place in places.items()}

    def place(self, path: Place, names: set[str]) -> str:
        """Return the name of the place to which all words have got at an operation."""
        if not names:
            raise Unproved(f"operation {path} on {self.array.name}: it may have got to several places")
        return min(names)

    def through(self, sight: _Sight) -> None:
        """Walk a word through the text."""
        complete = _steps(self.bits(sight))
        states: _States = {(0, complete if self.array.is_input else 0)}
        for body in self.bodies:
            states = self.nodes(body, states, sight)
        if self.array.output and any(slow != complete for _, slow in states):
            raise Unproved(f"{self.array.name} may not all be in slow memory at the end")

    def lines_of_zone(self) -> Iterator[dict[str, tuple[int, ...]]]:
        """Yield in which parts of the axes that are not its own a line may have steps."""
        every = {
            axis: (1,) * (len(cuts) - 1) for axis, cuts in self.cuts.items() if axis not in self.array.axes
        }
        if self.across is None:
            yield every
            return
        assert self.line is not None
        assert self.family.mask is not None
        if self.own_mask:
            found = shown_lines(self.family.mask, self.line, self.zone[self.line], self.cuts[self.across])
            if found is None:
                raise Unproved(f"the mask {self.family.mask.spec} is too large to be looked at line by line")
            patterns, self.contiguous = found
        else:
            if len(every[self.across]) > 10:
                raise Unproved("too many parts of axes")
            patterns = sorted(set(itertools.product((0, 1), repeat=len(every[self.across]))))[1:]
        for pattern in patterns:
            yield {**every, self.across: pattern}

    # Walking

    def nodes(self, items: Iterable[_Item], states: _States, sight: _Sight) -> _States:
        """Return the states behind some nodes."""
        for item in items:
            node = item.node
            if isinstance(node, Operation):
                states = {self.operation(item, node, *state, sight) for state in states}
            elif isinstance(node, When):
                holds = self.holds(node.condition, sight)
                done = self.nodes(item.body, states, sight) if True in holds else set()
                states = done | states if False in holds else done
            elif item.tiles is not None:
                states = self.own_tile(item, node, states, sight)
            else:
                states = self.visits(item, node, states, sight)
            if not states:
                break
        return states

    def holds(self, condition: Condition, sight: _Sight) -> set[bool]:
        """Return whether a condition holds: True, False or both."""
        seen = sight.seen[condition.label]
        last = condition.which == "last"
        if seen is None or (
            isinstance(seen, _Tiles) and seen.axis == self.line and self.across in sight.inner
        ):
            return {True, False}
        if isinstance(seen, _Tiles):
            return {self.answer[seen][last] != condition.negated}
        lines = sight.lines if sight.lines in seen else LINE
        return {(not seen[lines][last]) != condition.negated}

    def own_tile(self, item: _Item, node: Loop, states: _States, sight: _Sight) -> _States:
        """Return the states behind a loop over one of the word's own axes: in one of its tiles the word is."""
        start, stop = self.zone[node.axis]
        if not item.whole[0] <= start < stop <= item.whole[1]:
            return states
        lines = sight.lines
        if node.axis == self.line:
            lines = LINE if lines == LINE or node.tile == 1 else item.tiles or LINE
            if self.across in sight.inner and not sight.inner[self.across].here[lines]:
                return states
        free = self.is_pair and node.axis in self.masked
        seen = {**sight.seen, node.label: None if free else item.tiles}
        return self.nodes(item.body, states, replace(sight, seen=seen, lines=lines))

    def sets(self, among: list[_Set], most: _Set, least: int | None = None) -> Iterator[dict[_Set, int]]:
        """Yield which sets may have a pair somewhere: the line's are in all of them, all are in ``most``."""
        for values in itertools.product((0, 1), repeat=len(among)):
            has = dict(zip(among, values, strict=True))
            if least is not None and has[LINE] != least:
                continue
            if all(
                has[LINE] <= has[one] <= has[most]
                and not (isinstance(one, _Tiles) and one.outer in has and has[one] > has[one.outer])
                for one in among
            ):
                yield has

    def visits(self, item: _Item, node: Loop, states: _States, sight: _Sight) -> _States:
        """Return the states behind a loop over an axis that is not the word's own."""
        axis, lined = node.axis, node.axis == self.across
        most = sight.lines if lined else LINE
        among: list[_Set] = [LINE]
        if lined and most != LINE:
            among += sorted((item.inside | {most}) - {LINE}, key=repr)
        bits, around = sight.bits[axis], sight.inner.get(axis)
        if around:
            lo, hi, single = around.lo, around.hi, node.tile >= around.tile
            totals = [{one: around.here[one] for one in among}]
        else:
            lo, hi = map(self.cuts[axis].index, item.whole)
            single = item.whole[1] - item.whole[0] <= node.tile
            if lo == hi:
                return states
            if not lined or hi - lo == len(bits):
                totals = [dict.fromkeys(among, 1)]
            else:
                totals = list(self.sets(among, most, int(any(bits[lo:hi]))))
        behind: _States = set()
        for total in totals:
            if total[most]:
                loop = _Visits(self, item, node, sight, among, most, (lo, hi), single)
                behind |= loop.all_sequences(states, total)
            else:
                behind |= states
        return behind

    # Operations

    def bits(self, sight: _Sight) -> tuple[int, ...]:
        """Return in which segments of its chain a word has steps; without a chain there is one step."""
        return sight.bits[self.array.chain] if self.array.chain else (1,)

    def operation(self, item: _Item, op: Operation, fast: int, slow: int, sight: _Sight) -> tuple[int, int]:
        """Return the state behind an operation."""
        array, chain, bits = self.array, self.array.chain, self.bits(sight)
        at = {axis: (start, stop) for axis, start, stop in op.at}
        for axis, (start, stop) in self.zone.items():
            if axis in at and not at[axis][0] <= start < stop <= at[axis][1]:
                return fast, slow
        lo, hi, inside = 0, len(bits), chain in at or chain in sight.inner
        if chain in at:
            lo, hi = map(self.cuts[chain].index, at[chain])
        elif chain in sight.inner:
            lo, hi, *_ = sight.inner[chain]
        asked = _Asked(_steps(bits[:lo]), _steps(bits[:hi]), _steps(bits), bool(bits[lo]), inside, sight)
        if op.action == "compute":
            self.check_reads(op, at, fast, asked)
        if op.replacing == array.name:
            self.need(fast != 0, op, fast, slow, asked, "may not be there to be replaced")
            fast = 0
        if op.array != array.name:
            return fast, slow
        self.note(item.path, op, fast, slow, asked)
        must = chain not in self.masked or (asked.start if asked.inside else asked.whole) != 0
        if op.action == "load":
            self.need(slow != 0 or not must, op, fast, slow, asked, "may not be in slow memory")
            other = fast != 0 and (fast != slow or fast == STALE)
            self.need(not other, op, fast, slow, asked, "may be another partial result in fast memory")
            return slow, slow
        if op.action == "compute":
            return self.computed(op, fast, slow, asked), slow
        self.need(fast != 0 or not must, op, fast, slow, asked, "may not be in fast memory")
        if op.action == "delete":
            return 0, slow
        if 0 in (fast, slow):
            return fast, fast or slow
        comparable = STALE not in (fast, slow) and fast & slow in (fast, slow)
        self.need(comparable, op, fast, slow, asked, "may be another partial result in slow memory")
        return fast, fast | slow

    def computed(self, op: Operation, fast: int, slow: int, asked: _Asked) -> int:
        """Return how far a word is when it has been computed over the current tile."""
        if self.array.chain is None:
            return 1
        self.need(fast == asked.start, op, fast, slow, asked, "may not have got to the start of the tile")
        return asked.end

    def check_reads(self, op: Operation, at: dict[str, Interval], fast: int, asked: _Asked) -> None:
        """Refuse a computation that reads the array, if the word may not be as far as that asks."""
        for read in self.family[op.array].reads:
            if read.array != self.array.name:
                continue
            if read.at_step:
                before = read.step == "before"
                right = fast == (asked.start if before else asked.end) or (before and not asked.start)
                self.need(right or not asked.has, op, fast, 0, asked, f"may not be just {read.step} the step")
            elif read.step != "later" or not self.is_first(str(self.family[op.array].chain), at, asked.sight):
                self.need(fast == asked.whole, op, fast, 0, asked, "may not be complete in fast memory")

    def is_first(self, axis: str, at: dict[str, Interval], sight: _Sight) -> bool:
        """Whether the current tile of one of the word's own axes is surely [0, 1)."""
        if axis in at:
            return at[axis] == (0, 1)
        around = [one for one in sight.seen.values() if isinstance(one, _Tiles) and one.axis == axis]
        if not around:
            return self.family.extents[axis] == 1
        first = all(one.start == 0 and self.answer.get(one, (False,))[0] for one in around)
        return first and any(one.tile == 1 or one.stop == 1 for one in around)

    def note(self, path: Place, op: Operation, fast: int, slow: int, asked: _Asked) -> None:
        """Note what is asked of an operation that is reached: to which place the word has got, whether it is there."""
        progress = {"load": slow, "compute": asked.start}.get(op.action, fast)
        names = {"all"} if progress == asked.whole or self.array.chain not in self.masked else set()
        if op.action == "compute":
            names = {"start"}
        elif asked.inside:
            names |= {"start"} if progress == asked.start else set()
            names |= {"end"} if progress == asked.end else set()
        self.names[path] = self.names.get(path, names) & names
        if op.action == "compute" and self.array.sum is not None:
            # Else it would depend on more than the tile whether words begin.
            self.need(
                fast == asked.start, op, fast, slow, asked, "may not have absorbed the terms before, alone"
            )
        if slow != 0 if op.action == "load" else op.action == "compute" and self.array.chain is None:
            same = self.held.setdefault(path, fast != 0) == (fast != 0)
            self.need(same, op, fast, slow, asked, "may be in fast memory, or not")

    def need(self, true: bool, op: Operation, fast: int, slow: int, asked: _Asked, why: str) -> None:
        """Stop the proof where something is not so."""
        if not true:
            self.stop(op, fast, slow, asked, why)

    def stop(self, op: Operation, fast: int, slow: int, asked: _Asked, why: str) -> NoReturn:
        seen = ", ".join(f"{label}: {_told(one)}" for label, one in asked.sight.seen.items())
        raise Unproved(
            f"{op}: {self.array.name} {why} (done in fast memory {fast:b}, slow {slow:b}, "
            f"of {asked.whole:b}, tile {asked.end & ~asked.start:b}; {seen or 'outside all loops'})"
        )


class _Asked(NamedTuple):
    """Progress at the places of an operation: the start and the end of the current tile of the chain, and all of it."""

    start: int
    end: int
    whole: int
    has: bool
    """Whether the tile, of one step, has a step of the line."""
    inside: bool
    sight: _Sight


_Letter = tuple[int, ...]
"""For each set of lines, whether it has a pair somewhere."""


class _Visits:
    """A loop over an axis that is not the word's own: all sequences of visits that the mask may make of it."""

    def __init__(
        self,
        word: _Word,
        item: _Item,
        node: Loop,
        sight: _Sight,
        among: list[_Set],
        most: _Set,
        at: Interval,
        single: bool,
    ) -> None:
        self.word, self.item, self.node, self.sight = word, item, node, sight
        self.among, self.most, self.single = among, among.index(most), single
        self.lo, self.hi = at
        self.outer = sight.bits[node.axis]
        self.is_chain = node.axis == word.array.chain
        self.letters = [tuple(has.values()) for has in word.sets(among, most)]
        self.known: dict[tuple[_Letter, _Letter, _Letter], _States] = {}
        self.front: list[tuple[_Letter, _Letter, _Letter, _States]] = []

    def all_sequences(self, states: _States, total: dict[_Set, int]) -> _States:
        """Return the states behind the loop, given who has a pair in its range."""
        left = tuple(total[one] for one in self.among)
        none = tuple(0 for _ in left)
        behind: _States = set()
        for tile, after in self.tiles(left):
            new = self.picture(none, tile, after)
            self.push(none, tile, after, self.changed(states, _recut, self.outer, new, self.lo, self.hi))
        while self.front:
            before, tile, after, now = self.front.pop()
            bits = self.picture(before, tile, after)
            done = self.word.nodes(self.item.body, now, self.inside(before, tile, after, bits))
            if not after[self.most]:
                behind |= self.changed(done, _recut, bits, self.outer, self.lo, self.lo + 3)
                continue
            passed = tuple(map(max, before, tile))
            for next_tile, rest in self.tiles(after):
                new = self.picture(passed, next_tile, rest)
                self.push(passed, next_tile, rest, self.changed(done, _moved, bits, new, self.lo))
        return behind

    def tiles(self, left: _Letter) -> Iterator[tuple[_Letter, _Letter]]:
        """Yield the tiles that may come when ``left`` says who has pairs still: who has some in it, and behind it."""
        if self.single:
            yield left, tuple(0 for _ in left)
            return
        for tile in self.letters:
            if tile[self.most]:
                yield from ((tile, after) for after in self.letters if tuple(map(max, tile, after)) == left)

    def picture(self, before: _Letter, tile: _Letter, after: _Letter) -> tuple[int, ...]:
        """Return the segments of the axis, those of the loop's range in place of the parts of it."""
        return (*self.outer[: self.lo], before[0], tile[0], after[0], *self.outer[self.hi :])

    def changed(self, states: _States, change: Callable[..., int], *places: object) -> _States:
        """Return states in which progress is told in other segments."""
        if not self.is_chain:
            return states
        return {(change(fast, *places), change(slow, *places)) for fast, slow in states}

    def push(self, before: _Letter, tile: _Letter, after: _Letter, states: _States) -> None:
        """Note a visit to be made, if any of its states is new."""
        if self.word.contiguous and self.node.axis == self.word.across and before[0] > tile[0] < after[0]:
            return
        known = self.known.setdefault((before, tile, after), set())
        if fresh := states - known:
            known |= fresh
            self.front.append((before, tile, after, fresh))
            self.word.looked += len(fresh)
            if self.word.looked > MOST_STATES:
                raise Unproved(f"{self.word.array.name}: more than {MOST_STATES} states")

    def inside(self, before: _Letter, tile: _Letter, after: _Letter, bits: tuple[int, ...]) -> _Sight:
        """Return what the word sees in a visit."""
        axis, label, sight = self.node.axis, self.node.label, self.sight
        seen = {one: (before[at], after[at]) for at, one in enumerate(self.among)}
        around = sight.seen.get(label)
        if isinstance(around, dict):
            seen = {one: (around[one][0] | b, around[one][1] | a) for one, (b, a) in seen.items()}
        here = dict(zip(self.among, tile, strict=True))
        return _Sight(
            {**sight.bits, axis: bits},
            {**sight.inner, axis: _Tile(self.lo + 1, self.lo + 2, self.node.tile, here)},
            {**sight.seen, label: seen},
            sight.lines,
        )


def _inside(items: Iterable[_Item]) -> frozenset[_Set]:
    """Return the sets of lines that loops visit."""
    return frozenset().union(*(item.inside for item in items))


def _told(seen: dict[_Set, tuple[int, int]] | _Tiles | None) -> str:
    """Return what a word sees of a loop, in words."""
    if isinstance(seen, dict):
        return f"pairs of the line {'' if seen[LINE][0] else 'not '}before, {'' if seen[LINE][1] else 'not '}behind"
    return "the tile it is in"
