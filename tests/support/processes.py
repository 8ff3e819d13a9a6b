"""Processes that tests start and interrupt."""

from __future__ import annotations

import signal


def heed_interrupts() -> None:
    """For ``preexec_fn``: what a shell runs in the background ignores Ctrl-C, and under nohup a closed terminal."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
