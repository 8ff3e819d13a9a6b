"""Run a numpy function on symbolic numbers and get its computation DAG."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from pebble.common.errors import InvalidInput
from pebble.graph.names import is_writable

if TYPE_CHECKING:
    from pebble.graph.dag import Dag

__all__ = ["SymbolicNumber", "trace"]


def trace(
    f: Callable[..., Any],
    *shapes: int | tuple[int, ...],
    names: Sequence[str] | None = None,
    description: str | None = None,
    keep_unused: bool = False,
) -> Dag:
    """Return the DAG of what a function computes on arrays of the given shapes, one vertex an operation.

    The function is called once, with arrays of symbolic numbers (dtype object). Every arithmetic operation on
    one or two of them makes a vertex: ``+ - * / ** // %``, negation, absolute value, numpy's elementwise
    functions such as ``exp``, ``sqrt`` and ``maximum``, and everything numpy makes of these: ``@``, ``sum``,
    ``mean``, ``max``, ``dot``, ``cumsum``, ``einsum``. Constants are no vertices. The outputs are the symbolic
    numbers that the function returns, in arrays, lists, tuples or dicts.

    Parameters
    ----------
    f : callable
        Takes one array (or number) for each shape.
    *shapes : int or tuple of int
        Shapes of the arguments; ``()`` is a single number.
    names : sequence of str, optional
        What the inputs are called; the names of the function's parameters by default. Elements are written
        ``A[0,1]``, operations ``mul#17`` by kind and number.
    description : str, optional
        One line for people; the function's own name by default.
    keep_unused : bool
        Keep inputs and operations that no output depends on; by default they are left out.

    Returns
    -------
    Dag
        Inputs first, argument after argument in row-major order, then the operations as they were executed.

    Raises
    ------
    InvalidInput
        If the function compares symbolic numbers, or turns one into a plain number, because its course
        then depends on the values; if it uses an operation that cannot be traced; if it returns no symbolic
        number, or something that is no array or number.

    Notes
    -----
    Limits. The operations are those that numpy executes on objects: sums are chains in the order of the
    elements, where the same call on floats may add in pairs, and ``x @ y`` is products and sums, never fused.
    An operation executed twice is two vertices. An operation on the same number twice, ``x * x``, has one
    predecessor. ``x + 0``, ``x - 0``, ``x * 1`` and ``x / 1`` with an exact constant are ``x`` itself, so that
    an accumulator may begin as a zero. Functions that need numbers cannot be traced: comparisons,
    ``np.where`` on a symbolic condition, sorting, ``np.linalg``; nor can libraries other than numpy.
    Results of ``maximum`` and ``max`` are traced on arrays made from the arguments by arithmetic, slicing and
    reshaping; after ``np.stack``, ``np.array`` and the like use ``arr.view(type(argument))``.
    Arrays for results must have dtype object: ``np.zeros(n, dtype=object)`` or ``np.zeros_like(x)``.

    Costs a few microseconds an operation, and what numpy takes for a call on objects.

    Examples
    --------
    >>> import numpy as np
    >>> def softmax(x):
    ...     p = np.exp(x - x.max())
    ...     return p / p.sum()
    >>> dag = trace(softmax, 4)
    >>> dag
    Dag(softmax: 22 vertices, 32 edges, 4 inputs, 4 outputs)
    >>> [dag.name(v) for v in dag.predecessors_of("sub#7")]
    ['x[0]', 'maximum#6']
    """
    tape = _Tape()
    called = _input_names(f, shapes, names)
    arguments = [_argument(tape, name, _shape(shape)) for name, shape in zip(called, shapes, strict=True)]
    result = f(*arguments)
    outputs = list(_vertices(result, tape))
    if not outputs:
        raise InvalidInput("the function returns no number that was computed from its arguments")
    if description is None:
        description = str(getattr(f, "__name__", "")).strip("<>")
    return tape.dag(outputs, description, keep_unused)


class _Tape:
    """The operations in the order they were executed."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.kinds: list[str] = []
        self.rows: list[tuple[int, ...]] = []

    def input(self, name: str) -> SymbolicNumber:
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
        from pebble.graph.dag import Dag

        kept = [True] * len(self.rows) if keep_unused else self._needed(outputs)
        number: dict[int, int] = {}
        for v in (v for v, wanted in enumerate(kept) if wanted):
            number[v] = len(number)
        rows = [[number[p] for p in self.rows[v]] for v in number]
        names = [
            self.names[v] if v < len(self.names) else f"{self.kinds[v]}#{new}" for v, new in number.items()
        ]
        start = np.cumsum([0, *map(len, rows)])
        flat = np.array([p for row in rows for p in row], dtype=np.int64)
        return Dag(start, flat, names=names, outputs=[number[v] for v in outputs], description=description)

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
    """Tell whether an operand is the plain number given (0 or 1), which an operation may leave alone."""
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

    def __init__(self, tape: _Tape, vertex: int) -> None:
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


