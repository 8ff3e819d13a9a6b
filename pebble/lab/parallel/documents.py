"""Documents of different lengths on several devices: which to keep whole, and which to cut over how many devices."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.common.plain import plain
from pebble.common.tables import Table, TableResult, words
from pebble.lab.parallel.comparing import every_row
from pebble.lab.parallel.parallel_table import ParallelRow
from pebble.lower_bounds.attention.documents import documents_total
from pebble.program.parallel import SharedProblem, distributed_schedule

_ROUND = 1 + 1e-12
_TRIED = 8
"""How many documents are tried, those with the largest pieces, for one that is cut further."""
_AHEAD = 4
"""How many more devices are tried for a document at most, beside all."""


@dataclass(frozen=True)
class PlacedDocument:
    """A document and the devices that it is on.

    Attributes
    ----------
    length : int
        Tokens.
    row : ParallelRow or None
        How its attention is computed; None where one device has all of it, and nothing moves.
    """

    length: int
    devices: tuple[int, ...]
    row: ParallelRow | None


@dataclass(frozen=True)
class DocumentReport(TableResult):
    """What :func:`parallel_documents` returns.

    Attributes
    ----------
    problem : SharedProblem
        Heads, mask, pass and devices; N is the tokens of all documents.
    documents : tuple of PlacedDocument
        In the order given.
    received : tuple of int
        Words, by device.
    pairs : tuple of int
        Pairs of all query heads, by device.
    ring_over_all : int
        Words that each device receives if every document is cut over all devices, and keys and values go round.
    bound_total : int or None
        What all devices receive at least, wherever the documents are, if none has more pairs; None if no bound applies.
    """

    problem: SharedProblem
    documents: tuple[PlacedDocument, ...]
    received: tuple[int, ...]
    pairs: tuple[int, ...]
    ring_over_all: int
    bound_total: int | None

    @property
    def ratio(self) -> float | None:
        """Total words over their bound; None where that is nothing or does not apply."""
        return sum(self.received) / self.bound_total if self.bound_total else None

    @property
    def balance(self) -> float:
        """Pairs of the busiest device over the mean."""
        return max(self.pairs) * len(self.pairs) / sum(self.pairs)

    def content(self) -> dict[str, Any]:
        """Return plain data."""
        p = self.problem
        return {
            **p.to_dict(),
            **{"pass": p.pass_name, "mask": p.mask},
            "documents": self.records(),
            "received_max": max(self.received),
            "received": list(self.received),
            "total": sum(self.received),
            "pairs_max": max(self.pairs),
            "pairs_min": min(self.pairs),
            **{"balance": self.balance, "bound_total": self.bound_total, "ratio_total": self.ratio},
            "ring_over_all": self.ring_over_all,
        }

    def records(self) -> list[dict[str, Any]]:
        """Return a row a document."""
        keys = "length devices schedule=row.name shape=row.shape_or_none layout=row.layout"
        keys += " received_max=row.received_max"
        return [plain(one, keys) | ({} if one.row else {"received_max": 0}) for one in self.documents]

    def parts(self) -> list[str | Table]:
        """Return what is printed: like documents together."""
        kinds: Counter[tuple[str, ...]] = Counter()
        for one in self.documents:
            row = one.row
            how = (
                (row.name, row.shape, row.layout, words(row.received_max)) if row else ("whole", "", "", "0")
            )
            kinds[words(one.length), str(len(one.devices)), *how] += 1
        head = ["documents", "tokens", "devices each", "schedule", "shape", "layout"]
        head.append("words received, busiest")
        rows = [[str(count), *kind] for kind, count in kinds.items()]
        p = self.problem
        about = f"{len(self.documents):,} documents, {p.describe().rpartition(', ')[0]}"
        busiest, total = words(max(self.received)), words(sum(self.received))
        ends = [
            f"words received by the busiest device: {busiest}, in total {total}; work, max/mean: {self.balance:.2f}"
        ]
        if self.bound_total is not None:
            ratio = f", ÷ bound {self.ratio:.3f}" if self.ratio else ""
            ends.append(
                f"in total, no placement with this balance moves fewer than {words(self.bound_total)}: D6{ratio}"
            )
        ends.append(
            f"with a ring over all devices for every document, each device receives {words(self.ring_over_all)} words"
        )
        return [about, Table([head, *rows], right=(0, 1, 2, 6)), "\n".join(ends)]


def parallel_documents(
    problem: SharedProblem, lengths: Sequence[int], balance: float = 1.05
) -> DocumentReport:
    """Share documents that do not attend to each other out over devices, so that few words move.

    A document on one device moves nothing; one that is cut over k devices is cut evenly. At first every document is on
    as few devices as keep its share of work below the limit. Pieces are placed with the largest first, each on the
    device with the least work. While a device has more than the limit, one document is cut further: that which relieves
    most for the words that it adds. At last each document has the number of devices with which the fewest words move,
    where the limit allows it: with the heads, 16 devices may exchange fewer words than 10. Of the schedules and layouts
    for a document the one that moves least is taken; while a device has more than the limit, a more even one.

    Parameters
    ----------
    problem : SharedProblem
        Heads, head dimension, mask, pass and number of devices; its N is not looked at.
    lengths : sequence of int
        Tokens of each document.
    balance : float
        The most work of a device over the mean, if documents can be cut so.

    Examples
    --------
    >>> from pebble.program.parallel import SharedProblem
    >>> report = parallel_documents(SharedProblem(64, 4, 4, causal=True), [1024, 256, 256, 64])
    >>> [len(document.devices) for document in report.documents], round(report.balance, 2)
    ([4, 2, 2, 1], 1.01)
    """
    if not lengths:
        raise InvalidInput("give at least one document")
    if sum(lengths) < problem.P:
        raise InvalidInput(f"too few tokens for {problem.P:,} devices: {sum(lengths):,}")
    if not 1 <= balance < math.inf:
        raise InvalidInput(
            f"the busiest device cannot do less than the mean: the balance is a number from 1 on, not {balance:g}"
        )
    work = [replace(problem, N=length, P=1, layout="contiguous").pairs for length in lengths]
    limit = balance * sum(work) / problem.P
    placed, _ = _packed(work, fewest_words(work, lengths, limit, words_by_devices(problem)), problem.P)
    whole = replace(problem, N=sum(lengths), layout="contiguous")
    return _report(whole, lengths, placed, limit * problem.heads)


def words_by_devices(problem: SharedProblem) -> list[int]:
    """Return the words that move for each token of a document on 0, 1, 2, … P devices, without a mask.

    Of heads × grid, of which rings, gathers and Ulysses are special shapes.
    """
    schedule, sizes = distributed_schedule("heads-grid"), (problem.heads, problem.kv_heads)
    found = [0]
    for k in range(1, problem.P + 1):
        alone = SharedProblem(k, problem.d, k, *sizes, pass_name=problem.pass_name, dv=problem.dv)
        found.append(min(schedule.dense_words(alone, shape) for shape in schedule.shapes(alone)))
    return found


def fewest_words(
    work: Sequence[int], lengths: Sequence[int], limit: float, words: Sequence[int]
) -> list[int]:
    """Return over how many devices to cut each document, see :func:`parallel_documents`.

    Parameters
    ----------
    work, lengths : sequence of int
        Of each document, the pairs and the tokens.
    limit : float
        The most pairs of a device.
    words : sequence of int
        Words that move for a token, by the number of devices.
    """
    P = len(words) - 1
    most = [min(P, length) for length in lengths]
    cuts = [min(math.ceil(one / limit / _ROUND), last) for one, last in zip(work, most, strict=True)]

    def excess(loads: Sequence[float]) -> float:
        return sum(load - limit for load in loads if load > limit * _ROUND)

    def changed(i: int, k: int) -> float:
        return excess(_packed(work, [*cuts[:i], k, *cuts[i + 1 :]], P)[1])

    def gain(i: int, k: int) -> tuple[bool, float]:
        relieved, more = over - changed(i, k), lengths[i] * (words[k] - words[cuts[i]])
        return more <= 0 < relieved, relieved / max(more, 1)

    placed, loads = _packed(work, cuts, P)
    over = excess(loads)
    least = over, cuts.copy()
    while over:
        full = {device for device, load in enumerate(loads) if load > limit * _ROUND}
        there = {(lengths[i], cuts[i]): i for i, devices in enumerate(placed) if not full.isdisjoint(devices)}
        largest = heapq.nlargest(_TRIED, there.values(), key=lambda i: work[i] / cuts[i])
        moves = [
            (i, k)
            for i in largest
            for k in {*range(cuts[i] + 1, cuts[i] + _AHEAD), most[i]}
            if cuts[i] < k <= most[i]
        ]
        if not moves:
            break
        i, cuts[i] = max(moves, key=lambda move: gain(*move))
        placed, loads = _packed(work, cuts, P)
        over = excess(loads)
        least = min(least, (over, cuts.copy()))
    over, cuts = least
    cut = [i for i, k in enumerate(cuts) if k > 1]
    for i in sorted(cut, key=lambda i: -lengths[i] * words[cuts[i]]):
        fewer = [k for k in range(1, most[i] + 1) if words[k] < words[cuts[i]]]
        fewer.sort(key=lambda k: words[k])
        cuts[i] = next((k for k in fewer if changed(i, k) <= over), cuts[i])
    return cuts


def _packed(work: Sequence[int], cuts: Sequence[int], P: int) -> tuple[list[tuple[int, ...]], list[float]]:
    """Place pieces of documents, the largest first, where there is least work; return that of each device too."""
    placed: list[tuple[int, ...]] = [()] * len(work)
    loads = [(0.0, device) for device in range(P)]
    for i in sorted(range(len(work)), key=lambda i: -work[i] / cuts[i]):
        taken = [heapq.heappop(loads) for _ in range(cuts[i])]
        placed[i] = tuple(sorted(device for _, device in taken))
        for load, device in taken:
            heapq.heappush(loads, (load + work[i] / cuts[i], device))
    return placed, [load for load, _ in sorted(loads, key=lambda one: one[1])]


def _report(
    problem: SharedProblem, lengths: Sequence[int], placed: list[tuple[int, ...]], limit: float
) -> DocumentReport:
    """Count what each document that is cut moves, on its own devices."""
    kinds = [(length, len(devices)) for length, devices in zip(lengths, placed, strict=True)]
    found = {
        (length, k): every_row(replace(problem, N=length, P=k)) if k > 1 else []
        for length, k in dict.fromkeys(kinds)
    }
    while True:
        chosen = {kind: next(iter(rows), None) for kind, rows in found.items()}
        received, pairs = [0] * problem.P, [0] * problem.P
        for (length, k), devices in zip(kinds, placed, strict=True):
            row = chosen[length, k]
            each = row.traffic.pairs if row and row.traffic else _even_pairs(problem, length, k)
            for place, device in enumerate(devices):
                received[device] += row.received[place] if row else 0
                pairs[device] += each[place]
        if max(pairs) <= limit * _ROUND or not _more_even(found):
            break
    documents = tuple(
        PlacedDocument(kind[0], devices, chosen[kind]) for kind, devices in zip(kinds, placed, strict=True)
    )
    back = 1 if problem.pass_name == "forward" else 2
    ring = problem.N * (problem.P - 1) * problem.keys.words * problem.kv_heads * back // problem.P
    bound = None
    with suppress(BoundDoesNotApply):
        bound = int(documents_total(problem, lengths, max(pairs)).value)
    return DocumentReport(problem, documents, tuple(received), tuple(pairs), ring, bound)


def _even_pairs(problem: SharedProblem, length: int, k: int) -> list[int]:
    """Return the pairs of k devices that share a document evenly."""
    pairs = replace(problem, N=length, P=1).pairs * problem.heads
    return [(pairs + place) // k for place in range(k)]


def _more_even(found: dict[tuple[int, int], list[ParallelRow]]) -> bool:
    """Drop rows of the most uneven document that can be shared out more evenly; tell whether there is one."""

    def most(row: ParallelRow) -> float:
        return max(row.traffic.pairs) if row.traffic else 0

    gains = {kind: most(rows[0]) - min(map(most, rows)) for kind, rows in found.items() if rows}
    kind = max(gains, key=lambda one: gains[one], default=None)
    if kind is None or gains[kind] <= 0:
        return False
    found[kind] = [row for row in found[kind] if most(row) < most(found[kind][0])]
    return True
