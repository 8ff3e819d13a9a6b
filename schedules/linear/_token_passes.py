"""The passes over the tokens of causal linear attention, read off the computation: forward, and back for gradients."""

from __future__ import annotations

from dataclasses import dataclass

from pebble import Array, Problem
from schedules._roles import family


@dataclass(frozen=True)
class TokenPass:
    """A pass over all tokens, or chunks, with the state that takes them in one after the other.

    Attributes
    ----------
    state : str
        With rows k and columns e.
    left, right : str
        Of a token: the input with a word for each row of the state, and the one with a word for each column.
    gates : tuple of str
        Inputs by which the rows of the state are multiplied.
    outputs : tuple of Array
        What reads the state after each token; each is the sum of an input, its first operand, times the state.
    """

    state: str
    left: str
    right: str
    gates: tuple[str, ...]
    outputs: tuple[Array, ...]


def token_passes(problem: Problem) -> tuple[TokenPass, ...]:
    """Return the passes over the tokens, one for each state.

    >>> [one_pass.state for one_pass in token_passes(Problem.square(4, 2, attention="linear", mask="causal"))]
    ['H']
    """
    arrays = family(problem).arrays
    found = []
    for state in arrays:
        if state.axes == ("k", "e") and state.chain in ("n", "j"):
            left, right, *gates = (read.array for read in state.reads)
            outputs = tuple(one for one in arrays if any(read.array == state.name for read in one.reads))
            found.append(TokenPass(state.name, left, right, tuple(gates), outputs))
    return tuple(found)
