"""``pebble dag``: commands for any computation that is given as a DAG."""

from __future__ import annotations

import click

from pebble.cli.lazy_group import LazyGroup

__all__ = ["command"]

_SUMMARIES = {
    "info": "Say what a DAG is: its size, inputs, outputs, depth, least M, compulsory I/O, hash.",
    "convert": "Write a DAG in another format.",
    "schedule": "Schedule a DAG automatically and count its I/O.",
    "optimal": "Find the proved minimum I/O of a small DAG.",
    "bounds": "List lower bounds on the I/O of a DAG.",
}


@click.group("dag", cls=LazyGroup, commands_at="pebble.cli.dag_{}", summaries=_SUMMARIES)
def command() -> None:
    """Work with any computation given as a DAG: a file, or a name with parameters.

    \b
    pebble dag info matmul:8,8,8
    pebble dag info fft.dot --json
    pebble dag convert attention:N=2,d=1 attention.graphml
    """  # noqa: D301
