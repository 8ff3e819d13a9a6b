"""Whether a program is legal, proved from its text: every word walks through it alone, and the mask is an adversary.

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
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.counting.life_text import LINE, Tiles, Unproved, WordText
from pebble.program.counting.life_visits import STALE, Sight, States, Visits, sets_with_pairs, steps_of
from pebble.program.counting.shown_lines import shown_lines
from pebble.program.nodes import Condition, Loop, Operation, Place, Program, When

if TYPE_CHECKING:
    from pebble.computations.array import Array
    from pebble.computations.family import Family
    from pebble.program.counting.life_text import Item, LineSet
    from pebble.program.counting.life_visits import Segments
    from pebble.program.nodes import Interval

__all__ = ["Here", "Unproved", "prove"]

MOST_STATES = 30_000
"""States of the words of an array that are looked at before the proof is given up."""
MOST_WORDS = 5_000
"""Kinds of words of an array, by where they lie and which conditions hold of them."""
MOST_PARTS = 8
"""Parts of an axis of which a line may have pairs in any."""


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


def prove(
    program: Program, family: Family, levels: int = 1, inclusive: bool = True, *, own_mask: bool = False
) -> list[dict[Place, Here]]:
    """Prove that a program is legal in one or several memory levels that are large enough.

    Parameters
    ----------
    program : Program
        A valid one, without parts.
    family : Family
    levels : int
        How many there are, but slow memory.
    inclusive : bool
        Whether each holds all that the levels within hold, or copies may be anywhere.
    own_mask : bool
        Whether to prove it for the family's own mask alone, in place of all.

    Returns
    -------
    list of dict of tuple of int to Here
        For each level, of every operation that is reached, by its path as :func:`pebble.program.places.places` has it;
        ``held`` says whether that level holds the words already that are loaded or computed into it, or stored into it
        from the one within.

    Raises
    ------
    Unproved
        Where the proof stops: the program may be legal or not.

    Examples
    --------
    >>> from pebble.computations.matmul import matmul_family
    >>> from pebble.program import compute, delete, load, loop, program, store
    >>> text = program(loop("i", 2, load("A", "B"), compute("C"), store("C"), delete("A", "B", "C")))
    >>> prove(text, matmul_family(4, 4, 4))[0][0, 0, 2]
    Here(place='start', held=False)
    """
    if program.parts:
        raise Unproved("a program for parts of a mask: the text of each part is proved separately")
    if any(part.generate is not None for part in program.phases):
        raise Unproved("operations yielded one by one")
    if family.has_free_sums and (family.masked_axes or levels > 1):
        raise Unproved("sums in any order under a mask, or in several memory levels")
    found: list[dict[Place, Here]] = [{} for _ in range(levels)]
    for array in family.arrays:
        word = _Word(program, family, array, own_mask, levels, inclusive)
        for path, name in word.walk().items():
            for level, known in enumerate(found, start=1):
                known[path] = Here(name, word.held.get((path, level), False))
    return found


class _Asked(NamedTuple):
    """The places of an operation: the start and the end of the current tile of the chain, and all of it, as progress.

    Attributes
    ----------
    start, end, whole : int
    inside : bool
        Whether there is a current tile.
    sight : Sight
    """

    start: int
    end: int
    whole: int
    inside: bool
    sight: Sight


class _Word:
    """Any one word of an array, and all ways that it may go.

    Its state is how far it has got: in each level, the innermost first, as the level holds it; in an inclusive
    hierarchy then in each level but the innermost, as the level has its value; and in slow memory. Of a sum added in
    slow memory, where there is one level, the steps that its word in fast memory has come before that.
    """

    def __init__(
        self, program: Program, family: Family, array: Array, own_mask: bool, levels: int, inclusive: bool
    ) -> None:
        self.family, self.array, self.own_mask = family, array, own_mask
        self.levels, self.inclusive = levels, inclusive
        self.added = array.accumulated
        self.masked = family.masked_axes
        self.text = WordText(program, family, array, levels)
        self.across = OTHER_AXIS[self.text.line] if self.text.line else None
        self.contiguous = False
        self.looked = 0
        self.names: dict[Place, set[str]] = {}
        self.held: dict[tuple[Place, int], bool] = {}

    # All words

    def walk(self) -> dict[Place, str]:
        """Walk all words of the array through the text; return to which place they have got at its operations."""
        array, cuts = self.array, self.text.cuts
        if any(self.text.phases) and self.masked and not set(self.masked) & set(array.axes):
            raise Unproved(f"{array.name} has neither queries nor keys, and there is a mask")
        asked = sorted(self.text.asked, key=repr)
        ends = [(True, True)], list(itertools.product((True, False), repeat=2))
        answers = list(
            itertools.islice(itertools.product(*(ends[not one.single] for one in asked)), MOST_WORDS)
        )
        zones = itertools.product(*(itertools.pairwise(cuts[axis]) for axis in array.axes))
        words = 0
        for zone in zones:
            self.zone = dict(zip(array.axes, zone, strict=True))
            for bits in self.lines_of_zone():
                words += len(answers)
                if words >= MOST_WORDS:
                    raise Unproved(f"{array.name}: more than {MOST_WORDS} kinds of words")
                for answer in answers:
                    self.answer = dict(zip(asked, answer, strict=True))
                    self.through(Sight(bits, {}, {}))
        for path, names in self.names.items():
            if not names:
                raise Unproved(f"operation {path} on {array.name}: it may have got to several places")
        return {path: min(names) for path, names in self.names.items()}

    def through(self, sight: Sight) -> None:
        """Walk a word through the text."""
        complete = steps_of(self.bits(sight))
        places = (2 * self.levels if self.inclusive else self.levels + 1) + self.added
        states: States = {(0,) * (places - 1) + (complete if self.array.is_input else 0,)}
        for items in self.text.phases:
            if self.array.name in self.family.read_both_ways and any(any(state[:-1]) for state in states):
                raise Unproved(f"{self.array.name} may be in fast memory when a phase ends")
            states = self.nodes(items, states, sight)
        if self.array.output and any(state[-1] != complete for state in states):
            raise Unproved(f"{self.array.name} may not all be in slow memory at the end")

    def lines_of_zone(self) -> Iterator[dict[str, Segments]]:
        """Yield in which parts of the axes that are not its own a line may have steps."""
        cuts, line = self.text.cuts, self.text.line
        every = {axis: (1,) * (len(ends) - 1) for axis, ends in cuts.items() if axis not in self.array.axes}
        if self.across is None or line is None:
            yield every
            return
        parts = len(every[self.across])
        if self.own_mask and self.family.mask is not None:
            found = shown_lines(self.family.mask, line, self.zone[line], cuts[self.across])
            if found is None:
                raise Unproved(f"the mask {self.family.mask.spec} is too large to examine line by line")
            patterns, self.contiguous = found
        else:
            if parts > MOST_PARTS:
                raise Unproved(f"{self.array.name}: more than {MOST_PARTS} parts of {self.across}")
            patterns = list(itertools.product((0, 1), repeat=parts))[1:]
        for pattern in patterns:
            yield {**every, self.across: pattern}

    # Walking

    def nodes(self, items: Iterable[Item], states: States, sight: Sight) -> States:
        """Return the states behind some nodes."""
        for item in items:
            node = item.node
            self.looked += len(states)
            if self.looked > MOST_STATES:
                raise Unproved(f"{self.array.name}: more than {MOST_STATES} states")
            if isinstance(node, Operation):
                states = {self.operation(item.path, node, state, sight) for state in states}
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

    def holds(self, condition: Condition, sight: Sight) -> set[bool]:
        """Return whether a condition holds: True, False or both."""
        seen, last = sight.seen[condition.label], condition.which == "last"
        if isinstance(seen, dict):
            lines = sight.lines if sight.lines in seen else LINE
            return {(not seen[lines][last]) != condition.negated}
        if seen is None or (seen.axis == self.text.line and self.across in sight.inner):
            return {True, False}
        return {self.answer[seen][last] != condition.negated}

    def own_tile(self, item: Item, node: Loop, states: States, sight: Sight) -> States:
        """Return the states behind a loop over one of the word's own axes: in one of its tiles the word is."""
        start, stop = self.zone[node.axis]
        if not item.whole[0] <= start < stop <= item.whole[1]:
            return states
        lines = sight.lines
        if node.axis == self.text.line:
            lines = LINE if lines == LINE or node.tile == 1 else item.tiles or LINE
            if self.across in sight.inner and not sight.inner[self.across].here[lines]:
                return states
        seen = {**sight.seen, node.label: None if node.axis in self.text.free else item.tiles}
        return self.nodes(item.body, states, replace(sight, seen=seen, lines=lines))

    def visits(self, item: Item, node: Loop, states: States, sight: Sight) -> States:
        """Return the states behind a loop over an axis that is not the word's own."""
        axis, lined = node.axis, node.axis == self.across
        most = sight.lines if lined else LINE
        among: list[LineSet] = [LINE]
        if most != LINE:
            among += sorted((item.inside | {most}) - {LINE}, key=repr)
        bits, around = sight.bits[axis], sight.inner.get(axis)
        if around:
            lo, hi, single = around.lo, around.hi, node.tile >= around.tile
            totals = [{one: around.here[one] for one in among}]
        else:
            lo, hi = map(self.text.cuts[axis].index, item.whole)
            single = item.whole[1] - item.whole[0] <= node.tile
            if lo == hi:
                return states
            totals = [dict.fromkeys(among, 1)]
            if lined and hi - lo < len(bits):
                totals = list(sets_with_pairs(among, most, int(any(bits[lo:hi]))))
        body = partial(self.nodes, item.body)
        behind: States = set()
        for total in totals:
            if not total[most]:
                behind |= states
                continue
            loop = Visits(
                item,
                node,
                sight,
                among,
                most,
                (lo, hi),
                single=single,
                chained=axis == self.array.chain,
                contiguous=lined and self.contiguous,
            )
            behind |= loop.states(states, total, body)
        return behind

    # Operations

    def bits(self, sight: Sight) -> Segments:
        """Return in which segments of its chain a word has steps; without a chain there is one step."""
        return sight.bits[self.array.chain] if self.array.chain else (1,)

    def operation(self, path: Place, op: Operation, state: tuple[int, ...], sight: Sight) -> tuple[int, ...]:
        """Return the state behind an operation."""
        chain, bits = self.array.chain, self.bits(sight)
        at = {axis: (start, stop) for axis, start, stop in op.at}
        for axis, (start, stop) in self.zone.items():
            if axis in at and not at[axis][0] <= start < stop <= at[axis][1]:
                return state
        lo, hi, inside = 0, len(bits), chain in at or chain in sight.inner
        if chain in at:
            lo, hi = map(self.text.cuts[chain].index, at[chain])
        elif chain in sight.inner:
            lo, hi, *_ = sight.inner[chain]
        asked = _Asked(steps_of(bits[:lo]), steps_of(bits[:hi]), steps_of(bits), inside, sight)
        if op.action == "compute":
            return self.computed(path, op, state, asked, at)
        self.note(path, op, state, asked)
        return self.moved(op, state, asked)

    def moved(self, op: Operation, state: tuple[int, ...], asked: _Asked) -> tuple[int, ...]:
        """Return the state behind a load, a store or a delete."""
        must = self.array.chain not in self.masked or (asked.start if asked.inside else asked.whole) != 0
        level, last = op.level, op.level == self.levels
        value, beyond = self.value_at(level), len(state) - 1 if last else self.value_at(level + 1)
        held, new = state[level - 1], list(state)
        if op.action == "load":
            self.need(state[beyond] != 0 or not must, op, state, asked, "may not be where it is loaded from")
            current = last or self.is_current(level + 1, state)
            self.need(current, op, state, asked, "may have got further there than its value")
            alone = held == 0 or held == state[beyond] != STALE
            self.need(alone, op, state, asked, "may be there already, another partial result")
            new[level - 1] = new[value] = state[beyond]
            if self.added:
                new[1] = 0 if op.resumes else state[beyond]
        elif op.action == "delete":
            self.need(held != 0 or not must, op, state, asked, "may not be there to be deleted")
            within = self.inclusive and level > 1 and state[level - 2] != 0
            self.need(not within, op, state, asked, "may still be in the level within")
            new[level - 1] = new[value] = 0
            if self.added:
                new[1] = 0
        else:
            mine, other = state[value], state[beyond]
            self.need(mine != 0 or not must, op, state, asked, "may not be there to be stored")
            self.need(self.is_current(level, state), op, state, asked, "may have got further than its value")
            if mine and not self.inclusive and not last:
                alone = other == 0 or other == mine != STALE
                self.need(alone, op, state, asked, "may be another partial result where it is stored")
            # Of two prefixes the longer one is their union; with STALE it is that.
            new[beyond] = mine | other
        return tuple(new)

    def value_at(self, level: int) -> int:
        """Return where the state says of which progress a level has the value."""
        return level - 1 if level == 1 or not self.inclusive else self.levels + level - 2

    def is_current(self, level: int, state: tuple[int, ...]) -> bool:
        """Whether what a level holds is surely its value, and not only reserved by a computation."""
        value = self.value_at(level)
        return value == level - 1 or state[value] == state[level - 1] != STALE

    def computed(
        self, path: Place, op: Operation, state: tuple[int, ...], asked: _Asked, at: dict[str, Interval]
    ) -> tuple[int, ...]:
        """Return the state behind a computation: of the array, or one that reads or replaces it."""
        self.check_reads(op, at, state, asked)
        if op.replacing == self.array.name:
            self.need(state[0] != 0, op, state, asked, "may not be there to be replaced")
            state = self.placed(op, state, 0, asked)
        if op.array != self.array.name:
            return state
        self.note(path, op, state, asked)
        if self.array.chain is None:
            return self.placed(op, state, 1, asked)
        held = state[: self.levels if self.inclusive else 1]
        at_start = all(one == asked.start for one in held)
        self.need(at_start, op, state, asked, "may not have got to the start of the tile")
        return self.placed(op, state, asked.end, asked)

    def placed(self, op: Operation, state: tuple[int, ...], progress: int, asked: _Asked) -> tuple[int, ...]:
        """Return the state when progress is placed at all levels; farther out what was the same keeps its value."""
        if self.added:
            return progress, (state[1] | (asked.end & ~asked.start)) if progress else 0, state[-1]
        if not self.inclusive:
            return (progress, *state[1:])
        values = state[self.levels : -1]
        self.need(progress == 0 or STALE not in values, op, state, asked, "may have a value or not")
        kept = (value if value == progress else 0 for value in values)
        return (*(progress,) * self.levels, *kept, state[-1])

    def check_reads(
        self, op: Operation, at: dict[str, Interval], state: tuple[int, ...], asked: _Asked
    ) -> None:
        """Refuse a computation that reads the array, if the word may not be as far as that asks."""
        for read in self.family[op.array].reads:
            if read.array != self.array.name:
                continue
            if read.at_step:
                before = read.step == "before"
                right = state[0] == (asked.start if before else asked.end) or (before and not asked.start)
                right |= asked.start == asked.end
                self.need(right, op, state, asked, f"may not be just {read.step} the step")
            elif read.step != "later" or not self.is_first(str(self.family[op.array].chain), at, asked.sight):
                whole = state[: 1 + self.added]
                self.need(
                    all(one == asked.whole for one in whole),
                    op,
                    state,
                    asked,
                    "may not be complete in fast memory",
                )

    def is_first(self, axis: str, at: dict[str, Interval], sight: Sight) -> bool:
        """Whether the current tile of one of the word's own axes is surely [0, 1)."""
        if axis in at:
            return at[axis] == (0, 1)
        around = [one for one in sight.seen.values() if isinstance(one, Tiles) and one.axis == axis]
        if not around:
            return self.family.extents[axis] == 1
        first = all(one.start == 0 and self.answer[one][0] for one in around)
        return first and any(one.tile == 1 or one.stop == 1 for one in around)

    def note(self, path: Place, op: Operation, state: tuple[int, ...], asked: _Asked) -> None:
        """Note of an operation to which place the word has got, and whether it is there already."""
        array, level = self.array, op.level
        beyond = len(state) - 1 if level == self.levels else self.value_at(level + 1)
        sources = {"load": beyond, "store": self.value_at(level), "delete": level - 1}
        progress = asked.start if op.action == "compute" else state[sources[op.action]]
        names = {"all"} if progress == asked.whole or array.chain not in self.masked else set()
        if op.action == "compute":
            names = {"start"}
        elif asked.inside:
            places = {"start": asked.start, "end": asked.end}
            names |= {name for name, place in places.items() if place == progress}
        self.names[path] = self.names.get(path, names) & names
        filled: Iterable[int] = ()
        if op.action == "compute" and array.chain is None:
            filled = range(1, 1 + (self.levels if self.inclusive else 1))
        elif op.action == "load" and progress:
            filled = [level]
        elif op.action == "store" and progress and not self.inclusive and level < self.levels:
            filled = [level + 1]
        for into in filled:
            held = state[into - 1] != 0
            same = self.held.setdefault((path, into), held) == held
            self.need(same, op, state, asked, "may be in fast memory, or not")

    def need(self, true: bool, op: Operation, state: tuple[int, ...], asked: _Asked, why: str) -> None:
        """Stop the proof where something is not so."""
        if not true:
            seen = ", ".join(f"{label}: {_told(one)}" for label, one in asked.sight.seen.items())
            places = ", ".join(f"{place:b}" for place in state)
            raise Unproved(
                f"{op}: {self.array.name} {why} (steps done in each memory {places}, of {asked.whole:b}, "
                f"the tile's {asked.end & ~asked.start:b}; {seen or 'outside all loops'})"
            )


def _told(seen: dict[LineSet, tuple[int, int]] | Tiles | None) -> str:
    """Return what a word sees of a loop, in words."""
    if isinstance(seen, dict):
        before, behind = ("" if one else "no " for one in seen[LINE])
        return f"{before}pairs before, {behind}pairs behind"
    return "the tile it is in"
