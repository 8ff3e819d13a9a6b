"""The red-blue pebble game laboratory for attention.

Everything the command ``pebble`` does is a function here with the same name: :func:`count`, :func:`show`,
:func:`bounds`, :func:`schedules`, :func:`moves`, :func:`check`. Importing the package imports nothing else;
each name is loaded when it is first used.

Examples
--------
>>> import pebble
>>> problem = pebble.Problem.square(4096, 64)
>>> report = pebble.count(problem, M=25_000, schedules=["flash-2"])
>>> report["flash-2"].io, round(report["flash-2"].ratio, 3)
(12058624, 1.094)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pebble.common.errors import (
        BoundDoesNotApply,
        CacheTooSmall,
        IllegalMove,
        IncompletePebbling,
        InvalidInput,
        PebbleError,
        Violation,
    )
    from pebble.common.units import parse_words
    from pebble.computations.array import Array
    from pebble.computations.attention import attention_family
    from pebble.computations.family import Family
    from pebble.computations.load import load_dag
    from pebble.computations.masks import make_mask, mask_from_array, mask_from_predicate, mask_kinds
    from pebble.computations.matmul import matmul_family
    from pebble.computations.nests.einsum import einsum
    from pebble.computations.nests.read_text import loop_nest
    from pebble.computations.problem import Problem
    from pebble.computations.registry import family_of
    from pebble.game.game import Game
    from pebble.game.rules import Rules
    from pebble.graph.dag import Dag
    from pebble.graph.trace import trace
    from pebble.lab.citing import cite
    from pebble.lab.compare import compare
    from pebble.lab.count import count, run
    from pebble.lab.crossover import crossover
    from pebble.lab.hardware import device, devices, model, models
    from pebble.lab.kernel import kernel
    from pebble.lab.level_counts import count_levels
    from pebble.lab.parallel import Links, parallel
    from pebble.lab.pebblings import check, moves
    from pebble.lab.plan import Constraints, plan, plan_kernel, plan_levels
    from pebble.lab.player import play, play_dag
    from pebble.lab.regimes import regimes
    from pebble.lab.show import show
    from pebble.lab.sweep import sweep
    from pebble.lower_bounds.bound import Statement
    from pebble.lower_bounds.graph.graph_bound_table import dag_bounds
    from pebble.lower_bounds.table import bounds
    from pebble.program.counting.run import run_levels
    from pebble.program.lowering import lower
    from pebble.program.parallel import SharedProblem, distributed_schedules
    from pebble.program.projection import project
    from pebble.program.schedule import Schedule
    from pebble.program.schedule import available as schedules
    from pebble.program.schedule.registry import level_schedules
    from pebble.solvers.certificate import certify
    from pebble.solvers.heuristic.dag_schedule import DagSchedule, schedule_dag
    from pebble.solvers.optimum import Optimum, optimal

_HOME = {
    "Array": "computations.array",
    "BoundDoesNotApply": "common.errors",
    "CacheTooSmall": "common.errors",
    "Constraints": "lab.plan",
    "Dag": "graph.dag",
    "DagSchedule": "solvers.heuristic.dag_schedule",
    "Family": "computations.family",
    "Game": "game.game",
    "IllegalMove": "common.errors",
    "IncompletePebbling": "common.errors",
    "InvalidInput": "common.errors",
    "Links": "lab.parallel",
    "Optimum": "solvers.optimum",
    "PebbleError": "common.errors",
    "Problem": "computations.problem",
    "Rules": "game.rules",
    "Schedule": "program.schedule",
    "SharedProblem": "program.parallel",
    "Statement": "lower_bounds.bound",
    "Violation": "common.errors",
    "attention_family": "computations.attention",
    "bounds": "lower_bounds.table",
    "certify": "solvers.certificate",
    "check": "lab.pebblings",
    "cite": "lab.citing",
    "compare": "lab.compare",
    "count": "lab.count",
    "count_levels": "lab.level_counts",
    "crossover": "lab.crossover",
    "dag_bounds": "lower_bounds.graph.graph_bound_table",
    "device": "lab.hardware",
    "devices": "lab.hardware",
    "distributed_schedules": "program.parallel",
    "einsum": "computations.nests.einsum",
    "family_of": "computations.registry",
    "load_dag": "computations.load",
    "kernel": "lab.kernel",
    "level_schedules": "program.schedule.registry",
    "loop_nest": "computations.nests.read_text",
    "lower": "program.lowering",
    "make_mask": "computations.masks",
    "mask_from_array": "computations.masks",
    "mask_from_predicate": "computations.masks",
    "mask_kinds": "computations.masks",
    "matmul_family": "computations.matmul",
    "model": "lab.hardware",
    "models": "lab.hardware",
    "moves": "lab.pebblings",
    "optimal": "solvers.optimum",
    "parallel": "lab.parallel",
    "parse_words": "common.units",
    "plan": "lab.plan",
    "plan_kernel": "lab.plan",
    "plan_levels": "lab.plan",
    "play": "lab.player",
    "play_dag": "lab.player",
    "project": "program.projection",
    "regimes": "lab.regimes",
    "run": "lab.count",
    "run_levels": "program.counting.run",
    "schedule_dag": "solvers.heuristic.dag_schedule",
    "schedules": "program.schedule:available",
    "show": "lab.show",
    "sweep": "lab.sweep",
    "trace": "graph.trace",
}

__all__ = [
    "Array",
    "BoundDoesNotApply",
    "CacheTooSmall",
    "Constraints",
    "Dag",
    "DagSchedule",
    "Family",
    "Game",
    "IllegalMove",
    "IncompletePebbling",
    "InvalidInput",
    "Links",
    "Optimum",
    "PebbleError",
    "Problem",
    "Rules",
    "Schedule",
    "SharedProblem",
    "Statement",
    "Violation",
    "attention_family",
    "bounds",
    "certify",
    "check",
    "cite",
    "compare",
    "count",
    "count_levels",
    "crossover",
    "dag_bounds",
    "device",
    "devices",
    "distributed_schedules",
    "einsum",
    "family_of",
    "kernel",
    "level_schedules",
    "load_dag",
    "loop_nest",
    "lower",
    "make_mask",
    "mask_from_array",
    "mask_from_predicate",
    "mask_kinds",
    "matmul_family",
    "model",
    "models",
    "moves",
    "optimal",
    "parallel",
    "parse_words",
    "plan",
    "plan_kernel",
    "plan_levels",
    "play",
    "play_dag",
    "project",
    "regimes",
    "run",
    "run_levels",
    "schedule_dag",
    "schedules",
    "show",
    "sweep",
    "trace",
]


_MODULES = {"masks": "pebble.computations.masks", "plots": "pebble.lab.plots", "program": "pebble.program"}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    try:
        module, _, attribute = _HOME[name].partition(":")
    except KeyError:
        raise AttributeError(f"module 'pebble' has no attribute {name!r}") from None
    value = getattr(importlib.import_module(f"pebble.{module}"), attribute or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*_HOME, *_MODULES})
