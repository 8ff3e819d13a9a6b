"""A program in HTML: its pseudo-code, loads and stores in bold, and how many operations are written in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape
from typing import get_args

from pebble.program.nodes import Action, Line, Loop, Node, Operation, Place, Program, When, pseudo_code

__all__ = ["program_html", "pseudo_code_html"]


def program_html(program: Program) -> str:
    """Return the pseudo-code, and below it how many loops and operations it is written with."""
    return f"{pseudo_code_html(program)}<p>{escape(_written(program))}</p>"


def pseudo_code_html(program: Program) -> str:
    """Return the pseudo-code as a block in which the operations that move words are bold.

    It has no colours of its own, so it is as legible on a dark page as on a light one.

    >>> from pebble.program import load, loop, program
    >>> pseudo_code_html(program(loop("i", 1, load("Q"))))
    '<pre>for each i: <b>load Q</b></pre>'
    """
    carrying = {
        place
        for place, node in _nodes(program)
        if isinstance(node, Operation) and node.action in ("load", "store")
    }
    lines = "\n".join(_marked(line, carrying) for line in pseudo_code(program))
    return f"<pre>{lines}</pre>"


def _marked(line: Line, carrying: set[Place]) -> str:
    parts, done = [], 0
    for place, start, stop in line.spans:
        if place in carrying:
            parts += [escape(line.text[done:start]), f"<b>{escape(line.text[start:stop])}</b>"]
            done = stop
    return "".join([*parts, escape(line.text[done:])])


def _nodes(program: Program) -> Iterator[tuple[Place, Node]]:
    """Yield the nodes that are written down, with their places; not those that a phase generates.

    Of programs for parts of a mask that are equal, those of the first.
    """
    texts = {part.program: kind for kind, part in reversed(list(enumerate(program.parts)))}
    for text, kind in texts.items():
        yield from (((kind, *place), node) for place, node in _nodes(text))
    for number, phase in enumerate(program.phases):
        yield from _within(phase.body, (number,))


def _within(body: tuple[Node, ...], place: Place) -> Iterator[tuple[Place, Node]]:
    for at, node in enumerate(body):
        yield (*place, at), node
        if isinstance(node, Loop | When):
            yield from _within(node.body, (*place, at))


def _written(program: Program) -> str:
    nodes = [node for _, node in _nodes(program)]
    loops = sum(isinstance(node, Loop) for node in nodes)
    actions = Counter(node.action for node in nodes if isinstance(node, Operation))
    phases = [
        *program.phases,
        *(phase for text in {part.program for part in program.parts} for phase in text.phases),
    ]
    counts = [(len(phases), "phase"), (loops, "loop")]
    counts += [(actions[action], action) for action in get_args(Action)]
    text = ", ".join(f"{count} {word}{'' if count == 1 else 's'}" for count, word in counts if count)
    later = sum(phase.generate is not None for phase in phases)
    generated = f"; {later} of the phases generate theirs" if later else ""
    return f"As written: {text}{generated}. What they move is for pebble.run(program, problem, M) to count."
