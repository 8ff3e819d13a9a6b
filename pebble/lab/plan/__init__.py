"""Plans: the best schedule and tiles under a kernel author's constraints, and what each constraint costs."""

from __future__ import annotations

from pebble.lab.plan.constraints import Constraints
from pebble.lab.plan.kernel_boundaries import DeviceKernel, kernel_boundaries, kernel_tiles
from pebble.lab.plan.kernel_planning import plan_kernel
from pebble.lab.plan.kernel_table import KernelPass, KernelPlan
from pebble.lab.plan.plan_table import Choice, Plan
from pebble.lab.plan.planning import plan, plan_levels

__all__ = [
    "Choice",
    "Constraints",
    "DeviceKernel",
    "KernelPass",
    "KernelPlan",
    "Plan",
    "kernel_boundaries",
    "kernel_tiles",
    "plan",
    "plan_kernel",
    "plan_levels",
]
