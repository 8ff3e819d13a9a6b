"""A time limit and a listener, set once around some work: the work inside checks the limit and reports progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_limit: ContextVar[tuple[float, float] | None] = ContextVar("limit", default=None)
_listener: ContextVar[Callable[[str], object] | None] = ContextVar("listener", default=None)


class TimeUp(Exception):
    """The time limit has passed."""


@contextmanager
def limited_to(seconds: float | None) -> Iterator[None]:
    """Limit the work inside to some seconds; an outer limit that ends sooner stays, and None changes nothing."""
    begin, around = time.monotonic(), _limit.get()
    if seconds is None or (around is not None and around[1] <= begin + seconds):
        yield
        return
    token = _limit.set((begin, begin + seconds))
    try:
        yield
    finally:
        _limit.reset(token)


@contextmanager
def unlimited() -> Iterator[None]:
    """Lift the limit for work without which there would be no result."""
    token = _limit.set(None)
    try:
        yield
    finally:
        _limit.reset(token)


def time_spent() -> float:
    """Return the part of the time that has passed, more than 1 if all has; 0 without a limit."""
    limit = _limit.get()
    return 0.0 if limit is None else (time.monotonic() - limit[0]) / max(limit[1] - limit[0], 1e-9)


def time_is_up(reserve: float = 0.0) -> bool:
    """Whether no more than ``reserve`` seconds are left; never without a limit."""
    limit = _limit.get()
    return limit is not None and time.monotonic() + reserve > limit[1]


def check_time(reserve: float = 0.0) -> None:
    """Raise :class:`TimeUp` if :func:`time_is_up`."""
    if time_is_up(reserve):
        raise TimeUp


@contextmanager
def heard_by(listener: Callable[[str], object] | None) -> Iterator[None]:
    """Pass on what the work inside reports about its progress."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def tell(what: str) -> None:
    """Report what is being done, if anyone listens."""
    listener = _listener.get()
    if listener is not None:
        listener(what)


@contextmanager
def doing(what: str) -> Iterator[None]:
    """Report what the work inside is for; what that work reports comes after it."""
    tell(what)
    listener = _listener.get()
    with heard_by(None if listener is None else lambda inner: listener(f"{what}: {inner}")):
        yield
