"""The form of a file that states bounds for Coq: what it says first, and one theorem after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["coq_header", "coq_theorem"]

_HEADER = """\
(* {what}{memory}.

   Check it, beside a compiled docs/proofs of pebble:

       coqc -Q docs/proofs Pebble FILE

   Each statement is about every legal {run}{of_one}. What it means: docs/proofs/{game}.v (rules and cost),
   docs/proofs/{computation}.v (the computation), and "Statements" in docs/proofs/{certificate}.v.{others} *)

From Coq Require Import NArith.
From Pebble Require Import {imports}.
Local Open Scope N_scope.
"""

_THEOREM = """
Theorem {name} : {statement} {words}.
Proof. apply {lemma}{cut}; vm_compute; reflexivity. Qed.
"""


def coq_header(
    what: str,
    M: int | None,
    computation: str,
    certificate: str,
    imports: Sequence[str] = (),
    copies: int = 1,
    others: Sequence[str] = (),
    game: str = "Game",
) -> str:
    """Return how a file begins: what it is about, how it is checked, and what it needs.

    Parameters
    ----------
    what : str
        The problem.
    M : int or None
        Words of fast memory of one device; None for the game of several devices.
    computation, certificate : str
        The files of docs/proofs that define the computation and what is stated.
    imports : sequence of str
        Further files that are needed.
    copies : int
        How many copies there are: of one, and then of all, is what the statements are about.
    others : sequence of str
        Bounds that are left out.
    game : str
        The file of docs/proofs with the rules of the game.
    """
    return _HEADER.format(
        what="".join(letter for letter in what if letter not in '"*\\\n'),
        memory="" if M is None else f"; M = {M:,} words of fast memory",
        run="run" if M is None else "pebbling",
        game=game,
        computation=computation,
        certificate=".v and docs/proofs/".join((certificate, *imports)),
        imports=" ".join(dict.fromkeys(("Certificate", certificate, *imports))),
        of_one=""
        if copies == 1
        else f" of one of the {copies:,} copies, and then of all (docs/proofs/Copies.v)",
        others=f"\n\n   What has no such theorem is left out: {', '.join(others)}." if others else "",
    )


def coq_theorem(
    name: str, statement: str, words: int | float, lemma: str, given: Mapping[str, int] | None = None
) -> str:
    """Return a theorem that a lemma proves by computation, applied with numbers for some of its variables."""
    numbers = " ".join(f"({letter} := {number})" for letter, number in (given or {}).items())
    return _THEOREM.format(
        name=name, statement=statement, words=words, lemma=lemma, cut=f" with {numbers}" if numbers else ""
    )
