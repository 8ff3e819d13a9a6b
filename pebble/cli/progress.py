"""How far the work is, on one line of a terminal; nothing where standard error goes elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from pebble.common.clock import heard_by


@contextmanager
def progress_line(
    text: Callable[..., str] = str, pause: float = 0.0, after: float = 0.0
) -> Iterator[Callable[..., None] | None]:
    """Yield a function that shows a line in place of the one before, or None; at the end the line is wiped.

    ``text`` makes the line of what the function is called with. Calls that come less than ``pause`` seconds after
    the last line shown, or in the first ``after`` seconds, are left out.
    """
    if not sys.stderr.isatty():
        yield None
        return
    next_time, shown = time.monotonic() + after, False

    def show(*what: object) -> None:
        nonlocal next_time, shown
        now = time.monotonic()
        if now >= next_time:
            next_time, shown = now + pause, True
            click.echo(f"\r\x1b[K{text(*what)}", nl=False, err=True)

    try:
        yield show
    finally:
        if shown:
            click.echo("\r\x1b[K", nl=False, err=True)


@contextmanager
def long_work() -> Iterator[None]:
    """Show what the work inside tells, once it has taken half a second."""
    with progress_line(pause=0.2, after=0.5) as show, heard_by(show):
        yield
