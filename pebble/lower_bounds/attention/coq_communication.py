"""D1 as a Coq file, as :mod:`pebble.lower_bounds.coq_certificate` writes the bounds on one device."""

from __future__ import annotations

from fractions import Fraction

from pebble.common.errors import BoundDoesNotApply
from pebble.lower_bounds.attention.communication import D1_BUSIEST, D1_TOTAL, d1_busiest, d1_total
from pebble.lower_bounds.attention.device_sizes import DeviceSizes, least_words
from pebble.lower_bounds.coq_file import coq_header, coq_theorem

__all__ = ["coq_communication"]


def coq_communication(sizes: DeviceSizes) -> str:
    """Return a Coq file that states D1 with work shared equally, in total and of the busiest device, with proofs.

    Several heads are stated as one with more queries and keys, each query allowed the keys of its own head.

    Raises
    ------
    BoundDoesNotApply
        If the pass is not the forward pass, dv is not d, or D1 says nothing.

    Examples
    --------
    >>> text = coq_communication(DeviceSizes(4096, 64, 16, 1, 1, 4096**2))
    >>> print(text.splitlines()[13])
    Theorem D1_total : devices_send 16777216 4096 4096 64 64 16 67108864 1 3145728.
    """
    found = [bound for bound in (d1_total(sizes), d1_busiest(sizes)) if bound.value]
    if not found:
        raise BoundDoesNotApply(
            f"D1 says nothing of {_described(sizes)}: its bounds are 0 words; take more tokens"
        )
    d, P, pairs = sizes.d, sizes.P, sizes.heads * sizes.pairs
    share = Fraction(sizes.products, P)
    words = least_words(share, d)
    rows = f"{sizes.N * sizes.heads} {sizes.N * sizes.kv_heads}"
    statements = {
        D1_TOTAL.name: f"devices_send {pairs} {rows} {d} {d} {P} {share.numerator} {share.denominator}",
        D1_BUSIEST.name: f"some_device_moves {pairs} {d} {d} {P} {sizes.row_words * -(-sizes.N // P)}",
    }
    text = coq_header(_described(sizes), None, "Attention", "ProcessorsCertificate")
    for bound in found:
        name = bound.name.replace("-", "_")
        given = {"A": words.numerator, "B": words.denominator}
        text += coq_theorem(name, statements[bound.name], bound.value, name.lower(), given)
    return text


def _described(sizes: DeviceSizes) -> str:
    heads = "" if sizes.heads == 1 else f", {sizes.heads} heads on {sizes.kv_heads}"
    pairs = f"{sizes.pairs:,} pairs a head"
    return f"attention forward, N = {sizes.N:,}, d = {sizes.d:,}{heads}, {pairs}; P = {sizes.P:,} devices"
