"""``pebble dag`` and ``pebble plot``: groups of commands, which are imported when they are called."""

from __future__ import annotations

import click

from pebble.cli.lazy_group import LazyGroup

_PLOTS = "io gap crossover occupancy arrays levels parallel roofline"


@click.group(cls=LazyGroup, listed={"dag": "info convert schedule optimal bounds"})
def dag() -> None:
    """Work with any computation given as a DAG: a file, or a name with parameters.

    \b
    pebble dag info matmul:8,8,8
    pebble dag info fft.dot --json
    pebble dag convert attention:N=2,d=1 attention.graphml
    """  # noqa: D301


@click.group(cls=LazyGroup, listed={"plot": _PLOTS})
def plot() -> None:
    """Draw pictures of verified counts: PNG, SVG or PDF, by the name of the file.

    \b
    pebble plot io -N 4096 -d 64 -M 256:1Mi:7 -o io.svg
    pebble plot gap -d 64 -o gap.png
    pebble plot arrays -N 4096 -d 64 -M 25000 --json
    """  # noqa: D301
