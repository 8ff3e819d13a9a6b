"""Linear attention with every intermediate result written out: what one writes first."""

from __future__ import annotations

from functools import partial

from pebble import Array, Problem
from pebble.program import (
    Node,
    Phase,
    Program,
    compute,
    delete,
    load,
    loop,
    not_first,
    phase,
    program,
    store,
    when,
)
from schedules._roles import each_query_head, family
from schedules.linear._token_passes import token_passes


def naive_linear(problem: Problem) -> Program:
    """Write each array of linear attention word by word; of causal linear attention token by token, or in chunks."""
    if problem.form == "chunked":
        return _gradients(problem) if problem.pass_name == "backward" else _chunk_by_chunk(problem)
    if problem.form != "linear":
        return _token_by_token(problem)
    return program(
        phase("H = Kᵀ·V", _each("k e", _sum("H", "j", "K", "V"))),
        phase("O = Q·H", _each("i e", _sum("O", "k", "Q", "H"))),
    )


def _token_by_token(problem: Problem) -> Program:
    """Write it with the whole state read and written again for each token, then read for the outputs."""
    later, phases = partial(when, not_first("n")), []
    for one_pass in token_passes(problem):
        gate = (
            (later(load(*one_pass.gates)), later(delete(*one_pass.gates))) if one_pass.gates else (None, None)
        )
        left, right, state = one_pass.left, one_pass.right, one_pass.state
        word = (load(right), later(load(state)), compute(state), store(state), delete(state, right))
        update = loop("k", 1, load(left), gate[0], loop("e", 1, *word), gate[1], delete(left))
        outputs = [
            _each(one.axes[-1], _sum(one.name, str(one.chain), one.operands[0], state))
            for one in one_pass.outputs
        ]
        phases.append(phase("", loop("n", 1, update, each_query_head(problem, *outputs))))
    return program(*phases)


def _gradients(problem: Problem) -> Program:
    """Write the gradients in chunks, array after array, each written; a state goes on chunk by chunk."""
    arrays, phases = family(problem).arrays, list[Phase]()
    for one in arrays:
        name, operands, axes = one.name, one.operands, " ".join(one.axes)
        if one.chain == "c":
            before = when(not_first("c"), load(name))
            words = _each(axes, (*load(*operands), before, *_written(name, *operands)))
            reads = [_read_before(other, name) for other in arrays if f"{name}@before" in other.operands]
            phases.append(phase(f"{name}, and what reads it", loop("c", 1, *reads, words)))
        elif one.chain is None and operands:
            phases.append(phase(name, _each(axes, (*load(*operands), *_written(name, *operands)))))
        elif one.chain is not None and not any(read.at_step for read in one.reads):
            phases.append(phase(name, _each(axes, _sum(name, one.chain, *operands))))
    return program(*phases)


def _written(name: str, *operands: str) -> tuple[Node, ...]:
    """A word made of others, and stored."""
    return compute(name), *delete(*operands), *store(name), *delete(name)


def _read_before(array: Array, state: str) -> Node:
    """Words of a product with the state before a chunk."""
    name, row = array.name, array.operands[0]
    before, gone = (when(not_first("c"), *done) for done in (load(state), delete(state)))
    words = loop(str(array.chain), 1, load(row), before, compute(name), delete(row), gone)
    return _each(" ".join(array.axes[1:]), (words, *store(name), *delete(name)))


def _chunk_by_chunk(problem: Problem) -> Program:
    """Write it chunk by chunk, product after product, each written."""
    chunks, heads = problem.chunk_sizes[0], partial(each_query_head, problem)
    if not chunks:
        return program(*_inside_last(problem, "O_last"))
    before = when(not_first("c"), load("H"))
    words = loop("e", 1, load("Z"), before, compute("H"), delete("Z"), store("H"), delete("H"))
    state = loop("k", 1, load("G"), words, delete("G")) if problem.gate else loop("k", 1, words)
    read = loop("k", 1, load("Q"), before, compute("B"), delete("Q"), when(not_first("c"), delete("H")))
    outputs = heads(loop("p", 1, loop("e", 1, read, *_finished(""))))
    last = heads(loop("s", 1, loop("e", 1, _words("B_last", "k", "Q_last", "H"), *_finished("_last"))))
    return program(
        phase("scores", heads(_each("c p q", _sum("S", "k", "Q", "K")))),
        phase("outputs from the scores", heads(_each("c p e", _sum("A", "q", "S", "V")))),
        phase("what each chunk adds to the state", _each("c k e", _sum("Z", "q", "K", "V"))),
        phase("outputs, and the state after each chunk", loop("c", 1, outputs, state)),
        *_inside_last(problem, "A_last"),
        phase("outputs of the last chunk", last),
    )


def _inside_last(problem: Problem, result: str) -> list[Phase]:
    """Scores of the last chunk, and its outputs from them."""
    scores = _each("s t", _sum("S_last", "k", "Q_last", "K_last"))
    outputs = _each("s e", _sum(result, "t", "S_last", "V_last"))
    return [
        phase("scores of the last chunk", each_query_head(problem, scores)),
        phase("outputs from its scores", each_query_head(problem, outputs)),
    ]


def _finished(end: str) -> tuple[Node | tuple[Node, ...], ...]:
    """A word of the output, of what the scores and the state give."""
    inside, state, output = f"A{end}", f"B{end}", f"O{end}"
    return load(inside), compute(output, inside), delete(state), store(output), delete(output)


def _each(axes: str, body: tuple[Node, ...]) -> Node:
    """Loops over axes, one index at a time."""
    outermost, _, rest = axes.partition(" ")
    return loop(outermost, 1, *((_each(rest, body),) if rest else body))


def _sum(result: str, axis: str, *operands: str) -> tuple[Node, ...]:
    """A word of a product, its operands loaded for every step; it is stored."""
    return (_words(result, axis, *operands), *store(result), *delete(result))


def _words(result: str, axis: str, *operands: str) -> Node:
    """A word of a product, its operands loaded for every step."""
    return loop(axis, 1, load(*operands), compute(result), delete(*operands))
