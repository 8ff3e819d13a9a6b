"""Small programs, each of which a shortcut would judge wrongly if it left out one thing that it looks at."""

from __future__ import annotations

from pebble.computations.masks import document_mask
from tests.program.named_cases import named, table
from tests.program.names import (
    Array,
    Family,
    Loop,
    compute,
    delete,
    first,
    last,
    load,
    loop,
    not_first,
    not_last,
    store,
    when,
)

__all__ = ["SIGNATURES"]

X, Y, W = Array("X", ("i",)), Array("Y", ("j",)), Array("W", ("j", "k"))
A, S = Array("A", ("j", "k")), Array("S", ("i", "j"), chain="k", operands=("A",))
c = Array("c", ("j",), chain="i", operands=("X",))
r = Array("r", ("i",), chain="j", operands=("X",))


def plain(*arrays: Array, **extents: int) -> Family:
    """A family of some arrays without a mask."""
    return Family("small", arrays, extents, {axis: axis for axis in extents}, {})


def small(rows: str, *arrays: Array) -> Family:
    """The same under a mask, a word of x and . for each query."""
    lines = rows.split()
    return plain(*arrays, i=len(lines), j=len(lines[0]), k=2).under(table(lines))


R = Array("R", ("i", "j"), operands=("X", "Y"))


def under_mask(rows: str) -> Family:
    """Rows, keys and what they make together, under a mask."""
    return small(rows, X, Y, R)


ONE_BY_ONE = loop(
    "j", 1, when(last("i"), load("W")), when(not_last("i"), load("Y"), delete("Y")), label="key"
)
FEWER = loop("j", 1, load("X"), loop("i", 1, when(not_first("i"), load("W"), delete("W")), delete("X")))

E = Array("E", ("i",), operands=("r",))


def sums(start: int, stop: int, keys: int | None = None) -> Loop:
    """Sums of some rows, over all keys or the first few, left in slow memory."""
    work = load("X"), loop("j", 1, compute("r"), stop=keys), store("r"), delete("r", "X")
    return loop("i", 1, *work, start=start, stop=stop)


