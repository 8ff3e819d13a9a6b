"""Bounds that other installed projects ship: statements with a function, registered as ``pebble.bounds``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from pebble.common.entry_points import entry_points_of, loaded
from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.common.units import fast_memory_words
from pebble.computations.problem import Problem
from pebble.lower_bounds.bound import Bound, Statement

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "pebble.bounds"


def ask(statement: Statement, problem: Problem, M: int) -> Bound:
    """Return what a statement with a function says of one copy of a problem.

    Raises
    ------
    BoundDoesNotApply
        Where the function says so.
    """
    M = fast_memory_words(M)
    if statement.words is None:
        raise InvalidInput("the statement has no function: give it words=…")
    if statement.status not in ("proved", "computer-assisted"):
        raise InvalidInput(
            f'its status must be "proved" or "computer-assisted", not {statement.status!r}: Coq checks only our own'
        )
    value = statement.words(problem, M)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InvalidInput(f"its function must return a whole number of words, not {value!r}")
    return statement.bound(value)


def plugin_bounds(problem: Problem, M: int, taken: Iterable[str]) -> tuple[list[Bound], list[str]]:
    """Return what the registered bounds say of one copy of a problem, and what is wrong with the others.

    Parameters
    ----------
    problem : Problem
    M : int
    taken : iterable of str
        Names that no other bound may have.

    Notes
    -----
    A plug-in that fails is named with the reason, and keeps no other bound from being shown.
    """
    found, failures = list[Bound](), list[str]()
    names = set(taken)
    for entry in entry_points_of(GROUP):
        try:
            found += _asked(entry, problem, M, names)
        except (Exception, SystemExit) as error:
            reason = str(error) if isinstance(error, InvalidInput) else f"{type(error).__name__}: {error}"
            failures.append(f"the plug-in bound {entry.name!r} ({entry.value}) failed: {reason}")
    return found, failures


def _asked(entry: EntryPoint, problem: Problem, M: int, taken: set[str]) -> Iterator[Bound]:
    statement = loaded(entry, "bound")
    if not isinstance(statement, Statement):
        raise InvalidInput(f"it is a {type(statement).__name__}, not a pebble.Statement")
    if statement.name in taken:
        raise InvalidInput(f"another bound is called {statement.name!r}")
    taken.add(statement.name)
    try:
        bound = ask(statement, problem, M)
    except BoundDoesNotApply:
        return
    facts = {**bound.facts, "plugin": f"{entry.name} ({entry.value})"}
    if statement.by is None:
        facts["authors"] = f"the plug-in {entry.name}"
    yield replace(bound, facts=facts)
