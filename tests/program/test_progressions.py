"""Two outer tiles that stand for all: the same words and room as all of them, under bands with jumps and gaps."""

from __future__ import annotations

from random import Random
from unittest.mock import patch

import numpy as np
import pytest

from pebble.computations.family import Family
from pebble.computations.masks import BandMask, Mask, UnionMask, make_mask
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.program import compute, delete, first, last, load, loop, not_first, program, store, when
from pebble.program.counting.effects import Fold
from pebble.program.counting.progressions import tiles_in_progression
from pebble.program.counting.run import proof, run
from pebble.program.nodes import Node, Program
from tests.program.random_families import under

STEP = (compute("S"), compute("P", replacing="S"), compute("l"), compute("U"), delete("P"))


def on_queries(
    rows: int,
    *inner: object,
    start: int = 0,
    stop: int | None = None,
    around: tuple[object, object] = ((), ()),
) -> Node:
    """Return a loop over queries that computes O."""
    done = delete("Q"), compute("O"), store("O"), delete("O", "U", "l")
    return loop("i", rows, around[0], load("Q"), *inner, *done, around[1], start=start, stop=stop)  # type: ignore[arg-type]


def texts(rnd: Random) -> dict[str, Program]:
    rows, cols = rnd.choice([1, 2, 3, 4, 5, 8, 12]), rnd.choice([1, 2, 3, 4, 8, 16, 32, 50])
    row, col = rnd.choice([1, 2, 3]), rnd.choice([1, 2, 3, cols])
    keys = load("K", "V"), delete("K", "V")
    inner = loop("i", row, loop("j", col, *STEP, label="jj"), label="ii")
    back = when(not_first("j"), load("l", "U")), *STEP, store("l", "U"), delete("l", "U", "Q")
    two = (
        loop("j", cols, load("K"), *STEP[:3], delete("K")),
        loop("j", col, load("V"), compute("U"), delete("P", "V")),
    )
    outputs = loop("i", rows, load("U", "l"), compute("O"), store("O"), delete("O", "U", "l"))
    return {
        "queries outside": program(on_queries(rows, loop("j", cols, keys[0], *STEP, keys[1]))),
        "keys outside": program(
            loop("j", cols, keys[0], loop("i", rows, load("Q"), *back), keys[1]), outputs
        ),
        "tiles in tiles": program(on_queries(rows, loop("j", cols, keys[0], inner, keys[1]))),
        "a row of P": program(on_queries(rows, *two)),
    }


def band(rnd: Random) -> BandMask:
    """A band of long pieces with slopes of their own, jumps over keys, and queries without keys."""
    queries = rnd.randint(300, 800)
    low, high = [rnd.randint(0, 60)], [rnd.randint(60, 120)]
    while len(low) < queries:
        a, b = (
            low[-1] + rnd.choice([0, 0, rnd.randint(0, 90)]),
            high[-1] + rnd.choice([0, rnd.randint(0, 90)]),
        )
        length = np.arange(rnd.choice([rnd.randint(1, 60), rnd.randint(200, 700)]))
        slopes = rnd.choice([(0, 1), (1, 1), (1, 1), (0, 0), (1, 0), (0, 2), (2, 2), (0.5, 0.5), (0, 0.5)])
        low += (a + slopes[0] * length).astype(int).tolist()
        high += (b + slopes[1] * length).astype(int).tolist()
        if rnd.random() < 0.2:
            high[-1] = low[-1]
    start = np.maximum.accumulate(low[:queries])
    stop = np.maximum.accumulate(np.maximum(high[:queries], start))
    return BandMask("band", int(stop[-1]) + rnd.choice([1, 40]), start, stop)


def some_mask(rnd: Random) -> Mask:
    if rnd.random() < 0.5:
        return band(rnd)
    length = rnd.randint(200, 500)
    kinds = "causal", f"window:{rnd.randint(1, 90)}", f"prefix:{rnd.randint(1, 90)}"
    union = f"longformer:window={2 * rnd.randint(1, 20)},global={rnd.randint(1, 30)}"
    keys = length + rnd.choice([0, rnd.randint(1, 90)])
    spec = rnd.choice([*kinds, union if keys == length else "causal"])
    mask = Problem(length, keys, 1, 1, mask=spec).allowed
    assert isinstance(mask, BandMask | UnionMask)
    return mask


def computation(mask: Mask) -> Family:
    return under(family_of(Problem(mask.Nq, mask.Nk, 1, 1)), mask)


def folded(text: Program, mask: Mask) -> tuple[object, int, int]:
    """Return the words moved, the peak, and the boxes looked at."""
    family = computation(mask)
    (here,) = proof(text, family)
    found = Fold([text], family, here)
    return (
        {path: moved.tolist() for path, moved in found.moved.items()},
        int(found.effect.room[0]),
        found.boxes,
    )


def both(text: Program, mask: Mask) -> tuple[tuple[object, int, int], tuple[object, int, int]]:
    """Return what is folded with progressions and without."""
    with patch.object(Fold, "_in_progression", lambda *_: None):
        every = folded(text, mask)
    return folded(text, mask), every


def test_some_tiles_stand_for_all() -> None:
    rnd, fewer = Random(0), 0
    for _ in range(20):
        mask = some_mask(rnd)
        for name, text in texts(rnd).items():
            some, every = both(text, mask)
            assert some[:2] == every[:2], (name, mask, text)
            fewer += some[2] < every[2]
    assert fewer > 20


def jump() -> Mask:
    """A window of five keys that jumps over some."""
    start = np.arange(300) + np.where(np.arange(300) < 60, 0, 40)
    return BandMask("jump", 345, start, start + 5)


CAUSAL = Problem(400, 400, 2, 2, mask="causal").allowed
ENDS = loop("j", 4, when(last("i"), load("V"), delete("V")), when(first("i"), load("K"), delete("K")),
            load("K", "V"), *STEP, delete("K", "V"))  # fmt: skip
ASIDE = when(first("i"), load("V")), when(last("i"), delete("V"))
KEPT = loop("j", 4, load("K"), *STEP, delete("K"))


@pytest.mark.parametrize(
    ("text", "mask"),
    [
        (program(on_queries(3, loop("j", 8, load("K", "V"), *STEP, delete("K", "V")))), jump()),
        (program(on_queries(4, ENDS, stop=200), on_queries(4, ENDS, start=200)), CAUSAL),
        (program(on_queries(4, KEPT, around=ASIDE)), CAUSAL),
    ],
    ids=["keys that no query has", "loops over a part of the queries", "words that stay from tile to tile"],
)
def test_tiles_that_are_like_no_other(text: Program, mask: Mask) -> None:
    some, every = both(text, mask)
    assert some[:2] == every[:2]
    proved, plain = (run(text, computation(mask), induction=induction) for induction in (True, False))
    assert proved.proved
    assert (proved.reads, proved.writes, proved.peak) == (plain.reads, plain.writes, plain.peak)


def test_steady_parts_beside_the_loop_are_passed_over() -> None:
    mask = make_mask("document:32,25,16,23", 96, 96)
    assert mask is not None
    for loop_over in ((0, 58, 1), (32, 73, 1), (57, 96, 1)):
        tiles, halves = tiles_in_progression(
            mask, "j", mask.steady_parts("j"), loop_over, [], {0, 32, 57, 73, 96}
        )
        number = loop_over[1] - loop_over[0]
        assert halves.sum() == 2 * number
        assert 0 <= tiles.min() <= tiles.max() < number
