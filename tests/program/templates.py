"""Legal programs of any family: every array by itself, all of them in one loop, registered schedules."""

from __future__ import annotations

from random import Random

from tests.program.names import (
    Array,
    Family,
    InvalidInput,
    Loop,
    Node,
    Nodes,
    Operation,
    Phase,
    Problem,
    Program,
    compute,
    delete,
    load,
    loop,
    not_first,
    phase,
    registered,
    store,
    when,
)
from tests.program.random_families import Subject
from tests.program.random_programs import product_program

__all__ = ["arrays_one_by_one", "fused", "legal_text", "random_tile"]


def random_tile(rnd: Random, extent: int) -> int:
    """Mostly short, so that there are many tiles; now and then anything."""
    return rnd.choice([1, 1, 1, 2, 2, 3, rnd.randint(1, extent), extent, extent + 1])


def legal_text(rnd: Random, subject: Subject) -> tuple[Program, str]:
    """A program that is legal if all is stored that its family asks for; and where it comes from."""
    family = subject.family
    draw = rnd.random()
    if subject.problem is not None and draw < 0.5:
        return schedule_text(rnd, subject.problem)
    if family.name == "matmul" and draw < 0.3:
        return product_program(rnd, family), "product"
    if draw > 0.72:
        return fused(rnd, family), "fused"
    return arrays_one_by_one(rnd, family), "one by one"


def schedule_text(rnd: Random, problem: Problem) -> tuple[Program, str]:
    """A registered schedule's program with random tiles."""
    schedules = [one for one in registered(problem.pass_name, problem.form) if one.name != "best"]
    while True:
        schedule = rnd.choice(schedules)
        extent = max(problem.Nq, problem.Nk)
        tiles = {
            name: random_tile(rnd, extent)
            for name in schedule.tile_names
            if name == "side" or rnd.random() < 0.6
        }
        if schedule.masks_only and problem.mask is None:
            continue
        try:
            return schedule.program(problem, tiles), f"{schedule.name} {tiles}"
        except (InvalidInput, KeyError):
            continue


# One array after the other


def arrays_one_by_one(rnd: Random, family: Family) -> Program:
    """A phase for every array: its operands are read from slow memory, it is written there."""
    made = [array for array in family.arrays if not array.is_input]
    if not family.outputs and rnd.random() < 0.5:
        made = made[: rnd.randint(1, len(made))]
    return Program(tuple(phase(f"{array.name}", array_nest(rnd, family, array)) for array in made))


def array_nest(rnd: Random, family: Family, array: Array) -> Node | tuple[Node, ...]:
    """Loops in any order around the computation of an array; a chain is parked where its loop is not innermost."""
    axes = [axis for axis in array.indices if rnd.random() < 0.75]
    rnd.shuffle(axes)
    depth_of = {name: rnd.choice([len(axes), rnd.randint(0, len(axes))]) for name, _ in array.reads}
    parked = array.chain in axes and axes.index(array.chain) < len(axes) - 1
    home = len(axes) if parked else (axes.index(array.chain) if array.chain in axes else len(axes))

    def level(depth: int) -> tuple[Node, ...]:
        here = [name for name, at in depth_of.items() if at == depth]
        inside: Nodes = compute(array.name) if depth == len(axes) else around(depth)
        work: list[Nodes] = [load(*here), inside, delete(*here)]
        if depth == home:
            resume = when(not_first(str(array.chain)), load(array.name)) if parked else None
            work = [resume, *work, store(array.name), delete(array.name)]
        return phase("", *work).body

    def around(depth: int) -> Node:
        axis = axes[depth]
        return loop(axis, random_tile(rnd, family.extents[axis]), level(depth + 1))

    return level(0)


# All arrays in one loop


