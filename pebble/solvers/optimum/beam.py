"""Some pebbling, quickly: the most promising states, step by step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pebble.common.clock import check_time
from pebble.solvers.optimum.best_first import History, first_wave
from pebble.solvers.optimum.bits import Words
from pebble.solvers.optimum.search_space import SearchSpace
from pebble.solvers.optimum.state_sets import Batch, StateSet

__all__ = ["beam"]


def beam(space: SearchSpace, width: int) -> tuple[int, list[Words]] | None:
    """Follow the ``width`` most promising states, step by step, to the end of a pebbling.

    Every step computes one vertex, so an end is reached.

    Returns
    -------
    (cost, path) or None
        A pebbling that need not be the best; unavoidable stores of outputs are not counted.

    Raises
    ------
    TimeUp
        If a time limit around the search passes.
    """
    wave, cost = first_wave(space), np.zeros(1, dtype=np.int64)
    seen, history = StateSet(), History()
    best: tuple[int, int] | None = None
    for _ in range(space.game.n + 1):
        if not len(wave) or (best is not None and int((cost + space.bound(wave.rows)).min()) >= best[0]):
            break
        check_time()
        seen.add(wave.distinct().rows)
        first = history.add(wave)
        for i in np.flatnonzero(space.finished(wave.rows)).tolist():
            if best is None or int(cost[i]) < best[0]:
                best = int(cost[i]), first + i
        wave, cost = _chosen(space, _children(space, wave.rows, cost, first), width, seen)
    return None if best is None else (best[0], history.path(best[1]))


def _children(space: SearchSpace, rows: Words, cost: NDArray[np.int64], first: int) -> dict[int, list[Batch]]:
    """Return the states one step further by their bound."""
    layers: dict[int, list[Batch]] = {}
    serial = np.arange(first, first + len(rows))
    for found in space.children(rows, cost, serial):
        for value in np.unique(found.bound).tolist():
            layers.setdefault(value, []).append(found.batch.take(found.bound == value))
    return layers


def _chosen(
    space: SearchSpace, layers: dict[int, list[Batch]], width: int, seen: StateSet
) -> tuple[Batch, NDArray[np.int64]]:
    """Return the unseen states of the least bounds, and what was spent on each."""
    chosen = [Batch(space.start()[:0], np.zeros(0, dtype=np.int64))]
    bounds = [np.zeros(0, dtype=np.int64)]
    room = width
    for value in sorted(layers):
        batch = seen.new_ones(space.canonical(Batch.joined(layers[value])))
        batch = batch.take(np.argsort(space.merit(batch.rows), kind="stable")[:room])
        chosen.append(batch)
        bounds.append(np.full(len(batch), value, dtype=np.int64))
        room -= len(batch)
    wave = Batch.joined(chosen)
    return wave, np.concatenate(bounds) - space.bound(wave.rows)
