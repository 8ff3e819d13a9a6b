"""Small families, random programs, and matrix products in any order."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from pebble.computations.array import Array
from pebble.computations.family import Family
from pebble.program import (
    Condition,
    Loop,
    Node,
    Nodes,
    Operation,
    Phase,
    Program,
    When,
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


def gradient_family(i: int, j: int, k: int) -> Family:
    """Chains over two axes that also index other arrays, as in a backward pass; every axis crosses every other."""
    arrays = (
        Array("X", ("i", "k")),
        Array("Y", ("j", "k")),
        Array("w", ("i",)),
        Array("S", ("i", "j"), chain="k", operands=("X", "Y")),
        Array("P", ("i", "j"), operands=("S", "w")),
        Array("R", ("j", "i"), operands=("P",)),
        Array("c", ("j",), chain="i", operands=("P",)),
        Array("r", ("i",), chain="j", operands=("P", "w")),
        Array("G", ("j", "k"), chain="i", operands=("P", "X")),
        Array("H", ("i", "k"), chain="j", operands=("R", "Y", "r")),
        Array("n", ("i",), operands=("r", "w")),
        Array("z", ("k",), chain="i", operands=("H", "n")),
    )
    return Family("gradient", arrays, {"i": i, "j": j, "k": k}, dict(zip("ijk", "mnd", strict=True)), {})


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


def random_loop(rnd: Random, family: Family, enclosing: dict[str, str], depth: int) -> Loop:
    axis = rnd.choice([*family.extents, max(family.extents, key=lambda a: family.extents[a])])
    extent = family.extents[axis]
    label = axis if axis not in enclosing else f"{axis}{len(enclosing)}"
    start, stop = 0, None
    if axis not in enclosing.values() and rnd.random() < 0.3:
        start = rnd.randint(0, min(3, extent))
        stop = rnd.choice([None, rnd.randint(start, extent), extent])
    tile = rnd.choice([1, 1, 1, 1, 2, 3, extent])
    return Loop(
        axis, tile, random_body(rnd, family, enclosing | {label: axis}, depth - 1), start, stop, label
    )


def random_body(rnd: Random, family: Family, enclosing: dict[str, str], depth: int) -> Body:
    nodes: list[Node] = []
    for _ in range(rnd.randint(1, 3)):
        draw = rnd.random()
        if draw < 0.4 and depth:
            nodes.append(random_loop(rnd, family, enclosing, depth))
        elif draw < 0.6 and depth and enclosing:
            body = random_body(rnd, family, enclosing, max(0, depth - 1))
            nodes.append(When(random_condition(rnd, enclosing), body))
        else:
            nodes.append(random_operation(rnd, family, enclosing))
    return tuple(nodes)


def random_program(rnd: Random, family: Family) -> Program:
    """One or two phases; now and then one that generates bare operations."""
    phases = []
    for _ in range(rnd.choice([1, 1, 2])):
        if rnd.random() < 0.1:
            bare = [random_operation(rnd, family, {}) for _ in range(rnd.randint(1, 4))]
            phases.append(Phase("", generate=lambda bare=bare: iter(bare)))  # type: ignore[misc]
        else:
            phases.append(Phase("", random_body(rnd, family, {}, 3)))
    return Program(tuple(phases))


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
