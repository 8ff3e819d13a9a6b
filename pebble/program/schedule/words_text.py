"""Words that many programs move, without the room that they need: what moves nothing is left out of a text.

Of what is left, loops over lines one by one are not followed: the mask is asked how many lines they visit, and for how
many of these it is the first visit, or the last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.counting.boxes import BoxTable, Effect
from pebble.program.counting.effects import Fold
from pebble.program.counting.lexical import lexical
from pebble.program.counting.life import Here
from pebble.program.counting.measure import MOST, Weigh, all_words, moves_of
from pebble.program.counting.texts import Text, alike, shape_of
from pebble.program.nodes import Condition, Loop, Operation, Phase, Program, When

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.family import Family
    from pebble.program.nodes import Node

    Whole = NDArray[np.int64]
    Path = tuple[int, ...]

_MANY_TILES = 200_000


def words_moved_by(
    programs: Sequence[Program], family: Family, most: int, weigh: Weigh = all_words
) -> NDArray[np.int64]:
    """Return the words that programs move, which are taken to be legal; at most 2⁶²; or what ``weigh`` tells of them.

    Raises
    ------
    TooManyOperations
        If more than ``most`` boxes would have to be looked at.
    """
    words: dict[tuple[str, str], Whole] = {}
    moving: dict[object, list[tuple[list[int], Text, dict[Path, Here]]]] = {}
    for numbers, texts, _ in alike(programs, family):
        for kind, text in enumerate(texts):
            shorter, here = _Moving(text).text()
            extents = text.family.extents  # which tell a part of the mask from the whole
            key = kind, tuple(extents.values()), shape_of(shorter.program, extents)[0], tuple(here.items())
            moving.setdefault(key, []).append((numbers, shorter, here))
    for group in moving.values():
        _, first, here = group[0]
        sizes = {
            path: np.concatenate([text.sizes[path] for _, text, _ in group], axis=1) for path in first.sizes
        }
        numbers = [number for some, _, _ in group for number in some]
        found = _Words(first._replace(sizes=sizes, number=len(numbers)), here, most=most)
        for move, moved in moves_of(found):
            total = words.setdefault(move, np.zeros(len(programs), dtype=object))
            total[numbers] += moved * first.times
    told: Whole = np.minimum(np.zeros(len(programs), dtype=object) + weigh(words), MOST).astype(np.int64)
    return told


class _Moving:
    """Writes a text of loads and stores alone, and how far their words have got."""

    def __init__(self, text: Text) -> None:
        self._text, self.family = text, text.family
        self._known = lexical(text.program, text.family)
        self._from: dict[int, Path] = {}

    def text(self) -> tuple[Text, dict[Path, Here]]:
        """Return the shorter text, and what is known of its operations by their places in it."""
        phases = [
            tuple(self._body(phase.body, (number,), ()))
            for number, phase in enumerate(self._text.program.phases)
        ]
        sizes: dict[Path, Whole] = {}
        here: dict[Path, Here] = {}
        for number, body in enumerate(phases):
            self._places(body, (number,), sizes, here)
        program = Program(tuple(Phase("", body) for body in phases))
        return self._text._replace(program=program, sizes=sizes), here

    def _places(
        self, nodes: Sequence[Node], path: Path, sizes: dict[Path, Whole], here: dict[Path, Here]
    ) -> None:
        for number, node in enumerate(nodes):
            place, source = (*path, number), self._from.get(id(node))
            if not isinstance(node, Operation):
                if isinstance(node, Loop) and source:
                    sizes[place] = self._text.sizes[source]
                self._places(node.body, place, sizes, here)
            elif source in self._known:
                here[place] = self._known[source]

    def _body(self, nodes: Sequence[Node], path: Path, around: tuple[str, ...]) -> Iterator[Node]:
        for number, node in enumerate(nodes):
            place = (*path, number)
            if isinstance(node, Operation):
                if node.action in ("load", "store"):
                    yield self._kept(replace(node), place)
                continue
            inside = (*around, node.axis) if isinstance(node, Loop) else around
            inner = list(self._body(node.body, place, inside))
            if isinstance(node, Loop):
                _, start, stop = self._text.sizes[place]
                whole = node.axis in around or bool(
                    not start.any() and (stop == self.family.extents[node.axis]).all()
                )
                if whole and node.axis not in self.family.masked_axes and self._each_along(inner, node):
                    yield from inner
                    continue
                if whole and node.axis in self.family.masked_axes:  # pairs are there whatever the tiles
                    yield from (one for one in inner if self._is_of_pairs(one))
                    inner = [one for one in inner if not self._is_of_pairs(one)]
            if inner:
                yield self._kept(replace(node, body=tuple(inner)), place)

    def _kept(self, node: Node, place: Path) -> Node:
        self._from[id(node)] = place
        return node

    def _is_of_pairs(self, node: Node) -> bool:
        return isinstance(node, Operation) and not node.at and {"i", "j"} <= set(self.family[node.array].axes)

    def _each_along(self, nodes: Sequence[Node], loop: Loop) -> bool:
        """Whether some nodes move as many words in all tiles of a loop as they would on the whole of its axis."""
        for node in nodes:
            if isinstance(node, Operation):
                along = loop.axis in self.family[node.array].axes and not node.at
            else:
                asks = isinstance(node, When) and node.condition.label == loop.label
                cuts = (
                    isinstance(node, Loop)
                    and node.axis == loop.axis
                    and not self._each_along(node.body, node)
                )
                along = not asks and not cuts and self._each_along(node.body, loop)
            if not along:
                return False
        return True


class _Lines:
    """Single lines of some boxes that have a pair with the current tile of the other axis.

    A line that has a pair from a place on, but none from there to the tile, has its first one in the tile.
    """

    def __init__(self, fold: Fold, rows: BoxTable, axis: str, lines: tuple[Whole, Whole]) -> None:
        self.axis, self.other = axis, OTHER_AXIS[axis]
        self._rows, self._lines = rows, lines
        self._tile = fold.tile(self.other, rows)
        assert fold.family.mask is not None
        self._ask = fold.family.mask.questions
        self._known: dict[object, Whole] = {}

    def may_ask(self, condition: Condition) -> bool:
        """Whether a condition is on a loop whose tile is the current one of the other axis."""
        axis, *loop = self._rows.loops.get(condition.label, ("",))
        return axis == self.other and all(map(np.array_equal, self._tile, loop[2:]))

    def number(self, among: Condition | None, begun: bool) -> Whole:
        """Return how many there are that meet a condition; without one, perhaps only those begun before the tile."""
        key = among, begun
        if key not in self._known:
            p, q = self._tile
            found = self._seen(p, q)
            if among is not None:
                _, low, high, *_ = self._rows.loops[among.label]
                met = (
                    self._seen(low, q) - self._seen(low, p)
                    if among.which == "first"
                    else self._seen(p, high) - self._seen(q, high)
                )
                found = found - met if among.negated else met
            elif begun:
                found = found + self._seen(0 * p, p) - self._seen(0 * p, q)
            self._known[key] = found
        return self._known[key]

    def _seen(self, p: Whole, q: Whole) -> Whole:
        if not p.any():  # those that begin before q
            return self._ask.begun(self.axis, *self._lines, q)
        return self._ask.lines_seen(self.axis, *self._lines, p, q)


class _Words(Fold):
    """Counts words only."""

    def _nodes(self, nodes: Sequence[Node], path: Path, rows: BoxTable) -> Effect:
        for number, node in enumerate(nodes):
            place = (*path, number)
            if isinstance(node, Operation):
                here = self.here.get(place, Here("all", False))
                words = self._words(self.family[node.array], rows, node, here.place)
                self._count(node, place, rows, words)
            elif isinstance(node, Loop):
                if not self._line_by_line(node, place, rows):
                    self._loop(node, place, rows)
            else:
                holds = np.flatnonzero(self._holds(node.condition, rows))
                if len(holds):
                    self._nodes(node.body, place, rows if len(holds) == len(rows) else rows.take(holds))
        return self._nothing(len(rows))

    def _line_by_line(self, node: Loop, path: Path, rows: BoxTable) -> bool:
        """Count what a loop over single lines does, if all that it moves is of these lines."""
        axis, (tile, start, stop) = node.axis, (one[rows.root] for one in self.sizes[path])
        if axis not in self.masked or (tile != 1).any():
            return False
        lines = _Lines(self, rows, axis, rows.box.get(axis, (start, stop)))
        found = list(self._each_line(node.body, path, lines, None))
        if None in found:
            return False
        for place, op, condition, begun in filter(None, found):
            number = lines.number(condition, begun and condition is None)
            self._count(op, place, rows, number * self._rest(self.family[op.array], rows, op))
        return True

    def _each_line(
        self, nodes: Sequence[Node], path: Path, lines: _Lines, among: Condition | None
    ) -> Iterator[tuple[Path, Operation, Condition | None, bool] | None]:
        """Yield operations, and of which lines they move a word each; None where that is not known.

        A line that is not at its first tile has begun before it.
        """
        for number, node in enumerate(nodes):
            place = (*path, number)
            if isinstance(node, When) and among is None and lines.may_ask(node.condition):
                yield from self._each_line(node.body, place, lines, node.condition)
            elif isinstance(node, Operation):
                array = self.family[node.array]
                here = self.here[place].place if place in self.here and array.chain in self.masked else "all"
                own = lines.axis in array.axes and lines.other not in array.axes and not node.at
                again = among is None or (among.which == "first" and among.negated)
                yield (place, node, among, here == "start") if own and (again or here != "start") else None
            else:
                yield None

    def _in_progression(
        self, node: Loop, path: Path, rows: BoxTable, loop: tuple[Whole, Whole, Whole]
    ) -> Effect | None:
        """Look at all tiles, unless they are very many: programs are taken one by one otherwise."""
        low, high, tile = loop
        mask = self.family.mask
        if mask is not None and mask.banded and ((high - low) // tile).sum() < _MANY_TILES:
            return None
        return super()._in_progression(node, path, rows, loop)
