"""Printed bounds as a Coq file: what docs/proofs/ is asked to check of the numbers themselves."""

from __future__ import annotations

from collections.abc import Iterator

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.problem import Problem
from pebble.lower_bounds.attention.t1 import t1_cut
from pebble.lower_bounds.attention.t2 import t2_cut, t2_peak
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.proved import proved_bounds

__all__ = ["coq_certificate"]

_HEADER = """\
(* {problem}; M = {M:,} words of fast memory.

   Check it, beside a compiled docs/proofs of pebble:

       coqc -Q docs/proofs Pebble FILE

   Each statement is about every legal pebbling{of_one}. What it means: docs/proofs/Game.v (rules and cost),
   docs/proofs/Attention.v (the computation), and "Statements" in docs/proofs/Certificate.v.{others} *)

From Coq Require Import NArith.
From Pebble Require Import Certificate.
Local Open Scope N_scope.
"""

_THEOREM = """
Theorem {name} : {statement} {words}.
Proof. apply {lemma}{cut}; vm_compute; reflexivity. Qed.
"""

_LEMMAS = {"T1": "t1", "T2": "t2", "compulsory": "compulsory"}


def coq_certificate(problem: Problem, M: int) -> str:
    """Return a Coq file that states the machine-checked bounds of one copy of a problem, with what proves them.

    Parameters
    ----------
    problem : Problem
        Forward pass, plain softmax, with or without a mask. Under a mask the statements are about every mask with as
        many pairs, queries and keys.
    M : int
        Words of fast memory.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.
    BoundDoesNotApply
        If no bound of the problem can be written so.

    Notes
    -----
    The file proves nothing by itself: Coq computes anew, with whole numbers, what the theorems of docs/proofs ask for,
    and refuses a number that is too great.

    Examples
    --------
    >>> print(coq_certificate(Problem.square(4096, 64), 25000).splitlines()[15])
    Theorem T1 : forward_costs 4096 4096 64 64 false 25000 11020013.
    """
    bounds = proved_bounds(problem, M)
    checked = [
        bound
        for bound in bounds
        if bound.status == "machine-checked" and bound.name in _LEMMAS and bound.value
    ]
    if not checked:
        raise BoundDoesNotApply(
            f"no bound on {problem.describe()} can be written for Coq; those of the forward pass with plain softmax can"
        )
    others = [bound.name for bound in bounds if bound not in checked and bound.value]
    header = _HEADER.format(
        problem=_comment(problem.describe()),
        M=M,
        of_one="" if problem.copies == 1 else f" of one of the {problem.copies:,} copies",
        others=f"\n\n   Not machine-checked, and left out: {', '.join(others)}." if others else "",
    )
    return header + "".join(_theorems(problem, M, checked))


def _theorems(problem: Problem, M: int, bounds: list[Bound]) -> Iterator[str]:
    sizes = (
        [problem.Nq, problem.Nk] if problem.mask is None else [problem.pairs, problem.queries, problem.keys]
    )
    numbers = (*sizes, problem.d, problem.dv, str(problem.stats).lower(), M)
    costs = "forward_costs" if problem.mask is None else "masked_forward_costs"
    for bound in bounds:
        lemma = _LEMMAS[bound.name] + ("_forward" if problem.mask is None else "_masked")
        statement = f"{costs} {' '.join(map(str, numbers))}"
        cut = _cut(problem, M, bound.name)
        yield _THEOREM.format(name=bound.name, statement=statement, words=bound.value, lemma=lemma, cut=cut)


def _cut(problem: Problem, M: int, name: str) -> str:
    """Return what a theorem is applied with: the number of cuts, the words of a segment, and T2's greatest value."""
    if name == "T1":
        cut = t1_cut(problem, M)
        return f" with (h := {cut.cuts}) (T := {M + cut.X})"
    if name == "T2":
        cut = t2_cut(problem, M)
        T, d = M + cut.X, problem.d
        p, q = t2_peak(T, d) if 27 * d * d > 4 * T else (0, 1)
        return f" with (h := {cut.cuts}) (T := {T}) (p := {p}) (q := {q})"
    return ""


def _comment(text: str) -> str:
    """Return a text as it may stand in a comment of Coq, whatever a mask's file is called."""
    return "".join(letter for letter in text if letter not in '"*\\\n')
