"""Which words of a pebbling are needed again at a moment: red, or loaded once more."""

from __future__ import annotations

import bisect
from collections.abc import Iterator

from pebble.computations.family import Family
from tests.lower_bounds.masked_pebblings import Moves


class Lifetimes:
    """When each vertex of a pebbling is computed, loaded and red."""

    def __init__(self, moves: Moves) -> None:
        self.computed: dict[int, list[int]] = {}
        self.loaded: dict[int, list[int]] = {}
        self.red: dict[int, list[tuple[int, int]]] = {}
        begun: dict[int, int] = {}
        for time, (kind, v) in enumerate(moves):
            if kind in ("load", "compute"):
                (self.loaded if kind == "load" else self.computed).setdefault(v, []).append(time)
                begun[v] = time
            elif kind == "delete":
                self.red.setdefault(v, []).append((begun.pop(v), time))
        for v, time in begun.items():
            self.red.setdefault(v, []).append((time, len(moves)))

    def red_at(self, v: int, moment: int) -> bool:
        """Whether v is red just before a move."""
        return any(start < moment <= stop for start, stop in self.red.get(v, []))

    def needed(self, v: int, moment: int) -> bool:
        return self.red_at(v, moment) or any(time >= moment for time in self.loaded.get(v, []))

    def tied(self, v: int, moment: int) -> bool:
        return any(start < moment for start, _ in self.red.get(v, [])) and self.needed(v, moment)


def traced(
    family: Family, times: Lifetimes, width: int, array: str = "U"
) -> Iterator[tuple[int, tuple[int, int]]]:
    """The last computation of each chain's end, and of each step before it the last one before that."""
    chains: dict[tuple[int, int], list[int]] = {}
    for v, label in enumerate(family.names):
        name, _, rest = label.partition("[")
        if name == array:
            i, e, _ = (int(number) for number in rest[:-1].split(","))
            chains.setdefault((i, e), []).append(v)
    for (i, e), steps in chains.items():
        if e < width:
            time = 1 << 60
            for v in reversed(steps):
                computed = times.computed[v]
                time = computed[bisect.bisect_left(computed, time) - 1]
                yield time, (i, e)


def words_needed_again(
    family: Family,
    times: Lifetimes,
    width: int,
    moment: int,
    tied: tuple[str, ...] = ("Q", "K", "U", "V"),
    charged: tuple[str, ...] = ("S", "P"),
) -> tuple[int, int]:
    """How many tied words and charged pairs there are, and how many of them are red; of U and V some columns."""
    found, pairs = dict[object, bool](), dict[object, bool]()
    for v in range(family.n_vertices):
        name, _, rest = family.names[v].partition("[")
        index = tuple(int(number) for number in rest[:-1].split(","))
        if name in charged and times.needed(v, moment):
            pairs[index[:2]] = pairs.get(index[:2], False) or times.red_at(v, moment)
        elif name in tied and (name not in ("U", "V") or index[1] < width) and times.tied(v, moment):
            found[v] = times.red_at(v, moment)
    found |= pairs
    return len(found), sum(found.values())
