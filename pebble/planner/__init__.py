"""Schedules and tiles under a kernel author's constraints, with what they cost."""

from __future__ import annotations

from pebble.planner.constraints import Constraints
from pebble.planner.planning import plan
from pebble.planner.report import Choice, Plan

__all__ = ["Choice", "Constraints", "Plan", "plan"]
