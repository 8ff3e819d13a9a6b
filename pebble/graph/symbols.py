"""Symbolic numbers: arithmetic on them is recorded on a tape instead of executed."""

from __future__ import annotations

from functools import partial
from typing import Any, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from pebble.common.errors import InvalidInput
from pebble.graph.dag import Dag
from pebble.graph.edge_arrays import compressed_rows
from pebble.graph.order import marked_ancestors

FOLLOWED = {
    "element by element": "add subtract multiply divide power floor_divide mod negative abs square reciprocal exp exp2 "
    "expm1 log log2 log10 log1p sqrt cbrt sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh rint "
    "sign floor ceil trunc maximum minimum fmax fmin arctan2 hypot logaddexp copysign fmod",
    "over an axis": "sum prod mean var std max min cumsum cumprod diff trace linalg.norm",
    "products": "dot matmul inner outer vdot tensordot einsum convolve kron cross",
    "moving elements": "reshape transpose ravel stack concatenate split tile repeat roll flip take diag tril triu pad",
}
"""What of numpy is followed: functions by what they do."""

_KINDS = {name: name for name in FOLLOWED["element by element"].split()} | {
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "power": "pow",
    "floor_divide": "floordiv",
    "remainder": "mod",
    "negative": "neg",
    "absolute": "abs",
    "fabs": "abs",
    "reciprocal": "div",
}
"""The kinds of vertices by the names of numpy's functions."""

_NEUTRAL = {"add": 0, "subtract": 0, "multiply": 1, "divide": 1, "power": 1}
_COMPARISONS = {"less", "less_equal", "greater", "greater_equal", "equal", "not_equal"}

_INSTEAD = {
    "numpy.fft": "pebble.load_dag('fft:8') is the DAG of an FFT; or write its steps as a loop",
    "numpy.linalg": "write its steps as a loop over rows, such as an elimination",
}


class Tape:
    """The recorded operations, in the order of their execution."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.kinds: list[str] = []
        self.rows: list[tuple[int, ...]] = []

    def input(self, name: str) -> SymbolicNumber:
        """Add an input."""
        self.names.append(name)
        return self._add("", ())

    def operation(self, kind: str, *operands: Any) -> SymbolicNumber:
        """Add an operation; operands that are no symbolic numbers are constants."""
        row: dict[int, None] = {}
        for operand in operands:
            if isinstance(operand, SymbolicNumber):
                if operand._tape is not self:
                    raise InvalidInput(
                        f"{kind}: an operand comes from another trace; trace everything in one call"
                    )
                row[operand._vertex] = None
        return self._add(kind, tuple(row))

    def _add(self, kind: str, row: tuple[int, ...]) -> SymbolicNumber:
        self.kinds.append(kind)
        self.rows.append(row)
        return SymbolicNumber(self, len(self.rows) - 1)

    def dag(self, outputs: list[int], description: str, keep_unused: bool) -> Dag:
        """Return the operations as a DAG; what no output depends on is left out unless it is to be kept."""
        start, operands = compressed_rows(self.rows)
        wanted = np.full(len(self.rows), keep_unused)
        wanted[outputs] = True
        kept = marked_ancestors(wanted, np.arange(len(self.rows)), start, operands)
        number, degree = np.cumsum(kept) - 1, np.diff(start)
        kept_operands = number[operands[np.repeat(kept, degree)]]
        names = [
            self.names[v] if v < len(self.names) else f"{self.kinds[v]}#{number[v]}"
            for v in np.flatnonzero(kept).tolist()
        ]
        return Dag(np.cumsum([0, *degree[kept]]), kept_operands, names, number[outputs], description)


class SymbolicNumber(NDArrayOperatorsMixin):
    """A number that is known only by the vertex that computes it; made by :func:`trace`."""

    __slots__ = ("_tape", "_vertex")
    __hash__ = object.__hash__

    def __init__(self, tape: Tape, vertex: int) -> None:
        self._tape = tape
        self._vertex = vertex

    def __getattr__(self, name: str) -> Any:
        """Return the method that numpy looks for on the elements of an array, such as ``exp``."""
        if name in _KINDS:
            return partial(getattr(np, name), self)
        raise AttributeError(f"a symbolic number has no {name!r}")

    def conjugate(self) -> SymbolicNumber:
        """Return the number itself; it counts as real."""
        return self

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if ufunc.__name__ in _COMPARISONS:
            raise InvalidInput(
                f"{self!r} was compared: the computation would depend on the values, which a DAG cannot "
                "express; use np.maximum and np.minimum on arrays made from the arguments"
            )
        if isinstance(kwargs.get("out", (None,))[0], SymbolicNumber):
            del kwargs["out"]
        if method != "__call__" or kwargs or any(isinstance(x, (np.ndarray, list, tuple)) for x in inputs):
            return _apply(ufunc, method, inputs, kwargs)
        return self._operation(ufunc.__name__, *inputs)

    def _operation(self, name: str, *inputs: Any) -> Any:
        """Return the result of an operation on numbers, some of them constants."""
        if name in ("positive", "conjugate"):
            return self
        if name not in _KINDS or not all(isinstance(value, _NUMBERS) for value in inputs):
            raise cannot_follow(f"numpy.{name}", TypeError(f"no operation on {', '.join(map(repr, inputs))}"))
        if name in _NEUTRAL and _is_constant(inputs[1], _NEUTRAL[name]):
            return inputs[0]
        if name in ("add", "multiply") and _is_constant(inputs[0], _NEUTRAL[name]):
            return inputs[1]
        return self._tape.operation(_KINDS[name], *inputs)

    def __bool__(self) -> NoReturn:
        raise InvalidInput(f"{self!r} was used as a condition: a DAG cannot depend on the values")

    def __float__(self) -> NoReturn:
        raise InvalidInput(
            f"{self!r} was turned into a plain number; use numpy's functions instead of math's, and arrays with "
            "dtype=object for results"
        )

    __int__ = __complex__ = __float__

    def __repr__(self) -> str:
        kind = self._tape.kinds[self._vertex]
        return f"<symbolic {f'result of {kind}' if kind else self._tape.names[self._vertex]}>"


_NUMBERS = (SymbolicNumber, int, float, complex, np.number)


def _is_constant(value: Any, number: int) -> bool:
    """Tell whether an operand is a given constant (0 or 1), the neutral element of an operation."""
    return isinstance(value, (int, float, np.integer, np.floating)) and value == number


class SymbolicArray(np.ndarray[Any, np.dtype[Any]]):
    """An object array on which also those numpy functions can be traced that would compare elements."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return _apply(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        try:
            return super().__array_function__(func, types, args, kwargs)
        except TypeError as error:
            raise cannot_follow(f"{func.__module__}.{func.__name__}", error) from error


