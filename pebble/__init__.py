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
    from pebble.attention import attention_family
    from pebble.auto.schedule import DagSchedule, schedule_dag
    from pebble.catalogue import load_dag
    from pebble.certificate import certify
    from pebble.dag import Dag
    from pebble.errors import (
        BoundDoesNotApply,
        CacheTooSmall,
        IllegalMove,
        IncompletePebbling,
        InvalidInput,
        PebbleError,
        Violation,
    )
    from pebble.family import Array, Family
    from pebble.game import Game
    from pebble.graph_bounds.table import dag_bounds
    from pebble.hardware import device, devices, model, models
    from pebble.listing import show
    from pebble.lower_bounds.table import bounds
    from pebble.machine import run
    from pebble.masks import make_mask, mask_from_array, mask_from_predicate, mask_kinds
    from pebble.matmul import matmul_family
    from pebble.optimum import Optimum, optimal
    from pebble.pebbling import check, moves
    from pebble.planner import plan
    from pebble.player import play, play_dag
    from pebble.problem import Problem
    from pebble.regime_table import regimes
    from pebble.report import count
    from pebble.rules import Rules
    from pebble.schedule import Schedule
    from pebble.schedule import available as schedules
    from pebble.sweeping import sweep
    from pebble.tracing import trace
    from pebble.units import parse_words

_HOME = {
    "Array": "family",
    "BoundDoesNotApply": "errors",
    "CacheTooSmall": "errors",
    "Dag": "dag",
    "DagSchedule": "auto.schedule",
    "Family": "family",
    "Game": "game",
    "IllegalMove": "errors",
    "IncompletePebbling": "errors",
    "InvalidInput": "errors",
    "Optimum": "optimum",
    "PebbleError": "errors",
    "Problem": "problem",
    "Rules": "rules",
    "Schedule": "schedule",
    "Violation": "errors",
    "attention_family": "attention",
    "bounds": "lower_bounds.table",
    "certify": "certificate",
    "check": "pebbling",
    "count": "report",
    "dag_bounds": "graph_bounds.table",
    "device": "hardware",
    "devices": "hardware",
    "load_dag": "catalogue",
    "make_mask": "masks",
    "mask_from_array": "masks",
    "mask_from_predicate": "masks",
    "mask_kinds": "masks",
    "matmul_family": "matmul",
    "model": "hardware",
    "models": "hardware",
    "moves": "pebbling",
    "optimal": "optimum",
    "parse_words": "units",
    "plan": "planner",
    "play": "player",
    "play_dag": "player",
    "regimes": "regime_table",
    "run": "machine",
    "schedule_dag": "auto.schedule",
    "schedules": "schedule:available",
    "show": "listing",
    "sweep": "sweeping",
    "trace": "tracing",
}

__all__ = [
    "Array",
    "BoundDoesNotApply",
    "CacheTooSmall",
    "Dag",
    "DagSchedule",
    "Family",
    "Game",
    "IllegalMove",
    "IncompletePebbling",
    "InvalidInput",
    "Optimum",
    "PebbleError",
    "Problem",
    "Rules",
    "Schedule",
    "Violation",
    "attention_family",
    "bounds",
    "certify",
    "check",
    "count",
    "dag_bounds",
    "device",
    "devices",
    "load_dag",
    "make_mask",
    "mask_from_array",
    "mask_from_predicate",
    "mask_kinds",
    "matmul_family",
    "model",
    "models",
    "moves",
    "optimal",
    "parse_words",
    "plan",
    "play",
    "play_dag",
    "regimes",
    "run",
    "schedule_dag",
    "schedules",
    "show",
    "sweep",
    "trace",
]


def __getattr__(name: str) -> Any:
    try:
        module, _, attribute = _HOME[name].partition(":")
    except KeyError:
        raise AttributeError(f"module 'pebble' has no attribute {name!r}") from None
    value = getattr(importlib.import_module(f"pebble.{module}"), attribute or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
