"""The parts that arrays play in attention, read off the computation, so that a schedule is written once for all forms.

What softmax adds is here too: plain, safe (the maximum known before) or online (rescaled key by key).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import prod

from pebble import Array, Family, Problem, family_of
from pebble.program import Node, Nodes, compute, delete, load, loop, store


@lru_cache(maxsize=64)
def family(problem: Problem) -> Family:
    """Return the computation of a problem."""
    return family_of(problem)


@dataclass(frozen=True)
class _Roles:
    """The arrays of a forward pass by what they are.

    Attributes
    ----------
    products : tuple of Array
        Of queries and keys, a pair each.
    given : tuple of str
        Inputs of a word for each pair, such as a bias.
    early, weights : tuple of str
        What else is computed of a pair before and after the statistics move on.
    statistics, moved : tuple of str
        Sums, or maxima, over the keys of a row, and those of them that are read while they move.
    accumulators, outputs : tuple of str
        Sums over the keys with a word for each column, and what is computed of them.
    """

    products: tuple[Array, ...]
    given: tuple[str, ...]
    early: tuple[str, ...]
    weights: tuple[str, ...]
    statistics: tuple[str, ...]
    moved: tuple[str, ...]
    accumulators: tuple[str, ...]
    outputs: tuple[Array, ...]


@lru_cache(maxsize=64)
def _roles(problem: Problem) -> _Roles:
    arrays = family(problem).arrays
    pairs = [one for one in arrays if {"i", "j"} <= set(one.axes)]
    made = [one for one in pairs if one.chain is None and not one.is_input]
    over_keys = [one for one in arrays if one.chain == "j"]
    read = {operand.array for one in made for operand in one.reads if operand.at_step}
    early = [one.name for one in made if any(operand.step == "before" for operand in one.reads)]
    return _Roles(
        products=tuple(one for one in pairs if one.chain is not None),
        given=tuple(one.name for one in pairs if one.is_input),
        early=tuple(early),
        weights=tuple(one.name for one in made if one.name not in early),
        statistics=tuple(one.name for one in over_keys if "e" not in one.axes),
        moved=tuple(one.name for one in over_keys if one.name in read),
        accumulators=tuple(one.name for one in over_keys if "e" in one.axes),
        outputs=tuple(
            one for one in arrays if one.chain is None and not one.is_input and "j" not in one.axes
        ),
    )


@lru_cache(maxsize=64)
def products(problem: Problem) -> tuple[str, ...]:
    """Return the products of queries and keys: the scores, or the parts of which they are the sum."""
    return tuple(one.name for one in _roles(problem).products)


def queries(problem: Problem) -> tuple[str, ...]:
    """Return the inputs with a line for each query."""
    return tuple(one.name for one in family(problem).inputs if "i" in one.axes and "j" not in one.axes)


def lines(problem: Problem) -> tuple[str, ...]:
    """Return the inputs with a line for each key: keys and values, which may be part of the keys."""
    return tuple(one.name for one in family(problem).inputs if "j" in one.axes and "i" not in one.axes)


@lru_cache(maxsize=64)
def values(problem: Problem) -> str:
    """Return the array of values."""
    return family(problem)[accumulator(problem)].operands[-1]


@lru_cache(maxsize=64)
def accumulator(problem: Problem) -> str:
    """Return the sum over the keys that has columns."""
    (name,) = _roles(problem).accumulators
    return name


@lru_cache(maxsize=64)
def product_text(problem: Problem, name: str) -> str:
    """Return the product that an array is, in letters.

    >>> product_text(Problem(2, 3, 4, 5, pass_name="backward"), "dV")
    'Pᵀ·dO'
    """
    array = family(problem)[name]
    left, right = (family(problem)[operand] for operand in array.operands)
    row, column = array.axes[-2:]
    turned = left.axes[-1] == row, right.axes[-1] != column
    return f"{left.name}{'ᵀ' * turned[0]}·{right.name}{'ᵀ' * turned[1]}"


def each_head(problem: Problem, node: Node) -> Node:
    """Repeat what is done for every head, where the heads are one computation."""
    return loop("h", 1, node) if "h" in family(problem).extents else node


def each_query_head(problem: Problem, *body: Nodes) -> Nodes:
    """Repeat what is done with queries for every query head that shares the keys, one head after another."""
    return loop("g", 1, *body) if problem.form != "linear" and problem.Nq > problem.Nk else body


@lru_cache(maxsize=64)
def statistics(problem: Problem) -> tuple[str, ...]:
    """Return what is kept of each row beside its output: the row sum, and the maximum unless softmax is plain."""
    return _roles(problem).statistics


@lru_cache(maxsize=64)
def row_sums(problem: Problem) -> tuple[str, ...]:
    """Return the statistics that are sums of what is made of the scores."""
    made = used_up(problem)
    return tuple(
        one for one in statistics(problem) if any(name in made for name in family(problem)[one].operands)
    )


@lru_cache(maxsize=64)
def used_up(problem: Problem) -> tuple[str, ...]:
    """Return what is made of a score and deleted when all is added up."""
    return _roles(problem).weights + _roles(problem).early


@lru_cache(maxsize=64)
def exponentials(problem: Problem) -> tuple[Nodes, ...]:
    """Write how P is made of the scores; online, the maximum moves on, and what it was tells how sums are rescaled."""
    roles = _roles(problem)
    score, *others = products(problem)
    (weight,) = roles.weights
    moved = map(compute, (*roles.early, *roles.moved))
    return *moved, load(*roles.given), compute(weight, score), delete(*others, *roles.given)


def sums(problem: Problem, *gone: str) -> tuple[Nodes, ...]:
    """Write what is done with the scores of one key: exponentials, the row sum, the output; ``gone`` is deleted."""
    added = (*row_sums(problem), accumulator(problem))
    return *exponentials(problem), *map(compute, added), delete(*used_up(problem), *gone)


def sums_of_tile(problem: Problem, *gone: str) -> tuple[Nodes, ...]:
    """Write what is done with the scores of a tile of keys; ``gone`` is deleted after it.

    Online, that is done key by key: the maximum moves on.
    """
    if not _roles(problem).moved:
        return sums(problem, *gone)
    return loop("j", 1, *sums(problem), label="key"), delete(*gone)


def weights_by_row(problem: Problem, before: Nodes, *kept: str) -> Node:
    """Write P and its row sums, made of scores in slow memory; of the statistics ``kept`` are stored."""
    made = used_up(problem)
    work = (*exponentials(problem), *map(compute, row_sums(problem)))
    read = {name for weight in made for name in family(problem)[weight].operands}
    beside = [name for name in (*queries(problem), *lines(problem)) if name in read]
    pair = load(*products(problem), *beside), *work, store(*made), delete(*made, *beside)
    ends = store(*kept), delete(*statistics(problem))
    return each_head(problem, loop("i", 1, before, loop("j", 1, *pair), *ends))


def finish(problem: Problem, *gone: str, stored: tuple[str, ...] = ()) -> tuple[Nodes, ...]:
    """Write the end of a row block: the output, the statistics, and deletion of these and of what is named.

    ``stored`` names statistics that are in slow memory already.
    """
    kept = [name for name in statistics(problem) if family(problem)[name].output and name not in stored]
    return *outputs(problem), store(*kept), delete(*output_names(problem), *statistics(problem), *gone)


def outputs(problem: Problem) -> tuple[Nodes, ...]:
    """Write how the outputs are made of sums over all keys, and stored; the sums may be the outputs."""
    made = (compute(array.name, accumulator(problem)) for array in _roles(problem).outputs)
    return *made, store(*output_names(problem))


def output_names(problem: Problem) -> tuple[str, ...]:
    """Return the outputs of a row."""
    return tuple(array.name for array in _roles(problem).outputs) or (accumulator(problem),)


def statistics_of_outputs(problem: Problem) -> tuple[str, ...]:
    """Return the statistics that the outputs read."""
    read = {name for array in _roles(problem).outputs for name in array.operands}
    return tuple(name for name in statistics(problem) if name in read)


@lru_cache(maxsize=1024)
def row_words(problem: Problem, *names: str) -> int:
    """Return the words of a query or a key in some arrays."""
    of = family(problem)
    return sum(prod(of.extents[axis] for axis in of[name].axes if axis not in ("i", "j")) for name in names)


@lru_cache(maxsize=64)
def score_words(problem: Problem) -> int:
    """Return the words held for each score that is at hand."""
    return len(used_up(problem)) + len(_roles(problem).given)


def streamed_work(problem: Problem) -> int:
    """Return the words beside resident rows where keys pass a row at a time: the key, its value, a score, a step."""
    return problem.d + problem.dv + score_words(problem) + 1
