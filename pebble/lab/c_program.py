"""A schedule as one C file: fast memory is a buffer of M words, loads and stores are copies, and every word is counted.

The expressions are those of the computation: its functions are called once with symbols, which write down what they are
asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.array import Array, Operand
from pebble.computations.family import Family
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.lab.c_memory import CacheMemory, ExplicitMemory, variable, words_of
from pebble.program import Program
from pebble.program.nodes import Condition, Loop, Node, Operation, When
from pebble.program.parts_in_turn import written_out


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


_Operator = Callable[[Any, Any], "Symbol"]


def _operator(form: str) -> tuple[_Operator, _Operator]:
    """Return an operator of C with a symbol on its left, and with one on its right."""

    def on_the_left(symbol: Any, other: Any) -> Symbol:
        return Symbol(form.format(text_of(symbol), text_of(other)))

    def on_the_right(symbol: Any, other: Any) -> Symbol:
        return on_the_left(other, symbol)

    return on_the_left, on_the_right


class Symbol:
    """A number that is known when the program runs; functions of numbers called with it write C."""

    def __init__(self, text: str) -> None:
        self.text = text

    __add__, __radd__ = _operator("({} + {})")
    __sub__, __rsub__ = _operator("({} - {})")
    __mul__, __rmul__ = _operator("({} * {})")
    __truediv__, __rtruediv__ = _operator("({} / {})")
    __pow__, __rpow__ = _operator("pow({}, {})")
    __le__, __ge__ = _operator("({} <= {})")

    def __neg__(self) -> Symbol:
        return Symbol(f"(-{self.text})")

    def __array_ufunc__(self, ufunc: Any, method: str, *values: Any) -> Symbol:
        return Symbol(f"{_FUNCTIONS[ufunc]}({', '.join(map(text_of, values))})")

    def __array_function__(self, function: Any, types: Any, values: tuple[Any, ...], named: Any) -> Symbol:
        assert function is np.where
        condition, one, other = map(text_of, values)
        return Symbol(f"({condition} ? {one} : {other})")


_MOST_WORDS = 1 << 28
_HEAD = """\
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef WORD
#define WORD float
#endif

