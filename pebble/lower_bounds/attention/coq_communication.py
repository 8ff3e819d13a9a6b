"""D1 as a Coq file, as :mod:`pebble.lower_bounds.coq_certificate` writes the bounds on one device."""

from __future__ import annotations

from fractions import Fraction

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.shared_problem import SharedProblem
from pebble.lower_bounds.attention.communication import D1_BUSIEST, D1_TOTAL, d1_busiest, d1_total
from pebble.lower_bounds.attention.tile_words import least_words, products_of, row_words
from pebble.lower_bounds.coq_certificate import coq_header, coq_theorem


def coq_communication(problem: SharedProblem) -> str:
    """Return a Coq file that states D1 with work shared equally, in total and of the busiest device, with proofs.

    Several heads are stated as one with more queries and keys, each query allowed the keys of its own head.

    Examples
    --------
    >>> text = coq_communication(SharedProblem(4096, 64, 16, 1, 1))
    >>> print(text.splitlines()[13])
    Theorem D1_total : devices_send 16777216 4096 4096 64 64 16 67108864 1 3145728.
    """
    if not problem.regular or problem.queries_decoded is not None:
        raise BoundDoesNotApply(
            "Coq files with D1 are written for no mask or the causal one, and queries on all devices"
        )
    found = [bound for bound in (d1_total(problem), d1_busiest(problem)) if bound.value]
    if not found:
        raise BoundDoesNotApply(
            f"D1 gives nothing for {_described(problem)}: its bounds are 0 words; use more tokens"
        )
    d, dv, P, pairs = problem.d, problem.width, problem.P, problem.heads * problem.pairs
    share = Fraction(products_of(problem), P)
    words = least_words(share, d)
    queries, keys = problem.query_count, problem.N
    rows = f"{queries * problem.heads} {keys * problem.kv_heads}"
    own = row_words(problem, -(-queries // P), -(-keys // P))
    statements = {
        D1_TOTAL.name: f"devices_send {pairs} {rows} {d} {dv} {P} {share.numerator} {share.denominator}",
        D1_BUSIEST.name: f"some_device_moves {pairs} {d} {dv} {P} {own}",
    }
    text = coq_header(_described(problem), None, "Attention", "ProcessorsCertificate", game="Processors")
    for bound in found:
        name = bound.name.replace("-", "_")
        given = {"A": words.numerator, "B": words.denominator}
        text += coq_theorem(name, statements[bound.name], bound.value, name.lower(), given)
    return text


def _described(problem: SharedProblem) -> str:
    heads = "" if problem.heads == 1 else f", {problem.heads} heads on {problem.kv_heads}"
    pairs = f"{problem.pairs:,} pairs a head"
    return (
        f"attention forward, N = {problem.N:,}, d = {problem.d:,}{heads}, {pairs}; P = {problem.P:,} devices"
    )
