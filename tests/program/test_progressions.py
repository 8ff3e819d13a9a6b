"""Two outer tiles that stand for all: the same words and room as all of them, under bands with jumps and gaps."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from pebble.common.errors import InvalidInput
from pebble.computations.masks import BandMask, Mask, make_mask
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.program import compute, delete, first, last, load, loop, program, store, when
from pebble.program.counting import effects
from pebble.program.counting.effects import Fold
from pebble.program.counting.lexical import lexical
from pebble.program.counting.run import run
from pebble.program.counting.texts import texts_in_turn
from pebble.program.nodes import Node, Program
from pebble.program.schedule import registered
from tests.program.random_families import under
from tests.program.random_masks import CLASSES
from tests.support import amounts

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


def steady_band(rnd: Random, rows: int, cols: int) -> Mask:
    """A band whose ends stay, move by one and jump in turn, or a mask by name; of repeating blocks too."""
    if rnd.random() < 0.4:
        small, half = rnd.randint(1, 40), rnd.randint(1, cols // 2)
        names = ["causal", f"window:{small}", f"window:left={half},right={small}", f"prefix:{half}"]
        names += [f"streaming:{rnd.randint(1, 20)},{small}", f"window:{small}+sink:{half}"]
        if rows % 3 == 0:
            names = [f"group:3:{name}" for name in names]
        elif rows == cols:
            names.append(f"longformer:window={2 * small},global={rnd.randint(0, 20)}")
            period = rnd.randint(2, 12)
            names += [f"strided:{period}", f"fixed:{period},{rnd.randint(1, period)}"] * 3
        mask = make_mask(rnd.choice(names), rows, cols, empty_rows="zero")
        assert mask is not None
        return mask

    if rows == cols and rnd.random() < 0.4:
        mask = CLASSES["toeplitz"](rnd, rows, cols)
        mask.empty_rows = "zero"
        return mask

    def end() -> NDArray[np.int64]:
        steps: list[int] = []
        while len(steps) < rows:
            steps += [rnd.choice([0, 1, 1])] * rnd.choice([3, 20, rnd.randint(20, 200)])
            steps.append(rnd.choice([0, 0, rnd.randint(0, 30)]))
        return np.asarray(np.minimum(np.cumsum([0, *steps[: rows - 1]]), cols))

    start = end()
    stop = np.minimum(np.maximum(start, rnd.choice([end(), start + rnd.randint(1, 60)])), cols)
    mask = BandMask("own", cols, start, stop)
    mask.empty_rows = "zero"
    return mask


def grouped_blocks(rnd: Random) -> Mask:
    """A mask of repeating blocks, each query of it two or three times."""
    group, tokens, period = rnd.choice([2, 3]), rnd.randint(60, 250), rnd.randint(2, 8)
    inner = rnd.choice([f"strided:{period}", f"fixed:{period},{rnd.randint(1, period)}"])
    mask = make_mask(f"group:{group}:{inner}", group * tokens, tokens)
    assert mask is not None
    return mask


@pytest.mark.many(1)
@pytest.mark.parametrize("block", amounts.first(2, range(20)))
def test_two_outer_tiles_stand_for_all(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words by operation, peak and what is there at the peak are those of all tiles."""
    taken = 0
    for seed in range(40 * block, 40 * (block + 1)):
        rnd = Random(seed)
        rows = rnd.randint(60, 400)
        cols = rnd.choice([rows, rnd.randint(60, 450)])
        mask = steady_band(rnd, rows, cols) if rnd.random() < 0.8 else grouped_blocks(rnd)
        rows, cols = mask.Nq, mask.Nk
        if not mask.pairs:
            continue
        problem = Problem(rows, cols, 2, 2, mask=mask, pass_name=rnd.choice(["forward", "backward"]))
        schedule = rnd.choice([one for one in registered(problem.pass_name, "plain") if one.name != "best"])
        sizes = {name: rnd.choice([1, 2, 3, 4, rnd.randint(1, 40)]) for name in schedule.tile_names}
        try:
            text = schedule.program(problem, sizes)
        except InvalidInput:
            continue
        family = schedule.family(problem)
        short = Fold(texts_in_turn(text, family)[0][0], lexical(text, family), by_array=True)
        with monkeypatch.context() as patch:
            patch.setattr(effects, "LEAST_TILES", 10**9)
            whole = Fold(texts_in_turn(text, family)[0][0], lexical(text, family), by_array=True)
        assert {path: words.tolist() for path, words in short.moved.items()} == {
            path: words.tolist() for path, words in whole.moved.items()
        }, seed
        assert short.effect.room == whole.effect.room, seed
        assert (short.effect.at == whole.effect.at).all(), seed
        taken += short.boxes < whole.boxes
    assert taken > 8


def jump() -> Mask:
    """A window of five keys that jumps over some."""
    start = np.arange(300) + np.where(np.arange(300) < 60, 0, 40)
    return BandMask("jump", 345, start, start + 5)


CAUSAL = Problem(400, 400, 2, 2, mask="causal").allowed
ENDS = loop("j", 4, when(last("i"), load("V"), delete("V")), when(first("i"), load("K"), delete("K")),
            load("K", "V"), *STEP, delete("K", "V"))  # fmt: skip
ASIDE = when(first("i"), load("V")), when(last("i"), delete("V"))
KEPT = loop("j", 4, load("K"), *STEP, delete("K"))


@pytest.mark.many(1)
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
    family = under(family_of(Problem(mask.Nq, mask.Nk, 1, 1)), mask)
    proved, plain = (run(text, family, induction=induction) for induction in (True, False))
    assert proved.proved
    assert (proved.reads, proved.writes, proved.peak) == (plain.reads, plain.writes, plain.peak)
