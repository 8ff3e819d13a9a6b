"""``pebble dag`` and ``pebble plot``: groups of commands, which are imported when they are called."""

from __future__ import annotations

import click

from pebble.cli.lazy_group import LazyGroup

__all__ = ["dag", "plot"]

_DAG = {
    "info": "Describe a DAG: its size, inputs, outputs, depth, least M, compulsory I/O, hash.",
    "convert": "Write a DAG in another format.",
    "schedule": "Schedule a DAG automatically and count its I/O.",
    "optimal": "Find the proved minimum I/O of a small DAG.",
    "bounds": "List lower bounds on the I/O of a DAG.",
}


@click.group(cls=LazyGroup, listed={name: ("dag", summary) for name, summary in _DAG.items()})
def dag() -> None:
    """Work with any computation given as a DAG: a file, or a name with parameters.

    \b
    pebble dag info matmul:8,8,8
    pebble dag info fft.dot --json
    pebble dag convert attention:N=2,d=1 attention.graphml
    """  # noqa: D301


_PLOT = {
    "io": "I/O against fast memory or length: every schedule, the bounds, and where M = d².",
    "gap": "The optimality gap over (M/d², N/d): the best schedule against the best proved bound.",
    "crossover": "The length from which linear attention moves fewer words than softmax, against M.",
    "occupancy": "One run over time: what fast memory holds, and the words moved so far.",
    "arrays": "I/O by array: reads and writes of each schedule.",
    "levels": "What moves at every boundary between memory levels, and the bound there.",
    "parallel": "Words received against the number of devices, or the fastest schedule over N and P.",
    "roofline": "Arithmetic intensity of schedules against the roofline of a device.",
}


@click.group(cls=LazyGroup, listed={name: ("plot", summary) for name, summary in _PLOT.items()})
def plot() -> None:
    """Draw pictures of verified counts: PNG, SVG or PDF, by the name of the file.

    \b
    pebble plot io -N 4096 -d 64 -M 256:1Mi:7 -o io.svg
    pebble plot gap -d 64 -o gap.png
    pebble plot arrays -N 4096 -d 64 -M 25000 --json
    """  # noqa: D301
