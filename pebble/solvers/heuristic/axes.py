"""The axes of the lattices behind a graph: which cones and values agree in an index that nobody has told us."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pebble.graph.order import joined
from pebble.solvers.heuristic.cone_steps import ConeSteps

_MOST_WORK = 30_000_000
"""Edges that the search for axes may join, over all its trials."""
_MOST_PARTS = 128
_FEW = 4
_DEPTH = 3
_BRANCHES = 10
_LEAST_PARTS = 5
"""Fewer parts are taken for what is left of a shift by several places, not for an axis."""
_STRANGE = 0.19
"""Part of a family that may lie in places where no cone of the first family does."""
_LOCAL = 0.75
"""A value is used in fewer than this part of an axis's places, in some role; else the axis is left over from shifts."""
LARGE_FAMILY = 0.12
"""Part of all cones from which on a family shapes the axes; the boundaries of a stencil are small families."""


@dataclass(frozen=True, eq=False)
class _Relation:
    """Uses of one kind, as pairs of nodes: the cone and the value."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    family: int
    produces: bool = False


class Axes:
    """Partitions of cones and values that many kinds of use respect.

    A kind of use is a relation between cones and values: same family of cones, same role. In a product C = A·B the
    uses of A, taken together, connect all that has the same row index; those of B what has the same column. An axis
    is a partition into the components of as many relations as possible, without everything becoming one. That a
    cone produces the value at its root is a relation too.

    Attributes
    ----------
    nodes : int
        Cones come first, then vertices: node C + v is the value of vertex v.
    family : array of int64, length of the cones
        The families, those apart that fall into few components which no value connects.
    found : list of array of int64, shape (nodes,)
        The label of each node on each axis, -1 where the axis does not reach. The most used axis comes first.
    """

    def __init__(self, steps: ConeSteps, vertices: int) -> None:
        self.cones = len(steps.root)
        self.nodes = self.cones + vertices
        self._steps = steps
        self._work = _MOST_WORK
        self.family = self._connected_families()
        self._relations = sorted(self._all_relations(), key=lambda relation: -len(relation.a))
        self._seen: set[frozenset[int]] = set()
        self._maximal: dict[frozenset[int], NDArray[np.int64]] = {}
        self._main = np.zeros(0, dtype=np.int64)
        for start, relation in enumerate(self._relations):
            self._main = np.unique(relation.a)
            labels = self._join(np.arange(self.nodes), relation)
            if self._is_large(relation.family) and self._work > 0 and self._count(labels) > 1:
                self._explore(frozenset([start]), labels, relation.family, _DEPTH)
        self.found = self._distinct()

    # -- relations

    def _connected_families(self) -> NDArray[np.int64]:
        """Return the families, those apart that fall into few components which no value connects."""
        steps, nodes = self._steps, self.nodes
        families = steps.family.copy()
        for rows in _groups(steps.family[steps.cone]):
            component = joined(np.arange(nodes), steps.cone[rows], self.cones + steps.value[rows])
            cones = np.unique(steps.cone[rows])
            names, place = np.unique(component[cones], return_inverse=True)
            if 1 < len(names) <= _FEW:
                families[cones] = families.max() + 1 + place
        return families

    def _all_relations(self) -> list[_Relation]:
        steps = self._steps
        key = self._key()
        groups = _groups(key)
        relations = [self._uses(rows) for rows in groups]
        result = []
        for group, (rows, relation) in enumerate(zip(groups, relations, strict=True)):
            siblings = [
                other for at, other in enumerate(relations) if at != group and other.family == relation.family
            ]
            result += self._parts(rows, relation, siblings)
        users = np.isin(np.arange(self.nodes - self.cones), steps.value)
        for family in np.unique(self.family).tolist():
            cones = np.flatnonzero((self.family == family) & users[steps.root])
            if len(cones):
                result.append(_Relation(cones, self.cones + steps.root[cones], family, True))
        return result

    def _key(self) -> NDArray[np.int64]:
        """Return family and role of each use as one number."""
        steps, roles = self._steps, int(self._steps.role.max(initial=0)) + 1
        key: NDArray[np.int64] = self.family[steps.cone] * roles + steps.role
        return key

    def _uses(self, rows: NDArray[np.int64]) -> _Relation:
        cone = self._steps.cone[rows]
        return _Relation(cone, self.cones + self._steps.value[rows], int(self.family[cone[0]]))

    def _is_large(self, family: int) -> bool:
        return bool(np.mean(self.family == family) >= LARGE_FAMILY)

    def _collapses(self, relation: _Relation) -> bool:
        labels = self._join(np.arange(self.nodes), relation)
        return bool((labels[relation.a] == labels[relation.a[0]]).all())

    def _parts(
        self, rows: NDArray[np.int64], relation: _Relation, siblings: list[_Relation]
    ) -> list[_Relation]:
        """Return the relation itself, or pieces of its components if these are few and the pieces are loose."""
        components = _groups(self._join(np.arange(self.nodes), relation)[relation.a])
        pieces = []
        if len(components) <= _FEW:
            for component in components:
                pieces += self._pieces(rows[component], siblings)
        return pieces or [relation]

    def _pieces(self, rows: NDArray[np.int64], siblings: list[_Relation]) -> list[_Relation]:
        """Split connected uses by what another role of the cones tells apart, or by step; none if that is no help."""
        cone, position = self._steps.cone[rows], self._steps.position[rows]
        splits = [self._join(np.arange(self.nodes), sibling)[cone] for sibling in siblings]
        for split in (*splits, position):
            parts = _groups(split)
            if 2 <= len(parts) <= _MOST_PARTS:
                pieces = [self._uses(rows[part]) for part in parts]
                pieces = [piece for piece in pieces if not self._collapses(piece)]
                if pieces:
                    return pieces
        return []

    # -- partitions

    def _join(self, labels: NDArray[np.int64], relation: _Relation) -> NDArray[np.int64]:
        self._work -= len(relation.a) + len(labels) // 4
        return joined(labels, relation.a, relation.b)

    def _count(self, labels: NDArray[np.int64]) -> int:
        return len(np.unique(labels[self._main]))

    def _explore(self, chosen: frozenset[int], labels: NDArray[np.int64], family: int, depth: int) -> None:
        """Add relations of a family that join nothing more, then in turn each that leaves several parts.

        Where none does, relations of other families are added: boundaries do not decide what the axes are.
        """
        chosen, labels, coarser = self._closed(chosen, labels, family)
        if chosen in self._seen:
            return
        self._seen.add(chosen)
        coarser.sort(key=lambda option: -option[0])
        for _, relation, merged in coarser[:_BRANCHES] if depth else []:
            if self._work > 0 and not any(chosen | {relation} <= one for one in self._maximal):
                self._explore(chosen | {relation}, merged, family, depth - 1)
        if not any(chosen <= one for one in self._maximal):
            chosen, labels, _ = self._closed(chosen, labels, None)
            self._maximal[chosen] = self._known(np.where(self._touched(chosen), labels, -1))

    def _closed(
        self, chosen: frozenset[int], labels: NDArray[np.int64], family: int | None
    ) -> tuple[frozenset[int], NDArray[np.int64], list[tuple[int, int, NDArray[np.int64]]]]:
        """Add relations that join no two parts; also return those that join some, with the parts left."""
        touched = self._touched(chosen)
        count = self._count(labels)
        rejected: set[int] = set()
        while True:
            coarser: list[tuple[int, int, NDArray[np.int64]]] = []
            grown = False
            for r, relation in enumerate(self._relations):
                if r in chosen or r in rejected or self._work <= 0 or family not in (None, relation.family):
                    continue
                if relation.produces and any(self._relations[other].produces for other in rejected):
                    continue
                if np.mean(touched[relation.a] | touched[relation.b]) < 0.5:
                    continue
                merged = self._join(labels, relation)
                parts = self._count(merged)
                if len(np.unique(merged[relation.a])) == 1:
                    rejected.add(r)
                elif parts == count:
                    chosen, labels, grown = chosen | {r}, merged, True
                    touched[relation.a] = touched[relation.b] = True
                elif not (family is not None and _LEAST_PARTS <= parts <= count // 2):
                    rejected.add(r)
                else:
                    coarser.append((parts, r, merged))
            if not grown:
                return chosen, labels, coarser

    def _known(self, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Leave out what a family adds to the labels, if that is much of the family: a mixture of boundaries."""
        strange = (labels >= 0) & ~np.isin(labels, labels[self._main])
        cones = labels[: self.cones]
        for family in np.unique(self.family[strange[: self.cones]]).tolist():
            members = np.flatnonzero((self.family == family) & (cones >= 0))
            if strange[members].mean() > _STRANGE:
                cones[members[strange[members]]] = -1
        return np.where(np.isin(labels, cones), labels, -1)

    def _touched(self, chosen: frozenset[int]) -> NDArray[np.bool_]:
        touched = np.zeros(self.nodes, dtype=np.bool_)
        for r in chosen:
            touched[self._relations[r].a] = touched[self._relations[r].b] = True
        return touched

    def _distinct(self) -> list[NDArray[np.int64]]:
        """Return one axis for each partition of the cones; first those on which values are used in few places."""
        axes: list[tuple[tuple[int, int, int], NDArray[np.int64]]] = []
        for _, labels in sorted(self._maximal.items(), key=lambda one: -self._reach(one[0])):
            cones = labels[: self.cones]
            if any(_same_parts(cones, other[: self.cones]) for _, other in axes):
                continue
            parts, width = len(np.unique(cones[cones >= 0])), self._width(cones)
            if width < _LOCAL * parts:
                quarters = int(4 * np.mean(cones[self._steps.cone] >= 0))
                axes.append(((width, -quarters, parts), labels))
        found = [labels for _, labels in sorted(axes, key=lambda axis: axis[0])]
        parts_of = [labels[: self.cones] for labels in found]
        splits = [any(_is_coarser(other, one) for other in parts_of) for one in parts_of]
        return [labels for labels, split in zip(found, splits, strict=True) if not split]

    def _width(self, labels: NDArray[np.int64]) -> int:
        """Return in how many parts the cones lie that use one value, for the role in which these are fewest."""
        steps = self._steps
        here = labels[steps.cone]
        parts = fewest = len(np.unique(labels[labels >= 0]))
        key = self._key()
        for rows in _groups(key):
            rows = rows[here[rows] >= 0]
            if 2 * len(np.unique(here[rows])) > parts:
                pairs = np.unique(np.stack([steps.value[rows], here[rows]]), axis=1)
                places = np.unique(pairs[0], return_counts=True)[1]
                fewest = min(fewest, int(np.quantile(places, 0.95)))
        return fewest

    def _reach(self, chosen: frozenset[int]) -> int:
        return sum(len(self._relations[r].a) for r in chosen)


def _pairs(a: NDArray[np.int64], b: NDArray[np.int64]) -> tuple[int, int, int]:
    """Return the number of parts of two partitions where both are known, of their pairs, of a and of b.

    All are 0 if both are known for less than half of the smaller one.
    """
    both = (a >= 0) & (b >= 0)
    if 2 * both.sum() < min((a >= 0).sum(), (b >= 0).sum()):
        return 0, 0, 0
    pairs = np.unique(np.stack([a[both], b[both]]), axis=1)
    return pairs.shape[1], len(np.unique(pairs[0])), len(np.unique(pairs[1]))


def _same_parts(a: NDArray[np.int64], b: NDArray[np.int64]) -> bool:
    pairs, of_a, of_b = _pairs(a, b)
    return 0 < pairs == of_a == of_b


def _is_coarser(a: NDArray[np.int64], b: NDArray[np.int64]) -> bool:
    """Return whether a only joins parts of b."""
    pairs, of_a, of_b = _pairs(a, b)
    return of_a < of_b == pairs


def _groups(key: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the places of each value of a key, by the least value first."""
    order = np.argsort(key, kind="stable")
    cuts = np.flatnonzero(np.diff(key[order])) + 1
    return list(np.split(order, cuts)) if len(order) else []