_BY_ELEMENT = {"maximum", "minimum", "fmax", "fmin", "arctan2", "hypot", "logaddexp", "copysign", "fmod"}
_BY_ELEMENT |= {"sign", "floor", "ceil", "trunc", "square"}
"""What numpy itself would compare the elements for, or ask of them what they cannot."""


def _apply(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    plain = [_plain(operand) for operand in inputs]
    if "out" in kwargs:
        kwargs["out"] = tuple(_plain(array) for array in kwargs["out"])
    chosen: Any = ufunc
    if ufunc.__name__ in _BY_ELEMENT:
        chosen = np.frompyfunc(ufunc, ufunc.nin, 1, identity=None)
    if kwargs.get("dtype") is not None:
        kwargs["dtype"] = object
    try:
        result = getattr(chosen, method)(*plain, **kwargs)
    except TypeError as error:
        raise cannot_follow(f"numpy.{ufunc.__name__}", error) from error
    return result.view(SymbolicArray) if is_symbolic_array(result) else result


def cannot_follow(name: str, error: Exception) -> InvalidInput:
    """Return the error for a function of numpy that cannot be followed: what can, and what to do instead.

    >>> str(cannot_follow("numpy.fft.fft", TypeError("no objects"))).partition(". ")[0]
    'np.fft.fft cannot be traced: no objects'
    """
    module, short = name.rpartition(".")[0], name.replace("numpy.", "np.", 1)
    known = "; ".join(f"{what}: {names}" for what, names in FOLLOWED.items())
    instead = f"Instead: {_INSTEAD[module]}. " if module in _INSTEAD else ""
    return InvalidInput(
        f"{short} cannot be traced: {error}. {instead}These parts of numpy can be traced: + - * / ** // "
        f"% @, slices, and {known}"
    )


def is_symbolic_array(value: Any) -> bool:
    """Whether a value is an array that may hold symbolic numbers."""
    return isinstance(value, np.ndarray) and value.dtype == object


def _plain(value: Any) -> Any:
    """Return an operand in a form on which numpy does not call :func:`_apply` again."""
    if isinstance(value, SymbolicArray):
        return value.view(np.ndarray)
    if isinstance(value, SymbolicNumber):
        box = np.empty((), dtype=object)
        box[()] = value
        return box
    return value
