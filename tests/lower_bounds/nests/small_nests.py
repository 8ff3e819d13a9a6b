"""Loop nests of many kinds, and random sizes for them."""

import random
import re
from pathlib import Path

from pebble.common.errors import InvalidInput
from pebble.computations.load import load_dag
from pebble.computations.nests.read_text import loop_nest
from pebble.computations.nests.statement import LoopNest
from pebble.graph.dag import Dag
from tests.support.text_tables import rows_of

TEXTS = [text for (text,) in rows_of(Path(__file__).with_name("nests.txt"))]


def strided_text(draw: random.Random) -> tuple[str, dict[str, int]]:
    """Return one or two assignments whose places have any factors and constants, and extents."""
    ranks = {"A": draw.randint(1, 2), **{array: draw.randint(0, 2) for array in "BCD"}}

    def place(names: list[str]) -> str:
        chosen = draw.sample(names, min(len(names), draw.choice([1, 1, 2])))
        terms = [f"{draw.choice([1, 1, 1, 2, 3, -1, -2])}*{name}" for name in chosen]
        return "+".join([*terms, str(draw.choice([0, 0, 0, -2, -1, 1, 2, 3]))])

    def access(array: str, names: list[str]) -> str:
        places = ",".join(place(names) for _ in range(ranks[array]))
        return f"{array}[{places}]" if places else array

    statements = []
    for target, arrays in (("C", "AABC"), ("D", "ABC"))[: draw.randint(1, 2)]:
        names = draw.sample("ijk", draw.randint(1, 3))
        reads = [access(array, names) for array in draw.choices(arrays, k=draw.randint(1, 3))]
        limit = f" for {names[0]} <= {draw.choice(['', '2*'])}{names[-1]} + {draw.randint(-1, 1)}"
        statements.append(f"{access(target, names)} += {'*'.join(reads)}" + limit * (draw.random() < 0.3))
    text = "; ".join(statements)
    return text, {name: draw.randint(1, 5) for name in "ijk" if f"*{name}" in text}


def _small(draw: random.Random, text: str, most: int) -> tuple[str, dict[str, int]]:
    used = sorted({name for places in re.findall(r"\[(.*?)\]", text) for name in re.findall("[a-z]", places)})
    extents = {name: draw.randint(1, most) for name in used}
    return text.replace("LAST", str(extents.get("i", 2) - 2)), extents


def small_nest(draw: random.Random, text: str, most: int = 4) -> LoopNest:
    """Return the nest with random small extents."""
    return loop_nest(*_small(draw, text, most))


def small_kernel(draw: random.Random, text: str, most: int) -> Dag | None:
    """Return the DAG of the nest with random small extents, named as a kernel; None if nothing is computed."""
    text, extents = _small(draw, text, most)
    try:
        return load_dag(f"kernel:{text}:" + ",".join(f"{name}={size}" for name, size in extents.items()))
    except InvalidInput:
        return None
