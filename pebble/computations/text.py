"""A computation as a text: a line for each array, as papers write them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, NoReturn
from urllib.parse import quote, unquote

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.array import Array
from pebble.computations.family import Family
from pebble.computations.nests.expression import Expression, Source, read_access, read_expression
from pebble.computations.nests.statement import Access

__all__ = ["family_of_text", "text_of_parameter", "text_parameter"]

_MOST_LETTERS = 20_000
_SIGN = re.compile(r" (\+=|max=|=) ")
_LATER = re.compile(r"\blater\((\w+)(\[[^\]]*\])\)")
_CONDITION = re.compile(r"^(.*) if (\w+) <= (\w+)$")


def family_of_text(
    name: str,
    text: str,
    extents: Mapping[str, int],
    symbols: Mapping[str, str] | None = None,
    parameters: Mapping[str, str] | None = None,
    *,
    outputs: Collection[str] = (),
    constants: Mapping[str, float] | None = None,
) -> Family:
    r"""Read a computation from text: a line for each array, in an order in which they can be computed.

    Parameters
    ----------
    name : str
        As written in the header of a pebbling file.
    text : str
        Lines of one of these kinds, each perhaps followed by ``#`` and what the array is:

        - ``Q[i,k]``: an input;
        - ``P[i,j] = exp(S[i,j])``: an expression of array elements, numbers, constants and functions;
        - ``S[i,j] += Q[i,k]*K[j,k]``: a sum over the one index that the target lacks; ``max=`` is the greatest of them;
        - ``U[i,e,j] = U[i,e,j-1]*a[i,j] + P[i,j]*V[j,e]``: a chain with a step of its own.

        A sum or a chain is read whole, as ``l[i]``, or at a step, ``m[i,j]`` or ``m[i,j-1]``. ``later(G[n,k])`` is not
        read at the first step of the reader's chain, and terms of a sum are zero unless what follows ``if`` holds.
    extents : mapping of str to int
        Length of every index.
    symbols : mapping of str to str, optional
        How formulas write the lengths; by default as the indices.
    parameters : mapping of str to str, optional
        The header's parameters.
    outputs : collection of str
        Arrays that are outputs although others read them.
    constants : mapping of str to float, optional
        Names of numbers.

    Raises
    ------
    InvalidInput
        If a line cannot be read.

    Examples
    --------
    >>> family = family_of_text("sums", "x[i,j]\nl[i] += x[i,j]  # row sums\ny[i,j] = x[i,j]/l[i]", {"i": 2, "j": 3})
    >>> family
    <Family sums : 18 vertices, 22 edges>
    >>> family.predecessors("y", (1, 0))
    [('x', (1, 0)), ('l', (1, 2))]
    """
    arrays = _arrays(text, tuple(outputs), tuple((constants or {}).items()))
    used = {axis: extents[axis] for axis in extents if any(axis in array.indices for array in arrays)}
    written_as = {axis: (symbols or {}).get(axis, axis) for axis in used}
    return Family(name, arrays, used, written_as, parameters or {})


@lru_cache(maxsize=128)
def _arrays(
    text: str, outputs: tuple[str, ...], constants: tuple[tuple[str, float], ...]
) -> tuple[Array, ...]:
    """Return the arrays of a text; those that nobody reads are outputs too."""
    known: dict[str, Array] = {}
    if len(text) > _MOST_LETTERS:
        raise InvalidInput(f"the text has {len(text):,} characters; at most {_MOST_LETTERS:,} are read")
    for line in text.splitlines():
        written, _, meaning = line.partition("#")
        if written.strip():
            try:
                array = _Line(written.strip(), known, dict(constants)).array(meaning.strip())
            except RecursionError:
                raise InvalidInput("the text is nested too deeply") from None
            if array.name in known:
                raise InvalidInput(f"{written.strip()!r}: {array.name} is given twice")
            known[array.name] = array
    read = {operand.array for array in known.values() for operand in array.reads}
    return tuple(
        replace(array, output=not array.is_input and (name in outputs or name not in read))
        for name, array in known.items()
    )


def text_parameter(text: str) -> str:
    r"""Return a text as the header of a pebbling file has it: without blanks and what follows ``#``.

    >>> text_parameter("x[i,j]  # all\nl[i] += x[i,j]")
    'x[i,j];l[i]%20+=%20x[i,j]'
    """
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return ";".join(quote(line, safe="[](),+-*/.<>=!") for line in lines if line)


def text_of_parameter(written: str) -> str:
    """Return the text of which :func:`text_parameter` has made a parameter."""
    return "\n".join(map(unquote, written.split(";")))


class _Line:
    """What a line says of an array."""

    def __init__(self, text: str, known: Mapping[str, Array], constants: Mapping[str, float]) -> None:
        self.text, self.known, self.constants = text, known, constants
        sign = _SIGN.search(text)
        self.sign = sign[1] if sign else ""
        self.target = self._access(text[: sign.start()] if sign else text)
        self.indices = tuple(map(str, self.target.places))
        right = text[sign.end() :].strip() if sign else ""
        condition = _CONDITION.match(right)
        self.positions = (condition[2], condition[3]) if condition else ()
        right = condition[1] if condition else right
        self.later = {found[1] for found in _LATER.finditer(right)}
        self.right = _LATER.sub(r"\1\2", right)
        for name in self.later & set(re.findall(r"\b\w+\b", _LATER.sub("", right))):
            self._fail(f"{name} is read both later and at every step")

    def array(self, meaning: str) -> Array:
        """Return the array."""
        name = self.target.array
        if not self.sign:
            return Array(name, self.indices, meaning=meaning)
        expression = read_expression(Source(self.right))
        own = [access for access in expression.reads if access.array == name]
        reads = [one for one in expression.reads if one not in own and one.array not in self.constants]
        chain, axes = self._chain(own, reads)
        if self.positions and (self.sign != "+=" or not {*self.positions} <= {*axes, chain}):
            self._fail("a condition after 'if' compares two indices of a sum, +=")
        value = self._value(expression, [*own, *reads])
        options: dict[str, Any] = {}
        if own:
            options["step"] = value
        elif self.sign == "max=":
            options.update(step=lambda before, *values: np.maximum(before, value(*values)), initial=-math.inf)
        elif self.positions:
            options["function"] = lambda one, other, *values: np.where(one <= other, value(*values), 0.0)
        elif self.right != "*".join(map(str, reads)) or chain is None:
            options["function"] = value
        operands = tuple(map(self._operand, reads))
        return Array(name, axes, chain, operands, meaning=meaning, positions=self.positions, **options)

    def _chain(self, own: list[Access], reads: list[Access]) -> tuple[str | None, tuple[str, ...]]:
        """Return the index of the sum or of the chain, and the other indices of the target."""
        if own:
            *axes, chain = self.indices
            if self.sign != "=" or [str(place) for place in own[0].places] != [*axes, f"{chain} - 1"]:
                self._fail(
                    f"of {self.target} the element before it is read, {self.target.array}[…,{chain}-1]"
                )
            return chain, tuple(axes)
        summed = {index: None for one in reads for place in one.places for index in place.names}
        over = [index for index in summed if index not in self.indices]
        if len(over) != (self.sign != "="):
            self._fail("+= and max= are over one index that the target lacks, and = over none")
        return (over[0] if over else None), self.indices

    def _operand(self, access: Access) -> str:
        """Return how an array says what it reads: the whole chain of an operand, or an element of it."""
        array = self.known.get(access.array)
        if array is None:
            self._fail(f"{access.array} is not given in a line before")
        *_, place = map(str, access.places)
        if [str(one) for one in access.places] == list(array.axes):
            return f"{array.name}@later" if array.name in self.later else array.name
        if [str(one) for one in access.places[:-1]] != list(array.axes) or array.chain is None:
            self._fail(f"{access} is read, but the indices of {array.name} are {', '.join(array.indices)}")
        if place not in (array.chain, f"{array.chain} - 1"):
            self._fail(f"{access} is neither the element at {array.chain} nor the one before it")
        return f"{array.name}@{'after' if place == array.chain else 'before'}"

    def _value(self, expression: Expression, given: list[Access]) -> Callable[..., Any]:
        """Return the expression as a function of the elements read."""

        def value(*values: Any) -> Any:
            found = dict(zip(given, values, strict=True))
            return expression.value(
                *(found[one] if one in found else self.constants[one.array] for one in expression.reads)
            )

        return value

    def _access(self, text: str) -> Access:
        source = Source(text.strip())
        access = read_access(source, source.tree("an array"))
        if not all(place.is_index for place in access.places):
            self._fail("the places of what is computed are indices")
        return access

    def _fail(self, why: str) -> NoReturn:
        raise InvalidInput(f"{self.text!r}: {why}")
