"""Processes that tests start and interrupt."""

from __future__ import annotations

import signal


def heed_interrupts() -> None:
    """For ``preexec_fn``: a shell makes what it runs in the background ignore Ctrl-C, and its children inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
