"""Two passes: a sum over inputs comes before values that are computed from the same inputs and from the sum."""

from __future__ import annotations

import math
from collections.abc import Iterator

from pebble.computations.nests.statement import Access, Assignment, LoopNest
from pebble.lower_bounds.nests.elements import Elements
from pebble.lower_bounds.nests.projections import Share

__all__ = ["pass_shares"]


def pass_shares(elements: Elements, M: int) -> Iterator[Share]:
    """Yield what reading an array twice costs where a sum over it comes in between, whatever is computed again.

    Looked for: ``s[j] += … X[k,j] …; Y[k,j] = … X[k,j] … s[j] …``, and a statement that reads an element of Y for every
    pair of different j; or no j at all.
    """
    nest = elements.nest
    for maker in nest.statements:
        if not _computes_all(nest, maker):
            continue
        for root in maker.reads:
            for total in maker.reads:
                if _is_rooted(nest, maker, root) and _is_sum_of(nest, maker, root, total):
                    words = math.prod(nest.extents[name] for name in maker.indices)
                    gain = 2 * words - M
                    if gain > 0 and _joins(nest, maker, total):
                        atoms = frozenset([("value", root.array), ("value", maker.target.array)])
                        note = f"{root.array} is read for {total}, and for {maker.target} after all of them"
                        yield Share(gain, atoms, False, note)


def _names(access: Access) -> list[str] | None:
    """Return the indices that are an access's places, all different; None if there are other places."""
    if not all(place.is_index for place in access.places):
        return None
    names = [place.names[0] for place in access.places]
    return names if len(set(names)) == len(names) else None


def _computes_all(nest: LoopNest, maker: Assignment) -> bool:
    """Whether a statement computes one array, every element once, each index a place of it."""
    alone = sum(one.target.array == maker.target.array for one in nest.statements) == 1
    names = _names(maker.target)
    return (
        alone
        and not maker.adds
        and not maker.conditions
        and names is not None
        and set(names) == set(maker.indices)
    )


def _is_rooted(nest: LoopNest, maker: Assignment, root: Access) -> bool:
    """Whether every element reads another element of an array of inputs."""
    names = _names(root)
    return root.array in nest.read_only and names is not None and set(names) == set(maker.indices)


def _is_sum_of(nest: LoopNest, maker: Assignment, root: Access, total: Access) -> bool:
    """Whether a read is a sum over all inputs that the elements with the same index read."""
    makers = [one for one in nest.statements if one.target.array == total.array]
    group = _names(total)
    if len(makers) != 1 or not makers[0].adds or makers[0].conditions or group is None or len(group) > 1:
        return False
    (adder,) = makers
    own = _names(adder.target)
    called, roots = dict(zip(group, own or [], strict=False)), _names(root) or []
    if own is None or len(own) != len(group):
        return False
    for read in adder.reads:
        names = _names(read)
        if read.array != root.array or names is None:
            continue
        pairs = list(zip(roots, names, strict=True))
        same = all(nest.extents[a] == nest.extents[b] for a, b in pairs)
        if same and all((called[a] == b) if a in called else (b not in own) for a, b in pairs):
            return True
    return False


def _joins(nest: LoopNest, maker: Assignment, total: Access) -> bool:
    """Whether for any two different indices of the sum some vertex reads an element of each, and every element so."""
    if not total.places:
        return True
    places = _names(maker.target) or []
    at = places.index(total.places[0].names[0])
    lengths = [nest.extents[name] for name in places]
    for joiner in nest.statements:
        reads = [read for read in joiner.reads if read.array == maker.target.array]
        for one in reads:
            for other in reads:
                if _joins_all(nest, joiner, at, lengths, one, other):
                    return True
    return False


def _joins_all(
    nest: LoopNest, joiner: Assignment, at: int, lengths: list[int], one: Access, other: Access
) -> bool:
    """Whether a statement reads two elements for every pair of indices at a place, in one order or the other."""
    first, second = _names(one), _names(other)
    if first is None or second is None or first[at] in second or second[at] in first:
        return False
    if any([nest.extents[name] for name in names] != lengths for names in (first, second)):
        return False
    if not joiner.conditions:
        return True
    (condition, *more) = joiner.conditions
    pair = sorted(condition.terms) == sorted(
        [(first[at], condition.factor(first[at])), (second[at], -condition.factor(first[at]))]
    )
    return not more and pair and abs(condition.factor(first[at])) == 1 and condition.constant >= -1
