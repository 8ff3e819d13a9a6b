"""A program whose partial sums are added in slow memory, lowered to the moves of the game with free sums.

The program is one of chains: where it loads a partial sum it begins a new one, and where it stores one it adds what the
new one has. docs/proofs/any-order.md says why a legal program of chains that computes each term once stays legal.
"""

from __future__ import annotations

from collections.abc import Iterator

from pebble.computations.family import Family
from pebble.computations.implicit_dag import dag_to_play
from pebble.game.processors.words import array_of, braces, indices_of
from pebble.program.lowering import COMPUTE, DELETE, LOAD, STORE, lower
from pebble.program.nodes import Program

__all__ = ["accumulated_lines"]

_WORDS = {LOAD: "load", STORE: "store", COMPUTE: "compute", DELETE: "delete"}


def accumulated_lines(program: Program, family: Family) -> Iterator[str]:
    """Yield the moves of a program as lines of a file with one device.

    Parameters
    ----------
    program : Program
    family : Family
        One whose sums are :meth:`added in slow memory <pebble.Family.with_accumulation>`.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> from pebble.computations.registry import family_of
    >>> from pebble.program.schedule import get
    >>> problem = Problem.square(2, 1, pass_name="backward", sums="accumulate")
    >>> lines = accumulated_lines(get("flash-2", "backward").program(problem, {"cols": 1}), family_of(problem))
    >>> [line for line in lines if "dQ[1" in line][:4]
    ['0 compute dQ[1,0]+0', '0 accumulate dQ[1,0]{0}', '0 delete dQ[1,0]{0}', '0 compute dQ[1,0]+1']
    """
    sums, chains = family.accumulated, family.with_chains()
    dag = dag_to_play(chains)
    held: dict[str, tuple[int, ...]] = {}
    """The terms that the red word of an element has absorbed, and slow memory has not; none if it has just begun."""
    for ops, vertices in lower(program, chains):
        for op, vertex in zip(ops.tolist(), vertices.tolist(), strict=True):
            name = dag.name(vertex)
            if array_of(name) not in sums:
                yield f"0 {_WORDS[op]} {name}"
                continue
            *index, term = indices_of(name)
            element = f"{array_of(name)}[{','.join(map(str, index))}]"
            yield from _line(op, element, term, held)


def _line(op: int, element: str, term: int, held: dict[str, tuple[int, ...]]) -> Iterator[str]:
    """Yield what a move of a chain is where the sum is added in slow memory."""
    terms = held.get(element, ())
    if op == LOAD:
        held[element] = ()
    elif op == COMPUTE:
        yield f"0 compute {element}{braces(terms) if terms else ''}+{term}"
        if terms:
            yield f"0 delete {element}{braces(terms)}"
        held[element] = (*terms, term)
    elif op == STORE and terms:
        yield f"0 accumulate {element}{braces(terms)}"
        yield f"0 delete {element}{braces(terms)}"
        held[element] = ()
