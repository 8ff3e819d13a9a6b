"""Loop nests from text: assignments such as ``C[i,j] += A[i,k]*B[k,j] for k < i``."""

from __future__ import annotations

import ast
import keyword
import operator
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pebble.common.errors import InvalidInput
from pebble.computations.nests.affine import Affine
from pebble.computations.nests.expression import (
    FUNCTIONS,
    Expression,
    Source,
    read_access,
    read_affine,
    read_expression,
)
from pebble.computations.nests.statement import Access, Assignment, LoopNest
from pebble.computations.problem import LARGEST_SIZE

__all__ = ["loop_nest"]

_MOST_LETTERS = 20_000
_FOREIGN = re.compile(r"[^\w\s\[\](),+\-*/.<>=!;]", re.ASCII)
_FOR = re.compile(r"\bfor\b")
_ASSIGNMENT = re.compile(r"[<>=!+\-*/]*=+[<>=]*")


def loop_nest(text: str, extents: Mapping[str, int], outputs: Iterable[str] = ()) -> LoopNest:
    """Read a computation from text.

    Parameters
    ----------
    text : str
        Assignments ``TARGET += RIGHT`` (a sum over the indices that the target lacks) or ``TARGET = RIGHT``, separated
        by ``;``, each perhaps followed by ``for`` and conditions: ``L[i,j] = A[i,j] for j <= i, 1 <= j``.
    extents : mapping of str to int
        An index i runs over 0, …, extents[i] − 1.
    outputs : iterable of str
        Arrays that are outputs although they are read.

    Raises
    ------
    InvalidInput
        If the text cannot be read, the message says at which character; or if an index has no extent.

    Examples
    --------
    >>> nest = loop_nest("C[i,j] += A[i,k]*B[k,j]; E[i,l] += C[i,j]*D[j,l] for l <= i", dict.fromkeys("ijkl", 4))
    >>> for statement in nest.statements:
    ...     print(statement)
    C[i,j] += A[i,k]*B[k,j]
    E[i,l] += C[i,j]*D[j,l] for l <= i
    >>> loop_nest("C[i,j] += A[i*k]", {"i": 4, "j": 4, "k": 4})
    Traceback (most recent call last):
    ...
    pebble.common.errors.InvalidInput: character 13: 'i*k': a place is a sum of whole multiples of indices, ...
    """
    _check_text(text)
    try:
        statements = tuple(_statement(piece) for piece in _pieces(text))
    except RecursionError:
        raise InvalidInput("the text is nested too deeply") from None
    if not statements:
        raise InvalidInput("the text has no assignment; write for instance C[i,j] += A[i,k]*B[k,j]")
    _check_names(statements)
    nest = LoopNest(statements, _checked_extents(statements, extents), tuple(outputs))
    for name in nest.outputs:
        if name not in nest.computed:
            raise InvalidInput(
                f"{name!r} cannot be an output: the computed arrays are {', '.join(nest.computed)}"
            )
    return nest


def _check_text(text: Any) -> None:
    if not isinstance(text, str):
        raise InvalidInput(f"a loop nest is read from a text, not from {type(text).__name__}")
    if len(text) > _MOST_LETTERS:
        raise InvalidInput(f"the text has {len(text):,} characters; at most {_MOST_LETTERS:,} are read")
    foreign = _FOREIGN.search(text)
    if foreign:
        raise InvalidInput(
            f"character {foreign.start() + 1}: {foreign[0]!r} has no meaning here; products are written with *"
        )


def _pieces(text: str) -> Iterator[Source]:
    """Yield the assignments, those that are empty left out."""
    begin = 0
    for piece in re.sub(r"\s", " ", text).split(";"):
        source = Source(piece, begin).stripped()
        if source.text:
            yield source
        begin += len(piece) + 1


def _statement(source: Source) -> Assignment:
    head, conditions = source.text, None
    found = _FOR.search(source.text)
    if found:
        head = source.text[: found.start()]
        conditions = Source(source.text[found.end() :], source.begin + found.end()).stripped()
    sign = _ASSIGNMENT.search(head)
    if sign is None:
        source.fail_at(
            0, f"{head.strip()!r} assigns nothing; write for instance C[i] += A[i,k] or C[i] = A[i]"
        )
    if sign[0] not in ("=", "+=", "-="):
        source.fail_at(sign.start(), f"{sign[0]!r}: assignments are written with =, += or -=")
    target = _target(Source(head[: sign.start()], source.begin).stripped())
    right = Source(head[sign.end() :], source.begin + sign.end()).stripped()
    expression = read_expression(right)
    if not expression.reads:
        right.fail_at(0, f"{right.text!r} reads no element; leave the assignment out, sums begin at 0")
    indices = _indices(target, expression)
    _check_equation(source, sign[0], target, expression, indices)
    return Assignment(
        target,
        sign[0] != "=",
        expression.reads,
        indices,
        () if conditions is None else _conditions(conditions, indices),
        f"-({right.text})" if sign[0] == "-=" else right.text,
    )


