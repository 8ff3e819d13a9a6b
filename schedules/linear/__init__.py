"""Schedules of linear attention."""
