"""Schedules for the gradient of the weights."""
