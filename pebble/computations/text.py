"""A computation as a text: a line for each array, as papers write them."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from itertools import permutations
from typing import Any, NoReturn
from urllib.parse import quote, unquote

import numpy as np

from pebble.computations.array import Array
from pebble.computations.family import Family
from pebble.computations.nests.affine import Affine
from pebble.computations.nests.equations import Equation, read_equations
from pebble.computations.nests.statement import Access

_LINE_ENDS = "\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
"""Where ``str.splitlines`` ends a line."""


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
        - ``U[i,e,j] = U[i,e,j-1]*a[i,j] + P[i,j]*V[j,e]``: a chain with a step of its own;
        - ``Kr[j,k] = K[last-j,k]``: the input K read backward, from the last j to the first.

        A sum or a chain is read whole, as ``l[i]``, or at a step, ``m[i,j]`` or ``m[i,j-1]``. ``later(G[n,k])`` is not
        read at the first step of the reader's chain, and terms of a sum are zero unless what follows ``if`` holds.
    extents, symbols, parameters : mapping, optional
        As of a :class:`~pebble.computations.family.Family`; formulas write lengths as the indices by default.
    outputs : collection of str
        Arrays that are outputs although others read them.
    constants : mapping of str to float, optional
        Names of numbers.

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
    for equation in read_equations(text, _LINE_ENDS, ("", "=", "+=", "max="), "if"):
        array = _Line(equation, known, dict(constants)).array()
        if array.name in known:
            equation.source.fail_at(0, f"{array.name} is given twice")
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

    def __init__(
        self, equation: Equation, known: Mapping[str, Array], constants: Mapping[str, float]
    ) -> None:
        self.equation, self.known, self.constants = equation, known, constants
        self.target, self.sign, self.expression = equation.target, equation.sign, equation.expression
        if not all(place.is_index for place in self.target.places):
            self._fail("the places of what is computed are indices")
        self.indices = tuple(map(str, self.target.places))

    def array(self) -> Array:
        """Return the array."""
        own = [access for access in self.expression.reads if access.array == self.target.array]
        others = [access for access in self.expression.reads if access not in own]
        numbers = [access for access in others if access.array in self.constants]
        reads = [access for access in others if access not in numbers]
        if any("last" in place.names for access in reads for place in access.places):
            return self._backward(reads)
        chain, axes = self._chain(own, reads) if self.sign else (None, self.indices)
        positions = self._positions((*axes, *([chain] if chain else [])))
        ordered = replace(self.expression, reads=(*numbers, *own, *reads))
        value = partial(ordered.value, *(self.constants[one.array] for one in numbers))
        options: dict[str, Any] = {}
        if own:
            options["step"] = value
        elif self.sign == "max=":
            options.update(step=lambda before, *values: np.maximum(before, value(*values)), initial=-math.inf)
        elif positions:
            options["function"] = lambda one, other, *values: np.where(one <= other, value(*values), 0.0)
        elif self.sign and (chain is None or self.equation.right.text != "*".join(map(str, reads))):
            options["function"] = value
        operands = tuple(map(self._operand, reads))
        meaning = self.equation.meaning
        return Array(
            self.target.array, axes, chain, operands, meaning=meaning, positions=positions, **options
        )

    def _chain(self, own: list[Access], reads: list[Access]) -> tuple[str | None, tuple[str, ...]]:
        """Return the index of the sum or of the chain, and the other indices of the target."""
        if own:
            *axes, chain = self.indices or ("",)
            before = [*axes, f"{chain} - 1"]
            if self.sign != "=" or [[*map(str, one.places)] for one in own] != [before]:
                self._fail(
                    f"of {self.target} the element before it is read, {self.target.array}[…,{chain}-1]"
                )
            return chain, tuple(axes)
        summed = {index: None for one in reads for place in one.places for index in place.names}
        over = [index for index in summed if index not in self.indices]
        if len(over) != (self.sign != "="):
            self._fail("+= and max= are over one index that the target lacks, and = over none")
        return (over[0] if over else None), self.indices

    def _backward(self, reads: list[Access]) -> Array:
        """Return an input that is read backward along an axis."""
        read, axes = reads[0], self.indices
        of, name = self.known.get(read.array), self.target.array
        for at, axis in enumerate(axes):
            turned = list(map(Affine.index, axes))
            turned[at] = Affine.index("last") - turned[at]
            alone = self.sign == "=" and self.expression.tree in self.expression.places
            if (
                alone
                and read.places == (*turned,)
                and of
                and of.is_input
                and of.axes == axes
                and not of.backward
            ):
                return Array(name, axes, meaning=self.equation.meaning, backward=(of.name, axis))
        self._fail("an input is read backward on a line of its own, such as Kr[j,k] = K[last-j,k]")

    def _positions(self, indices: tuple[str, ...]) -> tuple[str, ...]:
        """Return the two indices that a condition compares, the smaller one first."""
        pairs = permutations(map(Affine.index, indices), 2)
        found = [(one, other) for one, other in pairs if self.equation.conditions == (other - one,)]
        if self.equation.conditions and not (self.sign == "+=" and found):
            self._fail("a condition after 'if' compares two indices of a sum, +=, such as j <= i")
        return tuple(map(str, found[0])) if found else ()

    def _operand(self, access: Access) -> str:
        """Return how an array says what it reads: the whole chain of an operand, or an element of it."""
        array = self.known.get(access.array)
        if array is None:
            self.expression.fail(access, f"{access.array} is not defined on an earlier line")
        places = tuple(map(str, access.places))
        if places == array.axes:
            return f"{array.name}@later" if array.name in self.expression.later else array.name
        if places[:-1] != array.axes or array.chain is None:
            self.expression.fail(
                access, f"the indices of {array.name} are {', '.join(array.indices) or 'none'}"
            )
        if places[-1] not in (array.chain, f"{array.chain} - 1"):
            self.expression.fail(
                access, f"this is neither the element at {array.chain} nor the one before it"
            )
        return f"{array.name}@{'after' if places[-1] == array.chain else 'before'}"

    def _fail(self, why: str) -> NoReturn:
        self.equation.source.fail_at(0, why)
