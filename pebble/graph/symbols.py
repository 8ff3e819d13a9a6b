"""Symbolic numbers: arithmetic on them is recorded on a tape instead of executed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.graph.edge_arrays import compressed_rows

if TYPE_CHECKING:
    from pebble.graph.dag import Dag

__all__ = ["FOLLOWED", "SymbolicArray", "SymbolicNumber", "Tape", "cannot_follow", "is_symbolic_array"]

FOLLOWED = {
    "element by element": "add subtract multiply divide power floor_divide mod negative abs square reciprocal exp exp2 "
    "expm1 log log2 log10 log1p sqrt cbrt sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh rint "
    "sign floor ceil trunc maximum minimum fmax fmin arctan2 hypot logaddexp copysign fmod",
    "over an axis": "sum prod mean var std max min cumsum cumprod diff trace linalg.norm",
    "products": "dot matmul inner outer vdot tensordot einsum convolve kron cross",
    "moving elements": "reshape transpose ravel stack concatenate split tile repeat roll flip take diag tril triu pad",
}
"""What of numpy is followed: functions by what they do."""

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
                        f"{kind}: an operand comes from another trace; trace everything in one go"
                    )
                row[operand._vertex] = None
        return self._add(kind, tuple(row))

    def _add(self, kind: str, row: tuple[int, ...]) -> SymbolicNumber:
        self.kinds.append(kind)
        self.rows.append(row)
        return SymbolicNumber(self, len(self.rows) - 1)

    def dag(self, outputs: list[int], description: str, keep_unused: bool) -> Dag:
        """Return the operations as a DAG; what no output depends on is left out unless it is to be kept."""
        from pebble.graph.dag import Dag

        kept = [True] * len(self.rows) if keep_unused else self._needed(outputs)
        number: dict[int, int] = {}
        for v in (v for v, wanted in enumerate(kept) if wanted):
            number[v] = len(number)
        rows = [[number[p] for p in self.rows[v]] for v in number]
        names = [
            self.names[v] if v < len(self.names) else f"{self.kinds[v]}#{new}" for v, new in number.items()
        ]
        return Dag(
            *compressed_rows(rows), names=names, outputs=[number[v] for v in outputs], description=description
        )

    def _needed(self, outputs: list[int]) -> list[bool]:
        needed = [False] * len(self.rows)
        for v in outputs:
            needed[v] = True
        for v in range(len(needed) - 1, -1, -1):
            if needed[v]:
                for p in self.rows[v]:
                    needed[p] = True
        return needed


def _is_constant(value: Any, number: int) -> bool:
    """Tell whether an operand is a given constant (0 or 1), the neutral element of an operation."""
    return isinstance(value, (int, float, np.integer, np.floating)) and value == number


def _binary(kind: str, neutral: int | None = None, either: bool = False) -> tuple[Any, Any]:
    """Return an operator and its reflection; ``x kind neutral`` is x, and so the other way if ``either``."""

    def operator(self: SymbolicNumber, other: Any) -> Any:
        if not _is_operand(other):
            return NotImplemented
        if neutral is not None and _is_constant(other, neutral):
            return self
        return self._tape.operation(kind, self, other)

    def reflected(self: SymbolicNumber, other: Any) -> Any:
        if not _is_operand(other):
            return NotImplemented
        if either and neutral is not None and _is_constant(other, neutral):
            return self
        return self._tape.operation(kind, other, self)

    return operator, reflected


def _unary(kind: str) -> Any:
    def operator(self: SymbolicNumber) -> SymbolicNumber:
        return self._tape.operation(kind, self)

    return operator


def _is_operand(value: Any) -> bool:
    return isinstance(value, (SymbolicNumber, int, float, complex, np.number))


class SymbolicNumber:
    """A number that is known only by the vertex that computes it; made by :func:`trace`."""

    __slots__ = ("_tape", "_vertex")
    __hash__ = object.__hash__

    def __init__(self, tape: Tape, vertex: int) -> None:
        self._tape = tape
        self._vertex = vertex

    __add__, __radd__ = _binary("add", 0, either=True)
    __sub__, __rsub__ = _binary("sub", 0)
    __mul__, __rmul__ = _binary("mul", 1, either=True)
    __truediv__, __rtruediv__ = _binary("div", 1)
    __pow__, __rpow__ = _binary("pow", 1)
    __floordiv__, __rfloordiv__ = _binary("floordiv")
    __mod__, __rmod__ = _binary("mod")
    __neg__, __abs__ = _unary("neg"), _unary("abs")
    exp, exp2, expm1 = _unary("exp"), _unary("exp2"), _unary("expm1")
    log, log2, log10, log1p = _unary("log"), _unary("log2"), _unary("log10"), _unary("log1p")
    sqrt, cbrt = _unary("sqrt"), _unary("cbrt")
    sin, cos, tan = _unary("sin"), _unary("cos"), _unary("tan")
    arcsin, arccos, arctan = _unary("arcsin"), _unary("arccos"), _unary("arctan")
    sinh, cosh, tanh = _unary("sinh"), _unary("cosh"), _unary("tanh")
    arcsinh, arccosh, arctanh = _unary("arcsinh"), _unary("arccosh"), _unary("arctanh")
    rint, fabs, sign = _unary("rint"), _unary("abs"), _unary("sign")

    def __pos__(self) -> SymbolicNumber:
        return self

    def conjugate(self) -> SymbolicNumber:
        """Return the number itself; it counts as real."""
        return self

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return _apply(ufunc, method, inputs, kwargs)

    def _compared(self, other: object) -> NoReturn:
        raise InvalidInput(
            f"{self!r} was compared with something: the function's course would depend on the values, and a DAG "
            "cannot; np.maximum and np.minimum can be traced (on arrays made from the arguments)"
        )

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _compared

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


class SymbolicArray(np.ndarray[Any, np.dtype[Any]]):
    """An object array on which also those numpy functions can be traced that would compare elements."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return _apply(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        try:
            return super().__array_function__(func, types, args, kwargs)
        except TypeError as error:
            raise cannot_follow(f"{func.__module__}.{func.__name__}", error) from error


_TWO = {"maximum", "minimum", "fmax", "fmin", "arctan2", "hypot", "logaddexp", "copysign", "fmod"}
_ONE = {"sign", "floor", "ceil", "trunc", "square"}


def _by_element(ufunc: np.ufunc) -> Any:
    """Return a ufunc on objects that makes a vertex for each pair (or element), where numpy itself would not."""
    name = ufunc.__name__

    def make(*operands: Any) -> Any:
        for operand in operands:
            if isinstance(operand, SymbolicNumber):
                return operand._tape.operation(name, *operands)
        return ufunc(*operands)

    if ufunc.nin == 1:
        return np.frompyfunc(make, 1, 1)
    return np.frompyfunc(make, 2, 1, identity=None)


def _apply(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    plain = [_plain(operand) for operand in inputs]
    if "out" in kwargs:
        kwargs["out"] = tuple(_plain(array) for array in kwargs["out"])
    chosen = _by_element(ufunc) if ufunc.__name__ in _TWO | _ONE else ufunc
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
        f"{short} cannot be traced: {error}. {instead}What can be traced of numpy: + - * / ** // % @, slices, "
        f"and {known}"
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
