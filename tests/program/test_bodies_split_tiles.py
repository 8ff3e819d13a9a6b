"""Conditions on loops whose tiles are split by loops inside: lines that look alike otherwise are told apart."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from pebble.program.machine.bodies import Bodies
from tests.program.differences import against_plain_loops
from tests.program.named_cases import table
from tests.program.names import (
    Loop,
    Mask,
    Node,
    Problem,
    Program,
    compute,
    delete,
    family_of,
    first,
    last,
    load,
    loop,
    make_mask,
    not_first,
    not_last,
    program,
    store,
    when,
)
from tests.program.random_families import with_outputs
from tests.support import amounts

CONDITIONS = [first, last, not_first, not_last]


def judged(text: Program, mask: Mask) -> list[str]:
    """What the shortcuts say otherwise than the plain loops."""
    mask.empty_rows = "zero"
    family = with_outputs(family_of(Problem(mask.Nq, mask.Nk, 1, 1, mask=mask)), ())
    return against_plain_loops(text, family)


def test_partners_are_told_apart_by_pairs_before_a_split_tile() -> None:
    """The second and the third key of the middle tile have one row each; one of these has pairs before the tile."""
    mask = table([".x...x.x...x", "....x.x...x."])
    rows = loop("i", 1, load("Q"), compute("S"), when(first("part"), store("S")), delete("S", "Q"))
    keys = loop("j", 4, loop("j", 1, load("K"), rows, delete("K"), label="key"), label="part")
    text = program(loop("i", 2, keys))
    assert not judged(text, mask)
    (key,) = keys.body
    assert isinstance(key, Loop)
    assert Bodies(text, family_of(Problem(2, 12, 1, 1, mask=mask))).of(key).in_place


def random_mask(rnd: Random, rows: int, columns: int) -> Mask:
    """Any pairs, or documents."""
    if rnd.random() < 0.7:
        lines = ["".join(rnd.choice("x.") for _ in range(columns)) for _ in range(rows)]
        return table(lines)
    ends = sorted(rnd.sample(range(1, columns), rnd.randint(2, 4)))
    lengths = np.diff([0, *ends, columns]).tolist()
    kind = rnd.choice(["document:", "document:causal,"])
    mask = make_mask(kind + ",".join(map(str, lengths)), columns, columns)
    assert mask is not None
    return mask


def random_nest(rnd: Random) -> Program:
    """Tiles of either axis, of which some are split once or twice, and conditions on any of the loops."""
    axes = rnd.choice(["ijji", "ijji", "jiji", "ijjij", "iijj", "iji"])
    if rnd.random() < 0.5:
        axes = axes.translate({ord("i"): "j", ord("j"): "i"})
    sizes: list[int] = []
    for at, axis in enumerate(axes):
        rest = axes.count(axis, at + 1)
        sizes.append(1 if not rest else rnd.randint(2, 6))
    body: list[Node | tuple[Node, ...]] = [load("Q"), load("K"), compute("S")]
    for _ in range(rnd.randint(1, 2)):
        condition = rnd.choice(CONDITIONS)(str(rnd.randrange(len(axes))))
        body.append(when(condition, rnd.choice([store("S"), store("S"), store("Q")])))
    body.append(delete("S", "Q", "K"))
    for at in range(len(axes) - 1, -1, -1):
        body = [loop(axes[at], sizes[at], *body, label=str(at))]
    (nest,) = body
    assert isinstance(nest, Loop)
    return program(nest)


def check(start: int, stop: int) -> None:
    """Judge the nests with these numbers."""
    for seed in range(start, stop):
        rnd = Random(seed)
        text, mask = random_nest(rnd), random_mask(rnd, rnd.randint(2, 12), rnd.randint(6, 16))
        assert not judged(text, mask), (seed, text)


@pytest.mark.parametrize("block", amounts.first(1, [4, 8, 18]))
def test_split_tiles_of_random_nests(block: int) -> None:
    """In each block there is one that shows where all lines are told apart by numbers only."""
    check(20 * block, 20 * block + 30)
