"""Loop nests from text: assignments such as ``C[i,j] += A[i,k]*B[k,j] for k < i``."""

from __future__ import annotations

import keyword
import operator
from collections.abc import Iterable, Mapping

from pebble.common.errors import InvalidInput
from pebble.common.whole_numbers import LARGEST_SIZE
from pebble.computations.nests.equations import Equation, read_equations
from pebble.computations.nests.expression import FUNCTIONS
from pebble.computations.nests.statement import Access, Assignment, LoopNest

_FOREIGN = r"(?a)[^\w\s\[\](),+\-*/.<>=!;]"


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
        If the text cannot be read, the message says where; or if an index has no extent.

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
    pebble.common.errors.InvalidInput: character 13: 'i*k': a subscript must be a sum of integer ...
    """
    equations = read_equations(text, ";", ("=", "+=", "-="), "for", _FOREIGN)
    statements = tuple(map(_statement, equations))
    if not statements:
        raise InvalidInput("the text has no assignment; write for example C[i,j] += A[i,k]*B[k,j]")
    _check_names(statements)
    nest = LoopNest(statements, _checked_extents(statements, extents), tuple(outputs))
    for name in nest.outputs:
        if name not in nest.computed:
            raise InvalidInput(
                f"{name!r} cannot be an output: the computed arrays are {', '.join(nest.computed)}"
            )
    return nest


def _statement(equation: Equation) -> Assignment:
    target, reads, right = equation.target, equation.expression.reads, equation.right
    if not reads:
        right.fail_at(0, f"{right.text!r} reads no element; leave this assignment out, since sums begin at 0")
    if equation.expression.later:
        right.fail_at(0, "later(…) is not allowed in a loop nest")
    expression = f"-({right.text})" if equation.sign == "-=" else right.text
    found = Assignment(target, equation.sign != "=", reads, equation.indices, equation.conditions, expression)
    if not found.adds and found.sum_indices:
        equation.source.fail_at(
            0,
            f"{target} = … would be computed once for every {', '.join(found.sum_indices)}; write += for a sum, or "
            "give the target these indices",
        )
    if target in reads:
        equation.source.fail_at(
            0,
            f"{target} is computed from itself; each element is computed once: give its earlier values "
            "another name, or one more index",
        )
    return found


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
            raise InvalidInput(f"{name!r} cannot be the name of an array or an index; choose another name")


def _checked_extents(statements: tuple[Assignment, ...], extents: Mapping[str, int]) -> dict[str, int]:
    indices = list(dict.fromkeys(name for one in statements for name in one.indices))
    missing = [name for name in indices if name not in extents]
    if missing:
        example = ",".join(f"{name}=64" for name in missing)
        raise InvalidInput(
            f"the extent of {', '.join(missing)} is missing; give for example {example} (-N {example})"
        )
    found = {}
    for name, extent in extents.items():
        if name not in indices:
            raise InvalidInput(f"no index is called {name!r}; the indices are {', '.join(indices) or 'none'}")
        try:
            found[name] = operator.index(extent)
        except TypeError:
            raise InvalidInput(f"the extent {name}={extent!r} is not a whole number") from None
        if isinstance(extent, bool) or not 1 <= found[name] <= LARGEST_SIZE:
            raise InvalidInput(
                f"the extent {name}={extent!r} must be a whole number of at least 1 and at most {LARGEST_SIZE:,}"
            )
    return {name: found[name] for name in indices}
