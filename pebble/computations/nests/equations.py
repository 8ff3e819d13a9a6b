"""The equations of a text, such as ``C[i,j] += A[i,k]*B[k,j] for k < i``: what loop nests and attention both read."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pebble.common.errors import InvalidInput
from pebble.computations.nests.affine import Affine
from pebble.computations.nests.expression import (
    Expression,
    Source,
    read_access,
    read_affine,
    read_expression,
)
from pebble.computations.nests.statement import Access

_MOST_LETTERS = 20_000
_SIGN = re.compile(r"\bmax=|[<>=!+\-*/]*=+[<>=]*")
_AT_LEAST_ZERO: dict[type[ast.cmpop], Callable[[Affine, Affine], tuple[Affine, ...]]] = {
    ast.Lt: lambda one, other: (other - one - 1,),
    ast.LtE: lambda one, other: (other - one,),
    ast.Gt: lambda one, other: (one - other - 1,),
    ast.GtE: lambda one, other: (one - other,),
    ast.Eq: lambda one, other: (one - other, other - one),
}
"""What is at least 0 where a comparison holds."""


class Equation(NamedTuple):
    """An equation as it is written; ``sign`` is empty where the target stands alone.

    ``indices`` are the target's, then the others; ``conditions`` are at least 0 where they hold; ``meaning`` is what
    follows ``#``.
    """

    source: Source
    target: Access
    sign: str
    right: Source
    expression: Expression
    indices: tuple[str, ...]
    conditions: tuple[Affine, ...]
    meaning: str


def read_equations(
    text: str, ends: str, signs: Sequence[str], word: str, foreign: str = "(?!)"
) -> tuple[Equation, ...]:
    """Read the equations of a text, those that are empty left out.

    ``ends`` are the characters that end an equation, ``signs`` what stands after the target (``""``: it may stand
    alone), ``word`` what stands before conditions. No character of the text may match ``foreign``.
    """
    if not isinstance(text, str):
        raise InvalidInput(f"a computation is read from a text, not from {type(text).__name__}")
    if len(text) > _MOST_LETTERS:
        raise InvalidInput(f"the text has {len(text):,} characters; the limit is {_MOST_LETTERS:,}")
    whole = Source(re.sub(r"\s", " ", text), 0, text)
    if found := re.search(foreign, text):
        whole.fail_at(found.start(), f"{found[0]!r} is not allowed here; write products with *")
    pieces = (whole.part(*found.span()) for found in re.finditer(f"[^{ends}]+", text))
    try:
        return tuple(_equation(one, signs, word) for one in pieces if one.text.partition("#")[0])
    except RecursionError:
        raise InvalidInput("the text is nested too deeply") from None


def _equation(piece: Source, signs: Sequence[str], word: str) -> Equation:
    written, _, meaning = piece.text.partition("#")
    source = piece.part(0, len(written))
    found = re.search(rf"\b{word}\b", source.text)
    head = source.part(0, found.start() if found else None)
    place = _SIGN.search(head.text)
    sign = place[0] if place else ""
    if sign not in signs:
        why = f"{sign!r}: assignments are written with {', '.join(filter(None, signs))}"
        example = f"{head.text!r} assigns nothing; write for example C[i] += A[i,k] or C[i] = A[i]"
        head.fail_at(place.start() if place else 0, why if sign else example)
    left = head.part(0, place.start() if place else None)
    target = read_access(left, left.tree("what is computed"))
    right = head.part(place.end() if place else len(head.text))
    expression = read_expression(right) if place else Expression(ast.Constant(0))
    places = (place for access in (target, *expression.reads) for place in access.places)
    indices = tuple(dict.fromkeys(name for place in places for name in place.names))
    conditions = _conditions(source.part(found.end()), word, indices) if found else ()
    return Equation(source, target, sign, right, expression, indices, conditions, meaning.strip())


def _conditions(source: Source, word: str, indices: tuple[str, ...]) -> tuple[Affine, ...]:
    """Return comparisons, separated by commas, as expressions that are at least 0."""
    tree = source.tree(f"a condition after '{word}'")
    comparisons = tree.elts if isinstance(tree, ast.Tuple) else [tree]
    found: list[Affine] = []
    for comparison in comparisons:
        if not isinstance(comparison, ast.Compare):
            source.fail(comparison, "a condition compares indices, such as j < i or 0 <= k < i + 2")
        sides = [read_affine(source, side) for side in (comparison.left, *comparison.comparators)]
        for name in (name for side in sides for name in side.names if name not in indices):
            source.fail(
                comparison, f"{name} is not an index of this assignment; its indices are {', '.join(indices)}"
            )
        for one, sign, other in zip(sides, comparison.ops, sides[1:], strict=False):
            if type(sign) not in _AT_LEAST_ZERO:
                source.fail(comparison, "comparisons are <, <=, >, >= and ==")
            found += _AT_LEAST_ZERO[type(sign)](one, other)
    return tuple(dict.fromkeys(found))
