"""Small families, random programs, and matrix products in any order."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from pebble.computations.array import Array
from pebble.computations.family import Family
from pebble.program import (
    Condition,
    Node,
    Nodes,
    Operation,
    Program,
    compute,
    delete,
    load,
    loop,
    not_first,
    phase,
    program,
    store,
    when,
)

Body = tuple[Node, ...]


# Families


def small_family(i: int, j: int) -> Family:
    """Two axes, each the index of one sum and the chain of another."""
    arrays = (
        Array("x", ("i",)),
        Array("y", ("j",)),
        Array("P", ("i", "j"), operands=("x", "y")),
        Array("r", ("i",), chain="j", operands=("P",)),
        Array("c", ("j",), chain="i", operands=("y", "x")),
        Array("n", ("i",), operands=("r",)),
    )
    return Family("small", arrays, {"i": i, "j": j}, {"i": "m", "j": "n"}, {})


def relabelled(family: Family, outputs: tuple[str, ...]) -> Family:
    """The same family with other outputs."""
    arrays = tuple(replace(array, output=array.name in outputs) for array in family.arrays)
    return Family(family.name, arrays, family.extents, family.symbols, family.parameters)


# Programs


def random_condition(rnd: Random, enclosing: dict[str, str]) -> Condition:
    which = rnd.choice(["first", "last"])
    return Condition(rnd.choice(list(enclosing)), which, rnd.random() < 0.5)  # type: ignore[arg-type]


def random_operation(rnd: Random, family: Family, enclosing: dict[str, str], action: str = "") -> Operation:
    action = action or rnd.choice(["load", "load", "store", "compute", "compute", "delete"])
    arrays = [array for array in family.arrays if action != "compute" or not array.is_input]
    array = rnd.choice(arrays)
    same = [a.name for a in family.arrays if set(a.axes) == set(array.axes) and a.name != array.name]
    replacing = rnd.choice(same) if action == "compute" and same and rnd.random() < 0.3 else None
    at = []
    for axis in array.indices:
        if axis not in enclosing.values() and rnd.random() < 0.08:
            a, b = sorted(rnd.sample(range(family.extents[axis] + 1), 2))
            at.append((axis, a, b))
    return Operation(action, array.name, replacing, tuple(at))  # type: ignore[arg-type]


def product_program(rnd: Random, family: Family) -> Program:
    """A matrix product in any loop order, the partial sums parked where the order asks for it."""
    order = rnd.sample("ijk", 3)
    tiles = {axis: rnd.choice([1, 1, 2, 3]) for axis in order}
    work: Nodes = (load("A", "B"), compute("C"), delete("A", "B"))
    if order[2] == "k":
        work = (loop("k", tiles["k"], work), store("C"), delete("C"))
    else:
        work = loop(order[2], tiles[order[2]], when(not_first("k"), load("C")), work, store("C"), delete("C"))
    return program(phase("", loop(order[0], tiles[order[0]], loop(order[1], tiles[order[1]], work))))
