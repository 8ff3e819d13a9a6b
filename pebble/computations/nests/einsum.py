"""Loop nests from einsum strings: products of arrays, summed over the indices that the result lacks."""

from __future__ import annotations

from string import ascii_uppercase

from pebble.common.errors import InvalidInput
from pebble.computations.nests.read_text import loop_nest
from pebble.computations.nests.statement import LoopNest


def einsum(products: str, **extents: int) -> LoopNest:
    """Return the loop nest of a product of arrays, or of a chain of products.

    Parameters
    ----------
    products : str
        As for ``numpy.einsum``: ``"ik,kj->ij"``. The operands are called A, B, … and the result by the next letter.
        More products follow after ``;``. The first operand of each is then the result of the one before:
        ``"ik,kj->ij; ij,jl->il"`` is C = A·B, E = C·D.
    **extents : int
        Length of every index.

    Raises
    ------
    InvalidInput
        If the text is no such product, or an index has no extent.

    Examples
    --------
    >>> for statement in einsum("ik,kj->ij; ij,jl->il", i=8, j=8, k=8, l=8).statements:
    ...     print(statement)
    C[i,j] += A[i,k]*B[k,j]
    E[i,l] += C[i,j]*D[j,l]
    """
    return loop_nest(einsum_text(products), extents)


def einsum_text(products: str) -> str:
    """Return the assignments that an einsum string stands for.

    >>> einsum_text("ij,j")
    'C[i] += A[i,j]*B[j]'
    """
    if not isinstance(products, str):
        raise InvalidInput(f"an einsum is a text such as 'ik,kj->ij', not {type(products).__name__}")
    first, assignments = 0, []
    for product in products.split(";"):
        operands, result = _indices(product)
        after = first + len(operands)
        if after >= len(ascii_uppercase):
            raise InvalidInput(
                "an einsum names at most 26 arrays; write the assignments for pebble.loop_nest"
            )
        arrays = ascii_uppercase[first:after]
        assignments.append(_assignment(ascii_uppercase[after], result, arrays, operands))
        first = after
    return "; ".join(assignments)


def _indices(product: str) -> tuple[list[str], str]:
    """Return the indices of the operands and of the result; without ``->`` the result has those that occur once."""
    text = product.replace(" ", "")
    left, arrow, right = text.partition("->")
    operands = left.split(",")
    for indices in (*operands, right):
        if indices and not (indices.isascii() and indices.isalpha()):
            raise InvalidInput(
                f"{product.strip()!r}: indices are letters, operands are separated by commas, the result follows ->: "
                "'ik,kj->ij'"
            )
    if not text:
        raise InvalidInput("an einsum is missing; write for example 'ik,kj->ij'")
    if not arrow:
        right = "".join(sorted(name for name in set(left) - {","} if left.count(name) == 1))
    unknown = sorted(set(right) - set(left))
    if unknown or len(set(right)) < len(right):
        why = f"no operand has the index {unknown[0]}" if unknown else "the result has an index twice"
        raise InvalidInput(f"{product.strip()!r}: {why}")
    return operands, right


def _assignment(name: str, result: str, arrays: str, operands: list[str]) -> str:
    sums = set("".join(operands)) - set(result)
    right = "*".join(_element(array, indices) for array, indices in zip(arrays, operands, strict=True))
    return f"{_element(name, result)} {'+=' if sums else '='} {right}"


def _element(array: str, indices: str) -> str:
    return f"{array}[{','.join(indices)}]" if indices else array
