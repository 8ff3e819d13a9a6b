"""The contract of a bound, as one call: no optimum, no schedule and no other legal pebbling is below it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from pebble.common.errors import BoundDoesNotApply, CacheTooSmall, ContractBroken, InvalidInput
from pebble.computations.family import Family
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.game.rules import Rules
from pebble.lower_bounds.bound import Statement
from pebble.lower_bounds.graph.exhaustive import LARGEST
from pebble.lower_bounds.plugins import ask
from pebble.program.counting.run import run
from pebble.program.schedule import fitting_tiles
from pebble.program.schedule.registry import offered
from pebble.solvers.heuristic.dag_schedule import schedule_dag
from pebble.solvers.optimum import FEW_STATES, optimal

_PROBLEMS = (
    *(
        Problem(1, 1, 1, 1),
        Problem(2, 1, 1, 1),
        Problem(1, 2, 1, 1),
        Problem(1, 1, 1, 1, pass_name="backward"),
    ),
    *(Problem(7, 5, 3, 2), Problem(4, 6, 2, 3, stats=True), Problem.square(8, 2, mask="causal")),
    *(Problem.square(5, 2, softmax="safe"), Problem.square(5, 2, softmax="online")),
    *(Problem(5, 4, 2, 2, pass_name="backward"), Problem(4, 4, 2, 3, pass_name="backward", mask="causal")),
    *(Problem(4, 4, 2, 2, pass_name="weights"), Problem(6, 6, 2, 2, attention="linear")),
)
"""The first can be solved exactly for some M."""


@dataclass(frozen=True)
class BoundContract:
    """What :func:`check_bound` confirmed.

    Attributes
    ----------
    applied, refused : int
        How many times the bound said a number, and that it does not apply.
    optima, pebblings : int
        How many optima and how many I/Os of legal pebblings it was held to.
    """

    applied: int
    refused: int
    optima: int
    pebblings: int


def check_bound(statement: Statement, problems: Iterable[Problem] = _PROBLEMS) -> BoundContract:
    """Check everything a bound promises, on small problems and from the least M on.

    It says a whole number of words, the same twice, no more for more fast memory, or that it does not apply; another
    error breaks the contract. No optimum, no schedule and no pebbling in the DAG's own order is below it; a bound that
    forbids recomputation is held to optima without it, and to no schedule.

    Parameters
    ----------
    statement : Statement
        With ``words``.
    problems : iterable of Problem, optional
        By default 13 of all passes, some with a mask. One copy of each is looked at, move by move.

    Raises
    ------
    ContractBroken
        With what was promised and what was found; also if the bound applies to none of the problems.

    Examples
    --------
    >>> import pebble
    >>> queries = pebble.Statement("queries", "I/O ≥ Nq", "attention", "", words=lambda problem, M: problem.Nq)
    >>> check_bound(queries, [pebble.Problem(2, 1, 1, 1)]).applied
    4
    """
    applied = refused = optima = pebblings = 0
    for problem in problems:
        family, before = family_of(problem), None
        dag = family.dag()
        once = Rules(recomputation=False)
        for M in _sizes(family):
            value = _said(statement, problem, M)
            if value is None:
                refused += 1
                continue
            applied += 1
            if before is not None and value > before:
                raise _broken(statement, problem, M, value, f"only {before} with less fast memory")
            before = value
            if np.count_nonzero(dag.ancestors_of_outputs) <= LARGEST:
                found = optimal(dag, M, Rules() if _holds(statement) else once, None, most_states=FEW_STATES)
                if found.proved:
                    optima += 1
                    _hold(statement, problem, M, value, found.io, "the optimum")
            for what, io in _pebblings(problem, family, M) if _holds(statement) else ():
                pebblings += 1
                _hold(statement, problem, M, value, io, what)
            _hold(statement, problem, M, value, schedule_dag(dag, M, "given").io, "the order of the DAG")
            pebblings += 1
    if not applied:
        raise ContractBroken(f"{statement.name} applies to none of the problems: give some that it is about")
    return BoundContract(applied, refused, optima, pebblings)


def _holds(statement: Statement) -> bool:
    return statement.bound(0).holds_under(Rules())


def _sizes(family: Family) -> Iterator[int]:
    least = family.max_indegree + 1
    yield from (least, least + 2, 3 * least, 12 * least)


def _said(statement: Statement, problem: Problem, M: int) -> int | None:
    """Return the words that a bound says, None where it does not apply."""
    try:
        one, other = ask(statement, problem, M).value, ask(statement, problem, M).value
    except BoundDoesNotApply:
        return None
    except Exception as error:
        kind = "" if isinstance(error, InvalidInput) else f"{type(error).__name__}: "
        raise ContractBroken(f"{statement.name} fails on {problem} with M = {M}: {kind}{error}") from error
    if one != other:
        raise _broken(statement, problem, M, one, f"{other} when asked again")
    return int(one)


def _pebblings(problem: Problem, family: Family, M: int) -> Iterator[tuple[str, int]]:
    """Yield the schedules that fit, and what they move."""
    for schedule in offered(problem):
        try:
            program = schedule.program(problem, fitting_tiles(schedule, problem, M))
            yield schedule.name, run(program, schedule.family(problem), M).io
        except (CacheTooSmall, InvalidInput):
            continue


def _hold(statement: Statement, problem: Problem, M: int, value: int, io: int, what: str) -> None:
    if value > io:
        raise _broken(statement, problem, M, value, f"{what} moves {io}")


def _broken(statement: Statement, problem: Problem, M: int, value: int | float, found: str) -> ContractBroken:
    return ContractBroken(f"{statement.name} says {value} words for {problem} with M = {M}, but {found}")
