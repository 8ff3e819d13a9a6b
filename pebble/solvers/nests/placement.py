"""From the choices for a phase to its nest: where each operation stands follows from where the data are kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from pebble.computations.family import Family
from pebble.solvers.nests.tiled_nest import NestLoop, NestNode, NestStep


class DoesNotFit(Exception):
    """The choices contradict each other."""


@dataclass(frozen=True)
class SpineLoop:
    """A loop around several arrays of a phase: over tiles of an axis, or over its elements."""

    axis: str
    unit: bool


@dataclass(frozen=True)
class Group:
    """The arrays that one phase computes, in an order in which they can be computed.

    Attributes
    ----------
    family : Family
    names : tuple of str
    kept : frozenset of str
        Those that must be in slow memory afterwards.
    """

    family: Family
    names: tuple[str, ...]
    kept: frozenset[str]

    def operands(self, name: str) -> list[str]:
        """Return what an array reads, each once."""
        return list(dict.fromkeys(operand.array for operand in self.family[name].reads))

    @cached_property
    def made(self) -> dict[str, tuple[str, ...]]:
        """The operands of each array that the group computes itself."""
        return {name: tuple(o for o in self.operands(name) if o in self.names) for name in self.names}

    @cached_property
    def loaded(self) -> dict[str, tuple[str, ...]]:
        """The operands of each array that come from slow memory."""
        return {name: tuple(o for o in self.operands(name) if o not in self.names) for name in self.names}

    @cached_property
    def readers(self) -> dict[str, tuple[str, ...]]:
        """Which arrays of the group read each array, of the group or from slow memory."""
        return {
            array.name: tuple(y for y in self.names if array.name in self.operands(y))
            for array in self.family.arrays
        }

    @cached_property
    def ancestors(self) -> dict[str, frozenset[str]]:
        """What of the group each array depends on."""
        found: dict[str, frozenset[str]] = {}
        for name in self.names:
            found[name] = frozenset(self.made[name]).union(*(found[one] for one in self.made[name]))
        return found


@dataclass(frozen=True)
class PhasePlan:
    """The choices for a phase.

    Attributes
    ----------
    group : Group
    spine : tuple of SpineLoop
        The loops that arrays share, from the outside; an array stands inside the first ``depth`` of them.
    depth : dict of str to int
    own : dict of str to tuple of str
        Inside those, loops over single elements of these axes, for each array.
    position : dict of (str, str) to int
        How many loops of its path enclose the load of the first array as an operand of the second.
    spilled : dict of str to int
        Sums whose partial results are stored and reloaded: how many loops of their path enclose that.
    """

    group: Group
    spine: tuple[SpineLoop, ...]
    depth: dict[str, int]
    own: dict[str, tuple[str, ...]]
    position: dict[tuple[str, str], int]
    spilled: dict[str, int] = field(default_factory=dict)


def path_of(plan: PhasePlan, name: str) -> list[str]:
    """Return the axes of the loops around an array."""
    return [one.axis for one in plan.spine[: plan.depth[name]]] + list(plan.own[name])


class _Placement:
    """The operations of a phase, put where the choices want them."""

    def __init__(self, plan: PhasePlan) -> None:
        self.plan, self.group, self.family = plan, plan.group, plan.group.family
        self.path = {name: path_of(plan, name) for name in self.group.names}
        self.home = {}
        for name in reversed(self.group.names):
            self.home[name] = self._home(name)
        self.replaced = {}
        for name in self.group.names:
            self.replaced[name] = self._replaced(name)
        for name, other in self.replaced.items():
            if other is not None and self.group.readers[name] and name not in plan.spilled:
                self.home[name] = self.home[other] = min(self.home[name], self.home[other])
        self._check()

    def _home(self, name: str) -> int:
        """Return inside how many loops of its path the box of an array is held."""
        plan, array = self.plan, self.family[name]
        if name in plan.spilled:
            return plan.spilled[name]
        path = self.path[name]
        place = path.index(array.chain) if array.chain in path else len(path)
        for reader in self.group.readers[name]:
            place = min(place, plan.depth[name], plan.depth[reader])
        return place

    def _replaced(self, name: str) -> str | None:
        """Return the operand whose elements can make way for this array's: it is the last that reads them."""
        array, plan = self.family[name], self.plan
        if array.chain is not None or name in plan.spilled:
            return None
        for operand in self.group.made[name]:
            if operand in plan.spilled or operand in self.group.kept:
                continue
            if set(self.family[operand].axes) != set(array.axes) or self.group.readers[operand][-1] != name:
                continue
            if any(axis not in array.axes for axis in self.path[name][self.home[operand] :]):
                continue
            return operand
        return None

    def _check(self) -> None:
        """Refuse choices under which something is computed twice while it is there, or read before it is complete."""
        plan = self.plan
        for name in self.group.names:
            array, path = self.family[name], self.path[name]
            for at, axis in enumerate(path):
                if axis in array.axes or axis == array.chain:
                    continue
                if self.home[name] <= at or name in plan.spilled:
                    raise DoesNotFit
            if name in plan.spilled and array.chain not in path[: plan.spilled[name]]:
                raise DoesNotFit

    # The nest

    def body(self, depth: int) -> list[NestNode]:
        """Return what stands inside the first ``depth`` loops of the spine."""
        plan, names = self.plan, self.group.names
        here = [name for name in names if plan.depth[name] == depth]
        deeper = frozenset(name for name in names if plan.depth[name] > depth)
        after = [name for name in here if self.group.ancestors[name] & deeper]
        if any(self.group.ancestors[name] & frozenset(after) for name in deeper):
            raise DoesNotFit
        items = [(frozenset({name}), self.leaf(name, 0)) for name in here if name not in after]
        if deeper:
            one = plan.spine[depth]
            items.append((deeper, [NestLoop(one.axis, one.unit, tuple(self.body(depth + 1)))]))
        items += [(frozenset({name}), self.leaf(name, 0)) for name in after]
        return self._wrapped(items, depth)

    def leaf(self, name: str, level: int) -> list[NestNode]:
        """Return the computation of an array inside the first ``level`` loops of its own."""
        own = self.plan.own[name]
        if level == len(own):
            inner: list[NestNode] = [NestStep("compute", name, self.replaced[name])]
        else:
            inner = [NestLoop(own[level], True, tuple(self.leaf(name, level + 1)))]
        if not level:
            return inner
        return self._wrapped([(frozenset({name}), inner)], self.plan.depth[name] + level)

    def _wrapped(self, items: list[tuple[frozenset[str], list[NestNode]]], place: int) -> list[NestNode]:
        """Put the loads, stores and deletions around the items that stand inside ``place`` loops."""
        before: list[list[NestNode]] = [[] for _ in items]
        after: list[list[NestNode]] = [[] for _ in items]
        inside = frozenset().union(*(names for names, _ in items))
        own = place > min(self.plan.depth[name] for name in inside) and len(inside) == 1
        for operand, readers in self._loads(inside, place, own):
            start, stop = _span(items, readers)
            before[start].append(NestStep("load", operand))
            after[stop].append(NestStep("unload", operand))
        for name in self.group.names:
            if name in inside and self.home[name] == place:
                self._hold(name, items, before, after)
        return [
            node
            for at, (_, nodes) in enumerate(items)
            for part in (before[at], nodes, after[at])
            for node in part
        ]

    def _loads(self, inside: frozenset[str], place: int, own: bool) -> Iterator[tuple[str, frozenset[str]]]:
        """Yield what is loaded here, each with its readers."""
        found: dict[str, set[str]] = {}
        for (operand, reader), position in self.plan.position.items():
            if reader in inside and position == place and (own or position <= self.plan.depth[reader]):
                found.setdefault(operand, set()).add(reader)
        for operand, readers in found.items():
            yield operand, frozenset(readers)

    def _hold(
        self,
        name: str,
        items: list[tuple[frozenset[str], list[NestNode]]],
        before: list[list[NestNode]],
        after: list[list[NestNode]],
    ) -> None:
        """Make room for an array, store it if it is kept, and delete it after its last use."""
        plan = self.plan
        start, made = _span(items, frozenset({name}))
        if name in plan.spilled:
            before[start] += [
                NestStep("room", name),
                NestStep("reload", name, only=((str(self.family[name].chain), "rest"),)),
            ]
            after[made] = [
                NestStep("store", name),
                NestStep("delete", name),
                NestStep("free", name),
                *after[made],
            ]
            return
        users = frozenset({name, *self.group.readers[name]})
        _, stop = _span(items, users)
        replaced, replacing = self.replaced[name], self._replacing(name)
        if replacing is not None and self.group.readers[replacing]:
            _, stop = _span(items, frozenset({replacing, *self.group.readers[replacing], *users}))
        if replaced is None:
            before[start].insert(0, NestStep("room", name))
        end: list[NestNode] = []
        if name in self.group.kept:
            again = tuple((axis, "first") for axis in self._again(name))
            after[made] = [NestStep("store", name, only=again), *after[made]]
        if replacing is None:
            end.append(NestStep("delete", name))
        root = self._root(name)
        if replacing is None and (replaced is None or self.home[root] == self.home[name]):
            end.append(NestStep("free", root))
        elif replacing is not None and self.home[self._last(name)] != self.home[name]:
            end.append(NestStep("free", name))
        after[stop] += end

    def _again(self, name: str) -> list[str]:
        """Return the axes that an array does not have, in whose loops it is computed again."""
        array = self.family[name]
        return [
            axis
            for axis in dict.fromkeys(self.path[name][: self.home[name]])
            if axis not in array.axes and axis != array.chain
        ]

    def _replacing(self, name: str) -> str | None:
        return next((other for other, replaced in self.replaced.items() if replaced == name), None)

    def _root(self, name: str) -> str:
        while self.replaced[name] is not None:
            name = str(self.replaced[name])
        return name

    def _last(self, name: str) -> str:
        while (following := self._replacing(name)) is not None:
            name = following
        return name


def _span(items: list[tuple[frozenset[str], list[NestNode]]], names: frozenset[str]) -> tuple[int, int]:
    """Return the first and the last item that has something to do with some arrays."""
    found = [at for at, (inside, _) in enumerate(items) if inside & names]
    return found[0], found[-1]


def nest_of(plan: PhasePlan) -> tuple[NestNode, ...]:
    """Return the nest of a phase, its tile sizes still open.

    Raises
    ------
    DoesNotFit
        If the choices contradict each other.
    """
    return tuple(_Placement(plan).body(0))
