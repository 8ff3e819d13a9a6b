"""Schedules and tiles under a kernel author's constraints, with what they cost."""

from __future__ import annotations

from pebble.lab.plan.constraints import Constraints
from pebble.lab.plan.plan_table import Choice, Plan
from pebble.lab.plan.planning import plan

__all__ = ["Choice", "Constraints", "Plan", "plan"]
