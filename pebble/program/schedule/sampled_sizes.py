"""Tiles on long axes: a sample of the sizes at the edge of what fits, and the neighbours of the best of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from pebble.program.schedule.aligned_sizes import aligned_sizes, has_full_tile, tile_period
from pebble.program.schedule.light_tiles import MANY_TILES, cuts_finely, light_tiles, repeating_tiles
from pebble.program.schedule.schedule import Tiles
from pebble.program.schedule.square_cuts import (
    HARDLY_MORE,
    IN_STEP,
    cuts_queries_and_keys,
    largest_side,
    sides_in_step,
)
from pebble.program.schedule.tile_groups import TileGroup
from pebble.program.schedule.tile_trials import Trials

__all__ = ["sampled_sizes"]

_TRIALS = 60
"""Most combinations of sizes that are compared at a time."""
_ROUNDS = 4
_REFINED = 2
_LONG = 1 << 18
"""On axes from this length on squares or tiles in step are taken that move hardly more words than the best."""
_HARDLY_MORE_REPEATING = 1.01
"""So many times the words of the best under a mask of blocks that repeat, for tiles that are verified sooner."""
_FEW_HEAVY = 3
"""Where the machine would take long for all tiles, so many of them are compared."""
_NEARLY = 0.97
"""A larger M is aimed at while the best tiles need less than this share of it under the mask."""


def sampled_sizes(
    trials: Trials, base: dict[str, int], given: dict[str, int], group: TileGroup, aim: int
) -> dict[str, int]:
    """Return the best of a sample of tiles that are likely to fit; those given where none moves fewer words.

    Room without the mask tells which sizes are compared: it is about the room under it. Where tiles of scores need
    less room under the mask, larger ones are tried, and measured.

    Parameters
    ----------
    trials : Trials
    base, given : dict of str to int
        The smallest tiles; tiles to begin with.
    group : TileGroup
        The tiles to choose; the others stay as given.
    aim : int
        Words of fast memory to fill.
    """
    sample = _Sample(trials, base, given, group)
    best = sample.best(aim, given)
    low, high = aim, 0
    for _ in range(_ROUNDS):
        if not sample.has_gaps(best):
            break
        needed = trials.peak(sample.alone(best))
        if needed > _NEARLY * trials.M or (high and high - low < trials.M // 32):
            break
        aim = (low + high) // 2 if high else low * trials.M // needed
        larger = sample.best(aim, best)
        if larger == best or trials.peak(sample.alone(larger)) > trials.M:
            high = aim
        else:
            low, best = aim, larger
    return best


class _Sample:
    """The sizes of a group's tiles that are compared, and what they move."""

    def __init__(self, trials: Trials, base: dict[str, int], given: dict[str, int], group: TileGroup) -> None:
        self.trials, self.base, self.given, self.group = trials, base, given, group
        self.axis_of = trials.schedule.axis_of
        self._words: dict[tuple[int, ...], int] = {}
        self._slopes: dict[str, float] = {}

    def has_gaps(self, tiles: Tiles) -> bool:
        """Whether these are tiles of scores, and the mask takes pairs from each of them, as far as is seen."""
        axes = [self.axis_of(name) for name in self.group.cuts]
        sides = {axis: tiles[name] for axis, name in zip(axes, self.group.cuts, strict=True) if tiles[name]}
        if not ("" in sides or {"i", "j"} <= set(sides)):
            return False
        return not has_full_tile(
            self.trials.problem.allowed, sides.get("i", sides.get("", 1)), sides.get("j", sides.get("", 1))
        )

    def alone(self, tiles: Tiles) -> dict[str, int]:
        """Return the group's tiles of some, and the smallest others."""
        return {**self.base, **{name: tiles[name] for name in self.group.names}}

    def best(self, aim: int, given: dict[str, int]) -> dict[str, int]:
        """Return the best tiles of the sample; those given if none moves fewer words."""
        ranked = self.ranked(aim)
        least = min([self.words(given), *(words for words, _ in ranked)])
        chosen = self._in_step(ranked, least, aim)
        if chosen is None:
            if not ranked or (ranked[0][0] >= self.words(given) and self._is_light(given)):
                return given
            chosen = self._lightest(ranked)
        return {**self.given, **{name: chosen[name] for name in self.group.names}}

    def _in_step(
        self, ranked: list[tuple[int, dict[str, int]]], least: int, aim: int
    ) -> dict[str, int] | None:
        """Return tiles that move hardly more words than the best, on axes so long that others take seconds.

        The machine must execute all tiles of a row until the two grids repeat: those of squares do at once, and those
        whose sides are to each other as small numbers are do soon.
        """
        if not ranked or not cuts_queries_and_keys(self.trials.schedule, self.group):
            return None
        if max(self.trials.greatest[name] for name in self.group.cuts) < _LONG:
            return None
        for words, tiles in ranked:
            if words <= HARDLY_MORE * least and len({tiles[name] for name in self.group.cuts}) == 1:
                return tiles
        best = ranked[0][1]

        def tiles_of(sides: tuple[int, int]) -> dict[str, int]:
            return {**best, **dict(zip(self.group.cuts, sides, strict=True))}

        one, other = (best[name] for name in self.group.cuts)
        sides = sides_in_step(one, other, lambda some: self.trials.plain_peak(tiles_of(some)) <= aim)
        chosen = min(map(tiles_of, sides), key=self.words, default=best)
        return chosen if self.words(chosen) <= IN_STEP * least else None

    def _is_light(self, tiles: Tiles) -> bool:
        """Whether the machine verifies the group's phases in seconds."""
        return self.trials.foretold({**self.given, **tiles}, self.group) <= MANY_TILES

    def _is_fine(self, tiles: Tiles) -> bool:
        """Whether the group's tiles cut a block, if tiles are cut at blocks, into many parts."""
        cuts = [name for name in self.group.cuts if name not in self.trials.schedule.may_be_zero]
        return cuts_finely(self.trials.block, (tiles[name] for name in cuts))

    def _lightest(self, ranked: list[tuple[int, dict[str, int]]]) -> dict[str, int]:
        """Return of the tiles that move hardly more words than the best those that the machine verifies soonest."""
        if tile_period(self.trials.problem.allowed) == 1:
            return ranked[0][1]
        near = (tiles for words, tiles in ranked if words <= _HARDLY_MORE_REPEATING * ranked[0][0])
        return min(near, key=lambda tiles: self.trials.foretold({**self.given, **tiles}, self.group))

    def words(self, tiles: Tiles) -> int:
        """Words that the group's phases move."""
        key = tuple(tiles[name] for name in self.group.names)
        if key not in self._words:
            self._words[key] = self.trials.words(
                {**self.given, **{name: tiles[name] for name in self.group.names}}, self.group
            )
        return self._words[key]

    def ranked(self, aim: int) -> list[tuple[int, dict[str, int]]]:
        """Return tiles that without the mask need about ``aim`` words, those that move the fewest words first."""
        seen: dict[tuple[int, ...], tuple[int, dict[str, int]]] = {}
        heavy: dict[tuple[int, ...], tuple[int, dict[str, int]]] = {}
        most_looked_at = max(MANY_TILES, self.trials.foretold(self.given, self.group))

        def take(some: Iterable[dict[str, int]], most: int) -> None:
            for tiles in some:
                if len(seen) >= most:
                    return
                if self._is_fine(tiles) and not self._is_fine(self.given):
                    continue
                light = light_tiles(self.trials, repeating_tiles(self.trials, tiles), self.group)
                whole = self._with_residents(light, aim)
                if whole is not None:
                    key = tuple(whole[name] for name in self.group.names)
                    if key in seen or key in heavy:
                        continue
                    looked_at = self.trials.foretold({**self.given, **whole}, self.group)
                    if looked_at > most_looked_at:
                        continue
                    if looked_at > MANY_TILES:
                        heavy[key] = looked_at, whole
                    else:
                        seen[key] = self.words(whole), whole

        take(self._squares(aim), _TRIALS)
        take(self._shapes(aim), _TRIALS * 2 // 3)
        for _ in range(_REFINED):
            if seen:
                take(self._neighbours(min(seen.values(), key=_by_words)[1], aim), _TRIALS)
        if not seen:
            few = sorted(heavy.values(), key=_by_words)[:_FEW_HEAVY]
            return sorted(((self.words(tiles), tiles) for _, tiles in few), key=_by_words)
        return sorted(seen.values(), key=_by_words)

    # Shapes

    def _squares(self, aim: int) -> Iterator[dict[str, int]]:
        """Yield the largest tile with as many queries as keys that needs about ``aim`` words, if both are cut."""
        if not cuts_queries_and_keys(self.trials.schedule, self.group):
            return

        def tiles(side: int) -> dict[str, int]:
            return {**self.base, **dict.fromkeys(self.group.cuts, side)}

        most = min(self.trials.greatest[name] for name in self.group.cuts)
        side = largest_side(most, lambda size: self.trials.plain_peak(tiles(size)) <= aim)
        if side:
            yield tiles(side)

    def _shapes(self, aim: int) -> Iterator[dict[str, int]]:
        """Yield sizes at the edge of what fits and below it: of the last tile for some sizes of the others."""
        heads, tails = self.group.cuts[:-1], self.group.cuts[-1:]
        few = {0: 1, 1: 10}.get(len(heads), 4)
        choices = [self._sizes(name, self._largest(self.base, name, aim), few) for name in heads]
        for sizes in product(*choices):
            tiles = {**self.base, **dict(zip(heads, sizes, strict=True))}
            if not tails:
                yield tiles
            for tail in tails:
                yield from self._tails(tiles, tail, aim, 4 if heads else 24)

    def _tails(self, tiles: dict[str, int], name: str, aim: int, most: int) -> Iterator[dict[str, int]]:
        """Yield tiles with some sizes of the last one; of one that may be zero, what others leave over of its axis."""
        if name in self.trials.schedule.may_be_zero:
            others = [tiles[other] for other in self.group.cuts if self.axis_of(other) == self.axis_of(name)]
            left = [self.trials.greatest[name] % size for size in others if size]
            sizes = list(dict.fromkeys([*left, 0, self.given[name]]))
        else:
            sizes = self._sizes(name, self._largest(tiles, name, aim), most)
        for size in sizes:
            yield {**tiles, name: size}

    def _sizes(self, name: str, edge: int | None, most: int) -> list[int]:
        """Return some sizes of a tile up to the largest that fits: equal cuts, what the mask suggests, fractions."""
        if not edge:
            return [] if edge is None else [0]
        extent, least, axis = self.trials.greatest[name], self.base[name], self.axis_of(name)
        blocks = -(-extent // edge)
        found = [edge, -(-extent // blocks), self.given[name]]
        mask = self.trials.problem.allowed
        if axis in ("i", "j") or (not axis and tile_period(mask) > 1):
            found += aligned_sizes(mask, axis or "i", edge)
        found += [-(-extent // (blocks + more)) for more in (1, 2)]
        # Small tiles of masks with a period repeat late.
        powers = 12 if tile_period(mask) == 1 else 6
        found += [int(edge / 2 ** (power / 2)) for power in range(1, powers + 1)]
        return [size for size in dict.fromkeys(found) if least <= size <= edge][:most]

    def _neighbours(self, tiles: dict[str, int], aim: int) -> Iterator[dict[str, int]]:
        """Yield tiles of sizes near those of some, with the last one at the edge of what then fits."""
        tails = self.group.cuts[-1:]
        small = {name: self.base[name] for name in self.group.resident}
        for name in self.group.cuts:
            size, extent = tiles[name], self.trials.greatest[name]
            blocks = -(-extent // max(size, 1))
            step = max(size // 32, 2)
            near = [size + 1, size - 1, -(-extent // (blocks + 1)), size + step, size - step]
            near += [-(-extent // (blocks - 1))] if blocks > 1 else []
            for other in dict.fromkeys(near):
                if self.base[name] <= other <= extent and other != size:
                    changed = {**tiles, **small, name: other}
                    for tail in tails if name not in tails else ():
                        yield from self._tails({**changed, tail: self.base[tail]}, tail, aim, 1)
                    yield changed

    # Room

    def _with_residents(self, tiles: dict[str, int], aim: int) -> dict[str, int] | None:
        """Return tiles with as many resident lines as there is room for; None where not even the tiles fit."""
        if self.trials.plain_peak(tiles) > aim:
            return None
        for name in self.group.resident:
            size = self._largest(tiles, name, aim)
            tiles = {**tiles, name: self.base[name] if size is None else size}
        return tiles

    def _largest(self, tiles: Tiles, name: str, aim: int) -> int | None:
        """Return the largest size of one tile that without the mask needs at most ``aim`` words, or None.

        Room grows about linearly with a size, by as much as it did the last time.
        """
        low, high = self.base[name], self.trials.greatest[name] + 1
        low_peak = self.trials.plain_peak({**tiles, name: low})
        if low_peak > aim:
            return None
        slope, steps = self._slopes.get(name, 0.0), 0
        while high - low > 1:
            guess = low + int((aim - low_peak) / slope) if slope else high - 1
            middle = (low + high) // 2 if steps % 4 == 3 else min(max(guess, low + 1), high - 1)
            peak = self.trials.plain_peak({**tiles, name: middle})
            slope = (peak - low_peak) / (middle - low)
            if peak <= aim:
                low, low_peak = middle, peak
            else:
                high = middle
            steps += 1
        self._slopes[name] = slope
        return low


def _by_words(one: tuple[int, dict[str, int]]) -> int:
    """Order by words, or by tiles; of those with as many the first stands, which may be a square."""
    return one[0]
