"""The right side of a statement: an arithmetic expression of array elements, read from text and put on numbers."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, NoReturn

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.nests.affine import Affine
from pebble.computations.nests.statement import Access, Assignment

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": np.abs,
    "cos": np.cos,
    "exp": np.exp,
    "log": np.log,
    "max": lambda *values: reduce(np.maximum, values),
    "min": lambda *values: reduce(np.minimum, values),
    "sin": np.sin,
    "sqrt": np.sqrt,
    "tanh": np.tanh,
}
"""Functions that an expression may use; ``max`` and ``min`` of any number of values, the others of one."""

_LARGEST_CONSTANT, _LARGEST_FACTOR = 10**9, 10**6
"""So that places are numbers of eight bytes."""

_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda one, other: one + other,
    ast.Sub: lambda one, other: one - other,
    ast.Mult: lambda one, other: one * other,
    ast.Div: lambda one, other: one / other,
    ast.Pow: lambda one, other: one**other,
}
_LATER = re.compile(r"\blater\((\w+)(\[[^\]]*\])\)")


@dataclass(frozen=True)
class Source:
    """A piece of a whole text, and where it begins there, from 0; errors name the line if there are several."""

    text: str
    begin: int = 0
    whole: str = ""

    def part(self, begin: int, end: int | None = None) -> Source:
        """Return a part of the piece without the blanks around it."""
        text = self.text[begin:end]
        return Source(text.strip(), self.begin + begin + len(text) - len(text.lstrip()), self.whole)

    def tree(self, what: str) -> ast.expr:
        """Return the piece as a tree, or say what is wrong and where."""
        if not self.text:
            self.fail_at(0, f"{what} is missing")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(self.text, mode="eval").body
        except SyntaxError as error:
            place = min(max((error.offset or 1) - 1, 0), len(self.text))
            here = self.text[place:] or "the end"
            self.fail_at(
                place, f"{what} {_short(self.text)} cannot be read, at {_short(here)} ({error.msg.lower()})"
            )
        except (ValueError, MemoryError, RecursionError):
            self.fail_at(0, f"{what} cannot be read: it is nested too deeply, or a number is too long")

    def fail(self, node: ast.AST, why: str) -> NoReturn:
        """Raise an error that shows a part of the piece."""
        shown = ast.get_source_segment(self.text, node) or self.text
        before = self.text.encode()[: getattr(node, "col_offset", 0)]
        self.fail_at(len(before.decode()), f"{_short(shown)}: {why}")

    def fail_at(self, place: int, why: str) -> NoReturn:
        """Raise an error about a place of the piece."""
        raise InvalidInput(f"{self._where(place)}: {why}")

    def _where(self, place: int) -> str:
        at = self.begin + place
        if "\n" not in self.whole.strip():
            return f"character {at + 1}"
        before = self.whole[:at]
        return f"line {before.count(chr(10)) + 1}, character {at - before.rfind(chr(10))}"


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:37]}...")


@dataclass(frozen=True)
class Expression:
    """An expression of array elements.

    Parameters
    ----------
    tree : ast.expr
        Of the nodes that :func:`read_expression` lets through.
    reads : tuple of Access
        The elements, each once, in the order in which they stand.
    places : mapping of ast.AST to Access
        The element that a node is.
    source : Source
    later : tuple of str
        Arrays whose elements stand in ``later(…)``.

    Examples
    --------
    >>> found = read_expression(Source("alpha*A[i,k-1] + exp(A[i,k-1])/2"))
    >>> [str(access) for access in found.reads], float(found.value(3.0, 0.0))
    (['alpha', 'A[i,k-1]'], 0.5)
    """

    tree: ast.expr
    reads: tuple[Access, ...] = ()
    places: Mapping[ast.AST, Access] = field(default_factory=dict)
    source: Source = Source("")
    later: tuple[str, ...] = ()

    def fail(self, access: Access, why: str) -> NoReturn:
        """Raise an error about an element that is read."""
        self.source.fail(next(node for node, read in self.places.items() if read == access), why)

    def value(self, *values: Any) -> Any:
        """Return the value where the elements read have these values, numbers or arrays, in their order."""
        found = dict(zip(self.reads, values, strict=True))
        return _value(self.tree, {node: found[access] for node, access in self.places.items()})


def right_side(statement: Assignment) -> Expression:
    """Return the right side of a statement; without a text it is the product of what the statement reads."""
    text = statement.expression or "*".join(map(str, statement.reads))
    return replace(read_expression(Source(text)), reads=statement.reads)


def read_expression(source: Source) -> Expression:
    """Read an expression of elements, numbers, ``+ - * / **``, parentheses, functions and ``later(G[n,k])``."""
    plain = Source(_LATER.sub(r"      \1\2 ", source.text), source.begin, source.whole).part(0)
    tree = plain.tree("an expression")
    places: dict[ast.AST, Access] = {}
    _collect(plain, tree, places)
    later = tuple(name for name, _ in _LATER.findall(source.text))
    for name in {*later} & {*re.findall(r"\w+", _LATER.sub("", source.text))}:
        source.fail_at(0, f"{name} is read both later and at every step")
    return Expression(tree, tuple(dict.fromkeys(places.values())), places, plain, later)


def _collect(source: Source, node: ast.expr, found: dict[ast.AST, Access]) -> None:
    """Check a tree and note the elements it reads."""
    if isinstance(node, ast.Name | ast.Subscript):
        found[node] = read_access(source, node)
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        _collect(source, node.left, found)
        _collect(source, node.right, found)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd | ast.USub):
        _collect(source, node.operand, found)
    elif isinstance(node, ast.Call):
        _check_call(source, node)
        for argument in node.args:
            _collect(source, argument, found)
    elif not (isinstance(node, ast.Constant) and type(node.value) in (int, float)):
        source.fail(
            node,
            "an expression may have only elements A[i,j], numbers, + - * / **, parentheses and functions",
        )


def _check_call(source: Source, node: ast.Call) -> None:
    name = node.func.id if isinstance(node.func, ast.Name) else None
    if name not in FUNCTIONS:
        source.fail(
            node.func, f"unknown function; known: {', '.join(FUNCTIONS)}; elements are written A[i,j]"
        )
    if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
        source.fail(node, "a function takes only values")
    if not node.args or (len(node.args) > 1 and name not in ("max", "min")):
        source.fail(node, f"{name} takes {'at least one value' if name in ('max', 'min') else 'one value'}")


def read_access(source: Source, node: ast.expr) -> Access:
    """Return the element that a node stands for: ``A[i, k - 1]``, or ``alpha``, of an array without indices."""
    if isinstance(node, ast.Name):
        return Access(node.id, ())
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        source.fail(node, "expected an element of an array, such as A[i,j]")
    places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if not places:
        source.fail(node, "for an array without indices, write only its name")
    return Access(node.value.id, tuple(read_affine(source, place) for place in places))


def read_affine(source: Source, node: ast.expr) -> Affine:
    """Return a sum of whole multiples of indices."""
    found = _affine(source, node)
    if abs(found.constant) > _LARGEST_CONSTANT or any(
        abs(factor) > _LARGEST_FACTOR for _, factor in found.terms
    ):
        source.fail(
            node,
            f"too large: constants may be up to {_LARGEST_CONSTANT:,}, factors up to {_LARGEST_FACTOR:,}",
        )
    return found


def _affine(source: Source, node: ast.expr) -> Affine:
    if isinstance(node, ast.Name):
        return Affine.index(node.id)
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return Affine((), node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd | ast.USub):
        inner = _affine(source, node.operand)
        return -inner if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult):
        one, other = _affine(source, node.left), _affine(source, node.right)
        if isinstance(node.op, ast.Add):
            return one + other
        if isinstance(node.op, ast.Sub):
            return one - other
        if not one.terms or not other.terms:
            return other * one.constant if not one.terms else one * other.constant
    source.fail(node, "a subscript must be a sum of integer multiples of indices, such as 2*i + k - 1")


def _value(node: ast.expr, values: Mapping[ast.AST, Any]) -> Any:
    if isinstance(node, ast.Name | ast.Subscript):
        return values[node]
    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)](_value(node.left, values), _value(node.right, values))
    if isinstance(node, ast.UnaryOp):
        inner = _value(node.operand, values)
        return -inner if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.Call):
        assert isinstance(node.func, ast.Name)
        return FUNCTIONS[node.func.id](*(_value(argument, values) for argument in node.args))
    assert isinstance(node, ast.Constant)
    assert isinstance(node.value, int | float)
    return float(node.value)
