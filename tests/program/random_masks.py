"""Random masks of every class and kind: the one place where tests draw them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

import numpy as np
from numpy.typing import NDArray

from pebble.computations.masks import BlockMask, grouped_mask
from pebble.computations.masks.band_mask import FullMask
from tests.program.names import (
    BandMask,
    BlockToeplitzMask,
    DenseMask,
    InvalidInput,
    Mask,
    UnionMask,
    make_mask,
)

__all__ = ["CLASSES", "masks_of", "random_mask"]

Table = NDArray[np.bool_]
Maker = Callable[[Random, int, int], Mask]


def random_mask(rnd: Random, rows: int, cols: int) -> Mask:
    """A mask that allows some pair; queries without keys are let be."""
    makers: list[Maker] = [regular, regular, regular, changed, holed, classes, scattered, *CLASSES.values()]
    while True:
        try:
            mask = rnd.choice(makers)(rnd, rows, cols)
        except InvalidInput:
            continue
        if mask.pairs:
            mask.empty_rows = "zero"
            return mask


def masks_of(make: Maker, number: int, most: int = 40) -> Iterator[tuple[Mask, np.random.Generator]]:
    """Masks of a class and of any size, pairs or none, each with a generator of its own to ask about it."""
    rnd = Random(0)
    while number:
        rows, cols = (rnd.randint(1, rnd.choice([6, 16, most])) for _ in range(2))
        try:
            mask = make(rnd, rows, rnd.choice([rows, cols]))
        except InvalidInput:
            continue
        yield mask, np.random.default_rng(rnd.getrandbits(32))
        number -= 1


def regular(rnd: Random, rows: int, cols: int) -> Mask:
    """A mask by name."""
    small, half = rnd.randint(1, 4), rnd.randint(1, max(1, cols // 2))
    names = [
        "causal",
        f"window:{rnd.randint(1, cols)}",
        f"window:left={rnd.randint(0, half)},right={rnd.randint(0, half)}",
        f"prefix:{half}",
        f"longformer:window={2 * small},global={rnd.randint(0, 2)}",
        f"strided:{small + 1}",
        f"fixed:{small + 1}",
        f"butterfly:{small}",
        f"blocks:size={small},density=0.{rnd.randint(2, 8)},seed={rnd.randint(0, 99)}",
        f"selected:size={small},blocks={rnd.randint(1, 4)},queries={rnd.randint(1, small)},seed={rnd.randint(0, 9)}",
        f"nm:{rnd.randint(1, small)}:{small},seed={rnd.randint(0, 99)}",
        documents(rnd, rows),
        documents(rnd, rows),
    ]
    group = next(size for size in (4, 3, 2, 1) if rows % size == 0)
    names += [f"sink:{half}", f"streaming:{small},{half}", f"dilated:{small},{rnd.randint(2, 3)}"]
    names.append(f"{rnd.choice(names)}{rnd.choice('+&')}{rnd.choice(names)}")
    names.append(f"group:{group}:{rnd.choice(['causal', 'window:2', 'nm:1:3,seed=4', 'streaming:1,2'])}")
    mask = make_mask(rnd.choice(names), rows, cols, empty_rows="zero")
    assert mask is not None
    return mask


def documents(rnd: Random, length: int) -> str:
    """Documents of random, often equal lengths."""
    lengths: list[int] = []
    usual = rnd.randint(1, max(1, length // 2))
    while sum(lengths) < length:
        size = usual if rnd.random() < 0.6 else rnd.randint(1, length)
        lengths.append(min(size, length - sum(lengths)))
    return f"document:{rnd.choice(['', 'causal,'])}{','.join(map(str, lengths))}"


def table_of(mask: Mask) -> Table:
    return np.array(mask.matrix((0, mask.Nq), (0, mask.Nk)), dtype=bool)


def dense(table: Table, name: str) -> Mask:
    if not table.any():
        raise InvalidInput("no pair")
    return DenseMask(name, table)


def changed(rnd: Random, rows: int, cols: int) -> Mask:
    """A regular mask in which one or two pairs, deep inside mostly, are the other way round."""
    mask = regular(rnd, rows, cols) if rnd.random() < 0.8 else full(rnd, rows, cols)
    table = table_of(mask)
    for _ in range(rnd.choice([1, 1, 2])):
        row = rnd.randrange(rows // 3, rows) if rnd.random() < 0.7 else rnd.randrange(rows)
        col = rnd.randrange(cols // 3, cols) if rnd.random() < 0.7 else rnd.randrange(cols)
        table[row, col] ^= True
    return dense(table, "changed")


def holed(rnd: Random, rows: int, cols: int) -> Mask:
    """A mask in which some queries and keys have no pair at all."""
    table = table_of(rnd.choice([regular, full, classes])(rnd, rows, cols))
    for _ in range(rnd.randint(1, 3)):
        start = rnd.randrange(rows)
        table[start : start + rnd.choice([1, 1, 2, 4])] = False
    for _ in range(rnd.randint(0, 2)):
        start = rnd.randrange(cols)
        table[:, start : start + rnd.choice([1, 1, 2])] = False
    return dense(table, "holed")


def classes(rnd: Random, rows: int, cols: int) -> Mask:
    """Rows of two or three kinds: in runs, in turn or mixed; or the same of columns."""
    if rnd.random() < 0.3:
        return dense(table_of(classes_of_rows(rnd, cols, rows)).T.copy(), "classes of columns")
    return classes_of_rows(rnd, rows, cols)


def classes_of_rows(rnd: Random, rows: int, cols: int) -> Mask:
    kinds = rnd.randint(2, 3)
    patterns = [[rnd.random() < rnd.choice([0.2, 0.5, 0.9]) for _ in range(cols)] for _ in range(kinds)]
    order: list[Callable[[int], int]] = [
        lambda row: row * kinds // rows,
        lambda row: row % kinds,
        lambda _: rnd.randrange(kinds),
        lambda row: int(row == rows // 2),
    ]
    chosen = rnd.choice(order)
    return dense(np.array([patterns[chosen(row)] for row in range(rows)]), "classes of rows")


def scattered(rnd: Random, rows: int, cols: int) -> Mask:
    """Pairs at random, one at least."""
    share = rnd.choice([0.1, 0.3, 0.6, 0.9])
    table = np.array([[rnd.random() < share for _ in range(cols)] for _ in range(rows)])
    table[rnd.randrange(rows), rnd.randrange(cols)] = True
    return dense(table, "scattered")


def band(rnd: Random, rows: int, cols: int) -> BandMask:
    """Any band, queries and keys without pairs included; of which the ends may have few values."""
    values = [rnd.randint(0, cols) for _ in range(rnd.choice([4, rows + cols]))]
    ends = np.array([sorted(rnd.choice(values) for _ in range(rows)) for _ in range(2)])
    return BandMask("band", cols, ends.min(axis=0), ends.max(axis=0))


def walk(rnd: Random, rows: int, cols: int) -> list[int]:
    """An end that stays, or moves by one or a jump, for a while each."""
    place, found = rnd.choice([0, 0, rnd.randint(0, cols // 2)]), list[int]()
    while len(found) < rows:
        slope = rnd.randint(0, 1)
        for _ in range(rnd.choice([rows, rnd.randint(6, max(16, rows // 3)), 3])):
            found.append(place)
            place = min(place + slope, cols)
        place = min(place + rnd.choice([0, 0, 1, rnd.randint(0, 5)]), cols)
    return found[:rows]


def pieces(rnd: Random, rows: int, cols: int) -> BandMask:
    """A band of few pieces; of which all ends may move together, or some queries have no keys."""
    start, stop = np.sort([walk(rnd, rows, cols), walk(rnd, rows, cols)], axis=0)
    if rnd.random() < 0.4:
        stop = np.minimum(start + rnd.randint(1, cols), cols)
    if rnd.random() < 0.2:
        hole = slice(*sorted(rnd.randint(0, rows) for _ in range(2)))
        stop[hole] = start[hole]
    return BandMask("pieces", cols, start, np.maximum.accumulate(stop).clip(start))


def grouped(rnd: Random, rows: int, cols: int) -> Mask:
    """Another mask, a band mostly, of which each query comes several times."""
    group = next(size for size in rnd.sample([1, 2, 3, 4], 4) if rows % size == 0)
    inner = rnd.choice([band, pieces, union, regular, scattered])(rnd, rows // group, cols)
    return grouped_mask(inner, group)


def union(rnd: Random, rows: int, cols: int) -> Mask:
    """Bands one beside the other, with keys between them that belong to none; or any bands."""
    if rnd.random() < 0.4:
        return UnionMask(
            "union",
            [rnd.choice([band, pieces, pieces])(rnd, rows, cols) for _ in range(rnd.choice([2, 2, 3]))],
        )
    ends = np.sort([walk(rnd, rows, cols) for _ in range(rnd.choice([4, 4, 6]))], axis=0)
    return UnionMask("union", [BandMask("one", cols, *pair) for pair in ends.reshape(-1, 2, rows)])


def toeplitz(rnd: Random, rows: int, cols: int) -> Mask:
    """Blocks with patterns that depend on how far below the diagonal they are; those far below are all the same."""
    if rows != cols:
        raise InvalidInput("as many keys as queries")
    L = rnd.randint(1, 7)

    def pattern() -> Mask:
        nothing = BandMask("none", L, *np.zeros((2, L), dtype=np.int64))
        return rnd.choice([nothing, band(rnd, L, L), pieces(rnd, L, L), union(rnd, L, L)])

    near = [pattern() for _ in range(rnd.randint(1, 3))]
    return BlockToeplitzMask("toeplitz", rows, L, near, pattern())  # type: ignore[arg-type]


def blocks(rnd: Random, rows: int, cols: int) -> Mask:
    """Blocks of any sides, the last ones often cut; rows and columns without any, and equal ones."""
    sides = rnd.randint(1, min(rows, 7)), rnd.randint(1, min(cols, 7))
    allowed = table_of(classes(rnd, -(-rows // sides[0]), -(-cols // sides[1])))
    return BlockMask("blocks", rows, cols, sides, allowed)


def full(rnd: Random, rows: int, cols: int) -> Mask:
    """Every pair."""
    return dense(np.ones((rows, cols), dtype=bool), "full")


CLASSES: dict[str, Maker] = {
    "band": band,
    "pieces": pieces,
    "grouped": grouped,
    "union": union,
    "toeplitz": toeplitz,
    "blocks": blocks,
    "dense": lambda rnd, rows, cols: rnd.choice([changed, holed, classes, scattered])(rnd, rows, cols),
    "full": lambda _, rows, cols: FullMask(rows, cols),
}
"""Masks of every class that the package keeps in its own way."""
