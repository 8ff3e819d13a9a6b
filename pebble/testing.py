"""For authors: :func:`check_schedule` and :func:`check_bound`, the contracts of a schedule and a bound as one call.

:func:`check_program` checks a program without a schedule.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pebble.common.errors import CacheTooSmall, ContractBroken, InvalidInput, NoClosedForm, PebbleError
from pebble.common.units import fast_memory_words
from pebble.computations.family import Family
from pebble.computations.problem import Problem
from pebble.computations.registry import random_inputs, reference_outputs
from pebble.game.level_game import LevelGame
from pebble.game.replay import replay
from pebble.program import Hierarchy, LevelSchedule, Program, project
from pebble.program.closed_forms.count import closed_form
from pebble.program.counting.counted import Run
from pebble.program.counting.run import run, run_levels
from pebble.program.lowering import lower, lower_levels
from pebble.program.numbers import evaluate
from pebble.program.parallel import DistributedSchedule, Exchange, ExchangeTraffic, Shape, SharedProblem, play
from pebble.program.parallel.elementary import ExchangeMoves
from pebble.program.schedule import Schedule, Tiles, fitting_tiles
from pebble.solvers.bound_contract import BoundContract, check_bound

__all__ = [
    "BoundContract",
    "Contract",
    "check_bound",
    "check_distributed_schedule",
    "check_level_schedule",
    "check_program",
    "check_schedule",
]


@dataclass(frozen=True)
class Contract:
    """What :func:`check_schedule` confirmed.

    Attributes
    ----------
    tiles : dict of str to int
    io, peak : int
        As all readings of the program agree.
    least_M : int
        Least number of words the schedule needs; one less is refused.
    """

    tiles: dict[str, int]
    io: int
    peak: int
    least_M: int


def check_schedule(
    schedule: Schedule,
    problem: Problem,
    M: int | None = None,
    tiles: Tiles | None = None,
    *,
    seed: int = 0,
) -> Contract:
    """Check everything a schedule promises on one small problem.

    The schedule chooses tiles that fit M, needs exactly the least M that it names, and does the same thing twice. Its
    program is legal, complete and within M, and all readings agree on it: closed form, machine with and without
    induction, elementary game. On numbers the program computes attention. No proved bound exceeds its I/O.

    Parameters
    ----------
    schedule : Schedule
    problem : Problem
        Small: the program is played move by move (some thousand vertices take a fraction of a second).
    M : int, optional
        Words of fast memory; the least the schedule needs by default.
    tiles : mapping, optional
        Check these tiles instead of the chosen ones.
    seed : int
        For the random numbers.

    Raises
    ------
    ContractBroken
        With what was promised and what was found.

    Examples
    --------
    >>> import pebble
    >>> check_schedule(pebble.schedules()["flash-2"], Problem.square(5, 3), M=40)
    Contract(tiles={'rows': 4}, io=90, peak=34, least_M=10)
    """
    least = _check_least(schedule, problem)
    M = least if M is None else fast_memory_words(M)
    if tiles is None:
        tiles = fitting_tiles(schedule, problem, M)
        _require(tiles == fitting_tiles(schedule, problem, M), "choosing tiles twice gives the same tiles")
    program = schedule.program(problem, tiles)
    again = schedule.program(problem, tiles)
    _require(str(program) == str(again), "writing the program twice gives the same program")
    family = schedule.family(problem)
    counted = check_program(program, family, M)
    _check_numbers(program, family, problem, np.random.default_rng(seed))
    _check_bounds(schedule, problem, M, counted)
    return Contract(dict(tiles), counted.io, counted.peak, least)


def check_level_schedule(
    schedule: LevelSchedule,
    problem: Problem,
    hierarchy: Hierarchy,
    tiles: Tiles | None = None,
    *,
    seed: int = 0,
) -> tuple[Run, ...]:
    """Check everything a schedule for several memory levels promises on one small problem.

    It chooses tiles that fit, and does the same thing twice; its own formulas for words and room are right. Its
    program is legal, and all readings agree on it at every level: closed form, machine with and without induction,
    elementary game. On numbers the program computes attention. No bound exceeds what moves at a boundary.

    Parameters
    ----------
    schedule : LevelSchedule
    problem : Problem
        Small: the program is played move by move.
    hierarchy : Hierarchy
        The levels; those without a size are not limited, and then tiles must be given.
    tiles : mapping, optional
        Check these tiles instead of the chosen ones.
    seed : int
        For the random numbers.

    Returns
    -------
    tuple of Run
        The machine's runs by induction, one for each level.

    Raises
    ------
    ContractBroken
        With what was promised and what was found.

    Examples
    --------
    >>> from pebble.program import Hierarchy
    >>> from pebble.program.schedule.registry import level_schedule
    >>> problem = Problem.square(5, 2)
    >>> runs = check_level_schedule(level_schedule("nested-flash-2", problem), problem, Hierarchy((20, 40)))
    >>> [(run.io, run.peak) for run in runs]
    [(80, 16), (40, 32)]
    """
    if tiles is None:
        weights = [1.0] * hierarchy.levels
        tiles = schedule.tiles(problem, hierarchy, weights)
        _require(
            tiles == schedule.tiles(problem, hierarchy, weights), "choosing tiles twice gives the same tiles"
        )
    program = schedule.program(problem, tiles, hierarchy)
    again = schedule.program(problem, tiles, hierarchy)
    _require(str(program) == str(again), "writing the program twice gives the same program")
    family = schedule.family(problem)
    runs, plain = (
        run_levels(program, family, hierarchy.capacities, inclusive=hierarchy.inclusive, induction=induction)
        for induction in (True, False)
    )
    peaks = tuple(one.peak for one in runs)
    if problem.mask is None:
        words = tuple(one.io for one in runs)
        _same("words by the schedule and the machine", schedule.words(problem, tiles, hierarchy), words)
    room = schedule.room(problem, tiles, hierarchy)
    _require(
        all(peak <= words for peak, words in zip(peaks, room, strict=True)),
        f"{room} words suffice, not {peaks}",
    )
    game = LevelGame(family.dag(), peaks, hierarchy.inclusive)
    try:
        for move in lower_levels(program, family, hierarchy.levels, inclusive=hierarchy.inclusive):
            game.play(move)
    except PebbleError as error:
        raise ContractBroken(f"the machine accepts the program, but the game does not: {error}") from error
    _require(game.complete, "at the end of the game every output is in slow memory")
    for level, (one, other, tally) in enumerate(zip(runs, plain, game.tallies, strict=True), start=1):
        for name in ("reads", "writes", "computes", "peak"):
            same = getattr(one, name), getattr(other, name)
            _same(f"machine with and without induction, level {level}: {name}", *same)
        _check_form(project(program, level), family, one)
        counts = one.total_reads, one.total_writes, one.peak
        _same(f"machine and game, level {level}", counts, (tally.reads, tally.writes, tally.peak))
    _check_numbers(project(program, 1), family, problem, np.random.default_rng(seed))
    _check_boundaries(schedule, problem, Hierarchy(hierarchy.fitted(peaks), hierarchy.inclusive), runs)
    return runs


def check_distributed_schedule(
    schedule: DistributedSchedule,
    problem: SharedProblem,
    shape: Shape | None = None,
    pass_on: str = "needed",
) -> ExchangeTraffic:
    """Check everything a schedule for several devices promises on one small problem.

    Its exchange is legal: nothing is sent that is not held, every term is counted once, outputs are with their owners.
    Words and rounds are those of its closed form, and no pair is computed twice. Where the exchange can be written move
    by move (not decoding, nor the backward pass of several heads), the elementary game finds every word where it is
    needed.

    Parameters
    ----------
    schedule : DistributedSchedule
    problem : SharedProblem
        Small: it is played move by move.
    shape : tuple of int, optional
        Its best shape by default.
    pass_on : {"needed", "all"}

    Returns
    -------
    ExchangeTraffic
        What the referee has counted.

    Raises
    ------
    ContractBroken
        With what was promised and what was found.

    Examples
    --------
    >>> from pebble.program.parallel import SharedProblem, distributed_schedule
    >>> check_distributed_schedule(distributed_schedule("ring"), SharedProblem(8, 2, 4)).received
    (24, 24, 24, 24)
    """
    shape = schedule.best_shape(problem, pass_on) if shape is None else shape
    exchange = schedule.exchange(problem, shape, pass_on)
    try:
        traffic = play(exchange)
    except PebbleError as error:
        raise ContractBroken(f"the exchange is legal: {error}") from error
    form = schedule.closed_form(problem, shape, pass_on)
    _same("words by closed form and referee", form.received, traffic.received)
    _same("rounds by closed form and referee", form.rounds, traffic.rounds)
    _same("pairs computed and pairs there are", sum(traffic.pairs), problem.pairs * problem.heads)
    _check_word_by_word(exchange)
    return traffic


def _check_word_by_word(exchange: Exchange) -> None:
    """Play an exchange in the elementary game, where it can be written so."""
    try:
        moves = ExchangeMoves(exchange)
    except InvalidInput:
        return
    try:
        game = moves.played()
    except PebbleError as error:
        raise ContractBroken(f"every word is where it is needed: {error}") from error
    _require(game.complete, "every output is computed, word by word")


def _check_boundaries(
    schedule: LevelSchedule, problem: Problem, hierarchy: Hierarchy, runs: tuple[Run, ...]
) -> None:
    from pebble.lower_bounds.levels import boundary_bound

    for level, one in enumerate(runs, start=1):
        bound = boundary_bound(problem, hierarchy.held_within(level)).value / problem.copies
        if bound > one.io:
            raise ContractBroken(
                f"{schedule.name} moves {one.io} words at the boundary of level {level} on {problem}, below the bound "
                f"of {bound}: one of the two is wrong"
            )


def check_program(program: Program, family: Family, M: int | None = None) -> Run:
    """Check that a program is legal within M words, and that all its readings agree.

    Parameters
    ----------
    program : Program
    family : Family
        Small enough to be built and played move by move.
    M : int, optional
        Words of fast memory; what the program needs by default.

    Returns
    -------
    Run
        The machine's run by induction.

    Raises
    ------
    ContractBroken
        Where two readings differ, or the game refuses a move.
    Violation
        If the machine refuses an operation.
    """
    counted = run(program, family, M)
    plain = run(program, family, M, induction=False)
    for name in ("reads", "writes", "computes", "peak"):
        _same(f"machine with and without induction: {name}", getattr(counted, name), getattr(plain, name))
    for array in family.arrays:
        for one, other in zip(counted.final_state(array.name), plain.final_state(array.name), strict=True):
            _require(
                bool((one == other).all()), f"the same final state of {array.name} with and without induction"
            )
    _check_form(program, family, counted)
    _check_game(program, family, M or counted.peak, counted)
    return counted


def _check_form(program: Program, family: Family, counted: Run) -> None:
    try:
        form = closed_form(program, family)
    except NoClosedForm:
        return
    for side, formulas, counts in (
        ("reads", form.reads, counted.reads),
        ("writes", form.writes, counted.writes),
    ):
        values = {name: int(formula) for name, formula in formulas.items()}
        _same(
            f"closed form and machine: {side}",
            values,
            {name: n for name, n in counts.items() if name in values},
        )
        _same(f"closed form and machine: all {side}", sum(values.values()), sum(counts.values()))


def _check_game(program: Program, family: Family, M: int, counted: Run) -> None:
    try:
        status = replay(family.dag(), M, lower(program, family))
    except PebbleError as error:
        raise ContractBroken(f"the machine accepts the program, but the game does not: {error}") from error
    _require(status.complete, "at the end of the game every output is blue")
    _same("machine and game: reads", counted.total_reads, status.reads)
    _same("machine and game: writes", counted.total_writes, status.writes)
    _same("machine and game: computes", sum(counted.computes.values()), status.computes)
    _same("machine and game: peak", counted.peak, status.peak)


def _check_least(schedule: Schedule, problem: Problem) -> int:
    least = schedule.least_M(problem)
    _fits(
        lambda: schedule.tiles(schedule.seen(problem), least), f"{schedule.name} fits its least M = {least}"
    )
    try:
        tiles = schedule.tiles(schedule.seen(problem), least - 1) if least > 1 else None
    except CacheTooSmall as error:
        _same("least M in the error", error.least_M, least)
    else:
        # Under a mask a schedule that follows it may find tiles that need less than is enough for all masks.
        fits = tiles is not None and schedule.measure(problem, tiles).peak < least
        _require(
            tiles is None or (schedule.seen(problem).mask is not None and fits),
            f"{schedule.name} needs {least} words, yet finds tiles {tiles} for {least - 1}",
        )
    return least


def _fits(action: Callable[[], object], promise: str) -> None:
    try:
        action()
    except CacheTooSmall as error:
        raise ContractBroken(f"broken: {promise}: {error}") from error


def _check_numbers(program: Program, family: Family, problem: Problem, rng: np.random.Generator) -> None:
    inputs = random_inputs(problem, rng)
    found = evaluate(program, family, inputs)
    for name, expected in reference_outputs(problem, inputs).items():
        close = np.allclose(found[name], expected, rtol=1e-11, atol=1e-11)
        _require(close, f"{name} in the schedule's order equals {name} computed plainly")


def _check_bounds(schedule: Schedule, problem: Problem, M: int, counted: Run) -> None:
    from pebble.lower_bounds.proved import proved_bounds

    for bound in proved_bounds(problem, M):
        if bound.value > counted.io:
            raise ContractBroken(
                f"{schedule.name} moves {counted.io} words with M = {M} on {problem}, below the bound {bound.name} "
                f"of {bound.value}: one of the two is wrong"
            )


def _same(what: str, one: object, other: object) -> None:
    if one != other:
        raise ContractBroken(f"{what} differ: {one} and {other}")


def _require(holds: bool, promise: str) -> None:
    if not holds:
        raise ContractBroken(f"broken: {promise}")
