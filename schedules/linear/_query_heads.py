"""Query heads that share a state: what is done with the queries of each."""

from __future__ import annotations

from pebble import Problem
from pebble.program import Nodes, loop

__all__ = ["each_query_head"]


def each_query_head(problem: Problem, *body: Nodes) -> Nodes:
    """Repeat what is done with queries for every query head that shares the keys, one head after another."""
    return loop("g", 1, *body) if problem.form != "linear" and problem.Nq > problem.Nk else body
