"""Schedules for several devices, forward and backward."""
