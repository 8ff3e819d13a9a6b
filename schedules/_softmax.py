"""What softmax adds to a schedule: plain, safe (the maximum known before) or online (rescaled key by key)."""

from __future__ import annotations

from pebble import Problem
from pebble.program import Nodes, compute, delete, loop, store

__all__ = [
    "exponentials",
    "finish",
    "score_words",
    "scores",
    "statistics",
    "streamed_work",
    "sums",
    "sums_of_tile",
    "used_up",
]


_TWO_PARTS = ("latent", "shared-rope")


def statistics(problem: Problem) -> tuple[str, ...]:
    """Return what is kept of each row beside its output: the row sum, and the maximum unless softmax is plain."""
    return ("m", "l") if problem.form in ("safe", "online") else ("l",)


def used_up(problem: Problem) -> tuple[str, ...]:
    """Return what is made of a score and deleted when all is added up."""
    return ("P", "a") if problem.form == "online" else ("P",)


def scores(problem: Problem) -> tuple[Nodes, ...]:
    """Write the products of queries and keys: of two parts where the rotary words are arrays of their own."""
    return (compute("S1"), compute("S2")) if problem.form in _TWO_PARTS else (compute("S"),)


def exponentials(problem: Problem) -> tuple[Nodes, ...]:
    """Write how P is made of S; online, the maximum moves on, and what it was tells how sums are rescaled."""
    if problem.form in _TWO_PARTS:
        return compute("P", "S1"), delete("S2")
    if problem.form == "online":
        return compute("a"), compute("m"), compute("P", "S")
    return (compute("P", "S"),)


def sums(problem: Problem, *gone: str) -> tuple[Nodes, ...]:
    """Write what is done with the scores of one key: exponentials, the row sum, the output; ``gone`` is deleted."""
    return *exponentials(problem), compute("l"), compute("U"), delete(*used_up(problem), *gone)


def sums_of_tile(problem: Problem, *gone: str) -> tuple[Nodes, ...]:
    """Write what is done with the scores of a tile of keys; ``gone`` is deleted after it.

    Online, that is done key by key: the maximum moves on.
    """
    if problem.form != "online":
        return sums(problem, *gone)
    return loop("j", 1, *sums(problem), label="key"), delete(*gone)


def finish(problem: Problem, *gone: str, stored: tuple[str, ...] = ()) -> tuple[Nodes, ...]:
    """Write the end of a row block: the output, the statistics, and deletion of these and of what is named.

    ``stored`` names statistics that are in slow memory already.
    """
    kept = [name for name in statistics(problem) if problem.stats and name not in stored]
    return (
        compute("O", "U"),
        store("O"),
        store(*kept) if kept else (),
        delete("O", *statistics(problem), *gone),
    )


def score_words(problem: Problem) -> int:
    """Return the words held for each score that is at hand."""
    return len(used_up(problem))


def streamed_work(problem: Problem) -> int:
    """Return the words beside resident rows where keys pass a row at a time: the key, its value, a score, a step."""
    return problem.d + problem.dv + score_words(problem) + 1
