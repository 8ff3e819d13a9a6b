"""The exceptions of the package; a message says what was given, where, which rule it breaks, and what to do."""

from __future__ import annotations

from pebble.common.whole_numbers import singular


class PebbleError(Exception):
    """Base class of every error that this package raises on purpose."""

    def __init__(self, message: str = "") -> None:
        super().__init__(singular(message))


class InvalidInput(PebbleError, ValueError):
    """The input itself is unusable: a malformed file, an unknown name, N = 0, a DAG with a cycle."""


class TooManyOperations(InvalidInput):
    """A program cannot be verified in reasonable time: too many of its iterations would have to be run."""


class NoClosedForm(PebbleError):
    """A program's I/O is not known by formula here: only the machine counts it."""


class CacheTooSmall(PebbleError):
    """A schedule (or every schedule) needs more words of fast memory than it was given.

    Attributes
    ----------
    least_M : int or None
        The least number of words with which it would work, where known.
    """

    def __init__(self, message: str, least_M: int | None = None) -> None:
        super().__init__(message)
        self.least_M = least_M


class ContractBroken(PebbleError):
    """A schedule does not keep what every schedule promises; see :mod:`pebble.testing`."""


class IllegalMove(PebbleError):
    """A move of the elementary game that the rules forbid.

    Attributes
    ----------
    move_number : int
        Zero-based number of the move in the game or in the file.
    rule : str
        Short name of the rule: ``"load-needs-blue"``, ``"memory-full"``, ...
    """

    def __init__(self, message: str, move_number: int = -1, rule: str = "") -> None:
        super().__init__(message)
        self.move_number = move_number
        self.rule = rule


class IncompletePebbling(PebbleError):
    """Every move was legal, but at the end some output carries no blue pebble."""


class Violation(PebbleError):
    """An operation of a program that the machine refuses, with the iteration and the box it happened on.

    Attributes
    ----------
    rule : str
        Short name of the rule, the same names as in :class:`IllegalMove`.
    """

    def __init__(self, message: str, rule: str = "") -> None:
        super().__init__(message)
        self.rule = rule


class BoundDoesNotApply(PebbleError):
    """A bound was asked for outside its domain, or under rules for which it is not proved."""