def _target(source: Source) -> Access:
    return read_access(source, source.tree("what is computed"))


def _indices(target: Access, expression: Expression) -> tuple[str, ...]:
    """Return the loop indices, the target's first."""
    accesses = (target, *expression.reads)
    return tuple(
        dict.fromkeys(name for access in accesses for place in access.places for name in place.names)
    )


def _check_equation(
    source: Source, sign: str, target: Access, expression: Expression, indices: tuple[str, ...]
) -> None:
    of_target = {name for place in target.places for name in place.names}
    sums = [name for name in indices if name not in of_target]
    if sign == "=" and sums:
        source.fail_at(
            0,
            f"{target} = … would be computed once for every {', '.join(sums)}; write += for a sum, or give the "
            "target these indices",
        )
    if target in expression.reads:
        source.fail_at(
            0,
            f"{target} is computed from itself; each element is computed once: give the values before it another name, "
            "or one more index",
        )


def _conditions(source: Source, indices: tuple[str, ...]) -> tuple[Affine, ...]:
    """Return comparisons, separated by commas, as expressions that are at least 0."""
    tree = source.tree("a condition after 'for'")
    comparisons = tree.elts if isinstance(tree, ast.Tuple) else [tree]
    found: list[Affine] = []
    for comparison in comparisons:
        if not isinstance(comparison, ast.Compare):
            source.fail(comparison, "a condition compares indices, such as j < i or 0 <= k < i + 2")
        sides = [read_affine(source, side) for side in (comparison.left, *comparison.comparators)]
        for name in (name for side in sides for name in side.names if name not in indices):
            source.fail(
                comparison, f"{name} is no index of this assignment; its indices are {', '.join(indices)}"
            )
        for one, sign, other in zip(sides, comparison.ops, sides[1:], strict=False):
            found += _differences(source, comparison, one, sign, other)
    return tuple(dict.fromkeys(found))


def _differences(
    source: Source, node: ast.expr, one: Affine, sign: ast.cmpop, other: Affine
) -> tuple[Affine, ...]:
    """Return what is at least 0 if a comparison holds."""
    if isinstance(sign, ast.Lt | ast.LtE):
        return (other - one - int(isinstance(sign, ast.Lt)),)
    if isinstance(sign, ast.Gt | ast.GtE):
        return (one - other - int(isinstance(sign, ast.Gt)),)
    if isinstance(sign, ast.Eq):
        return (one - other, other - one)
    source.fail(node, "comparisons are <, <=, >, >= and ==")


def _check_names(statements: tuple[Assignment, ...]) -> None:
    """Check that an array has as many indices wherever it stands, and that no name means two things."""
    accesses = [access for one in statements for access in (one.target, *one.reads)]
    ranks: dict[str, Access] = {}
    for access in accesses:
        first = ranks.setdefault(access.array, access)
        if len(first.places) != len(access.places):
            raise InvalidInput(f"{first} and {access}: an array has the same number of indices everywhere")
    indices = {name for one in statements for name in one.indices}
    for name in sorted(indices & set(ranks)):
        raise InvalidInput(f"{name} is an index and an array; give one of them another name")
    for name in sorted(indices | set(ranks)):
        if name in FUNCTIONS or keyword.iskeyword(name) or name.startswith("__"):
            raise InvalidInput(f"{name!r} cannot be the name of an array or an index; choose another one")


def _checked_extents(statements: tuple[Assignment, ...], extents: Mapping[str, int]) -> dict[str, int]:
    indices = list(dict.fromkeys(name for one in statements for name in one.indices))
    missing = [name for name in indices if name not in extents]
    if missing:
        example = ",".join(f"{name}=64" for name in missing)
        raise InvalidInput(f"{', '.join(missing)}: no extent is given; give for instance {example}")
    found = {}
    for name, extent in extents.items():
        if name not in indices:
            raise InvalidInput(f"no index is called {name!r}; the indices are {', '.join(indices) or 'none'}")
        try:
            found[name] = operator.index(extent)
        except TypeError:
            raise InvalidInput(f"the extent {name}={extent!r} is no whole number") from None
        if isinstance(extent, bool) or not 1 <= found[name] <= LARGEST_SIZE:
            raise InvalidInput(
                f"the extent {name}={extent!r} must be a whole number of at least 1 and at most {LARGEST_SIZE:,}"
            )
    return {name: found[name] for name in indices}
