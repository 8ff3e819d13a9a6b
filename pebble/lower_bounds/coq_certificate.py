"""Printed bounds as a Coq file: what docs/proofs/ is asked to check of the numbers themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.problem import Problem
from pebble.lower_bounds.attention.backward import b1, b2
from pebble.lower_bounds.attention.forward import t1, t2
from pebble.lower_bounds.attention.large_cache import (
    needed_again,
    needed_again_backward,
    others_begun,
    rectangle,
)
from pebble.lower_bounds.attention.latent import all_heads, latent_bound, one_head
from pebble.lower_bounds.attention.varying_work import linear_best_cut, safe_softmax_cut
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.certified.backward_rows import B3Row
from pebble.lower_bounds.certified.coq_rows import BOUNDS_OF_ROWS, coq_row_of
from pebble.lower_bounds.certified.parameters import best_row
from pebble.lower_bounds.cutting import Cut
from pebble.lower_bounds.proved import best_bound, proved_bounds

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


_LEMMAS = {
    "T1": "t1",
    "T2": "t2",
    "T3": "t3",
    "T4": "t4",
    "B1": "b1",
    "B2": "b2",
    "B3": "b3",
    "L": "l",
    "S": "s",
    "MLA": "mla",
    "D": "d",
    "D backward": "d",
    "compulsory": "compulsory",
}
_LARGE_CACHE = ("D", "D backward")
_LINEAR = ("linear", "recurrent", "gated")


_FILES = {
    "plain": ("Attention", "Certificate"),
    "safe": ("Softmax", "SoftmaxCertificate"),
    "online": ("Softmax", "SoftmaxCertificate"),
    "backward": ("Backward", "BackwardCertificate"),
    "latent": ("Latent", "LatentCertificate"),
    "shared-rope": ("Latent", "SharedRopeCertificate"),
    "linear": ("Linear", "LinearCertificate"),
    "recurrent": ("Linear", "LinearCertificate"),
    "gated": ("Gates", "LinearCertificate"),
}
"""Where the computation of a form is defined, and what is said of it."""


def coq_certificate(problem: Problem, M: int) -> str:
    """Return a Coq file that states the machine-checked bounds of a problem, with what proves them.

    Parameters
    ----------
    problem : Problem
        Softmax attention, forward or backward, latent attention, or heads that share rotary words, with or without a
        mask. Under a mask the statements are about every mask with as many pairs, queries and keys. Or linear
        attention, of one head to each head of keys. Of several copies each bound is stated of one, and then of all.
        With sums in any order T1 and B1 of one copy are stated.
    M : int
        Words of fast memory.

    Raises
    ------
    BoundDoesNotApply
        If no bound of the problem can be written so.

    Notes
    -----
    The file proves nothing by itself: Coq computes anew, with integers, what the theorems of docs/proofs ask for,
    and refuses a number that is too great. For T3, T4 and B3 it has the boxes that prove their constants, which take a
    second or two to find; those of B3 take up to half a minute.

    Examples
    --------
    >>> print(coq_certificate(Problem.square(4096, 64), 25000).splitlines()[13])
    Theorem T1 : forward_costs 4096 4096 64 64 false 25000 11020013.
    """
    bounds = proved_bounds(problem, M)
    checked = [bound for bound in bounds if bound.status == "machine-checked"]
    if not checked:
        raise BoundDoesNotApply(
            f"no bound on {problem.describe()} can be written for Coq; this works for softmax attention "
            "(forward and backward), latent attention, heads that share rotary words, and linear "
            "attention with one query head per head of keys"
        )
    others = [bound.name for bound in bounds if bound not in checked and bound.value]
    computation, certificate = _FILES["backward" if problem.pass_name == "backward" else problem.form]
    game = "Game"
    if problem.sums != "chain":
        game, certificate = "AnyOrder", "AnyOrderCertificate"
    more = ["LargeCacheCertificate"] if any(bound.name in _LARGE_CACHE for bound in checked) else []
    counted = [_counted(problem, M, bound)[0] for bound in checked]
    more += dict.fromkeys(BOUNDS_OF_ROWS[name].file for name in counted if name in BOUNDS_OF_ROWS)
    more += ["CopiesCertificate"] if problem.copies > 1 else []
    header = coq_header(
        problem.describe(), M, computation, certificate, more, problem.copies, others=others, game=game
    )
    return header + "".join(_theorems(problem, M, checked))


def _maxima(problem: Problem) -> int:
    """Return how many words the maxima of the rows cost, which plain softmax does not have."""
    return problem.queries * problem.stats if problem.form in ("safe", "online") else 0


def _statement(problem: Problem, M: int, name: str) -> tuple[str, str]:
    """Return what is stated but for the number of words, and how the names of its lemmas end."""
    if problem.form in _LINEAR:
        sizes = [problem.Nq, problem.Nk] if problem.form == "linear" else [problem.Nk]
        numbers = [*sizes, problem.d, problem.dv, M]
        return f"{problem.form}_costs {' '.join(map(str, numbers))}", problem.form
    if problem.form == "shared-rope":
        of_heads = [problem.heads, problem.pairs, problem.queries, problem.keys]
        numbers = [*of_heads, problem.d, problem.dv, problem.shared_rope]
        return (
            f"shared_rope_costs {' '.join(map(str, numbers))} {str(problem.stats).lower()} {M}",
            "shared_rope",
        )
    forward, masked = problem.pass_name == "forward", problem.mask is not None
    of_pass = f"{'any_order_' * (problem.sums != 'chain')}{problem.pass_name}"
    computation = of_pass if problem.form == "plain" else problem.form
    sizes = [problem.pairs, problem.queries, problem.keys] if masked else [problem.Nq, problem.Nk]
    kind = "masked" if masked else ""
    if masked and name in _LARGE_CACHE:
        kind, sizes = "rectangle", [*rectangle(problem), problem.queries, problem.keys]
    stats = f" {str(problem.stats).lower()}" if forward else ""
    shape = " ".join(map(str, [*sizes, problem.d, problem.dv]))
    last = "latent" if problem.form == "latent" else of_pass
    suffix = "_".join([kind] * masked + [last] * (not masked or last != "forward"))
    return f"{kind}{'_' * masked}{computation}_costs {shape}{stats} {M}", suffix


def _theorems(problem: Problem, M: int, bounds: list[Bound]) -> Iterator[str]:
    for bound in bounds:
        statement, suffix = _statement(problem, M, bound.name)
        head = bound.name == "without rope"
        lemma = "without_rope_of_head" if head else f"{_LEMMAS[bound.name]}_{suffix}"
        if bound.name in BOUNDS_OF_ROWS:
            lemma = f"({lemma} {bound.name}_row)"
        name, copy = _counted(problem, M, bound)
        if name in BOUNDS_OF_ROWS:
            yield coq_row_of(name, copy, M)
        theorem = coq_theorem(
            bound.name.replace(" ", "_"),
            statement,
            bound.value,
            lemma,
            {} if head else _given(problem, M, bound.name),
        )
        if head:
            theorem = _from_one_head(theorem, one_head(problem), M)
        if problem.form in ("safe", "online") and bound.name != "S":
            plain = bound.value - _maxima(problem)
            theorem = _from_plain(theorem, f"{problem.form}_{suffix}", plain)
        yield theorem
        if problem.copies > 1:
            yield _of_all_copies(problem, M, bound)


def _counted(problem: Problem, M: int, bound: Bound) -> tuple[str, Problem]:
    """Return the bound that a number comes from, and the one copy that it is about."""
    if bound.name == "without rope":
        head = one_head(problem)
        return best_bound(head, M).name, head
    return bound.name, problem.single


def _of_all_copies(problem: Problem, M: int, bound: Bound) -> str:
    """Return the theorem that all copies cost as many times what one does."""
    name, words = bound.name.replace(" ", "_"), int(bound.value)
    kind, sizes = "all_pairs", [problem.Nq, problem.Nk]
    if problem.form in (*_LINEAR, "shared-rope"):
        statement, _ = _statement(problem, M, bound.name)
        kind = problem.form.replace("-", "_")
        statement = statement.replace("_costs", f"_copies_cost {problem.copies}")
    else:
        if problem.mask is not None:
            rectangular = bound.name in _LARGE_CACHE
            kind = "rectangle" if rectangular else "masked"
            first = rectangle(problem) if rectangular else (problem.pairs,)
            sizes = [*first, problem.queries, problem.keys]
        computation = problem.form if problem.pass_name == "forward" else "backward"
        stats = f" {str(problem.stats).lower()}" if problem.pass_name == "forward" else ""
        numbers = " ".join(map(str, [*sizes, M]))
        statement = f"{kind}_copies_cost {problem.copies} ({computation}_of {problem.d} {problem.dv}{stats}) {numbers}"
    proof = f"with (one := {words}); [vm_compute; reflexivity | exact {name}]"
    return (
        f"\nTheorem {name}_of_all : {statement} {problem.copies * words}.\n"
        f"Proof. apply copies_{kind} {proof}. Qed.\n"
    )


def _from_plain(theorem: str, softmax: str, plain: int | float) -> str:
    """Return the proof for plain softmax as one for another softmax, where the maxima cost words besides."""
    first = f"apply {softmax} with (plain := {plain});\n  [vm_compute; reflexivity .. | "
    return theorem.replace("Proof. ", f"Proof.\n{first}").replace(
        "; vm_compute; reflexivity. Qed", "; vm_compute; reflexivity].\nQed"
    )


def _from_one_head(theorem: str, head: Problem, M: int) -> str:
    """Return the proof that heads without their shared words cost as many times what one does."""
    best = best_bound(head, M)
    given = "".join(f" ({letter} := {number})" for letter, number in _given(head, M, best.name).items())
    lemma = f"{_LEMMAS[best.name]}_masked"
    if best.name in BOUNDS_OF_ROWS:
        lemma = f"({lemma} {best.name}_row)"
    of_one = f"apply {lemma}{' with' * bool(given)}{given}; vm_compute; reflexivity"
    return theorem.replace("Proof. ", "Proof.\n").replace(
        "; vm_compute; reflexivity. Qed",
        f" with (one := {best.value});\n  [vm_compute; reflexivity | {of_one}].\nQed",
    )


def _given(problem: Problem, M: int, name: str) -> dict[str, int]:
    """Return what a theorem is applied with: the number of cuts, a segment's words, and where its events are most."""
    if name in _LARGE_CACHE:
        return _moment(problem)
    if name == "B3":
        found = best_row(B3Row, problem.single, M)
        assert found is not None
        return {"h": found[1] - 1}
    counted = all_heads(problem) if problem.form == "shared-rope" else problem
    cut = _CUTS[name](counted, M) if name in _CUTS else None
    if cut is None:
        return {}
    T = M + cut.X
    bound = _BY_SEGMENTS.get(name)
    place = (
        {} if bound is None or bound.place is None else dict(zip("pq", bound.place(T, counted), strict=True))
    )
    return {"h": cut.cuts, "T": T, **place}


def _moment(problem: Problem) -> dict[str, int]:
    """Return what D is applied with: τ and σ, and of the backward pass τ' and σ'."""
    (queries, keys), d, dv = rectangle(problem), problem.d, problem.dv
    if problem.pass_name == "forward":
        _, tau, sigma = needed_again(queries, keys, d, dv)
        return {"tau": tau, "sigma": sigma}
    _, tau, sigma = needed_again_backward(queries, keys, d, dv)
    _, own_tau = others_begun(queries, keys, d, tau, sigma, min(d + dv, queries))
    _, own_sigma = others_begun(keys, queries, d, sigma, tau, min(d + dv, keys))
    return {"tau": tau, "tau'": own_tau, "sigma": sigma, "sigma'": own_sigma}


_BY_SEGMENTS = {bound.statement.name: bound for bound in (t1, t2, b1, b2, latent_bound)}
_CUTS: dict[str, Callable[..., Cut | None]] = {
    **{name: bound.cut for name, bound in _BY_SEGMENTS.items()},
    "L": linear_best_cut,
    "S": safe_softmax_cut,
}
