"""Random masks of every kind: regular ones, ones with a pair changed, empty lines, few classes of lines."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
from numpy.typing import NDArray

from tests.program.names import BandMask, DenseMask, InvalidInput, Mask, make_mask

__all__ = ["random_mask"]

Table = NDArray[np.bool_]


def random_mask(rnd: Random, rows: int, cols: int) -> Mask:
    """A mask that allows some pair; queries without keys are let be."""
    makers = (regular, regular, changed, changed, holed, classes, classes, scattered, band, full)
    while True:
        try:
            mask = rnd.choice(makers)(rnd, rows, cols)
        except InvalidInput:
            continue
        if mask.pairs:
            mask.empty_rows = "zero"
            return mask


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
        f"nm:{rnd.randint(1, small)}:{small},seed={rnd.randint(0, 99)}",
        documents(rnd, rows),
        documents(rnd, rows),
    ]
    group = next(size for size in (4, 3, 2, 1) if rows % size == 0)
    names.append(f"group:{group}:{rnd.choice(['causal', 'window:2', 'nm:1:3,seed=4'])}")
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


def band(rnd: Random, rows: int, cols: int) -> Mask:
    """Any band, queries and keys without pairs included."""
    ends = np.array([sorted(rnd.randint(0, cols) for _ in range(rows)) for _ in range(2)])
    return BandMask("band", cols, ends.min(axis=0), ends.max(axis=0))


def full(rnd: Random, rows: int, cols: int) -> Mask:
    """Every pair."""
    return dense(np.ones((rows, cols), dtype=bool), "full")
