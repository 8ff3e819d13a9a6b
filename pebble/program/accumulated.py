"""A program whose partial sums are added in slow memory, lowered to the moves of the game with free sums.

The program is one of chains: where it resumes a partial sum it begins a new one, and where it stores one it adds what
the new one has. docs/proofs/any-order.md says why a legal program of chains that computes each term once stays legal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pebble.computations.family import Family, dag_to_play
from pebble.game.processors.words import array_of, braces, indices_of
from pebble.program.lowering import COMPUTE, DELETE, LOAD, RESUME, STORE, columns
from pebble.program.nodes import Program
from pebble.program.parts_in_turn import written_out

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
    dag = dag_to_play(family.with_chains())
    sums: dict[str, _Sum] = {}
    for ops, vertices in columns(written_out(program, family), family):
        for op, vertex in zip(ops.tolist(), vertices.tolist(), strict=True):
            name = dag.name(vertex)
            if array_of(name) not in family.accumulated:
                yield f"0 {_WORDS[op]} {name}"
                continue
            *index, term = indices_of(name)
            element = f"{array_of(name)}[{','.join(map(str, index))}]"
            yield from sums.setdefault(element, _Sum(element)).lines(op, term)


@dataclass
class _Sum:
    """An element: what its word in fast memory has absorbed, and what slow memory has.

    A resumed word is added to slow memory and let go; any other replaces what is there.
    """

    name: str
    red: tuple[int, ...] = ()
    blue: tuple[int, ...] = ()
    resumed: bool = False
    step: int = -1

    def lines(self, op: int, term: int) -> Iterator[str]:
        """Yield what a move of the chain is, which has got to a term."""
        word = self.name + braces(self.red)
        if op in (LOAD, RESUME):
            if self.red:
                yield f"0 delete {word}"
            self.resumed, self.red, self.step = op == RESUME, () if op == RESUME else self.blue, term
            if self.red:
                yield f"0 load {self.name}{braces(self.red)}"
        elif op == COMPUTE:
            yield f"0 compute {word if self.red else self.name}+{term}"
            if self.red:
                yield f"0 delete {word}"
            self.red, self.step = (*self.red, term), term
        elif op == STORE and self.red:
            added = self.resumed or not self.blue
            if not added:
                yield f"0 discard {self.name}{braces(self.blue)}"
            yield f"0 {'accumulate' if added else 'store'} {word}"
            self.blue = (*self.blue, *self.red) if added else self.red
            if self.resumed:
                yield f"0 delete {word}"
                self.red = ()
        elif op == DELETE and term == self.step and self.red:
            yield f"0 delete {word}"
            self.red = ()
