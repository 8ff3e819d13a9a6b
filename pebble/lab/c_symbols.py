"""Functions of numbers, written in C: they are called with symbols, which write down what they are asked for."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def text_of(value: Any) -> str:
    """Return a number or a symbol as C has it."""
    if isinstance(value, Symbol):
        return value.text
    return f"{'-' if value < 0 else ''}INFINITY" if math.isinf(value) else repr(float(value))


_FUNCTIONS: dict[Any, str] = {
    np.absolute: "fabs",
    np.cos: "cos",
    np.exp: "exp",
    np.log: "log",
    np.maximum: "fmax",
    np.minimum: "fmin",
    np.sin: "sin",
    np.sqrt: "sqrt",
    np.tanh: "tanh",
}


class Symbol:
    """A number that is known when the program runs; functions of numbers called with it write C."""

    def __init__(self, text: str) -> None:
        self.text = text

    def _with(self, sign: str, left: Any, right: Any) -> Symbol:
        return Symbol(f"({text_of(left)} {sign} {text_of(right)})")

    def __add__(self, other: Any) -> Symbol:
        return self._with("+", self, other)

    def __radd__(self, other: Any) -> Symbol:
        return self._with("+", other, self)

    def __sub__(self, other: Any) -> Symbol:
        return self._with("-", self, other)

    def __rsub__(self, other: Any) -> Symbol:
        return self._with("-", other, self)

    def __mul__(self, other: Any) -> Symbol:
        return self._with("*", self, other)

    def __rmul__(self, other: Any) -> Symbol:
        return self._with("*", other, self)

    def __truediv__(self, other: Any) -> Symbol:
        return self._with("/", self, other)

    def __rtruediv__(self, other: Any) -> Symbol:
        return self._with("/", other, self)

    def __pow__(self, other: Any) -> Symbol:
        return Symbol(f"pow({text_of(self)}, {text_of(other)})")

    def __rpow__(self, other: Any) -> Symbol:
        return Symbol(f"pow({text_of(other)}, {text_of(self)})")

    def __neg__(self) -> Symbol:
        return Symbol(f"(-{self.text})")

    def __le__(self, other: Any) -> Symbol:
        return self._with("<=", self, other)

    def __array_ufunc__(self, ufunc: Any, method: str, *values: Any) -> Symbol:
        return Symbol(f"{_FUNCTIONS[ufunc]}({', '.join(map(text_of, values))})")

    def __array_function__(self, function: Any, types: Any, values: tuple[Any, ...], named: Any) -> Symbol:
        assert function is np.where
        condition, one, other = map(text_of, values)
        return Symbol(f"({condition} ? {one} : {other})")