class _SymbolicArray(np.ndarray[Any, np.dtype[Any]]):
    """An object array on which those of numpy's functions can be traced that would compare its elements."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return _apply(ufunc, method, inputs, kwargs)


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
        raise InvalidInput(f"np.{ufunc.__name__} cannot be traced: {error}") from error
    return result.view(_SymbolicArray) if _is_symbolic_array(result) else result


def _is_symbolic_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == object


def _plain(value: Any) -> Any:
    """Return an operand as something whose operation numpy executes without asking us again."""
    if isinstance(value, _SymbolicArray):
        return value.view(np.ndarray)
    if isinstance(value, SymbolicNumber):
        box = np.empty((), dtype=object)
        box[()] = value
        return box
    return value


def _shape(shape: Any) -> tuple[int, ...]:
    sides = shape if isinstance(shape, (tuple, list)) else (shape,)
    if not all(isinstance(n, (int, np.integer)) and not isinstance(n, bool) and n >= 1 for n in sides):
        raise InvalidInput(f"a shape is a positive whole number or a tuple of such, not {shape!r}")
    return tuple(int(n) for n in sides)


def _input_names(f: Callable[..., Any], shapes: Sequence[Any], names: Sequence[str] | None) -> list[str]:
    if names is None:
        return _parameter_names(f, len(shapes))
    if len(names) != len(shapes):
        raise InvalidInput(f"{len(names)} names for {len(shapes)} arguments")
    for name in names:
        if not is_writable(name):
            raise InvalidInput(f"{name!r} cannot be a name; a name is a text without white space")
    return list(names)


def _parameter_names(f: Callable[..., Any], count: int) -> list[str]:
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    found = [parameter.name for parameter in parameters if parameter.kind in positional][:count]
    taken = set(found)
    spare = (name for name in (f"x{i}" for i in range(2 * count)) if name not in taken)
    return [*found, *(next(spare) for _ in range(count - len(found)))]


def _argument(tape: _Tape, name: str, shape: tuple[int, ...]) -> Any:
    if shape == ():
        return tape.input(name)
    array = np.empty(math.prod(shape), dtype=object)
    for place, index in enumerate(np.ndindex(*shape)):
        array[place] = tape.input(f"{name}[{','.join(map(str, index))}]")
    return array.reshape(shape).view(_SymbolicArray)


def _vertices(result: Any, tape: _Tape) -> Iterator[int]:
    """Yield the vertices of what the function returned; plain numbers in it are constants."""
    waiting: list[Any] = [result]
    while waiting:
        value = waiting.pop()
        if isinstance(value, SymbolicNumber):
            if value._tape is not tape:
                raise InvalidInput("the function returns a number from another trace")
            yield value._vertex
        elif _is_symbolic_array(value):
            waiting.extend(_elements(value))
        elif isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, (list, tuple)):
            waiting.extend(value)
        elif not isinstance(value, (np.ndarray, np.generic, int, float, complex)):
            raise InvalidInput(
                f"the function returns a {type(value).__name__}; it must return arrays or numbers, or lists, tuples "
                "or dicts of them"
            )


def _elements(array: NDArray[Any]) -> Iterable[Any]:
    found: list[Any] = array.view(np.ndarray).ravel().tolist()
    return found