SIGNATURES = [
    named(
        "keys without a pair, in another part of their tile each time",
        small("x....... ....x... .x....x.", Y),
        (loop("j", 4, loop("i", 1, loop("j", 2, load("Y"), delete("Y"), label="part"))),),
    ),
    named(
        "the same, in tiles of two rows",
        small("x....... ........ ....x... ........ .x....x. .......x", Y),
        (loop("j", 4, loop("i", 2, loop("j", 2, load("Y"), delete("Y"), label="part"))),),
    ),
    named(
        "tiles of keys of two lengths, with the same pairs",
        plain(Y, i=8, j=8, k=2).under(document_mask([2, 2, 2, 2])),
        (loop("j", 6, loop("i", 2, load("Y"), delete("Y"))),),
    ),
    named(
        "sums of whole rows, and between them some that stopped inside of the tile of keys",
        small("xxxx " * 12, X, r, E),
        (sums(0, 6),),
        (sums(6, 10, keys=3),),
        (sums(10, 12),),
        (loop("j", 2, when(first("j"), loop("i", 1, load("r"), compute("E"), delete("E", "r")))),),
        rule="compute-needs-predecessors",
    ),
    named(
        "sums of keys of which some have begun, others not: in their order",
        small("x.x..xx. x.xxxxx.", X, c),
        (loop("j", 2, loop("i", 1, load("X"), compute("c"), delete("X")), delete("c")),),
    ),
    named(
        "sums of keys of which some have begun: how many",
        small("xxx.xxxx xxx.x.xx xxxxxxxx", X, c),
        (loop("j", 2, loop("i", 1, load("X"), compute("c"), store("c"), delete("X")), delete("c")),),
    ),
    named(
        "a query that has pairs before the tile of keys",
        small("xxxx ..xx xxxx xxxx", X, Y),
        (loop("j", 2, loop("i", 1, when(first("j"), load("X"), delete("X")))),),
    ),
    named(
        "keys that are done with, others not: in their order",
        small("xxx xx. .xx .xx", X, Y),
        (loop("j", 3, loop("i", 1, loop("j", 1, when(last("i"), load("Y"), delete("Y")), label="key"))),),
    ),
    named(
        "the first of alike iterations finds what the others do not",
        small("xxxxxxxx " * 6, X, Y),
        (loop("j", 2, loop("i", 1, load("Y"), start=1, stop=5), delete("Y")),),
    ),
    named(
        "an explicit box where the mask differs",
        small("...x x..x", X, r),
        (loop("i", 1, store("r", j=(2, 4))),),
        rule="store-needs-red",
    ),
    named(
        "the first tile of part of an axis",
        small("xxxxxx x...xx ..xxxx xxxxxx", X, Y),
        (loop("j", 2, loop("i", 1, when(first("j"), load("X"), delete("X"))), start=2),),
    ),
    named(
        "the first key of a tile",
        small("xxxx x..x ..xx xxxx", X, Y),
        (loop("j", 2, loop("j", 1, loop("i", 1, when(first("key"), load("X"), delete("X"))), label="key")),),
    ),
    named(
        "part of a loop's tiles, left in two states",
        small("xx " * 8, X, W),
        (loop("j", 2, loop("i", 1, load("X", "W"), delete("W"), start=1, stop=7)),),
        loop("i", 1, delete("X"), start=1, stop=7),
    ),
    named(
        "all rows but the first of each tile",
        plain(X, Y, i=12, j=2, k=6),
        (loop("i", 2, loop("i", 1, when(not_first("row"), load("X")), label="row")),),
    ),
    named(
        "a partial result that slow memory has got further with",
        plain(A, S, i=1, j=1, k=6),
        (load("A"), loop("k", 1, compute("S"), stop=3), store("S"), delete("S")),
        loop("k", 1, compute("S"), when(not_last("k"), store("S"))),
    ),
    named(
        "one tile ahead that is there already",
        plain(A, S, i=1, j=1, k=6),
        (load("A", k=(4, 5)), loop("k", 1, load("A"))),
    ),
    named(
        "the last iteration does what the others do not",
        plain(X, W, i=4, j=8, k=5).under(table(["xxxxxxxx"] * 4)),
        (loop("j", 3, loop("k", 1, when(last("k"), delete("X")), load("W"))),),
        rule="delete-needs-red",
    ),
    named(
        "scores of some keys of each row only",
        under_mask("xx.. " * 8 + "xxxx " * 8),
        (load("X", "Y"),),
        loop(
            "i",
            8,
            loop(
                "j",
                4,
                loop("i", 1, loop("j", 2, when(first("rows"), compute("R")), label="key"), label="row"),
            ),
            label="rows",
        ),
    ),
    named(
        "rows behind which one finds what it left",
        small("xxx " * 4 + "x.. " * 4 + ".x. " * 4, X, Y),
        (loop("j", 1, loop("i", 1, load("Y"), when(not_last("j"), delete("Y"))), delete("Y")),),
    ),
    named(
        "rows with keys before a tile, and before the one that it is part of",
        small("x..x " * 4 + "..xx " * 4, X, Y),
        (
            loop(
                "j",
                2,
                loop("j", 1, loop("i", 1, when(first("cols"), load("X"), delete("X"))), label="key"),
                label="cols",
            ),
        ),
    ),
    named(
        "rows with keys behind a tile, and behind the one that it is part of",
        small("x..x " * 4 + "xx.. " * 4, X, Y),
        (
            loop(
                "j",
                2,
                loop("j", 1, loop("i", 1, when(last("cols"), load("X"), delete("X"))), label="key"),
                label="cols",
            ),
        ),
    ),
    named(
        "scores that are begun anew in the middle of their chain",
        small("xx " * 3, A, S),
        (load("A"), loop("k", 1, loop("j", 1, loop("i", 1, compute("S"), delete("S"))))),
        rule="compute-needs-predecessors",
    ),
    named(
        "a last tile that is shorter, around others",
        plain(X, W, i=3, j=3, k=3).under(table(["xxx"] * 3)),
        (loop("k", 2, loop("i", 1, loop("j", 1, load("W"), delete("W")))),),
    ),
    named(
        "a row in the middle has keys before a tile and behind where the loop begins",
        small("x...x " * 3 + "x..xx " + "x...x " * 3, X, Y),
        (loop("j", 1, loop("i", 1, when(first("j"), load("X"), delete("X"))), start=2),),
    ),
    named(
        "sums of keys of which some have begun, and so have others that the row does not see",
        small("x..x.x.xxx.. x..xx.xx.x..", X, c),
        (loop("j", 3, loop("i", 1, load("X"), compute("c"), delete("X")), delete("c")),),
    ),
    named(
        "a sum that the second iteration deletes",
        plain(X, c, i=6, j=1, k=1),
        (load("X"), compute("c"), loop("i", 1, when(not_first("i"), delete("c")))),
        rule="delete-needs-red",
    ),
    named(
        "a row that the second iteration deletes",
        plain(X, Y, i=1, j=6, k=1),
        (load("X"), loop("j", 1, when(not_first("j"), delete("X")))),
        rule="delete-needs-red",
    ),
    named(
        "a partial result that only the second iteration loads",
        plain(A, S, i=1, j=1, k=7),
        (
            load("A"),
            loop(
                "k",
                1,
                when(not_first("k"), load("S")),
                compute("S"),
                store("S"),
                when(first("k"), delete("S")),
            ),
        ),
    ),
    named(
        "a partial result that stays where the first iteration left it",
        plain(A, S, i=1, j=1, k=7),
        (load("A"), loop("k", 1, when(first("k"), compute("S")))),
    ),
    named(
        "tiles of rows that have keys behind a tile",
        small("x.. " * 4 + "xx. " * 2 + "x.. " * 2, X, Y),
        (loop("j", 1, loop("i", 2, when(last("j"), load("X"), delete("X")))),),
    ),
    named(
        "tiles of rows that have keys before a tile",
        small("..x " * 4 + ".xx " * 2 + "..x " * 2, X, Y),
        (loop("j", 1, loop("i", 2, when(first("j"), load("X"), delete("X")))),),
    ),
    named(
        "keys of which none has begun",
        small("x.x...x. x..x.xx. x.x.x.x.", X, Y),
        (loop("j", 2, loop("i", 1, when(first("i"), load("Y"), delete("Y")))),),
    ),
    named(
        "keys all of which are done with",
        small("x.x.x.x. x..x.xx. x.x...x.", X, Y),
        (loop("j", 2, loop("i", 1, when(last("i"), load("Y"), delete("Y")))),),
    ),
    named(
        "keys that are done with, and others that are needed again: in their order",
        small("x..xxxxxxx.. x..xx.xx.x.. x..x...x.x..", X, Y, W),
        (loop("j", 3, loop("i", 1, ONE_BY_ONE, loop("j", 1, when(last("i"), delete("W")), label="key"))),),
    ),
    named(
        "keys one by one in one loop, and in their places in another",
        small("x.. xxx x.. ..x xxx", X, Y),
        (
            loop(
                "j",
                3,
                loop("i", 1, loop("j", 1, load("Y"), delete("Y"), label="key")),
                loop("i", 1, loop("j", 2, load("Y"), delete("Y"), label="keys")),
            ),
        ),
    ),
    named(
        "one key is there, two are there",
        small("xxxxxxxxxxxx " * 2, X, Y),
        (load("Y", j=(3, 4)), load("Y", j=(6, 8))),
        (loop("j", 3, loop("i", 1, loop("j", 2, load("Y"), label="keys"))),),
    ),
    named(
        "of two keys the first is loaded, the second is loaded",
        small("x.x..xx. " * 2 + "xxxxxxxx", X, Y),
        (loop("j", 2, loop("i", 1, loop("j", 1, load("Y"), label="key"), stop=2)),),
    ),
    named(
        "scores loaded that stopped before the tile at hand",
        plain(A, S, i=6, j=3, k=6).under(table(["xxx"] * 6)),
        (load("A"), loop("k", 1, compute("S"), stop=2), store("S"), delete("S")),
        (loop("k", 1, loop("j", 1, loop("i", 1, load("S"))), start=3, stop=4), delete("S")),
    ),
    named(
        "sums of whole rows of different lengths",
        small("x.. xx. xxx xxx x.. x.x", X, r),
        (loop("i", 1, load("X"), compute("r"), delete("X", "r")),),
    ),
    named(
        "rows that leave fewer and fewer words, beside others",
        small("xxx " * 6, X, Y, W),
        FEWER,
        (load("Y"), FEWER),
    ),
]
