"""Loop nests by the definition: every point by itself, and values by recursion; and random nests to compare on."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from functools import cache

from pebble.computations.nests.expression import right_side
from pebble.computations.nests.statement import Access, LoopNest

Element = tuple[str, tuple[int, ...]]
Point = tuple[int, tuple[int, ...]]


class PlainNest:
    """Which points compute each element, in order, and what they read."""

    def __init__(self, nest: LoopNest) -> None:
        self.nest = nest
        self.writers: dict[Element, list[Point]] = {}
        self.reads: dict[Point, list[Element]] = {}
        for number, one in enumerate(nest.statements):
            for values in itertools.product(*(range(nest.extents[name]) for name in one.indices)):
                at = dict(zip(one.indices, values, strict=True))
                if all(condition.at(at) >= 0 for condition in one.conditions):
                    point = (number, values)
                    self.writers.setdefault(self._element(one.target, at), []).append(point)
                    self.reads[point] = [self._element(access, at) for access in one.reads]

    @staticmethod
    def _element(access: Access, at: dict[str, int]) -> Element:
        return access.array, tuple(place.at(at) for place in access.places)

    @property
    def is_read(self) -> set[Element]:
        return {element for elements in self.reads.values() for element in elements}

    @property
    def outputs(self) -> set[Point]:
        read = self.is_read
        return {
            points[-1]
            for element, points in self.writers.items()
            if element not in read or element[0] in self.nest.outputs
        }

    @property
    def edges(self) -> set[tuple[Point | Element, Point]]:
        """Predecessor and point; an input is an element."""
        found: set[tuple[Point | Element, Point]] = set()
        for points in self.writers.values():
            found |= set(itertools.pairwise(points))
        for point, elements in self.reads.items():
            for element in elements:
                found.add((self.writers[element][-1] if element in self.writers else element, point))
        return found

    def values(self, value_of: Callable[[Element], float]) -> Callable[[Element], float]:
        """Return the value of any element, where inputs have given values."""
        sides = [right_side(one) for one in self.nest.statements]

        @cache
        def value(element: Element) -> float:
            if element not in self.writers:
                return value_of(element)
            terms = (sides[point[0]].value(*map(value, self.reads[point])) for point in self.writers[element])
            return float(sum(terms))

        return value


def random_text(rng: random.Random, plain: bool) -> tuple[str, dict[str, int]]:
    """Return some assignments without a cycle, and extents; with plain indices only, or any places and conditions."""
    extents = {name: rng.randint(1, 3) for name in "ijkl"}
    ranks: dict[str, int] = {}
    statements = []
    for target in rng.sample("CDEFG", rng.randint(1, 4)):
        indices = rng.sample("ijkl", rng.randint(1, 3))
        rank = rng.randint(0, len(indices))
        reads = []
        for array in rng.sample(["A", "B", *ranks], rng.randint(1, min(3, 2 + len(ranks)))):
            ranks.setdefault(array, rng.randint(0, len(indices)))
            reads.append((array, [rng.choice(indices) for _ in range(ranks[array])]))
        used = {name for _, places in reads for name in places}
        kept = indices[:rank]
        sums = used - set(kept)
        ranks[target] = len(kept)
        right = rng.choice([" * ", " + "]).join(
            _written(array, places, rng, plain) for array, places in reads
        )
        text = f"{_written(target, kept, rng, True)} {'+=' if sums else '='} {right}"
        if not plain and rng.random() < 0.5 and len(used | set(kept)) > 1:
            one, other = rng.sample(sorted(used | set(kept)), 2)
            text += f" for {one} {rng.choice(['<', '<=', '>', '=='])} {other} + {rng.randint(-1, 1)}"
        statements.append(text)
    text = "; ".join(statements)
    return text, extents


def _written(array: str, places: list[str], rng: random.Random, plain: bool) -> str:
    shown = [
        name if plain else f"{name}{rng.choice(['', '', ' - 1', ' + 1', f' + {name}'])}" for name in places
    ]
    return f"{array}[{', '.join(shown)}]" if places else array


def used_extents(text: str, extents: dict[str, int]) -> dict[str, int]:
    """Return the extents of the indices that a text has."""
    return {name: extent for name, extent in extents.items() if name in text.replace("for", "")}
