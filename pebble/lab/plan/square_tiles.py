"""Square tiles in place of others that move hardly fewer words, where a run under the mask would take seconds."""

from __future__ import annotations

from collections.abc import Iterator

from pebble.lab.plan.candidates import Candidate, Setting, candidate_of
from pebble.program.schedule import Tiles
from pebble.program.schedule.sequence_cuts import SEQUENCES
from pebble.program.schedule.square_cuts import HARDLY_MORE, cuts_queries_and_keys, largest_side
from pebble.program.schedule.tile_groups import tile_groups

__all__ = ["squared"]

MANY_TILES = 64
"""With fewer tiles than this along either axis a run takes less than a second or two, whatever their shape."""


def squared(one: Candidate, setting: Setting) -> Candidate:
    """Return a candidate with its tiles of scores made square, where they are many and that costs hardly anything.

    Parameters
    ----------
    one : Candidate
    setting : Setting

    Returns
    -------
    Candidate
        It moves at most :data:`~pebble.program.schedule.square_cuts.HARDLY_MORE` times the words and bytes.
    """
    found = one
    for names in _rectangles(one, setting) if setting.problem.mask is not None else ():
        square = _square(found, names, setting)
        if square is not None and _hardly_more(square, one):
            found = square
    return found


def _rectangles(one: Candidate, setting: Setting) -> Iterator[tuple[str, ...]]:
    """Yield the names of the two sizes of tiles of scores that are many and not square."""
    schedule, tiles = one.schedule, one.tiles
    if SEQUENCES in tiles or not {"i", "j"} <= {schedule.axis_of(name) for name in tiles}:
        return  # of each different sequence there are few tiles
    greatest = schedule.greatest(setting.problem)
    base = {name: int(name not in schedule.may_be_zero) for name in tiles}
    for group in tile_groups(schedule, setting.problem, base, greatest):
        if cuts_queries_and_keys(schedule, group):
            sizes = {tiles[name] for name in group.cuts}
            if len(sizes) > 1 and 0 not in sizes and _are_many(greatest, tiles, group.cuts):
                yield group.cuts


def _are_many(greatest: Tiles, tiles: Tiles, names: tuple[str, ...]) -> bool:
    return max(-(-greatest[name] // tiles[name]) for name in names) >= MANY_TILES


def _square(one: Candidate, names: tuple[str, ...], setting: Setting) -> Candidate | None:
    """Return the candidate with the largest square that fits; None if none does, or constraints forbid it."""

    def tiles(side: int) -> Tiles:
        return {**one.tiles, **dict.fromkeys(names, side)}

    def fits(side: int) -> bool:
        return setting.fits(one.schedule, tiles(side))

    sides = [one.tiles[name] for name in names]
    side = setting.constraints.down(largest_side(max(sides), fits, min(sides)))
    if not side or not setting.allows(one.schedule, tiles(side)):
        return None
    return candidate_of(one.schedule, one.form, tiles(side), setting)


def _hardly_more(square: Candidate, other: Candidate) -> bool:
    return square.moved <= HARDLY_MORE * other.moved and square.io <= HARDLY_MORE * other.io
