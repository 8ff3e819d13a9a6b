"""Bounds of a DAG that the catalogue knows by name, of matrix products and of the FFT, as Coq files."""

from __future__ import annotations

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.graph.dag import Dag
from pebble.lower_bounds.coq_certificate import coq_certificate, coq_header, coq_theorem
from pebble.lower_bounds.cutting import Cut
from pebble.lower_bounds.graph.family_bounds import catalogue_name
from pebble.lower_bounds.matmul_fft import (
    fft_best_cut,
    fft_compulsory,
    fft_cut,
    matmul_best_cut,
    matmul_compulsory,
    matmul_cut,
    matmul_short,
    short_side_cut,
)


def coq_matmul(m: int, n: int, k: int, M: int) -> str:
    """Return a Coq file that states the bounds on C = A B, with what proves them.

    Examples
    --------
    >>> print(coq_matmul(100, 100, 2, 104).splitlines()[13])
    Theorem short_side : matmul_costs 100 100 2 104 10484.
    """
    statement = f"matmul_costs {m} {n} {k} {M}"
    what = f"matrix product, {m:,} x {k:,} times {k:,} x {n:,}"
    text = coq_header(what, M, "Matmul", "Certificate", ["MatmulCertificate"])
    if (short := _short_side(m, n, k, M)) is not None:
        words, side, cut = short
        text += coq_theorem("short_side", statement, words, "matmul_short_side", _given(cut, M) | {"s": side})
    given = _given(matmul_best_cut(m, n, k, M), M)
    text += coq_theorem("matmul", statement, matmul_cut(m, n, k, M).value, "matmul_cut", given)
    return text + coq_theorem(
        "compulsory", statement, matmul_compulsory(m, n, k, M).value, "matmul_all_words"
    )


def coq_fft(n: int, M: int) -> str:
    """Return a Coq file that states the bounds on the FFT on ``n`` points, with what proves them.

    Examples
    --------
    >>> print(coq_fft(2**20, 1024).splitlines()[13])
    Theorem FFT : fft_costs 20 1024 2511397.
    """
    given = _given(fft_best_cut(n, M), M)
    statement = f"fft_costs {n.bit_length() - 1} {M}"
    text = coq_header(f"FFT on {n:,} points", M, "FFT", "FFTCertificate")
    text += coq_theorem("FFT", statement, fft_cut(n, M).value, "fft_cut", given)
    return text + coq_theorem("compulsory", statement, fft_compulsory(n, M).value, "fft_all_words")


def _short_side(m: int, n: int, k: int, M: int) -> tuple[int | float, int, Cut] | None:
    """Return the greatest bound for a short side, with the side and the cutting; None if there is none."""
    found = []
    for side, others in ((m, (n, k)), (n, (m, k)), (k, (m, n))):
        try:
            found.append((matmul_short(*others, side, M).value, side, short_side_cut(m * n * k, side, M)))
        except BoundDoesNotApply:
            continue
    return max(found, default=None)


def _given(cut: Cut, M: int) -> dict[str, int]:
    """Return what a theorem is applied with: the number of cuts and the words of a segment."""
    return {"h": cut.cuts, "T": M + cut.X}


def coq_certificate_of_dag(dag: Dag, M: int) -> str:
    """Return a Coq file that states the machine-checked bounds of a DAG, with what proves them.

    Examples
    --------
    >>> from pebble.computations.load import load_dag
    >>> print(coq_certificate_of_dag(load_dag("fft:16"), 4).splitlines()[13])
    Theorem FFT : fft_costs 4 4 33.
    """
    from pebble.computations.load import named_problem

    M = fast_memory_words(M)
    name = catalogue_name(dag) or ""
    kind, _, text = name.partition(":")
    if kind == "fma-matmul":
        m, n, k = map(int, text.split(","))
        return coq_matmul(m, n, k, M)
    if kind == "fft":
        return coq_fft(int(text), M)
    problem = named_problem(name) if name else None
    if problem is None:
        raise BoundDoesNotApply(
            f"no bound on {dag.description or 'this DAG'} can be written for Coq; this works for "
            "fma-matmul, fft, attention, attention-safe, attention-online and backward, given by name"
        )
    return coq_certificate(problem, M)
