"""Run a numpy function on symbolic numbers and get its computation DAG."""

from __future__ import annotations

import inspect
import math
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.graph.dag import Dag
from pebble.graph.names import is_writable
from pebble.graph.symbols import SymbolicArray, SymbolicNumber, Tape, cannot_follow, is_symbolic_array


def trace(
    f: Callable[..., Any],
    *shapes: int | tuple[int, ...] | Any,
    names: Sequence[str] | None = None,
    description: str | None = None,
    keep_unused: bool = False,
) -> Dag:
    """Return the DAG of what a function computes on arrays of given shapes, one vertex per operation.

    The function is called once, with arrays of symbolic numbers (dtype object). Every arithmetic operation on
    one or two of them makes a vertex: ``+ - * / ** // %``, negation, absolute value, numpy's elementwise
    functions such as ``exp``, ``sqrt`` and ``maximum``, and everything numpy makes of these: ``@``, ``sum``,
    ``mean``, ``max``, ``dot``, ``cumsum``, ``einsum``. Constants are no vertices. The outputs are the symbolic
    numbers that the function returns, in arrays, lists, tuples or dicts.

    Parameters
    ----------
    f : callable
        Takes one array (or number) for each shape.
    *shapes : int or tuple of int, or array
        Shapes of the arguments; ``()`` is a single number. A sample array stands for its shape, its values are not
        used; so arrays with which the function is called can be given as they are.
    names : sequence of str, optional
        What the inputs are called; the names of the function's parameters by default. Elements are written
        ``A[0,1]``, operations ``mul#17`` by kind and number.
    description : str, optional
        A description in one line; the function's own name by default.
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
        then depends on the values; if it uses an operation that cannot be traced (the message lists those that
        can, see :data:`pebble.graph.symbols.FOLLOWED`); if it returns no symbolic number, so that the graph would be
        empty, or something that is no array or number.

    Warns
    -----
    UserWarning
        If the graph has no operation: the function returns its arguments as they are.

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
    >>> trace(softmax, np.zeros(4)) == dag
    True
    """
    tape = Tape()
    called = _input_names(f, shapes, names)
    arguments = [_argument(tape, name, _shape(shape)) for name, shape in zip(called, shapes, strict=True)]
    try:
        result = f(*arguments)
    except TypeError as error:
        if not _is_numpys(error):
            raise
        raise cannot_follow("A function of numpy, on an array that lost its type,", error) from error
    outputs = list(_vertices(result, tape))
    if not outputs:
        raise InvalidInput(
            "the function returns nothing computed from its arguments: the graph would be empty"
            + ("" if arguments else "; it was called without arguments: give their shapes or sample arrays")
        )
    if description is None:
        description = str(getattr(f, "__name__", "")).strip("<>")
    dag = tape.dag(outputs, description, keep_unused)
    if not dag.n_edges:
        warnings.warn(
            "the graph has no operation: the function returns its arguments as they are, and nothing is computed",
            stacklevel=2,
        )
    return dag


def _is_numpys(error: TypeError) -> bool:
    """Tell whether an error was raised by numpy, not by the function that is traced."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = Path(frames[-1].filename).is_relative_to(Path(np.__file__).parent)
    return inside or type(error).__module__.startswith("numpy") or "ufunc" in str(error)


def _shape(shape: Any) -> tuple[int, ...]:
    if isinstance(found := getattr(shape, "shape", None), tuple) and not isinstance(shape, np.integer):
        if 0 in found:
            raise InvalidInput(
                f"a sample array has no elements: its shape is {found}; the graph would be empty"
            )
        shape = found
    sides = shape if isinstance(shape, (tuple, list)) else (shape,)
    if not all(isinstance(n, (int, np.integer)) and not isinstance(n, bool) and n >= 1 for n in sides):
        raise InvalidInput(
            f"a shape must be a positive whole number, a tuple of them, or a sample array, not {shape!r}"
        )
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


def _argument(tape: Tape, name: str, shape: tuple[int, ...]) -> Any:
    if shape == ():
        return tape.input(name)
    array = np.empty(math.prod(shape), dtype=object)
    for place, index in enumerate(np.ndindex(*shape)):
        array[place] = tape.input(f"{name}[{','.join(map(str, index))}]")
    return array.reshape(shape).view(SymbolicArray)


def _vertices(result: Any, tape: Tape) -> Iterator[int]:
    """Yield the vertices of what the function returned; plain numbers in it are constants."""
    waiting: list[Any] = [result]
    while waiting:
        value = waiting.pop()
        if isinstance(value, SymbolicNumber):
            if value._tape is not tape:
                raise InvalidInput("the function returns a number from another trace")
            yield value._vertex
        elif is_symbolic_array(value):
            waiting.extend(value.view(np.ndarray).ravel().tolist())
        elif isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, (list, tuple)):
            waiting.extend(value)
        elif not isinstance(value, (np.ndarray, np.generic, int, float, complex)):
            raise InvalidInput(
                f"the function returns a {type(value).__name__}; it must return arrays or numbers, or lists, tuples "
                "or dicts of them"
            )