def fused(rnd: Random, family: Family) -> Program:
    """A loop that computes what it can of every array tile by tile, and after it the rest."""
    axis = rnd.choice([a for a in family.extents if any(a in array.indices for array in family.arrays)])
    inside, after, sums = split_by_axis(family, axis)
    used = [family[name] for name in dict.fromkeys(n for array in inside for n, _ in array.reads)]
    given = [array.name for array in used if array.is_input]
    local = [array.name for array in inside if axis in array.axes]
    needed = {name for array in after for name, _ in array.reads} | {a.name for a in family.outputs}
    inside, at_step = in_order(inside, axis, family)
    tile = 1 if at_step else random_tile(rnd, family.extents[axis])
    early = rnd.random() < 0.3
    outside = [name for name in given if early or axis not in family[name].axes]
    given = [name for name in given if name not in outside]
    stored = [name for name in local if name in needed or rnd.random() < 0.2]
    body: Nodes = [
        load(*given),
        *(wrapped(rnd, family, array, axis) for array in inside),
        store(*stored),
        delete(*given, *local),
    ]
    if rnd.random() < 0.5:
        steps = (*load(*given), *(compute(a.name) for a in inside), *store(*stored), *delete(*given, *local))
        body = streamed(rnd, family, steps, axis)
    rest = [finished(rnd, family, array) for array in after]
    kept = [array.name for array in sums]
    return Program(
        (
            Phase("", phase("", load(*outside), loop(axis, tile, body), delete(*outside)).body),
            Phase("", phase("", store(*kept), delete(*kept)).body),
            *(Phase("", phase("", nodes).body) for nodes in rest),
        )
    )


def split_by_axis(family: Family, axis: str) -> tuple[list[Array], list[Array], list[Array]]:
    """Arrays that can be computed inside a loop over an axis, those that cannot, and the sums along it."""
    inside: list[Array] = []
    after: list[Array] = []
    sums: list[Array] = []
    late: set[str] = set()
    for array in family.arrays:
        if array.is_input:
            continue
        along = {name for name, step in array.reads if step == "last" or family[name].chain != axis}
        if late & along or axis not in array.indices:
            late.add(array.name)
            after.append(array)
            continue
        inside.append(array)
        if array.chain == axis:
            late.add(array.name)
            sums.append(array)
    return inside, after, sums


def in_order(arrays: list[Array], axis: str, family: Family) -> tuple[list[Array], bool]:
    """Put what reads a sum along the axis before its step before it; say too whether any reads one at a step."""
    found = list[Array]()
    at_step = False
    for array in arrays:
        place = len(found)
        for name, step in array.reads:
            if step != "last" and family[name].chain == axis:
                at_step = True
                if step == "before":
                    place = min([place, *(n for n, one in enumerate(found) if one.name == name)])
        found.insert(place, array)
    return found, at_step


def wrapped(rnd: Random, family: Family, array: Array, axis: str) -> Node:
    """The computation of an array, now and then in an inner loop over one of its other axes."""
    node: Node = compute(array.name)
    others = [one for one in array.indices if one != axis]
    if others and rnd.random() < 0.5:
        inner = rnd.choice(others)
        return loop(inner, random_tile(rnd, family.extents[inner]), node)
    if rnd.random() < 0.2 and array.chain != axis:
        return loop(axis, random_tile(rnd, 3), node, label=f"{axis}'")
    return node


def streamed(rnd: Random, family: Family, steps: tuple[Operation, ...], axis: str) -> list[Node]:
    """Operations that move or compute something along a second axis in loops over it: one each, or several."""
    inner = rnd.choice([one for one in family.extents if one != axis] or [axis])
    if inner == axis:
        return list(steps)
    tile, joined = random_tile(rnd, family.extents[inner]), rnd.random()
    found: list[Node] = []
    for step in steps:
        array = family[step.array]
        along = array.indices if step.action == "compute" else array.axes
        previous = found[-1] if found else None
        if inner not in along:
            found.append(step)
        elif isinstance(previous, Loop) and rnd.random() < joined:
            found[-1] = loop(inner, tile, *previous.body, step)
        else:
            found.append(loop(inner, tile, step))
    return found


def finished(rnd: Random, family: Family, array: Array) -> tuple[Node, ...]:
    nest = array_nest(rnd, family, array)
    return nest if isinstance(nest, tuple) else (nest,)
