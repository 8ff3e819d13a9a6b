"""Caches that decide by themselves: what is touched, and what three policies keep."""

from __future__ import annotations

import shutil
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from pebble import Problem
from pebble.lab.cache_trace import layout, trace
from pebble.lab.caches import _Accesses, on_a_cache
from pebble.lab.pebblings import moves
from pebble.program.lowering import COMPUTE


def _random_accesses(rnd: Random, lines: int, length: int) -> tuple[list[int], list[bool]]:
    return [rnd.randrange(lines) for _ in range(length)], [rnd.random() < 0.4 for _ in range(length)]


def _plainly(lines: list[int], writes: list[bool], sets: int, ways: int, policy: str) -> tuple[int, int]:
    """Count misses and write-backs of an LRU or FIFO cache in the plainest way."""
    held: dict[int, list[Any]] = {}
    misses = backs = 0
    for now, (line, write) in enumerate(zip(lines, writes, strict=True)):
        if line not in held:
            misses += 1
            own = [one for one in held if one % sets == line % sets]
            if len(own) == ways:
                backs += held.pop(min(own, key=lambda one: held[one][0]))[1]
            held[line] = [now, False]
        elif policy == "lru":
            held[line][0] = now
        held[line][1] |= write
    return misses, backs + sum(dirty for _, dirty in held.values())


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("policy", ["lru", "fifo"])
def test_policies_keep_what_they_say(policy: str, seed: int) -> None:
    rnd = Random(seed)
    sets, ways = rnd.choice([1, 2, 3]), rnd.randint(1, 4)
    lines, writes = _random_accesses(rnd, rnd.randint(2, 20), rnd.randint(1, 300))
    found = _Accesses(np.array(lines), np.array(writes), 1, 1, 1).on(policy, sets, ways)
    assert found == _plainly(lines, writes, sets, ways, policy)


@pytest.mark.parametrize("seed", range(20))
def test_no_choice_misses_less_than_opt(seed: int) -> None:
    rnd = Random(seed)
    lines, writes = _random_accesses(rnd, 6, 14)
    ways = rnd.randint(1, 3)

    @cache
    def least(at: int, held: frozenset[int]) -> int:
        if at == len(lines):
            return 0
        if lines[at] in held:
            return least(at + 1, held)
        rests = [held - {gone} for gone in held] if len(held) == ways else [held]
        return 1 + min(least(at + 1, rest | {lines[at]}) for rest in rests)

    assert _Accesses(np.array(lines), np.array(writes), 1, 1, 1).on("opt", 1, ways)[0] == least(
        0, frozenset()
    )


@pytest.mark.parametrize(
    ("schedule", "given"),
    [
        ("flash-2", {}),
        ("standard", {"mask": "causal"}),
        ("flash-2", {"softmax": "online", "mask": "window:3"}),
        ("split", {"pass_name": "backward", "mask": "prefix:3"}),
        ("naive", {"attention": "linear", "mask": "causal", "gate": True}),
    ],
)
def test_what_is_touched_is_what_the_dag_reads(schedule: str, given: dict[str, Any]) -> None:
    """Operands, the own chain and the result of every computation, in the order of the elementary moves."""
    made = moves(schedule, Problem(7, 7, 2, 3, **given), 60)
    dag = made.family.dag()
    where = layout(made.program, made.family, 1)
    touched = np.concatenate([address for address, _ in trace(made.program, made.family, where)]).tolist()
    at = 0
    for op, vertices in made:
        for vertex in vertices[op == COMPUTE].tolist():
            elements = [
                _address(made.family, where, dag.name(one)) for one in (*dag.predecessors_of(vertex), vertex)
            ]
            assert sorted(touched[at : at + len(elements)]) == sorted(elements)
            assert touched[at + len(elements) - 1] == elements[-1]
            at += len(elements)
    assert at == len(touched)


def _address(family: Any, where: Any, vertex: str) -> int:
    name, _, indices = vertex.rstrip("]").partition("[")
    array = family[name]
    places = {axis: np.array(int(at)) for axis, at in zip(array.indices, indices.split(","), strict=True)}
    return int(where.places(array, places))


def test_a_cache_that_holds_everything_moves_each_word_once() -> None:
    problem = Problem.square(8, 2)
    found = on_a_cache("flash-2", problem, 4096, {"rows": 8})
    words = {row.policy: (row.misses, row.write_backs) for row in found.rows}
    assert set(words.values()) == {words["lru"]}
    assert words["lru"][1] < words["lru"][0] < 4096


@pytest.mark.skipif(not (shutil.which("valgrind") and shutil.which("cc")), reason="needs valgrind and cc")
@pytest.mark.many(1)
@pytest.mark.parametrize(("schedule", "M"), [("flash-2", 512), ("standard", 1024)])
def test_cachegrind_counts_the_same_misses(schedule: str, M: int) -> None:
    """Its cache also holds a line of the stack, and the compiler may keep a word in a register."""
    tiles = {"rows": 8} if schedule == "flash-2" else None
    found = on_a_cache(
        schedule, Problem.square(48, 8), M, tiles, policies=["lru"], line=16, ways=8, cachegrind=True
    )
    assert found.cachegrind is not None
    assert abs(found.cachegrind - found.rows[0].misses) <= 12 + 0.02 * found.rows[0].misses
