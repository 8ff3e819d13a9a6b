"""Pebblings of any DAG: the exact optimum, heuristic schedules, certificates."""
