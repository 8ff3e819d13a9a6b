"""The compiled loop of the replay: the same verdicts, counts and states, move for move."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from pebble.common.errors import IllegalMove
from pebble.computations.attention import attention_family
from pebble.computations.problem import Problem
from pebble.game import compiled_replay as compiled
from pebble.game.replay import Replay
from pebble.game.rules import Rules
from pebble.program.lowering import lower
from pebble.program.schedule import get


def game(seed: int) -> tuple[Problem, np.ndarray, np.ndarray, int]:
    rng = np.random.default_rng(seed)
    nq, nk, d, dv = (int(n) for n in rng.integers(1, 6, 4))
    problem = Problem(nq, nk, d, dv)
    schedule = get(["flash-2", "square-tile", "naive", "hybrid"][seed % 4])
    M = schedule.least_M(problem) + int(rng.integers(0, 20))
    program = schedule.program(problem, schedule.tiles(problem, M))
    chunks = list(lower(program, attention_family(problem)))
    op = np.concatenate([chunk[0] for chunk in chunks])
    vertex = np.concatenate([chunk[1] for chunk in chunks])
    if seed % 3:
        at = int(rng.integers(0, len(op)))
        op, vertex = np.delete(op, at), np.delete(vertex, at)
    if seed % 3 == 2:
        at = int(rng.integers(0, len(op)))
        op[at] = rng.integers(-1, 5)
        vertex[at] = rng.integers(-1, attention_family(problem).n_vertices + 1)
    return problem, op, vertex, M


def verdict(seed: int, rules: Rules) -> tuple[object, ...]:
    problem, op, vertex, M = game(seed)
    play = Replay(attention_family(problem).dag(), M, rules)
    cut = len(op) // 2
    try:
        play.play(op[:cut], vertex[:cut]).play(op[cut:], vertex[cut:])
    except IllegalMove as error:
        return str(error), error.move_number, error.rule, str(play.result())
    return (str(play.result()),)


@pytest.mark.parametrize("rules", [Rules(), Rules(recomputation=False)], ids=str)
@pytest.mark.parametrize("jit", [False, True], ids=["interpreted", "compiled"])
def test_same_verdicts_as_the_vectorised_replay(
    monkeypatch: pytest.MonkeyPatch, jit: bool, rules: Rules
) -> None:
    kernel = compiled.load_kernel() if jit else compiled.play_prefix
    if kernel is None:
        pytest.skip("numba is not installed")
    seeds = range(60)
    expected = [verdict(seed, rules) for seed in seeds]
    monkeypatch.setattr(compiled, "WORTHWHILE", 0)
    monkeypatch.setattr(compiled, "load_kernel", lambda: kernel)
    assert [verdict(seed, rules) for seed in seeds] == expected
    assert any(len(found) > 1 for found in expected)
    assert any(len(found) == 1 for found in expected)


def test_without_numba_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "WORTHWHILE", 0)
    monkeypatch.setattr(compiled, "load_kernel", lambda: None)
    assert "complete" in str(verdict(0, Rules())[0])


def test_the_loop_is_loaded_only_where_it_pays_and_then_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    @lru_cache(maxsize=1)
    def load() -> None:
        calls.append(1)

    monkeypatch.setattr(compiled, "load_kernel", load)
    monkeypatch.setattr(compiled, "WORTHWHILE", 100)
    compiled.kernel_after(99)
    assert not calls
    compiled.kernel_after(100)
    compiled.kernel_after(1)
    assert len(calls) == load.cache_info().currsize == 1
    assert load.cache_info().hits == 1
