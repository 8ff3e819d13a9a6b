"""Schedules for the backward pass."""
