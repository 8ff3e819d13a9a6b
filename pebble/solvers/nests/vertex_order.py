"""An order of the vertices of a loop nest: tiled loops over its indices, skewed where dependences ask for it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.common.clock import TimeUp, check_time, time_is_up
from pebble.common.errors import InvalidInput
from pebble.computations.nests.nest_dag import NestDag, count_edges, nest_dag
from pebble.solvers.heuristic.eviction import io_of
from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.tiled_orders import Tiling
from pebble.solvers.nests.dependences import edges_of
from pebble.solvers.nests.loop_coordinates import LoopCoordinates, NestPart, coordinate_systems, part_of
from pebble.solvers.nests.tile_order import order_in_tiles
from pebble.solvers.nests.working_set import estimated_io

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TiledLoops", "tiled_loops"]

_EDGES_ESTIMATED, _MOST_ESTIMATED, _LEAST_ESTIMATED = 25_000_000, 400, 24
"""So many edges are sorted in all for estimates, in so many orders at most and at least."""
_SMALL_GRAPH = 20_000
_ONE_BY_ONE = 4
"""In larger graphs, so many estimates are given for an order whose vertices have to be taken one by one."""
_EDGES_COUNTED, _MOST_COUNTED, _LEAST_COUNTED = 1_000_000, 12, 2
"""The same for the orders whose I/O is counted exactly."""
_MOST_EDGES_SEARCHED, _EDGES_FOR_THAT = 1_000_000, 300_000
"""With more edges, loops are sought for smaller extents with so many edges first, and the best ones then tried."""
_TAKEN = 12
_FEW = 40
"""With fewer estimates than this, those loops come first that suit M best."""
_PARENTS = 4
_JAMMED = (2, 3, 6)
"""So many steps of a loop are taken together at first."""
_SMALL_PART = 20
"""What computes less than this part of all vertices is no phase by itself."""
_MOST_GROUPS = 6
"""Up to so many groups of statements every run of them is tried as a phase; with more, single ones and all."""

Choice = tuple[int, Tiling]
"""A coordinate system by number, and the loops over it."""


class TiledLoops:
    """The best tiled loops found, and the order in which they visit the vertices.

    Attributes
    ----------
    io : int
        Of that order with Belady's eviction.
    order : ndarray of int64
    text : str
        The loops, one a line.
    """

    def __init__(self, io: int, order: NDArray[np.int64], text: str) -> None:
        self.io, self.order, self.text = io, order, text


def tiled_loops(
    nest: NestDag,
    M: int,
    *,
    progress: Callable[[str], None] | None = None,
) -> TiledLoops:
    """Search for tiled loops that move few words.

    Every choice of loops and tile sizes is priced by an estimate, the best ones are changed a little, again and
    again, and of the best in the end the I/O is counted. The plain order is among those that are counted.

    Parameters
    ----------
    nest : NestDag
    M : int
        Words of fast memory, at least ``nest.dag.least_M()``.
    progress : callable, optional
        Called with a line of text now and then.

    Raises
    ------
    TimeUp
        If a time limit around the search passes before it has found anything.
    """
    check_time()
    groups = _large(statement_groups(nest), nest)
    small = _smaller(nest)
    ranges = _ranges(len(groups))
    whole = 0, len(groups)
    found: dict[tuple[int, int], TiledLoops] = {}
    graph, options = NeededGraph(nest.dag), list[TiledLoops]()
    try:
        for start, stop in sorted(ranges, key=lambda one: one != whole):
            numbers = [number for group in groups[start:stop] for number in group]
            searches = 1 if (start, stop) == whole else len(ranges) - 1
            search = _LoopSearch(part_of(nest, numbers), M, progress, searches)
            if small is not None and len(search.systems) > 1:
                search.begin_with(_LoopSearch(part_of(small, numbers), M, progress, searches))
            found[start, stop] = search.found()
            if (start, stop) == whole:
                options.append(_joined([found[whole]], graph, M))
        options.append(_joined([found[one] for one in _cheapest(found, len(groups))], graph, M))
        plain = io_of(graph, M, graph.todo)
        options.append(TiledLoops(plain, graph.todo, "for each vertex in the order of the text"))
    except TimeUp:
        if not options:
            raise
    return min(options, key=lambda one: one.io)


def _smaller(nest: NestDag) -> NestDag | None:
    """Return a nest with smaller extents, for which more loops can be tried; None if this one is small enough."""
    extents = dict(nest.nest.extents)
    if nest.dag.n_edges <= _MOST_EDGES_SEARCHED:
        return None
    edges = nest.dag.n_edges
    while edges > _EDGES_FOR_THAT and max(extents.values()) > 2:
        extents = {
            name: max(-(-extent * 7 // 8), 1) if extent > 8 else extent for name, extent in extents.items()
        }
        before, edges = edges, count_edges(replace(nest.nest, extents=extents))[1]
        if edges == before:
            return None
    with suppress(InvalidInput):
        return nest_dag(replace(nest.nest, extents=extents))
    return None


def statement_groups(nest: NestDag) -> list[list[int]]:
    """Return the statements by number, in an order of computation; those that depend on each other in one group.

    Examples
    --------
    >>> from pebble.computations.nests.nest_dag import nest_dag
    >>> from pebble.computations.nests.read_text import loop_nest
    >>> text = "s[i] = b[i]; s[i] -= L[i,j]*x[j] for j < i; x[i] = s[i]/L[i,i]; y[i] = x[i]*x[i]"
    >>> statement_groups(nest_dag(loop_nest(text, {"i": 4, "j": 4})))
    [[0], [1, 2], [3]]
    """
    tail, head = edges_of(nest.dag)
    number = len(nest.first)
    reaches = np.eye(number, dtype=np.bool_)
    reaches[nest.statements[tail], nest.statements[head]] = True
    for middle in range(number):
        reaches |= reaches[:, [middle]] & reaches[[middle], :]
    together = {tuple(np.flatnonzero(reaches[at] & reaches[:, at]).tolist()) for at in range(number)}
    # What reaches more comes first; of two that do not reach each other, the one that stands first.
    return sorted(map(list, together), key=lambda group: (-int(reaches[group[0]].sum()), group))


def _large(groups: list[list[int]], nest: NestDag) -> list[list[int]]:
    """Return the groups with those that compute little joined to the next one, or at the end to the one before."""
    least = sum(map(len, nest.points)) / _SMALL_PART
    found: list[list[int]] = [[]]
    for group in groups:
        if sum(len(nest.points[at]) for at in found[-1]) >= least:
            found.append([])
        found[-1] = [*found[-1], *group]
    if len(found) > 1 and sum(len(nest.points[at]) for at in found[-1]) < least:
        found[-2:] = [found[-2] + found[-1]]
    return found


def _ranges(number: int) -> list[tuple[int, int]]:
    """Return the runs of groups that may be one phase."""
    if number > _MOST_GROUPS:
        return [*((at, at + 1) for at in range(number)), (0, number)]
    return [(start, stop) for start in range(number) for stop in range(start + 1, number + 1)]


def _cheapest(found: dict[tuple[int, int], TiledLoops], number: int) -> list[tuple[int, int]]:
    """Return the division into phases with the least I/O, each phase counted by itself."""
    best: list[tuple[int, list[tuple[int, int]]]] = [(0, [])]
    for stop in range(1, number + 1):
        options = [
            (best[start][0] + found[start, stop].io, [*best[start][1], (start, stop)])
            for start in range(stop)
            if (start, stop) in found
        ]
        best.append(min(options))
    return best[number][1]


def _joined(phases: list[TiledLoops], graph: NeededGraph, M: int) -> TiledLoops:
    """Return the phases one after the other, counted together."""
    order = np.concatenate([phase.order for phase in phases])
    return TiledLoops(io_of(graph, M, order), order, "\n".join(phase.text for phase in phases))


class _LoopSearch:
    """The choices priced so far, for some statements."""

    def __init__(
        self,
        part: NestPart,
        M: int,
        progress: Callable[[str], None] | None,
        searches: int,
    ) -> None:
        self.part, self.M, self.progress = part, M, progress
        self.graph = NeededGraph(part.dag)
        self.systems = list(coordinate_systems(part))
        edges = max(part.dag.n_edges, 1) * searches
        self.left = min(max(_EDGES_ESTIMATED // edges, _LEAST_ESTIMATED), _MOST_ESTIMATED)
        self.counted = min(max(_EDGES_COUNTED // edges, _LEAST_COUNTED), _MOST_COUNTED)
        self.price: dict[Choice, int] = {}
        self.axes = [self._axes(number) for number in range(len(self.systems))]

    def begin_with(self, other: _LoopSearch) -> None:
        """Try the best loops that a search for smaller extents finds."""
        other._search()
        known = {name: at for at, name in enumerate(_unlike(self.systems))}
        names = _unlike(other.systems)
        for number, tiling in sorted(other.price, key=other._rank)[:_TAKEN]:
            if names[number] in known:
                self._try((known[names[number]], tiling))

    def found(self) -> TiledLoops:
        """Return the best loops, as an order of the whole nest's vertices."""
        self._search()
        return self._counted()

    def _search(self) -> None:
        half = self.left // 2
        for choice in self._starts():
            if self.left <= half:
                break
            self._try(choice)
        self._climb()

    def _spent(self) -> bool:
        return self.left <= 0 or time_is_up()

    def _try(self, choice: Choice) -> int | None:
        """Return the estimate of a choice; None if no work may be spent on it."""
        if choice not in self.price:
            if self._spent():
                return None
            order, one_by_one = order_in_tiles(self.graph, self.systems[choice[0]].places, choice[1])
            self.left -= _ONE_BY_ONE if one_by_one and self.graph.n > _SMALL_GRAPH else 1
            self.price[choice] = estimated_io(self.graph, self.M, order)
            if self.progress is not None and not len(self.price) % 20:
                best = min(self.price.values())
                self.progress(f"{len(self.price)} loop nests estimated, the best at about {best:,} words")
        return self.price[choice]

    def _order(self, choice: Choice) -> NDArray[np.int64]:
        system, tiling = choice
        return order_in_tiles(self.graph, self.systems[system].places, tiling)[0]

    def _starts(self) -> Iterator[Choice]:
        """Yield loops without tiles, then with tiles, the most promising first."""
        for number in reversed(range(len(self.systems))):
            yield number, Tiling((), tuple(self.axes[number][0]))
        if self.left < _FEW:
            yield from self._square()
        others = [*self._square(), *self._jammed()]
        yield from (others[at] for at in np.random.default_rng(0).permutation(len(others)).tolist())

    def _square(self) -> Iterator[Choice]:
        """Yield loops whose tiles suit M: two loops over tiles whose sides are about √M come first."""
        for size, many, inside in itertools.product(_sizes(self.M), (2, 1, 3), (True, False)):
            for number in reversed(range(len(self.systems))):
                axes, _ = self.axes[number]
                if many <= len(axes) and not self.systems[number].grouped:
                    for loops in permutations(axes, many):
                        rest = [axis for axis in axes if axis not in loops]
                        points = (*rest, *loops) if inside else (*loops, *rest)
                        yield number, Tiling(tuple((axis, size) for axis in loops), points)

    def _jammed(self) -> Iterator[Choice]:
        """Yield the loops around groups of statements as they stand, one of them in tiles, its elements innermost."""
        for size, number in itertools.product(_JAMMED, range(len(self.systems))):
            axes, _ = self.axes[number]
            if self.systems[number].grouped:
                for at in range(len(axes) - 1):
                    outer = tuple((axis, 1) for axis in axes[:at])
                    tiles = (*outer, (axes[at], size))
                    yield number, Tiling(tiles, (*axes[at + 1 :], *axes[: at + 1]))

    def _axes(self, number: int) -> tuple[list[int], list[int]]:
        """Return the axes of a system along which there is more than one place, and how many there are along each."""
        here = self.systems[number].places[self.graph.todo]
        extents = [int(n) + 1 for n in here.max(axis=0, initial=0)]
        return [axis for axis, n in enumerate(extents) if n > 1], extents

    def _climb(self) -> None:
        """Change the best choices a little as long as that helps."""
        done: set[Choice] = set()
        while not self._spent():
            best = [one for one in sorted(self.price, key=self._rank)[:_PARENTS] if one not in done]
            if not best:
                return
            done.add(best[0])
            for near in self._near(best[0]):
                if self._try(near) is None:
                    return

    def _rank(self, choice: Choice) -> tuple[Any, ...]:
        return self.price[choice], -choice[0], (choice[1].tiles, choice[1].points)

    def _near(self, choice: Choice) -> Iterator[Choice]:
        """Yield the choices one change away: another size, a loop more or less, loops exchanged."""
        number, tiling = choice
        axes, extents = self.axes[number]
        for at, (axis, size) in enumerate(tiling.tiles):
            for new in dict.fromkeys((size // 2, size * 3 // 4, size - 1, size + 1, size * 4 // 3, size * 2)):
                if 1 <= new < extents[axis] and new != size:
                    yield number, _with_tile(tiling, at, (axis, new))
            yield number, replace(tiling, tiles=tiling.tiles[:at] + tiling.tiles[at + 1 :])
            if at:
                swapped = list(tiling.tiles)
                swapped[at - 1], swapped[at] = swapped[at], swapped[at - 1]
                yield number, replace(tiling, tiles=tuple(swapped))
        for axis in tiling.points[1:]:
            yield (
                number,
                replace(tiling, points=(axis, *(other for other in tiling.points if other != axis))),
            )
        for axis in axes:
            if all(axis != used for used, _ in tiling.tiles):
                for size in (2, *_sizes(self.M)[:2]):
                    if size < extents[axis]:
                        yield number, replace(tiling, tiles=(*tiling.tiles, (axis, size)))

    def _counted(self) -> TiledLoops:
        """Return the best of the choices with the best estimates, counted; the plain order is one of them."""
        axes, _ = self.axes[0]
        plain = 0, Tiling((), tuple(axes))
        found: list[tuple[int, int, NDArray[np.int64], Choice | None]] = []
        seen: set[bytes] = set()
        for at, choice in enumerate([None, *sorted(self.price, key=self._rank)]):
            order = self.graph.todo if choice is None else self._order(choice)
            if order.tobytes() in seen:
                continue
            seen.add(order.tobytes())
            try:
                found.append((io_of(self.graph, self.M, order), at, order, choice))
            except TimeUp:
                if not found:
                    raise
                break
            if self.progress is not None:
                least = min(one[0] for one in found)
                self.progress(f"{len(found)} loop nests counted, the best moves {least:,} words")
            if len(found) > self.counted or time_is_up():
                break
        io, _, order, choice = min(found, key=lambda one: one[:2])
        return TiledLoops(io, self.part.vertices[order], self._text(choice or plain))

    def _text(self, choice: Choice) -> str:
        """Return the loops as text."""
        number, tiling = choice
        names = self.systems[number].names
        tiles = [f"for {names[axis]} in tiles of {size}:" for axis, size in tiling.tiles]
        inner = [f"for each {names[axis]}:" for axis in tiling.points]
        lines = [f"{'    ' * depth}{line}" for depth, line in enumerate([*tiles, *inner])]
        return "\n".join([*lines, f"{'    ' * len(lines)}compute; evict what is used last (Belady)"])


def _sizes(M: int) -> list[int]:
    """Return tile sizes that suit M words: squares, smaller squares, cubes, and long tiles."""
    root, cube = round(M**0.5), round(M ** (1 / 3))
    return list(dict.fromkeys(max(one, 2) for one in (root - 1, root // 2, cube, M // 4, M // 2)))


def _unlike(systems: list[LoopCoordinates]) -> list[tuple[tuple[str, ...], int]]:
    """Return the names of the axes of each system, with how many before it have the same."""
    names = [system.names for system in systems]
    return [(one, names[:at].count(one)) for at, one in enumerate(names)]


def _with_tile(tiling: Tiling, at: int, tile: tuple[int, int]) -> Tiling:
    return replace(tiling, tiles=(*tiling.tiles[:at], tile, *tiling.tiles[at + 1 :]))