static void fail(const char *why) { fprintf(stderr, "%s\\n", why); exit(1); }
static int least(int a, int b) { return a < b ? a : b; }
"""
_MASK = """
/* The keys that each query sees: the number of intervals, then their ends. */
static const int intervals[] = {{{intervals}}};
static int seen[({Nq} + 1) * ({Nk} + 1)]; /* pairs of the first queries with the first keys */
static int pairs(int i, int i1, int j, int j1) {{
  if (i >= i1 || j >= j1) return 0;
  const int *high = seen + i1 * ({Nk} + 1), *low = seen + i * ({Nk} + 1);
  return high[j1] - high[j] - low[j1] + low[j];
}}
static void read_mask(void) {{
  const int *at = intervals;
  for (int i = 0; i < {Nq}; i++) {{
    int *row = seen + (i + 1) * ({Nk} + 1);
    for (int n = *at++; n--; at += 2)
      for (int j = at[0]; j < at[1]; j++) row[j + 1] = 1;
    for (int j = 0; j < {Nk}; j++) row[j + 1] += row[j];
    for (int j = 0; j <= {Nk}; j++) row[j] += row[j - {Nk} - 1];
  }}
}}
"""
_MAIN = """
/* Reads the inputs from the file named first, as doubles, and writes the outputs to the one named second. */
int main(int argc, char **argv) {{
{begin}  FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  unsigned long long seed = 1;
  double value;
{inputs}{ready}  schedule();
  if (argc > 2 && (file = fopen(argv[2], "wb"))) {{
{outputs}    fclose(file);
  }}
{end}  return 0;
}}
"""


def c_program(program: Program, family: Family, memory: ExplicitMemory | CacheMemory, about: str) -> str:
    """Return a C file that carries out a program.

    The machine has verified the program; the memory says what its words are, and ``about`` the first line.
    """
    if family.has_free_sums or family.accumulated or any(array.width > 1 for array in family.arrays):
        raise InvalidInput(
            "a C file has sums in index order, of one word each: leave out --sums, --accumulate and --sum-width"
        )
    for array in family.arrays:
        words = words_of(array, family)
        if words > _MOST_WORDS:
            raise InvalidInput(
                f"{array.name} has {words:,} words; a C file holds arrays of at most {_MOST_WORDS:,}: "
                "use fewer queries and keys"
            )
    writer = _CWriter(family, memory)
    body = "".join(f"  {line}\n" for line in writer.program(written_out(program, family)))
    mask = _MASK.format(intervals=_intervals(family), **_sizes(family)) if family.mask else ""
    schedule = f"\n__attribute__((noinline)) static void schedule(void) {{\n{body}}}\n"
    return "".join([f"/* {about} */\n", _HEAD, memory.declarations(), mask, schedule, writer.main()])


def _sizes(family: Family) -> dict[str, int]:
    return {"Nq": family.extents["i"], "Nk": family.extents["j"]}


def _intervals(family: Family) -> str:
    """Return the intervals of keys that each query sees, as numbers."""
    assert family.mask is not None
    sizes, numbers = _sizes(family), list[int]()
    for i in range(sizes["Nq"]):
        row = family.mask.lines_matrix("i", (i, i + 1), (0, sizes["Nk"]))[0]
        ends = np.flatnonzero(np.diff(row.astype(np.int8), prepend=0, append=0)).tolist()
        numbers += [len(ends) // 2, *ends]
    return ", ".join(map(str, numbers))


@dataclass(frozen=True)
class _Around:
    """A loop around an operation, by the names of its variables: its tile, and what it and its label run over."""

    axis: str
    tile: tuple[str, str]
    whole: tuple[str, str]
    together: tuple[str, str]


class _CWriter:
    """Writes the lines of a C function."""

    def __init__(self, family: Family, memory: ExplicitMemory | CacheMemory) -> None:
        self.family, self.memory = family, memory
        self.loops = 0

    def main(self) -> str:
        """Return the function that fills memory, calls the schedule and says what it moved."""
        inputs = "".join(
            f"  for (int n = 0; n < {words_of(array, self.family)}; n++) {{\n"
            "    seed = seed * 6364136223846793005u + 1442695040888963407u;\n"
            "    value = (double)(seed >> 33) / (1u << 31);\n"
            '    if (file && fread(&value, sizeof value, 1, file) != 1) fail("the file of inputs is too short");\n'
            f"    {self.memory.slow(array, 'n')} = (WORD)value;\n  }}\n"
            for array in self.family.inputs
        ) + "".join(map(self._backward, self.family.arrays))
        outputs = "".join(
            f"    for (int n = 0; n < {words_of(array, self.family)}; n++) {{\n"
            f"      value = {self.memory.slow(array, 'n')};\n      fwrite(&value, sizeof value, 1, file);\n    }}\n"
            for array in self.family.outputs
        )
        begin = self.memory.begin() + ("  read_mask();\n" if self.family.mask else "")
        return _MAIN.format(
            begin=begin, inputs=inputs, outputs=outputs, ready=self.memory.ready(), end=self.memory.end()
        )

    def _backward(self, array: Array) -> str:
        """Return how an input that is read backward is written down so; nothing for other arrays."""
        if array.backward is None:
            return ""
        name, axis = array.backward
        shape = [self.family.extents[one] for one in array.axes]
        inner, length = math.prod(shape[array.axes.index(axis) + 1 :]), self.family.extents[axis]
        there = self.memory.slow(
            self.family[name], f"n + ({length - 1} - n / {inner} % {length} * 2) * {inner}"
        )
        return f"  for (int n = 0; n < {math.prod(shape)}; n++) {self.memory.slow(array, 'n')} = {there};\n"

    def program(self, program: Program) -> Iterator[str]:
        """Yield the lines of a program."""
        for phase in program.phases:
            if phase.generate is not None:
                raise InvalidInput(
                    "a program whose operations are generated one by one has no loops to write in C"
                )
            if phase.title:
                yield f"/* {phase.title} */"
            yield from self._nodes(phase.body, {}, {})

    def _nodes(
        self, nodes: tuple[Node, ...], tiles: Mapping[str, tuple[str, str]], loops: Mapping[str, _Around]
    ) -> Iterator[str]:
        for node in nodes:
            if isinstance(node, Operation):
                yield from self._operation(node, tiles)
            elif isinstance(node, When):
                yield f"if ({self._condition(node.condition, tiles, loops)}) {{"
                yield from _indented(self._nodes(node.body, tiles, loops))
                yield "}"
            else:
                yield from self._loop(node, tiles, loops)

    def _loop(
        self, node: Loop, tiles: Mapping[str, tuple[str, str]], loops: Mapping[str, _Around]
    ) -> Iterator[str]:
        self.loops += 1
        low, high = f"{node.axis}_{self.loops}", f"{node.axis}_{self.loops}_end"
        stop = self.family.extents[node.axis] if node.stop is None else node.stop
        whole = tiles.get(node.axis, (str(node.start), str(stop)))
        outer = loops.get(node.label)
        together = outer.together if outer and node.axis in self.family.masked_axes else whole
        inside = {**tiles, node.axis: (low, high)}
        yield f"for (int {low} = {whole[0]}; {low} < {whole[1]}; {low} += {node.tile}) {{"
        yield f"  const int {high} = least({low} + {node.tile}, {whole[1]});"
        if node.axis in self.family.masked_axes:
            yield f"  if (!{self._pairs(inside)}) continue;"
        around = {**loops, node.label: _Around(node.axis, (low, high), whole, together)}
        yield from _indented(self._nodes(node.body, inside, around))
        yield "}"

    def _pairs(self, tiles: Mapping[str, tuple[str, str]]) -> str:
        ends = (self._interval(axis, tiles) for axis in self.family.masked_axes)
        return f"pairs({', '.join(end for interval in ends for end in interval)})"

    def _interval(self, axis: str, tiles: Mapping[str, tuple[str, str]]) -> tuple[str, str]:
        return tiles.get(axis) or ("0", str(self.family.extents[axis]))

    def _condition(
        self, one: Condition, tiles: Mapping[str, tuple[str, str]], loops: Mapping[str, _Around]
    ) -> str:
        around = loops[one.label]
        axis, (low, high) = around.axis, around.tile
        if axis not in self.family.masked_axes:
            ends = {"first": f"{low} == {around.whole[0]}", "last": f"{high} == {around.whole[1]}"}
            return f"!({ends[one.which]})" if one.negated else ends[one.which]
        start, stop = around.together
        rest = (start, low) if one.which == "first" else (high, stop)
        other = OTHER_AXIS[axis]
        pairs = self._pairs({axis: rest, other: self._interval(other, tiles)})
        return pairs if one.negated else f"!{pairs}"

    def _operation(self, op: Operation, tiles: Mapping[str, tuple[str, str]]) -> Iterator[str]:
        if op.level > 1:
            raise InvalidInput("a C file has one fast memory: name a schedule for one level")
        array = self.family[op.array]
        tiles = {**tiles, **{axis: (str(start), str(stop)) for axis, start, stop in op.at}}
        lines = self._compute(op, array, tiles) if op.action == "compute" else self._move(op, array)
        if not lines:
            return
        for axis in reversed(array.axes):
            lines = [self._each(axis, tiles), *_indented(lines)]
        yield f"/* {op} */"
        yield from lines

    def _each(self, axis: str, tiles: Mapping[str, tuple[str, str]]) -> str:
        at, (low, high) = variable(axis), self._interval(axis, tiles)
        return f"for (int {at} = {low}; {at} < {high}; {at}++)"

    def _move(self, op: Operation, array: Array) -> list[str]:
        # A chain of which nothing was allowed so far has not begun: there is nothing of it to move.
        begun = array.chain not in self.family.masked_axes
        return [f"{self._if_exists(array.axes)}{text}" for text in self.memory.move(op.action, array, begun)]

    def _compute(self, op: Operation, array: Array, tiles: Mapping[str, tuple[str, str]]) -> list[str]:
        lines = [f"{self._if_exists(array.indices)}{self.memory.put(array, self._value(array))}"]
        if array.chain is not None:
            lines = [self._each(array.chain, tiles), *_indented(lines)]
        gone = self.memory.move("delete", self.family[op.replacing], True) if op.replacing else []
        lines += [f"{self._if_exists(array.axes)}{text}" for text in gone]
        return lines if not gone else ["{", *_indented(lines), "}"]

    def _value(self, array: Array) -> str:
        """Return what an element, or a step of a chain, is."""
        operands = [Symbol(variable(axis)) for axis in array.positions]
        operands += [self._operand(array, read) for read in array.reads]
        if array.chain is None:
            assert array.function is not None
            return text_of(array.function(*operands))
        before = self._before(array)
        if array.step is not None:
            return text_of(array.step(before, *operands))
        added = math.prod(operands[1:], start=operands[0])
        return text_of(before + (added if array.function is None else array.function(*operands)))

    def _operand(self, array: Array, read: Operand) -> Symbol:
        operand = self.family[read.array]
        if read.step == "before":
            return self._before(operand)
        text = self.memory.get(operand)
        return Symbol(f"({variable(str(array.chain))} > 0 ? {text} : 0)" if read.step == "later" else text)

    def _before(self, array: Array) -> Symbol:
        """Return the partial result of a chain before the current step; at its start the initial value."""
        step = variable(str(array.chain))
        line, begun = self.family.line_axis(array), f"{step} > 0"
        if line is not None:
            at = variable(line)
            begun = self._pairs({line: (at, f"{at} + 1"), str(array.chain): ("0", step)})
        return Symbol(f"({begun} ? {self.memory.get(array)} : {text_of(array.initial)})")

    def _if_exists(self, indices: tuple[str, ...]) -> str:
        """Return the test whether something exists under the mask."""
        lines = [axis for axis in indices if axis in self.family.masked_axes]
        one = {axis: (variable(axis), f"{variable(axis)} + 1") for axis in lines}
        return f"if ({self._pairs(one)}) " if lines else ""


def _indented(lines: Iterator[str] | list[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)
